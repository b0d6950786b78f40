"""A negotiator's message in parts: its thought, what all see, a contract, clauses, an acceptance.

``[accept]`` counts only alone on a line, behind the message, unquoted and marked no otherwise than
the tags beside it: who considers or quotes it has not accepted. Where that cannot be told, or where
words accept and no tag does, the message is refused with what to write.
"""

from __future__ import annotations

from collections.abc import Sequence

from bots.structured import AnswerError, plain
from judge.message_forms import in_tags, refuse_hidden, split
from judge.message_tags import (
    ACCEPT,
    CLAUSES,
    CONTRACT,
    MESSAGE,
    PUBLIC,
    THINKING,
    Line,
    hides_acceptance,
    scan,
)
from records.text import caseless

#: Of a message: no negotiator needs more, and a flood must not hold up others.
MOST_LINES, MOST_CHARACTERS = 1000, 50_000
#: Of a line that others see.
LONGEST_LINE = 5_000
#: An acceptance as one word, or as a field with other words than yes.
_IN_WORDS = caseless(r"\W*accept(?:[ .!]*$|\s*:)")
#: All that may follow an acceptance: a farewell in one sentence, which takes nothing of it back and
#: adds no condition.
_FAREWELL = caseless(
    r"\W*+(?:let me know|(?:i )?hope|(?:i(?:'m| am)? )?look(?:ing)? forward|thank(?:s| you)"
    r"|good luck|feel free|happy to|cheers|(?:kind |best )?regards|sincerely|have a|see you"
    r"|great work|(?:i )?(?:agree|accept)d?\b|deal|let(?:'s| us))[^.!?]*+[.!?]?+\W*+"
)
_TAKES_BACK = caseless(
    r"\b(?:not?|never|but|unless|if(?! you (?:need|have|would like|want))|only|provided|once|when"
    r"|until|after|before|though|although|however|except|instead|refuse\w*|reject\w*|declin\w*"
    r"|\d+)\b|n't\b"
)
#: The end of a message that leads on to what follows, as what somebody says or is to write.
_LEADS_ON = caseless(
    r"[:,]$|\b(?:write|type|send|answer|post)\s++(?:(?:me|you|him|her|them|us)\s++)?+"
    r"(?:this|that|it|the following|these|as follows)\b[^.!?]*+[.!?]*+$"
    r"|\b(?:should|must|to|wants? me to|shall|will|would)\s++(?:write|type|send|answer|post)$"
)
#: So much of a message's end is looked at.
_END = 300
_ALONE = (
    "[accept] counts only on a line of its own, without other words, quotation marks or bullets"
)
_AFTER = "[accept] stands on a line of its own after your message"


def parts_of(answer: str) -> dict[str, str]:
    """Return the text after each tag; of a thought or a message in pieces, all of it.

    Raises:
        AnswerError: there are two contracts or lists of clauses, or nobody knows whether an
            ``[accept]`` is one.
    """
    if len(answer) > MOST_CHARACTERS:
        raise AnswerError(f"the message has more than {MOST_CHARACTERS} characters")
    text = in_tags(answer)
    if text.count("\n") + text.count("\r") > MOST_LINES:
        raise AnswerError(f"the message has more than {MOST_LINES} lines")
    begins = any(line.tag == MESSAGE for line in scan(text, lambda line: [line]))
    said = scan(text, lambda line: split(line, begins))
    parts: dict[str, list[str]] = {}
    now = ""
    for number, line in enumerate(said):
        following = said[number + 1 :]
        if now == THINKING and line.tag == ACCEPT:
            _check_in_thought(following)
            parts[now].append(line.text)
            continue
        if (line.tag or now) != THINKING:
            _check_public(line, (line.tag or now) in PUBLIC)
        if line.tag is None:
            parts.setdefault(now, []).append(line.text)
            continue
        if line.tag == ACCEPT:
            _check_acceptance(line, said[:number], following, now)
        if line.tag in parts and line.tag in (CONTRACT, CLAUSES):
            raise AnswerError(f"there are two of [{line.tag}]; write one")
        now = line.tag
        parts.setdefault(now, []).append(line.rest)
    return {name: "\n".join(text).strip() for name, text in parts.items()}


def _says_farewell(line: Line) -> bool:
    """Whether a line behind an acceptance leaves it as it is."""
    is_farewell = _FAREWELL.fullmatch(line.text) and not _TAKES_BACK.search(line.text)
    return bool(line.is_empty or is_farewell)


def _check_public(line: Line, is_seen: bool) -> None:
    """Refuse a line outside of a thought that may be another part, or an acceptance.

    Raises:
        AnswerError: it may.
    """
    if len(line.text) > LONGEST_LINE:
        raise AnswerError(f"a line has more than {LONGEST_LINE} characters")
    if _IN_WORDS.match(plain(line.text)):
        raise AnswerError("to agree, write [accept] in brackets on a line of its own")
    if hides_acceptance(line):
        raise AnswerError(_ALONE)
    if is_seen:
        refuse_hidden(line.text)


def _check_in_thought(following: Sequence[Line]) -> None:
    """Check that an ``[accept]`` right behind a thought is a part of it: it goes on.

    Raises:
        AnswerError: it may be meant, or the thought be cut off.
    """
    told = next((line for line in following if line.tag or not line.is_empty), None)
    if told is None or told.tag is not None:
        raise AnswerError(f"{_AFTER}, and not right after your thought")


def _check_acceptance(
    line: Line, before: Sequence[Line], following: Sequence[Line], now: str
) -> None:
    """Refuse an acceptance of which it is not clear that it is one.

    Raises:
        AnswerError: it is marked as nothing beside it is, follows what stands under no tag or a
            sentence that it would end, or has words or a message behind it.
    """
    tags = [one for one in before if one.tag is not None]
    if line.marks and tags and not any(line.marks == one.marks for one in tags):
        raise AnswerError(_ALONE)
    if not now and any(not one.is_empty for one in before):
        raise AnswerError(f"{_AFTER}, and [{MESSAGE}] before what you say")
    if any(one.tag in (MESSAGE, THINKING) for one in following):
        raise AnswerError(_AFTER)
    ends = next((n for n, one in enumerate(following) if one.tag is not None), len(following))
    words = following[:ends]
    goes_on = bool(words) and not words[0].is_empty
    if goes_on or not all(_says_farewell(one) for one in words):
        raise AnswerError("write nothing after [accept]; to agree, it stands alone")
    if now in (MESSAGE, f"{MESSAGE} end"):
        _check_message(before)


def _check_message(before: Sequence[Line]) -> None:
    """Refuse an acceptance that a message may lead on to; :mod:`judge.message_words` has the rest.

    Raises:
        AnswerError: it may.
    """
    now, said = "", list[str]()
    for line in before:
        now = line.tag or now
        if now in (MESSAGE, f"{MESSAGE} end"):
            said.append(line.rest)
    told = "\n".join(said).rstrip(" \n\t\"'*_()")
    if _LEADS_ON.search(told[-_END:]):
        raise AnswerError(f"{_AFTER}, which must not read as if it led on to it")
