"""Choosing: the one reading of an answer that counts, by what stands before each in its line.

Who is asked for one thing may say several: what it decides for, what else it thought of, what comes
next. Lines that a label calls the answer count before bare ones, and these before lines that a
label or a heading calls something else. Of those that count all say the same, or nobody knows.
What stands behind a label that is no known name of the answer, such as a condition or somebody
else's name, is none by itself.
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


def is_another(label: str) -> bool:
    """Whether a label calls what stands behind it another choice, or one for another time."""
    return bool(_OTHER.search(label)) and not CORRECTS.search(label)


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
        #: The heading that calls what follows it something else.
        self._other = ""
        #: Line, rank, what was read or why it could not be, and words before it that are no name
        #: of the answer.
        self.found: list[tuple[int, int, T | AnswerError, str]] = []

    def take(self, number: int, line: str) -> None:
        """Read the next line."""
        label = None if self._begins.match(line) or is_remark(line) else _LABEL.fullmatch(line)
        rank = self._heading if label is None else self._rank(label["label"])
        value = self._value(line)
        other = self._other if label is None else ""
        if value is None and label is not None:
            value = self._value(label["text"])
            other = "" if self._is_known(label["label"]) else label["label"]
            if rank == _BARE and isinstance(value, AnswerError):
                value = None
        if value is not None:
            self.found.append((number, rank, value, other))
            return
        is_heading = label is not None and not label["text"]
        is_short = len(line.split()) <= _HEADING_WORDS and line[-1:].isalnum()
        words = label["label"] if label is not None and is_heading else line
        self._heading = self._rank(words) if is_heading or is_short else _BARE
        is_other = is_heading and self._heading == _BESIDE and not self._is_known(words)
        self._other = words if is_other else ""

    def _is_known(self, label: str) -> bool:
        """Whether a label is a name of the answer, behind words that only change one's mind."""
        return not (rest := CORRECTS.sub("", label).strip(" ,;.-")) or bool(
            self._labels.fullmatch(rest)
        )

    def _rank(self, label: str) -> int:
        if CORRECTS.search(label):
            return _MEANT
        if _OTHER.search(label):
            return _BESIDE
        known = self._labels.fullmatch(label.strip())
        return _MEANT if known is not None and known["answer"] else _BARE

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
        labels: matches the whole of a label before the answer; its group ``answer`` is what calls
            it one, and is empty where it only says its place in an order.
        begins: matches a line that begins with a reading, and so has no label.

    Raises:
        AnswerError: those that count differ, the last of them is wrong, or each stands behind words
            that are no name of the answer.
    """
    reader = _Lines(read, labels, begins)
    for number, line in enumerate(said):
        reader.take(number, line)
    if not reader.found:
        return None
    first = min(rank for _, rank, _, _ in reader.found)
    counted = [one for one in reader.found if one[1] == first]
    at, _, last, other = counted[-1]
    if isinstance(last, AnswerError):
        raise last
    read_well = [one for one in counted if not isinstance(one[2], AnswerError)]
    if any(value != last for _, _, value, _ in read_well):
        raise AnswerError(SEVERAL)
    if all(words for _, _, _, words in read_well):
        raise AnswerError(f"nobody knows whether it holds behind {other[:40]!r}; write it alone")
    beside = frozenset(number for number, rank, _, _ in reader.found if rank == _BESIDE)
    return Chosen(at, last, beside)
