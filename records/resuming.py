"""Going on with a run that is computed: it is played again up to where its record ends."""

from __future__ import annotations

import json
import math
from collections import deque
from pathlib import Path
from typing import Self

from records.clock import Clock
from records.event import Event
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
        for name in ("events.jsonl", "llm.jsonl", "messages.jsonl"):
            if name == "events.jsonl" or (folder / name).exists():
                mend(folder / name)
        path = folder / "events.jsonl"
        writer._expected = deque(_whole_seconds(path.read_text(encoding="utf-8").splitlines()))
        writer._line = 0
        path.write_text("".join(line + "\n" for line in writer._expected), encoding="utf-8")
        writer._open()
        return writer

    _expected: deque[str]
    _line: int

    def write(self, event: Event) -> None:
        """Compare an event with the record, or append it where that has ended.

        Raises:
            RecordDiffersError: the record holds another event here.
        """
        self._line += 1
        if not self._expected:
            super().write(event)
        elif self._expected.popleft() != event.model_dump_json():
            raise RecordDiffersError(
                f"{self.folder / 'events.jsonl'} line {self._line} is not what happens now; the "
                "run was made with other code or settings"
            )


def _whole_seconds(lines: list[str]) -> list[str]:
    """The events before the last second that the record has begun, without its end."""
    found = [(json.loads(line), line) for line in lines]
    kept = [(event, line) for event, line in found if event.get("kind") != "run_ended"]
    if not kept:
        return []
    last = math.floor(max(event["t"] for event, _ in kept))
    return [line for event, line in kept if event["t"] < last]
