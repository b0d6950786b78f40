"""Answers that are none: a model that declines to answer, and words that say nothing.

Readers of free words (speech, a goal, an opinion) would take them for what somebody says or wants.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bots.structured.framing_words import ASKS_BACK
from bots.structured.text import AnswerError, spoken
from bots.values import REMEMBERED
from records.text import caseless

_CANNOT = (
    r"i(?:'m| am)?\s*(?:really |simply )?(?:can(?:'t|\s?not)|won't|will not|must decline"
    r"|have to decline|decline|unable|not (?:able|allowed|permitted|comfortable|going))\b"
)
_TO_ASSIST = (
    r"[^.!?\n]*\b(?:assist\w*|help(?:ing)?|comply|fulfil+\w*|provid\w+|continu\w+|participat\w+"
    r"|engag\w+|respond\w*|answer\w*|generat\w+|creat\w+|role-?play\w*|request|do (?:that|this))\b"
)
_SORRY = (
    r"(?:i(?:'m| am) (?:very |so |really )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately"
    r"|i(?:'m| am) afraid)\b[,.;:!\u2014-]*\s*(?:but )?(?:that )?"
)
_MODEL = r"an? (?:ai|artificial intelligence|(?:large )?language model|chatbot)\b"
_AN_AI = rf"as (?:{_MODEL}|an assistant\b)|i(?:'m| am)(?: just| only)? {_MODEL}"
_DECLINES = re.compile(
    rf"\W*(?:{_SORRY}(?:(?:{_AN_AI})[^,\n]{{0,60}},\s*)?{_CANNOT}{_TO_ASSIST}|{_AN_AI}"
    rf"|{_CANNOT}\s*(?:to )?(?:assist|help|comply|fulfil+|participate|engage|respond|continue)"
    r"[^.!?\n]*\b(?:that|this|request|content|conversation|scenario)\b"
    rf"|{_CANNOT}\s*(?:to )?(?:role-?play\b|generate (?:that|this|such)\b)"
    r"|i (?:must|have to) (?:respectfully )?decline\W*$)",
    re.IGNORECASE,
)
#: What an answer has that is more than a refusal: a form's tag or object.
_FORM = re.compile(r"^\W*(?:[A-Za-z][\w ]{0,30}:\s*\S|\{|```)|\b[A-Z]{3,}\b", re.MULTILINE)
_NOTHING = caseless(
    r"\W*(?:null|nil|none|nothing|n/?a|undefined|empty|nichts(?: neues)?|nada(?: nuevo)?"
    r"|rien(?: de nouveau)?|niente(?: di nuovo)?|\u6ca1\u6709|\u65e0|\u306a\u3057"
    r"|keine neuen (?:erkenntnisse|einsichten))?\W*"
)
#: Answers of up to so many characters are known again.
_BRIEF = 500
#: A whole line of a list that says that there is nothing to list: ``No new insights to add.``
_NONE_AT_ALL = caseless(
    r"\W*(?:(?:i (?:have|learned|see)|there (?:is|are|was|were))\s++)?+(?:nothing|none|no|not)"
    r"(?:\s++(?:really|much|any|new|more|else|further|other|particular|special|notable|important"
    r"|insights?|lessons?|thoughts?|steps?|plans?|learned|learnt|changed?|changes|has|have|was|were"
    r"|been|is|needed|required|necessary|to (?:add|report|note|say|keep|remember|do)|at all"
    r"|(?:at|for|from) (?:the|this) (?:moment|time)|for now|now|yet|so far|today|here))*+"
    r"(?:\W++(?:as|because|since)\b.*+)?+\W*"
)
#: The tags of our questions' forms.
_TAG = re.compile(
    r"\W*(?:(?:ACTION|ABOUT|EXPECT|GOAL|TOPIC|VOTE|MESSAGE|SAY)\W{0,3}:"
    r"|(?:LIKES|BELIEVES|OWES|SET|JOIN GROUP)\b\s+\w)"
)


class RefusedError(AnswerError):
    """The model declines to answer, in words."""

    cause = "refused by the model"


def is_refusal(answer: str) -> bool:
    """Whether an answer does nothing but decline to answer: ``I'm sorry, but I can't help``."""
    return _declines(answer) if len(answer) > _BRIEF else _declines_briefly(answer)


def _declines(answer: str) -> bool:
    text = spoken(answer).replace("\u2019", "'").strip()
    found = _DECLINES.match(text)
    return found is not None and not _FORM.search(text, found.end())


#: The same for answers that are said again and again, as by thousands of scripted persons.
_declines_briefly = lru_cache(REMEMBERED)(_declines)


def refuse_question(text: str) -> None:
    """Refuse a question where somebody is asked for what it wants or thinks.

    Raises:
        AnswerError: it asks whoever asked.
    """
    if ASKS_BACK.fullmatch(text):
        raise AnswerError("nobody answers questions here: decide by what you know")


def is_none(line: str) -> bool:
    """Whether a line says nothing, or that there is nothing to say or to list."""
    return bool(_NOTHING.fullmatch(line) or _NONE_AT_ALL.fullmatch(line))


def refuse_none(text: str) -> None:
    """Refuse an item of a list that says nothing, or that there is nothing to list.

    Raises:
        AnswerError: it does.
    """
    refuse_nothing(text)
    if _NONE_AT_ALL.fullmatch(text):
        raise AnswerError("the answer says nothing")


def refuse_nothing(text: str) -> None:
    """Refuse free words that say nothing, or are another question's form.

    Raises:
        AnswerError: they are.
    """
    if not text.strip():
        raise AnswerError("the answer is empty")
    if _NOTHING.fullmatch(text):
        raise AnswerError("the answer says nothing")
    if _TAG.match(text):
        raise AnswerError(f"{text[:40]!r} is the form of another question")
