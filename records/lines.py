"""Reading files of JSON lines, as far as they go and further when they have grown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Problem:
    """What of a run folder cannot be read; ``line`` counts from 1, and is 0 for the whole file."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        """As one line for people."""
        return f"{self.file}{f' line {self.line}' if self.line else ''}: {self.text}"


class Line(NamedTuple):
    """A whole line: its number from 1, its bytes from start to end, and its object.

    ``data`` is None where the line is no JSON object.
    """

    number: int
    start: int
    end: int
    data: dict[str, Any] | None


class JsonLines:
    """A file of JSON objects, one a line, that may still grow.

    Attributes:
        path: the file, which may come later.
        count: whole lines that were read so far.
        end: the byte after the last of them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.end = 0

    def new(self, marks: Sequence[bytes] = ()) -> Iterator[Line]:
        """The whole lines that were not read yet.

        A last line without an end is left for later: it may still be written to. With ``marks``,
        lines that hold none of them are passed over unread.
        """
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        holds_mark = re.compile(b"|".join(map(re.escape, marks))).search
        count, end = self.count, self.end  # as locals: most lines are only passed over
        with file:
            file.seek(end)
            try:
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    start, end, count = end, end + len(line), count + 1
                    if holds_mark(line):
                        self.count, self.end = count, end
                        yield Line(count, start, end, _object(line))
            finally:
                self.count, self.end = count, end

    def at(self, line: Line) -> dict[str, Any]:
        """The object of a line that was read before; empty where it was none."""
        with self.path.open("rb") as file:
            file.seek(line.start)
            return _object(file.read(line.end - line.start)) or {}

    def problem(self) -> Problem | None:
        """Why the file cannot be read to its end, after all whole lines were."""
        if not self.path.exists():
            return Problem(self.path.name, 0, "missing")
        if self.end < self.path.stat().st_size:
            return Problem(self.path.name, self.count + 1, "cut off in the middle")
        return None


def parse_json(text: str) -> Any:
    """Read JSON; NaN and infinities, which Python writes and JSON does not have, become None.

    Raises:
        ValueError: it is no JSON.
    """
    return _DECODER.decode(text)


_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = parse_json(line.decode())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
