"""Reading one word: an answer that is one of a few, alone or behind a label.

In prose the same words mean other things: ``no doubt that she believes`` is no NO, and ``not LESS``
no LESS. So a word counts that begins a line and has no more than a remark behind it, or that a
label or a sentence of its own makes the answer. A remark that leaves it open, takes it back or
says another of the words is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

from bots.structured.alone import alone
from bots.structured.reading import lines
from bots.structured.remarks import is_aside
from bots.structured.text import AnswerError
from bots.structured.verdicts import TAKES_BACK, UNSURE
from records.text import caseless

T = TypeVar("T")
_ANY_CASE = re.IGNORECASE | re.DOTALL

#: What leads to the word within its sentence.
_LEAD = caseless(
    r"\W*(?:(?:the|this) (?:speaker|person|text|statement|villager|author)(?: clearly)?"
    r" (?:wants|prefers|asks for|says|expresses|indicates|is for|would like)"
    r"(?: (?:the )?tax(?:es)?(?: rate)? to be| it to be)?\W+(?=(?-i:[A-Z]{2}))"
    r"|(?:i(?:'d| would|'ll| will)?|this (?:is|can be|would be)) (?:classif(?:y|ied)|label(?:led)?"
    r"|rated?|marked|mark|read|judged?|count(?:ed)?)(?: (?:this|it|that|the \w+))? as\W+)?"
    r"(?:(?:so|therefore|thus|hence|my|the|final|overall|one-word)\W+)*"
    r"(?:(?:answer|verdict|conclusion|judge?ment|decision|sentiment|classification|reply|result)\b"
    r"(?:\s+(?:is|would be)\b)?|i(?:'d| would| will|'ll)? (?:say|answer)\b)?\W*"
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_LABEL = re.compile(r"([^:]*):\s*(.*)")
_NEGATION = caseless(r"\b(?:no|not|never|hardly|neither|nor|cannot)\b|n't\b")
#: How a remark begins that says why, in which anything can be said.
_REASON = caseless(r"\W*(?:because|since|as|for|given|due to)\b")
#: What is no remark on a word, but goes on with it: ``none of it``.
_GOES_ON = caseless(r"\s+of\b(?!\s+course)|\s*\?")
#: Words that a denial behind them agrees with.
_NEGATIVE = ("NO", "FALSE", "NONE")


#: All that may stand behind a word that settles something: that it is so, and thanks.
_STOP = r"[\s,;:.!*\"'()\[\]\u2013\u2014-]"
_SETTLED = re.compile(
    rf"(?:{_STOP}+"
    r"(?:of course|certainly|absolutely|definitely|gladly|with pleasure|please|(?:many )?thanks"
    r"|thank you|it is|it's|i (?:do|will|should|would|accept|agree|refuse|decline)"
    rf"|let me know(?: if you need anything else)?|i hope this helps)\b)*{_STOP}*",
    re.IGNORECASE,
)


def settles(rest: str) -> bool:
    """Whether what follows a word that settles something leaves it so.

    ``because you gave me bread`` and ``of course`` do; ``if you pay``, ``but only today``,
    ``nothing`` and all else do not, in whatever language: who says more is asked again.
    """
    return bool(_SETTLED.fullmatch(rest))


def read_choice(said: str, words: Mapping[str, T]) -> T | None:
    """Return which word a field is, with no more than :func:`settles` behind; None: it is none.

    Args:
        said: the field's text.
        words: what can be said, in capitals, and what each means.
    """
    found = re.fullmatch(rf"\W*(?:I (?:will )?)?({'|'.join(words)})(?![\w'])(.*)", said, _ANY_CASE)
    return words[found[1].upper()] if found is not None and settles(found[2]) else None


def read_word(answer: str, words: Mapping[str, T], own: Collection[str] = ()) -> T:
    """Return what the one word of an answer means.

    Args:
        answer: of a model.
        words: what can be answered, in capitals, and what each means; several may mean the same.
        own: what the question calls its answer, and other words that say nothing.

    Raises:
        AnswerError: no word is the answer, different ones are, or something else is attached to it.
    """
    return alone(answer, lambda text: word_of(text, words), own, bare=True)


def word_of(answer: str, words: Mapping[str, T]) -> T:
    """Return the same, whatever is attached to it.

    Raises:
        AnswerError: no word is the answer, or different ones are.
    """
    said = lines(answer)
    found = [meant for line in said for meant in _begins(line, words)]
    found = found or [meant for line in said for meant in _behind(line, words)]
    if len(set(found)) != 1:
        forms: dict[T, str] = {}
        for word, meant in words.items():
            forms.setdefault(meant, word)
        raise AnswerError(f"the answer is one word: {' or '.join(forms.values())}")
    return found[0]


def _begins(line: str, words: Mapping[str, T]) -> Iterator[T]:
    """Yield what a line means that begins with a word and says no more than a remark on it."""
    lead = _LEAD.match(line)
    text = line[lead.end() :] if lead else line
    word = re.match(rf"({'|'.join(words)})(?![\w'])", text, re.IGNORECASE)
    if word is None:
        return
    others = "|".join(one for one, meant in words.items() if meant != words[word[1].upper()])
    rest = text[word.end() :]
    denies = word[1].upper() in _NEGATIVE
    if is_aside(rest, others, denies=denies) and not _is_taken_back(word[1].upper(), rest, others):
        yield words[word[1].upper()]


def _is_taken_back(word: str, rest: str, others: str) -> bool:
    """Whether a remark behind a word leaves it open, takes it back, or says another word."""
    other = rf"(?<!\bnot )(?<!\bnor )(?<!\bof )(?<!\bthan )\b(?:{others})\b"
    if _GOES_ON.match(rest) or UNSURE.search(rest) or (others and re.search(other, rest)):
        return True
    if _REASON.match(rest):
        return False
    return bool(TAKES_BACK.search(rest))


def _behind(line: str, words: Mapping[str, T]) -> Iterator[T]:
    """Yield what a line means whose last sentence is a word, or has one behind a label."""
    last = _SENTENCES.split(line)[-1]
    label = _LABEL.fullmatch(last)
    if label is not None and not _NEGATION.search(label[1]):
        yield from _begins(label[2], words)
    elif label is None and last != line and not _capitals(line[: -len(last)], words):
        yield from _begins(last, words)


def _capitals(text: str, words: Mapping[str, T]) -> bool:
    """Whether a text has one of some words in capitals."""
    return bool(re.search(rf"\b(?:{'|'.join(words)})\b", text))
