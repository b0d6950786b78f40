"""Reading lines: what a chat model says in a form, without what it puts around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import TypeVar

from bots.structured.framing import RULE, answer_part, bare, takes_leave, uncalled
from bots.structured.refusals import is_none, refuse_none, refuse_question
from bots.structured.taking_back import refuse_taken_back
from bots.structured.text import AnswerError, plain, spoken
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
_EXPLAINS = (
    r"(?:my |the |an? |one |brief |short |quick |key |additional |some )*+(?:thoughts?|thinking"
    r"|thought process|reasoning|reasons?|why|because|explanations?|rationale|justification"
    r"|analysis|comments?|notes?|context|considerations?|assumptions?|caveats?|disclaimers?|tl;?dr|erkl\xe4rung"
    r"|begr\xfcndung|explicaci\xf3n|raz\xf3n|explication|spiegazione|explica\xe7\xe3o"
    r"|\u89e3\u91ca|\u7406\u7531|\u8aac\u660e)"
    r"(?: (?:for|behind|of|on) (?:this|that|it|my|the)(?: \w+)?"
    r"| (?:this|it|that) (?:works|fits|helps|matters|makes sense))?"
)
#: What an answer says of itself, in a line of its own.
_OF_ITSELF = (
    r"(?:this|the above)(?: [\w-]+)? (?:answer|response|line|reply|output|statement|greeting"
    r"|wording|choice|decision|ballot|vote|list|program)\b"
    r" (?:is|was|are|follow|fit|reflect|keep|stay|agree|match|align|show|respect|satisf|balanc"
    r"|ensure|allow|help|should|support|acknowledg|maintain|meet|avoid|address|captur|represent"
    r"|consider|assume)\w*\b.*"
)
_REMARK = rf"(?:{_EXPLAINS}\s*:.*|\(note\b.*\)|p\.? ?s\.?[\s:,].*|{_OF_ITSELF})"
#: A heading over what explains an answer, or a label alone in its line; and any heading or label.
_SECTION = caseless(rf"{_EXPLAINS}\W*")
_LABEL = re.compile(r"[^\W\d][^:.!?]{0,60}:")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|(?:[-*+]\s+)?\*\*[^*]+\*\*:?\s*$)")
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


def lines(answer: str, columns: Collection[str] = (), *, whole: bool = False) -> list[str]:
    """Return what the lines of an answer say, without pictures around it.

    Empty lines, fences and rules are left out. ``columns``: see :func:`unboxed`. ``whole``: also
    those above words that call what follows the answer.
    """
    return list(_lines(answer, tuple(columns), whole))


@lru_cache(REMEMBERED)
def _lines(answer: str, columns: tuple[str, ...], whole: bool) -> tuple[str, ...]:
    text = unboxed(answer, columns) if whole else said_text(answer, columns)
    said = (line for line in text.splitlines() if not is_frame(line))
    return tuple(text for line in said if (text := _titled(line)))


@lru_cache(REMEMBERED)  # as are lines in framing
def _titled(line: str) -> str:
    """Return what a line says; a heading over what explains the answer ends with a colon."""
    said = bare(line)
    is_section = _HEADING.match(line) and _SECTION.fullmatch(said)
    return f"{said.rstrip(':')}:" if is_section else said


def said_text(answer: str, columns: Collection[str] = ()) -> str:
    """Return what an answer calls the answer, with what stands in boxes written as lines.

    See :func:`bots.structured.framing.answer_part` and :func:`unboxed`.
    """
    return unboxed(answer_part(spoken(answer)), columns)


def without_explanations(raw: Sequence[str]) -> list[str]:
    """Return lines, as they are, without those that explain the answer; all, where none is left.

    So do what stands below a heading such as ``### Why this works`` up to the next one, and below
    a label such as ``Reasoning:`` up to an empty line, and remarks on the answer, with a list that
    follows one behind the answer.
    """
    kept: list[str] = []
    explains = ""
    for line in raw:
        said = bare(line)
        if explains == "remark" and (not said or _NUMBERED.match(line)):
            continue
        heading = bool(_HEADING.match(line))
        alone = heading or bool(_LABEL.fullmatch(said))
        if alone and _SECTION.fullmatch(said):
            explains = "heading" if heading else "label"
        elif said and is_remark(said):
            explains = "remark" if any(bare(one) and not is_frame(one) for one in kept) else ""
            continue
        elif alone or explains == "remark" or (explains == "label" and not said) or is_rule(line):
            explains = ""
        if not explains:
            kept.append(line)
    return kept if any(map(bare, kept)) else list(raw)


def is_rule(line: str) -> bool:
    """Whether a line is a rule between parts of an answer."""
    return bool(RULE.fullmatch(line))


@lru_cache(REMEMBERED)
def is_frame(line: str) -> bool:
    """Whether a line says nothing: a fence, or a rule between parts."""
    return bool(_FENCE.match(line)) or is_rule(line)


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
    while kept[1:] and (_LEAVE.fullmatch(kept[-1]) or takes_leave(kept[-1])):
        kept.pop()
    return kept


def says_nothing(answer: str) -> bool:
    """Whether an answer is one line, which says that there is nothing to say."""
    own = without_explanations(said_text(answer).splitlines())
    said = without_lead(
        without_leave([bare(one) for one in own if bare(one) and not is_frame(one)])
    )
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
    own = without_explanations(said_text(answer).splitlines())
    raw = [uncalled(line) for line in own if bare(line) and not is_frame(line)]
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
        refuse_none("" if _LEAVE.fullmatch(one) or takes_leave(one) else one)
        refuse_taken_back(one)
        refuse_question(one)
    return [one[:characters] for one in found][:most]
