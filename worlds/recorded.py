"""Replay of a whole run from its record, without a server, a model or an API key.

Minds, negotiation, judge and measures run again, but they use the recorded answers of models and
the recorded world. Each event of the replay is compared with the record. A successful replay
produces the same ``events.jsonl``, byte for byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.protocol import PolicyFormat
from voxpolis.records import Clock, RunWriter, events
from voxpolis.records.programs import CodeError, RunResult
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.protocol import Account, ActionLog, Ending, Episode, FaultError, Lateness

# Kinds of events that a world itself reports; the experiment records all others.
OF_THE_WORLD = events.kinds("bot", "world")
# Interventions and their consequences; a replay copies these events.
OUTSIDE = (events.Intervention, events.Interviewed)
# Placeholder for an event that the record lacks.
UNKNOWN = {"t": 0.0, "episode": 0}

CUT_OFF = "the record ends here: the run was interrupted"


class ReplayWriter(RunWriter):
    """Writes the record again and compares each event with the original."""

    def __init__(
        self,
        folder: Path,
        config: dict[str, Any],
        clock: Clock,
        recorded: Sequence[events.Event],
        *,
        strict: bool = False,
    ) -> None:
        """Prepare a replay. If ``strict`` is True, the world is simulated again instead of being
        copied from the record, so that the world's events are compared as well.
        """
        super().__init__(folder, config, clock)
        self._recorded = recorded
        self._strict = strict
        self._at = 0
        # World events copied so far, for observers of the world.
        self.passed: list[events.Event] = []

    @property
    def next(self) -> events.Event | None:
        return self._recorded[self._at] if self._at < len(self._recorded) else None

    @property
    def coming(self) -> Sequence[events.Event]:
        return self._recorded[self._at :]

    def episode_seconds(self) -> float:
        """Return the duration of the recorded episode.

        Raises:
            FaultError: the record was cut off.
        """
        for event in self.coming:
            if isinstance(event, events.EpisodeEnded):
                return event.seconds
        raise FaultError(CUT_OFF)

    def take(self) -> events.Event:
        """Copy the next recorded event, move on to the following event, and return the copied
        event.
        """
        event = self._recorded[self._at]
        self._at += 1
        self.write(event)
        return event

    def pass_world(self, until: type[events.Event] = events.EpisodeEnded) -> None:
        """Copy the recorded events of the world up to the next event of the experiment.

        ``until`` is the kind of event that the experiment records now. Copying also stops at an
        event of this kind, because some kinds are recorded both by worlds and by the experiment.
        """
        while (
            not self._strict
            and isinstance(self.next, OF_THE_WORLD)
            and not isinstance(self.next, until)
        ):
            self.passed.append(self.take())

    def event(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> Any:
        """Record an event of the experiment. The event must equal the recorded event.

        Raises:
            FaultError: the event differs from the recorded event, or the record ends here.
        """
        self.pass_world(until=kind)
        while isinstance(self.next, OUTSIDE) and not _is(self.next, kind, agent, fields):
            self.take()
        recorded = self.next
        at = recorded.model_dump(include={"id", "t", "episode"}) if recorded else UNKNOWN
        now = kind(**at, agent=agent, **fields)
        if now == recorded:
            return self.take()
        if kind is events.RunEnded and self._is_over():
            # copy how the recorded run ended, for example because its budget was exhausted
            return [self.take() for _ in self.coming][-1]
        if kind in (events.Fault, events.RunEnded):  # a failed replay may record its failure
            return recorded if isinstance(recorded, events.RunEnded) else self._own(now)
        if recorded is None:
            raise FaultError(CUT_OFF)
        if kind is events.PositionSampled and self._has_just_built():
            return now  # records made before 30 November 2026 lack positions at the start
        if self._is_over() and (fault := self._newest_fault()):
            raise FaultError(fault.message)
        raise FaultError(
            f"the replay differs at event {self._at + 1}; recorded: {recorded.model_dump_json()} "
            f"now: {now.model_dump_json()}"
        )

    def _has_just_built(self) -> bool:
        return self._at > 0 and isinstance(self._recorded[self._at - 1], events.WorldBuilt)

    def _is_over(self) -> bool:
        """Return whether the rest of the record consists of the event that ends the run, with
        nothing but faults before that event.
        """
        *before, last = self.coming or (None,)
        is_ended = isinstance(last, events.RunEnded)
        return is_ended and all(isinstance(event, events.Fault) for event in before)

    def _newest_fault(self) -> events.Fault | None:
        faults = [e for e in (*self.passed, *self.coming) if isinstance(e, events.Fault)]
        return faults[-1] if faults else None

    @property
    def is_replaying(self) -> bool:
        return self.next is not None

    def expected_interventions(self) -> Sequence[events.Intervention]:
        leading = takewhile(lambda event: isinstance(event, OUTSIDE), self.coming)
        now = self.now()
        return [e for e in leading if isinstance(e, events.Intervention) and e.t == now]

    def _own(self, event: events.Event) -> events.Event:
        last = self._recorded[self._at - 1].t if self._at else 0.0
        event = event.model_copy(update={"t": last, "episode": self.episode})
        self.write(event)
        return event


def _is(
    recorded: events.Event | None,
    kind: type[events.Event],
    agent: str | None,
    fields: Mapping[str, Any],
) -> bool:
    has_fields = all(getattr(recorded, name, None) == value for name, value in fields.items())
    return isinstance(recorded, kind) and recorded.agent == agent and has_fields


class RecordedBody:
    """A body that repeats its recorded behaviour; see :class:`bots.agents.protocol.Body`."""

    format: PolicyFormat = JAVASCRIPT

    def __init__(self, arena: RecordedArena, name: str) -> None:
        self.name = name
        self.last: RunResult | None = None
        self._arena = arena

    async def observe(self) -> str:
        for event in self._arena.writer.coming:
            if isinstance(event, events.Perceived) and event.agent == self.name:
                return event.text
        raise FaultError(self._arena.why_it_ended())

    async def inventory(self) -> Mapping[str, int]:
        return self._arena.account().inventories.get(self.name, {})

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Return the recorded result of a program.

        Raises:
            FaultError: a different program was recorded, or the record ends before this program.
        """
        self.last = self._recorded(policy)
        return self.last

    def _recorded(self, policy: str) -> RunResult:
        for event in self._arena.writer.coming:
            if event.agent != self.name:
                continue
            if isinstance(event, events.CodeStarted) and event.code != policy:
                raise FaultError(f"the replay differs: {self.name} ran another program")
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
        raise FaultError(self._arena.why_it_ended())


