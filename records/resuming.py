"""Resuming of an interrupted run in a simulated world.

The run is played again from the start. Its events are compared with the record up to the end of the
record, and then the run continues.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Self

from voxpolis.records.calls import CallIndex
from voxpolis.records.clock import Clock
from voxpolis.records.events import Event, Intervention, Interviewed, parse_event
from voxpolis.records.files import open_of_run
from voxpolis.records.interventions import unapplied_interventions
from voxpolis.records.lines import parse_json
from voxpolis.records.writer import RunWriter, cut_broken_line

# The kinds of events for interventions and for answers to interviews.
OUTSIDE = frozenset(kind.model_fields["kind"].default for kind in (Intervention, Interviewed))


class RecordDiffersError(RuntimeError):
    """The repeated run differs from its record.

    The code, the settings or the minds have changed.
    """


class ResumedWriter(RunWriter):
    """Compares new events with those of an existing record, and appends all events after its end.

    The record of an interrupted run is valid up to the last full second before its end. The later
    part is played again, and interventions that were recorded in the later part are repeated.
    """

    @classmethod
    def resume(cls, folder: Path, clock: Clock) -> Self:
        writer = cls.__new__(cls)
        writer._begin(folder, clock)
        writer.started = clock.now()
        writer.unapplied_interventions = unapplied_interventions(folder)
        for name in ("events.jsonl", "llm.jsonl", "messages.jsonl"):
            if name == "events.jsonl" or (folder / name).exists():
                cut_broken_line(folder / name)
        path = folder / "events.jsonl"
        lines = _whole_lines(path)
        writer._expected = deque(_whole_seconds(lines))
        writer._cut = _interventions(lines[len(writer._expected) :])
        writer._calls_made = _calls_made_again(folder)
        writer._differs = False
        writer._tail_at = sum(map(len, writer._expected))
        writer._open()
        return writer

    _expected: deque[bytes]
    _cut: list[Intervention]
    _calls_made: Counter[tuple[str, ...]]
    _differs: bool
    # The position in the file of events from which the run is played again. None: the file has
    # already been truncated there.
    _tail_at: int | None

    @property
    def is_replaying(self) -> bool:
        return bool(self._expected) and not self._differs

    def expected_interventions(self) -> Sequence[Intervention]:
        """Return the recorded interventions that must be repeated at the current time.

        Interventions that follow other events in the record are returned after these events have
        been repeated.
        """
        if self._differs:
            return []  # after a difference, nothing more is repeated from the record
        if not self._expected:
            return [event for event in self._cut if event.t == self.now()]
        now, coming = self.now(), map(parse_json, self._expected)
        leading = takewhile(lambda event: event["kind"] in OUTSIDE, coming)
        found = (parse_event(event) for event in leading if event["t"] == now)
        return [event for event in found if isinstance(event, Intervention)]

    def event(self, kind: type[Event], agent: str | None = None, **fields: Any) -> Event:
        """Create and append an event.

        Interventions before and after this event are taken from the record.
        """
        while self._expected and (line := parse_json(self._expected[0]))["kind"] in OUTSIDE:
            if line["kind"] == kind.model_fields["kind"].default and _is(line, agent, fields):
                break
            self._expected.popleft()
            self._written += 1
        made = super().event(kind, agent, **fields)
        again = (one for one in self._cut if one.model_copy(update={"id": made.id}) == made)
        if (done := next(again, None)) is not None:
            self._cut.remove(done)
        return made

    def _append(self, event: Event) -> None:
        """Compare an event with the record. After the end of the record, append the event."""
        if self._differs:
            return
        if not self._expected:
            if self._tail_at is not None:  # only now is it certain that this is the same run
                self._events.truncate(self._tail_at)
                self._tail_at = None
            super()._append(event)
        elif self._expected.popleft() != event.model_dump_json().encode() + b"\n":
            self._differs = True
            raise RecordDiffersError(
                f"{self.folder / 'events.jsonl'} line {event.id} differs from this run; the "
                "record was made with other code or settings"
            )

    def write_call(self, call: dict[str, Any]) -> None:
        """Append a model call, unless the record already contains it.

        Calls to an endpoint also have a line for their start. Such calls are never made again,
        because their recorded answers are used.
        """
        key = _key({**call, "messages": [self._store(m) for m in call.get("messages", ())]})
        if _is_announced(call) or not self._calls_made[key]:
            super().write_call(call)
        else:
            self._calls_made[key] -= 1

    def write_result(self, result: dict[str, Any], *, is_final: bool = True) -> None:
        """Write ``result.json``. If the run differs from the record, leave the file as it is."""
        if not self._differs:
            super().write_result(result, is_final=is_final)


def _is(line: Mapping[str, Any], agent: str | None, fields: Mapping[str, Any]) -> bool:
    return all(line.get(name) == value for name, value in {"agent": agent, **fields}.items())


def _calls_made_again(folder: Path) -> Counter[tuple[str, ...]]:
    """Count the answered calls of a record, leaving out the calls that are never made again.

    Calls to an endpoint are never made again. Calls to scripted minds, for example, are made again.
    """
    calls = CallIndex(folder).new()
    return Counter(_key(call) for call in calls if "error" not in call and not _is_announced(call))


def _is_announced(call: Mapping[str, Any]) -> bool:
    return "started" in call or "ends" in call


def _key(call: Mapping[str, Any]) -> tuple[str, ...]:
    asked = (call.get(name) for name in ("role", "agent", "requested"))
    return (*map(str, asked), *map(str, call.get("messages", ())))


def _whole_lines(path: Path) -> list[tuple[float, bytes]]:
    """Return the time and the text of each line of a record, up to its end or to a broken line.

    Only a line feed ends a line, because texts may contain other line separators.
    """
    kept: list[tuple[float, bytes]] = []
    with open_of_run(path) as file:
        for line in file:
            try:
                event = parse_json(line)
                if event["kind"] == "run_ended":
                    break
                kept.append((float(event["t"]), line))
            except (ValueError, KeyError, TypeError):
                break  # everything after a broken line is played again
    return kept


def _whole_seconds(lines: Sequence[tuple[float, bytes]]) -> list[bytes]:
    last = math.floor(max((t for t, _ in lines), default=0.0))
    return [line for _, line in takewhile(lambda one: one[0] < last, lines)]


def _interventions(lines: Sequence[tuple[float, bytes]]) -> list[Intervention]:
    found = (parse_json(line) for _, line in lines)
    events = (parse_event(one) for one in found if one["kind"] in OUTSIDE)
    return [event for event in events if isinstance(event, Intervention)]
