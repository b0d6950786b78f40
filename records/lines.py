"""Reading of files with one JSON object per line, even while they are still growing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from voxpolis.records.files import MAX_BYTES, open_of_run
from voxpolis.records.text import well_formed

# A line that is too long is skipped if it has at most this many bytes. At a longer line, reading
# stops.
MOST_SKIPPED = 8 * MAX_BYTES
# Maximum depth to which the data in a line may be nested.
MAX_DEPTH = 64
MOST_PROBLEMS = 100
# Reading of a file stops after this many unusable lines.
MOST_SPOILED = MOST_PROBLEMS - 1
TOO_MANY = f"more than {MOST_SPOILED} lines are unusable; reading stops here"
# The problem of a file whose last line has no end, because its writer was stopped.
CUT_OFF = "cut off in the middle"
MISSING = "missing"


@dataclass(frozen=True)
class Problem:
    """A part of a run folder that cannot be read.

    ``line`` counts from 1; 0 means the whole file.
    """

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}{f' line {self.line}' if self.line else ''}: {self.text}"


class Problems(list[Problem]):
    """The first problems that were found, with a note if there are more."""

    def add(self, problem: Problem) -> None:
        if len(self) < MOST_PROBLEMS:
            self.append(problem)
        elif len(self) == MOST_PROBLEMS:
            self.append(Problem(problem.file, problem.line, "further problems are not listed"))


class Line(NamedTuple):
    """A line of a file.

    The fields are its number (counted from 1), the position of its first byte, the position after
    its last byte, its JSON object, and its text.

    ``data`` is None if the line does not contain a JSON object.
    """

    number: int
    start: int
    end: int
    data: dict[str, Any] | None
    text: bytes = b""

    def place(self) -> Line:
        """Return the line without its content; :meth:`JsonLines.at` can read the content again."""
        return self._replace(data=None, text=b"")


class JsonLines:
    """A file with one JSON object per line, which may still grow.

    Attributes:
        path: the path of the file, which may not exist yet.
        count: the number of complete lines that have been read.
        end: the position of the byte after the last complete line.
        refused: the reason why reading has stopped; empty if it has not.
        limit: lines that end after this byte are not read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.end = 0
        self.refused = ""
        self.limit = math.inf
        self._spoiled = 0

    def count_unusable(self) -> None:
        """Count a line as unusable. If there are too many, reading of the file stops."""
        self._spoiled += 1
        if self._spoiled > MOST_SPOILED:
            self.refused = TOO_MANY

    def new(self, marks: Sequence[bytes] = ()) -> Iterator[Line]:
        """Yield the complete lines that have not been read yet.

        A last line without an end is left for later, because it may still be incomplete. If
        ``marks`` are given, lines without any of these byte strings are skipped without parsing. If
        the file cannot be read, nothing is yielded, and :meth:`problem` gives the reason.
        """
        if self.refused:
            return
        try:
            file = open_of_run(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            self.refused = error.strerror or str(error)
            return
        holds_mark = re.compile(b"|".join(map(re.escape, marks))).search
        # Local variables are faster. Most lines are only skipped.
        count, end = self.count, self.end
        with file:
            file.seek(end)
            try:
                while line := file.readline(MAX_BYTES):
                    length = len(line)
                    if not line.endswith(b"\n"):
                        length += _skip_line(file) if length == MAX_BYTES else 0
                        if length > MOST_SKIPPED:
                            self.refused = f"a line is longer than {MOST_SKIPPED:,} bytes"
                            return
                        if length <= MAX_BYTES:
                            return
                        line = b"too long"
                    if end + length > self.limit:
                        return
                    start, end, count = end, end + length, count + 1
                    if holds_mark(line):
                        self.count, self.end = count, end
                        yield Line(count, start, end, _object(line), line)
                        if self.refused:
                            return
            finally:
                self.count, self.end = count, end

    def at(self, line: Line) -> dict[str, Any]:
        with open_of_run(self.path) as file:
            file.seek(line.start)
            return _object(file.read(line.end - line.start)) or {}

    def problem(self) -> Problem | None:
        """Return why the file cannot be read to its end.

        Call this only after all complete lines have been read.
        """
        if self.refused:
            return Problem(self.path.name, self.count + 1 if self.end else 0, self.refused)
        if not self.path.exists():
            return Problem(self.path.name, 0, MISSING)
        if self.end < self.path.stat().st_size:
            return Problem(self.path.name, self.count + 1, CUT_OFF)
        return None


def parse_json(text: str | bytes, *, keeps_nan: bool = False) -> Any:
    """Parse JSON. NaN and infinities, which Python writes and JSON does not allow, become None.

    If ``keeps_nan`` is true, NaN and infinities become floats instead.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply.
    """
    data = text.encode() if isinstance(text, str) else text
    try:
        found = (_MARKING if keeps_nan else _DECODER).decode(data.decode())
    except RecursionError as error:
        raise ValueError(f"nested more than {MAX_DEPTH} levels deep") from error
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and is_deep(found, MAX_DEPTH + 1):
        raise ValueError(f"nested more than {MAX_DEPTH} levels deep")
    return well_formed(found) if b"\\ud" in data or b"\\uD" in data else found


def _number(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_number)
_MARKING = json.JSONDecoder(parse_constant=float)


def is_deep(found: object, levels: int) -> bool:
    """Return whether decoded JSON is nested in at least this number of levels. The function uses no
    recursion.
    """
    level = [found]
    for _ in range(levels):
        level = [
            item
            for data in level
            if isinstance(data, list | dict)
            for item in (data.values() if isinstance(data, dict) else data)
        ]
    return bool(level)


def _object(line: bytes) -> dict[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        found = parse_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _skip_line(file: IO[bytes]) -> int:
    """Read to the end of a line that is too long, and return the number of bytes that were read.

    Return 0 if the end of the line has not been written yet. Stop after ``MOST_SKIPPED`` bytes.
    """
    skipped = 0
    while part := file.readline(MAX_BYTES):
        skipped += len(part)
        if part.endswith(b"\n") or skipped > MOST_SKIPPED:
            return skipped
    return 0
