"""Reading lines: what a chat model says in a form, without what it puts around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import TypeVar

from bots.structured.refusals import is_none, refuse_none
from bots.structured.taking_back import refuse_taken_back
from bots.structured.text import AnswerError, plain
from bots.structured.unboxing import unboxed
from bots.values import REMEMBERED
from records.text import caseless

S = TypeVar("S")
T = TypeVar("T")

#: What is complained of where nobody knows which of several readings is meant.
SEVERAL = "the answer says several things at once; decide for one of them"
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w+.-]*\s*$")
_NUMBERED = caseless(
    r"^\s*(?:>\s*)*(?:\*\*)?(?:[-*+•\u2013\u2014·]\s+|\(?\d{1,2}[.):]\s+|step \d+:)"
)
#: A remark on the answer, which is none of it.
_REMARK = (
    r"(?:(?:my |the |a |brief |short )*+(?:thoughts?|thinking|thought process|reasoning|reasons?"
    r"|why|because|explanation|rationale|justification|analysis|comments?|notes?|context)"
    r"(?: (?:for|behind) (?:this|that|it|my|the)(?: \w+)?)?\s*:.*|\(note\b.*\))"
)
#: A line before a list that only leads to it: an interjection, or what announces it.
_ANNOUNCES = caseless(
    r"(?:(?:sure|certainly|of course|okay|ok|great|absolutely|alright|got it)\W*)?"
    r"(?:(?:here(?:'s| is| are)|these are|this is|below (?:is|are))\b.*)?"
    rf"|{_REMARK}"
)
#: How an answer begins.
_LEAD = caseless(
    r".*:|(?:sure|certainly|of course|okay|ok|absolutely)\b.*\b(?:help|answer|response|feedback"
    r"|opinion)\b.*|(?:(?:my|the|final)\s+)*(?:answer|response|feedback|opinion)\W*"
)
#: How an answer takes leave.
_LEAVE = caseless(
    r"(?:let me know if|(?:i )?hope (?:this|that) (?:helps|works)|feel free to|would you like me)"
    rf"\b.*|{_REMARK}"
)
#: A line between parts of an answer.
_RULE = re.compile(r"\s*([-*_=~])(?:\s*\1){2,}\s*")
#: A picture before or behind what a line says.
_PICTURES = r"[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\ufe0f\U0001f000-\U0001faff\s]+"
_PICTURE = re.compile(rf"^{_PICTURES}|{_PICTURES}$")


def lines(answer: str, columns: Collection[str] = ()) -> list[str]:
    """Return what the lines of an answer say, without pictures around it.

    Empty lines, fences and rules are left out. ``columns``: see :func:`unboxed`.
    """
    return list(_lines(answer, tuple(columns)))


@lru_cache(REMEMBERED)
def _lines(answer: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    said = _said(answer, columns)
    return tuple(text for line in said if (text := plain(_PICTURE.sub("", plain(line)))))


def _said(answer: str, columns: Collection[str] = ()) -> list[str]:
    """Return the lines of an answer as they are, but for fences and rules."""
    return [line for line in unboxed(answer, columns).splitlines() if not is_frame(line)]


def is_frame(line: str) -> bool:
    """Whether a line says nothing: a fence, or a rule between parts."""
    return bool(_FENCE.match(line) or _RULE.fullmatch(line))


def is_remark(line: str) -> bool:
    """Whether a line, as it is said, begins a remark on the answer, such as its reasons."""
    return bool(re.match(_REMARK, line, re.IGNORECASE))


def without_lead(said: Sequence[str]) -> list[str]:
    """Return lines without the first ones that only lead to what follows."""
    kept = list(said)
    while kept[1:] and (_LEAD.fullmatch(kept[0]) or is_remark(kept[0])):
        kept.pop(0)
    return kept


def without_leave(said: Sequence[str]) -> list[str]:
    """Return lines without the last ones that take leave or explain the answer."""
    kept = list(said)
    while kept[1:] and _LEAVE.fullmatch(kept[-1]):
        kept.pop()
    return kept


def says_nothing(answer: str) -> bool:
    """Whether an answer is one line, which says that there is nothing to say."""
    said = without_lead(without_leave(lines(answer)))
    return len(said) == 1 and is_none(said[0])


@cache
def _tag_forms(tags: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds tags within a line, and at its start in any case."""
    names = "|".join(map(re.escape, tags))
    form = re.compile(
        rf"(?:^|(?<=[\s:;,|(\[\"'.]))(?P<tag>{names})[\"']?\s*[:=\u2013\u2014-]\s*|^(?P<alone>{names})$"
    )
    start = caseless(rf"^\W*({names})[\"']?(?=\s*[:=\u2013\u2014-]|\s*$)")
    return form, start


def tagged(answer: str, tags: Sequence[str]) -> list[tuple[str, str]]:
    """Return the lines ``TAG: value`` of an answer in their order, as pairs of tag and value.

    A tag counts in any case at the start of a line, in capitals anywhere in it. A value may stand
    in the next line, and ends where another tag begins.
    """
    return list(_tagged(answer, tuple(tags)))


@lru_cache(REMEMBERED)
def _tagged(answer: str, tags: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    form, start = _tag_forms(tags)
    found: list[tuple[str, str]] = []
    for line in lines(answer, tags):
        text = start.sub(lambda tag: tag[1].upper(), line)
        parts = list(form.finditer(text))
        if not parts and found and not found[-1][1]:
            found[-1] = (found[-1][0], _value(text))
        for part, until in zip(parts, [*parts[1:], None], strict=False):
            value = text[part.end() : until.start() if until else None]
            found.append((part["tag"] or part["alone"], _value(value)))
    return tuple(found)


def _value(text: str) -> str:
    return plain(text.strip(" \t|;,")).strip('"').strip()


def one_reading(texts: Iterable[S], read: Callable[[S], T | None]) -> T | None:
    """Return what the texts say that can be read; None where none can.

    What is wrong is passed over where something follows that is not.

    Args:
        texts: lines, in their order.
        read: returns None for what is of no interest, and raises ``AnswerError`` for what is wrong.

    Raises:
        AnswerError: the last of them is wrong, or they differ.
    """
    one: T | None = None
    error: AnswerError | None = None
    for text in texts:
        try:
            found = read(text)
        except AnswerError as problem:
            error = problem
            continue
        if found is None:
            continue
        if one is not None and found != one:
            raise AnswerError(SEVERAL)
        one, error = found, None
    if error is not None:
        raise error
    return one


def listed(answer: str) -> list[str]:
    """Return the items of an answer that is a few lines: its list, or else its lines.

    What only leads to them or takes leave is left out.

    Raises:
        AnswerError: there are none.
    """
    raw = [line for line in _said(answer) if line.strip()]
    items = [plain(line) for line in raw if _NUMBERED.match(line)]
    if not items:
        said = without_leave([plain(line) for line in raw if not line.lstrip().startswith("#")])
        while said and (_ANNOUNCES.fullmatch(said[0]) or said[0].endswith(":")):
            said.pop(0)
        items = [line for line in said if not is_remark(line)]
    items = [item for item in items if item]
    if not items:
        raise AnswerError("the answer is empty")
    return items


def short_lines(answer: str, most: int, characters: int) -> list[str]:
    """Return at most so many items of an answer, each of at most so many characters.

    Raises:
        AnswerError: there are none, or one says nothing, or takes itself back.
    """
    found = listed(answer)
    for one in found:
        refuse_none("" if _LEAVE.fullmatch(one) else one)
        refuse_taken_back(one)
    return [one[:characters] for one in found][:most]
