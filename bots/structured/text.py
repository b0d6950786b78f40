"""What a chat model says: an answer without its thoughts, marks and invisible characters."""

from __future__ import annotations

import re
from functools import lru_cache

from bots.models.thoughts import split_thought
from bots.models.typed import AnswerError as AnswerError
from bots.values import REMEMBERED
from records.text import caseless

#: Longer lines are cut: no form of ours has any.
MAX_LINE_CHARACTERS = 4000
#: What some models put around what they answer.
_WRAPPING = caseless(
    r"(?<![ \t])[ \t]*+<(?P<ends>/?)(?:answer|final_answer|output|response)>[ \t]*+"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")
#: A quotation, a heading, a bullet or a number before what a line says.
_MARK = re.compile(r"^\s*(?:>\s*)*(?:#{1,6}\s+)?(?:[-*+•\u2013\u2014·]\s+|\(?\d{1,2}[.)]\s+)?")
#: Emphasis; within it a star that stands alone is a word. Nothing is looked through twice.
_EMPHASIS = re.compile(r"(?<![\w)*])(\*{1,3})(?=[^\s*])((?:[^*]|(?<=\s)\*(?=\s))++)(?<=\S)\1")
#: Words that are struck out.
_STRUCK = re.compile(r"(?<!~)~~(?=[^\s~])[^~]{1,400}(?<=[^\s~])~~(?!~)")
#: Typographic quotation marks, spaces, hyphens and minus signs, by the plain ones.
QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u00a0": " ", "\u202f": " "}
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63\uff0d", "-")
)
#: Full-width marks, as models write them beside Chinese and Japanese words, by those of our forms.
_WIDE = str.maketrans("\uff1a\uff05\uff08\uff09\u3010\u3011\uff3b\uff3d\uff1d\uff0b", ":%()[][]=+")


class UnclearError(AnswerError):
    """The answer says one of two things, and nobody knows which."""

    asks = True


class NotThereError(AnswerError):
    """What the answer says is about something that does not exist; the message says what."""


def spoken(answer: str) -> str:
    """Return an answer without the thought before it, tags around it and invisible characters.

    A thought that was never ended goes to the end of the answer. Full-width marks of forms
    (a colon, a percent sign, brackets) are plain ones.
    """
    text = _INVISIBLE.sub("", answer.replace("\r\n", "\n")).translate(_WIDE)
    return _WRAPPING.sub(_unwrapped, split_thought(text)[1])


#: A thought in the tags of a negotiator, which models write elsewhere, too.
_THOUGHT = re.compile(
    r"(?is)\[(?:thinking|thought|thoughts)\].*?\[(?:/|end )?(?:thinking|thought"
    r"|thoughts)(?: end)?\]"
)
_OPENS_THOUGHT = caseless(r"\[(?:thinking|thoughts?)\]")


def without_thinking(answer: str) -> str:
    """Return an answer without thoughts between ``[thinking]`` and ``[/thinking]``.

    Raises:
        AnswerError: one has no end, so that nobody knows what is said.
    """
    text = _THOUGHT.sub("", answer)
    if _OPENS_THOUGHT.search(text):
        raise AnswerError("the thought has no end; write what you say alone")
    return text


def _unwrapped(tag: re.Match[str]) -> str:
    """Return what stands for a tag around an answer; behind words it calls the rest an answer."""
    is_inside = tag["ends"] or not tag.string[: tag.start()].strip()
    return "\n" if is_inside else "\nFinal answer:\n"


@lru_cache(REMEMBERED)
def plain(line: str) -> str:
    """Return what a line says: without what is struck out, marks of a list, emphasis and code."""
    text = line[:MAX_LINE_CHARACTERS].replace("`", "").replace("__", "").translate(QUOTES)
    text = _STRUCK.sub("", text) if "~~" in text else text
    text = _EMPHASIS.sub(r"\2", text)
    text = _MARK.sub("", text)
    return _EMPHASIS.sub(r"\2", text).strip().strip("*").strip()
