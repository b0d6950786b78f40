"""Choosing: the one reading of an answer that counts, by what stands before each in its line.

Who is asked for one thing may say several: what it decides for, what else it thought of, what comes
next. Lines that a label calls the answer count before bare ones, and these before lines that a
label or a heading calls something else. Of those that count all say the same, or nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from bots.structured.reading import SEVERAL, is_remark
from bots.structured.taking_back import CORRECTS
from bots.structured.text import AnswerError
from records.text import caseless

T = TypeVar("T")

#: A label, and what stands behind it in its line.
_LABEL = re.compile(r"(?P<label>[^\W\d][^:]{0,60}):\s*(?P<text>.*)")
#: What is not the answer: another time, another choice, a condition.
_OTHER = caseless(
    r"\b(?:next|previous\w*|last|past|former\w*|earlier|before|after\w*|later|then|future|option"
    r"|alternativ\w*|fallback|back-?up|second|third|others?|consider\w*|reject\w*|instead|if|unless"
    r"|could|might|example|drafts?)\b"
)
#: A heading without a colon has so few words.
_HEADING_WORDS = 4
_MEANT, _BARE, _BESIDE = range(3)


@dataclass(frozen=True)
class Chosen(Generic[T]):
    """The reading that counts: its line's number, and those of lines that say what else was."""

    at: int
    value: T
    beside: frozenset[int]


class _Lines(Generic[T]):
    """Reads lines one after the other, each in its rank: ``_MEANT``, ``_BARE`` or ``_BESIDE``."""

    def __init__(
        self, read: Callable[[str], T | None], labels: re.Pattern[str], begins: re.Pattern[str]
    ) -> None:
        self._read, self._labels, self._begins = read, labels, begins
        self._heading = _BARE
        #: Line, rank, and what was read or why it could not be.
        self.found: list[tuple[int, int, T | AnswerError]] = []

    def take(self, number: int, line: str) -> None:
        """Read the next line."""
        label = None if self._begins.match(line) or is_remark(line) else _LABEL.fullmatch(line)
        rank = self._heading if label is None else self._rank(label["label"])
        value = self._value(line)
        if value is None and label is not None:
            value = self._value(label["text"])
            if rank == _BARE and isinstance(value, AnswerError):
                value = None
        if value is not None:
            self.found.append((number, rank, value))
            return
        is_heading = label is not None and not label["text"]
        is_short = len(line.split()) <= _HEADING_WORDS and line[-1:].isalnum()
        self._heading = self._rank(line) if is_heading or is_short else _BARE

    def _rank(self, label: str) -> int:
        if CORRECTS.search(label):
            return _MEANT
        if _OTHER.search(label):
            return _BESIDE
        return _MEANT if self._labels.search(label) else _BARE

    def _value(self, text: str) -> T | AnswerError | None:
        try:
            return self._read(text)
        except AnswerError as problem:
            return problem


def chosen(
    said: Sequence[str],
    read: Callable[[str], T | None],
    labels: re.Pattern[str],
    begins: re.Pattern[str],
) -> Chosen[T] | None:
    """Return the reading of an answer's lines that counts; None where there is none.

    Args:
        said: the lines.
        read: returns None for what is of no interest, and raises ``AnswerError`` for what is wrong.
        labels: finds what the answer may be called in a label before it.
        begins: matches a line that begins with a reading, and so has no label.

    Raises:
        AnswerError: those that count differ, or the last of them is wrong.
    """
    reader = _Lines(read, labels, begins)
    for number, line in enumerate(said):
        reader.take(number, line)
    if not reader.found:
        return None
    first = min(rank for _, rank, _ in reader.found)
    counted = [(number, value) for number, rank, value in reader.found if rank == first]
    at, last = counted[-1]
    if isinstance(last, AnswerError):
        raise last
    if any(value != last for _, value in counted if not isinstance(value, AnswerError)):
        raise AnswerError(SEVERAL)
    beside = frozenset(number for number, rank, _ in reader.found if rank == _BESIDE)
    return Chosen(at, last, beside)