class RecordedArena:
    """A recorded Minecraft arena, used instead of a live one; see :class:`worlds.protocol.World`.

    Methods that would change a world have no effect, because the record already contains the
    changes.
    """

    kind = "minecraft"
    format: PolicyFormat = JAVASCRIPT

    def __init__(self, writer: ReplayWriter, agents: Sequence[str]) -> None:
        self.writer = writer
        self._agents = tuple(agents)
        self._bodies = {name: RecordedBody(self, name) for name in agents}
        self._own: list[events.Event] = []

    @property
    def seen(self) -> list[events.Event]:
        self._own += self.writer.passed
        self.writer.passed = []
        return self._own

    def begin(self, episode: int) -> None:
        self.writer.begin_episode(episode)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Record an event of the experiment, and compare it with the original record."""
        event = self.writer.event(kind, agent, **fields)
        self.seen.append(event)

    def body(self, agent: str) -> RecordedBody:
        return self._bodies[agent]

    async def build(self, layout: Layout, seed: int) -> None:
        """Copy the events that were recorded while the arena was built."""
        self.writer.pass_world()
        self.seen.clear()

    async def run(self, episode: Episode) -> Ending:
        """Run the agents of an episode, whose bodies repeat what was recorded."""
        await asyncio.gather(*episode.lives.values())
        self.writer.pass_world()
        ended = self.writer.next
        if not isinstance(ended, events.EpisodeEnded) or ended.reason == "fault":
            raise FaultError(self.why_it_ended())
        return Ending(ended.reason, ended.seconds)

    def account(self) -> Account:
        inventories: dict[str, dict[str, int]] = {agent: {} for agent in self._agents}
        positions, log = {}, ActionLog()
        for event in self.seen:
            if event.agent is None:
                continue
            if isinstance(event, events.Inventory):
                inventories[event.agent] = event.items
            elif isinstance(event, events.PositionSampled):
                positions[event.agent] = event.position
            elif isinstance(event, events.LedgerEntry):
                log.add(event.agent, event.action, event.item, event.count)
            elif isinstance(event, events.Signal):
                log.signals[event.agent] += 1
        return Account(inventories, positions, log)

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        """Return 0. Live worlds count blocks to decide which changes come next, but here the
        changes are already in the record.
        """
        return 0

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        """Change nothing."""

    async def announce(self, text: str) -> None:
        """Do nothing."""

    async def check_speed(self, seconds: float) -> Lateness | None:
        self.writer.pass_world()
        lost = [e.share for e in self.writer.passed if isinstance(e, events.TimeLost)]
        return Lateness(lost[0]) if lost else None

    def why_it_ended(self) -> str:
        """Return why the recorded run ended where it did."""
        faults = [e for e in self.writer.coming if isinstance(e, events.Fault)]
        self.writer.pass_world()
        text = faults or [e for e in self.seen if isinstance(e, events.Fault)]
        return text[-1].message if text else CUT_OFF
