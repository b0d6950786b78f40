"""Going on with a run that is computed: it is played again up to where its record ends."""

from __future__ import annotations

import json
import math
from collections import Counter, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from records.clock import Clock
from records.events import Event
from records.writer import RunWriter, mend


class RecordDiffersError(RuntimeError):
    """What is played again is not what the record holds: other code, settings or minds made it."""


class ResumedWriter(RunWriter):
    """Compares what happens with the record while there is one, and appends from there on.

    Of a record that was cut off everything up to its last whole second counts; what came later is
    played anew.
    """

    @classmethod
    def resume(cls, folder: Path, clock: Clock) -> Self:
        """Open a run folder.

        Raises:
            FileNotFoundError: the folder holds no record.
        """
        writer = cls.__new__(cls)
        writer.folder = folder
        writer.clock = clock
        writer.started = clock.now()
        writer.episode = 0
        writer._newest = {}
        for name in ("events.jsonl", "llm.jsonl", "messages.jsonl"):
            if name == "events.jsonl" or (folder / name).exists():
                mend(folder / name)
        path = folder / "events.jsonl"
        writer._expected = deque(_whole_seconds(path.read_text(encoding="utf-8").splitlines()))
        writer._calls_made = _calls(folder / "llm.jsonl")
        writer._differs = False
        path.write_text("".join(line + "\n" for line in writer._expected), encoding="utf-8")
        writer._open()
        return writer

    _expected: deque[str]
    _calls_made: Counter[tuple[str, ...]]
    _differs: bool

    def _append(self, event: Event) -> None:
        """Compare an event with the record, or append it where that has ended.

        Raises:
            RecordDiffersError: the record holds another event here.
        """
        if self._differs:
            return
        if not self._expected:
            super()._append(event)
        elif self._expected.popleft() != event.model_dump_json():
            self._differs = True
            raise RecordDiffersError(
                f"{self.folder / 'events.jsonl'} line {event.id} is not what happens now; the "
                "run was made with other code or settings"
            )

    def write_call(self, call: dict[str, Any]) -> None:
        """Append a call of a model, unless the record holds it: then it was only made again."""
        key = _key({**call, "messages": [self._store(m) for m in call.get("messages", ())]})
        if self._calls_made[key] and "started" not in call:
            self._calls_made[key] -= 1
        else:
            super().write_call(call)

    def write_result(self, result: dict[str, Any]) -> None:
        """Write ``result.json``, unless the record is of something else, and stays as it is."""
        if not self._differs:
            super().write_result(result)


def _calls(path: Path) -> Counter[tuple[str, ...]]:
    """Return how often each call of a model was recorded with an answer."""
    if not path.exists():
        return Counter()
    calls = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return Counter(_key(call) for call in calls if "error" not in call and "started" not in call)


def _key(call: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what tells calls apart: whose they are, what was asked and of which model."""
    asked = (call.get(name) for name in ("role", "agent", "requested"))
    return (*map(str, asked), *call.get("messages", ()))


def _whole_seconds(lines: list[str]) -> list[str]:
    """The events before the last second that the record has begun, without its end."""
    kept: list[tuple[float, str]] = []
    for line in lines:
        try:
            event = json.loads(line)
            if event["kind"] == "run_ended":
                break
            kept.append((float(event["t"]), line))
        except (ValueError, KeyError, TypeError):
            break  # what comes after a broken line is played anew
    last = math.floor(max((t for t, _ in kept), default=0.0))
    return [line for t, line in kept if t < last]
