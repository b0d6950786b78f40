"""Reading one word: an answer that is one of a few, alone or behind a label.

In prose the same words mean other things: ``no doubt that she believes`` is no NO, and ``not LESS``
no LESS. So a word counts that begins a line and has no more than a remark behind it, or that a
label or a sentence of its own makes the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from bots.structured.reading import lines
from bots.structured.remarks import is_aside
from bots.structured.text import AnswerError

T = TypeVar("T")

#: What leads to the word within its sentence.
_LEAD = re.compile(
    r"\W*(?:(?:so|therefore|thus|hence|my|the|final|overall|one-word)\W+)*"
    r"(?:(?:answer|verdict|conclusion|judge?ment|decision|sentiment|classification|reply|result)\b"
    r"(?:\s+(?:is|would be)\b)?|i(?:'d| would| will|'ll)? (?:say|answer)\b)?\W*",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_LABEL = re.compile(r"([^:]*):\s*(.*)")
_NEGATION = re.compile(r"\b(?:no|not|never|hardly|neither|nor|cannot)\b|n't\b", re.IGNORECASE)


def read_word(answer: str, words: Mapping[str, T]) -> T:
    """Return what the one word of an answer means.

    Args:
        answer: of a model.
        words: what can be answered, in capitals, and what each means; several may mean the same.

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
    if is_aside(text[word.end() :], others):
        yield words[word[1].upper()]


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
