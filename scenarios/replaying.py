"""Replaying a whole run from its record: no server, no model, no key, and the same events.

The minds, the negotiation, the judge and the measures run again as they did, on the recorded
answers of models and on the recorded world. What they record is compared with the record, event by
event: a replay that ends well has the same ``events.jsonl``, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bots.action import Language
from bridge import RunResult
from bridge.protocol import CodeError
from records import Clock, RunWriter, events
from scenarios.episode import EpisodeResult, OnSnapshot
from scenarios.scenario import Scenario
from scenarios.world import FaultError

#: What a world tells of by itself; everything else the experiment records.
OF_THE_WORLD = events.kinds("bot", "world")
#: Where an event would be that is not in the record.
UNKNOWN = {"t": 0.0, "episode": 0}

CUT_OFF = "the record ends here: the run was cut off"


class ReplayWriter(RunWriter):
    """Writes the record anew and compares: what is recorded must be what was recorded."""

    def __init__(
        self, folder: Path, config: dict[str, Any], clock: Clock, recorded: Sequence[events.Event]
    ) -> None:
        super().__init__(folder, config, clock)
        self._recorded = recorded
        self._at = 0
        #: Events of the world that were passed, for who watches it.
        self.passed: list[events.Event] = []

    @property
    def next(self) -> events.Event | None:
        """The recorded event that comes next; None at the record's end."""
        return self._recorded[self._at] if self._at < len(self._recorded) else None

    @property
    def coming(self) -> Sequence[events.Event]:
        """All recorded events that are still to come."""
        return self._recorded[self._at :]

    def take(self) -> events.Event:
        """Write the recorded event that comes next, and go past it."""
        event = self._recorded[self._at]
        self._at += 1
        self.write(event)
        return event

    def pass_world(self, until: type[events.Event] = events.EpisodeEnded) -> None:
        """Write what the world told of, up to what the experiment recorded next.

        ``until``: a kind that both record, and that the experiment records now.
        """
        while isinstance(self.next, OF_THE_WORLD) and not isinstance(self.next, until):
            self.passed.append(self.take())

    def event(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> Any:
        """Record what the experiment notes, as it is in the record.

        Raises:
            FaultError: it is not what was recorded, or the record ends here.
        """
        self.pass_world(until=kind)
        recorded = self.next
        at = recorded.model_dump(include={"id", "t", "episode"}) if recorded else UNKNOWN
        now = kind(**at, agent=agent, **fields)
        if now == recorded:
            return self.take()
        if kind is events.RunEnded and isinstance(recorded, events.RunEnded):
            return self.take()  # as the recorded run ended: on its budget, say
        if kind in (events.Fault, events.RunEnded):  # a replay that failed says so
            return recorded if isinstance(recorded, events.RunEnded) else self._own(now)
        if recorded is None:
            raise FaultError(CUT_OFF)
        raise FaultError(
            f"the replay differs at event {self._at + 1}; recorded: {recorded.model_dump_json()} "
            f"now: {now.model_dump_json()}"
        )

    def _own(self, event: events.Event) -> events.Event:
        """Write an event that is not in the record."""
        last = self._recorded[self._at - 1].t if self._at else 0.0
        event = event.model_copy(update={"t": last, "episode": self.episode})
        self.write(event)
        return event


class RecordedTheatre:
    """A recorded world in the place of a live one; see :class:`scenarios.theatre.Theatre`."""

    def __init__(self, writer: ReplayWriter, language: Language) -> None:
        self.language = language
        self._writer = writer
        self._own: list[events.Event] = []

    @property
    def seen(self) -> list[events.Event]:
        """All events since the arena was built."""
        self._own += self._writer.passed
        self._writer.passed = []
        return self._own

    def begin(self, episode: int) -> None:
        """What is noted from now on belongs to this episode."""
        self._writer.episode = episode

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Compare an event of the experiment's own with the record."""
        event = self._writer.event(kind, agent, **fields)
        self.seen.append(event)

    async def build(self, _scenario: Scenario, _seed: int) -> None:
        """The arena was built when the run was recorded."""
        self._writer.pass_world()
        self.seen.clear()

    async def perceive(self, agent: str) -> str:
        """What the agent perceived, as it was recorded."""
        for event in self._writer.coming:
            if isinstance(event, events.Perceived) and event.agent == agent:
                return event.text
        raise FaultError(self._ended())

    async def play(
        self,
        scenario: Scenario,
        policies: Mapping[str, str],
        _seed: int,
        _on_snapshot: OnSnapshot,
    ) -> EpisodeResult:
        """The episode as it was recorded.

        Raises:
            FaultError: it was cut off, or other programs ran in it.
        """
        results = {agent: self._result(agent, code) for agent, code in policies.items()}
        self._writer.pass_world()
        ended = self._writer.next
        if not isinstance(ended, events.EpisodeEnded) or ended.reason == "fault":
            raise FaultError(self._ended())
        held = {e.agent: e.items for e in self.seen if isinstance(e, events.Inventory) and e.agent}
        inventories = {agent: held[agent] for agent in scenario.agents}
        return EpisodeResult(inventories, results, ended.reason, ended.seconds)

    def _result(self, agent: str, code: str) -> RunResult:
        """How an agent's program ended, by the episode's events."""
        for event in self._writer.coming:
            if event.agent != agent:
                continue
            if isinstance(event, events.CodeStarted) and event.code != code:
                raise FaultError(f"the replay differs: {agent} ran another program")
            if isinstance(event, events.CodeFinished):
                return RunResult(
                    status=event.status, error=None, logs=event.logs, seconds=event.seconds
                )
            if isinstance(event, events.CodeFailed):
                error = CodeError(
                    message=event.message,
                    line=event.line,
                    column=event.column,
                    source=event.source,
                    done=event.done,
                )
                return RunResult(
                    status=event.status, error=error, logs=event.logs, seconds=event.seconds
                )
        raise FaultError(self._ended())

    async def check_speed(self, _seconds: float) -> str | None:
        """The warning that was recorded, if any."""
        self._writer.pass_world()
        said = [e.message for e in self._writer.passed if isinstance(e, events.Fault)]
        return said[0] if said else None

    def _ended(self) -> str:
        """Why the recorded run went no further."""
        faults = [e for e in self._writer.coming if isinstance(e, events.Fault)]
        self._writer.pass_world()
        told = faults or [e for e in self.seen if isinstance(e, events.Fault)]
        return told[-1].message if told else CUT_OFF
