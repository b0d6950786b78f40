"""Answers with remarks in their own lines: where the remark begins, and what stands before it.

A remark may say anything, so none is looked into: what an answer says without its remarks is asked
for again (:mod:`bots.structured.confirming`). But one that ends with another answer, or has another
number, may be what is meant, and then nobody knows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from bots.structured.blocks import code_places, places
from bots.structured.labels import called
from bots.structured.neutral import REASONS
from bots.structured.remarks import has_other_number
from records.text import caseless

#: Words that begin a remark without a mark before them.
_BEGINS = (
    r"(?:because|since|as|if|unless|but|although|though|while|whereas|except|provided"
    r"|given|so|weil|denn|wenn|aber|porque|pero|parce|mais|perch\xe9|ma|pois|mas)\b"
)
#: Where a remark begins: behind a sentence or a dash, in brackets, at a comment, or with a word.
_REMARK = caseless(
    r"[.!?\u2026;][\"'*_)\]]*\s+(?=\S)|[\u3002\uff01\uff1f\uff1b](?=\S)"
    r"|\s+[\u2013\u2014-]+\s+|\u2014|\s*[(\uff08\u3010]|\s*\[(?!\s*[\[{\"'])"
    rf"|\s+(?:#|//|<!--|\u2192|->)|[,:]?\s+(?={_BEGINS})"
)
_AFTER_WORD = caseless(rf"{_REMARK.pattern}|,\s+(?=[^\W\d]+\s+[^\W\d])")
#: One in brackets between items: ``yes (in winter), no``.
_BETWEEN = re.compile(r"\s*\([^()]*[^\W\d][^()]*\)(?=\s*[,;|]\s*\w)")
#: A mark of a list before a line, and a label.
_ITEM = re.compile(r"^\s*(?:>\s*)*(?:(?:[-*+\u2022]|\(?\d{1,2}[.):])\s+)?")
_LABEL = re.compile(r"^.*[:=]\s*")
_ALL_WORDS = re.compile(r"[^\W\d]+")
_WORD, _WORDS = re.compile(r"\w"), re.compile(r"[\w%]\S*")
#: A remark that is a number, and one that begins with a label of one word.
_COUNT = caseless(r"\W*(?:(?:about|around|maybe|x|i mean)\s+)*\d+\W*$")
_FIELD = re.compile(r"\W*\w+\s*[:=]\s*\w")
#: A last word, and what denies what is behind it, or leaves it open.
_LAST = re.compile(
    r"(?P<before>.*[^\W\d].*?(?:\b(?:as|so|is|be|vote|say)|[:=])(?:\s+an?)?\s+)(?:\*\*(?P<bold>[\w.]+?)[.!]?\*\*|(?P<word>[A-Z]{2,}|\d{1,2}))"
    r"(?:\s+(?:on|to|for) this(?: \w+)?)?[.!\s]*"
)
_OPEN = caseless(
    r"\b(?:not|never|nor|neither|or|rather|than|instead|if|unless|but|cannot|without|hardly"
    r"|against|refus\w*|oppos\w*|doubt\w*|below|above|far|stop\w*|from|nothing|nobody)\b|n't\b"
)
_TURNS = caseless(
    r"\b(?:no|not|now|or|and|rather|instead|then|formerly|until|was|were|actually|better)\b"
    r"|->|\u2192|\?"
)
#: A number at the end, perhaps with what it counts.
_NUMBER = re.compile(r"\d(?:\s*%|\s+[^\W\d]+)?\W*$")
_JSON = ("json", "json5", "jsonc")
#: A longer line is no sentence that ends with the answer.
_MOST_CHARACTERS = 240
#: So many ends of a remark are looked at, and so many remarks.
_MOST_ENDS, _MOST_REMARKS = 12, 20

#: Takes the number of a text of an answer, a line or a text in an object, and the text.
_Change = Callable[[int, str], str]


@dataclass(frozen=True)
class Remark:
    """A remark in an answer.

    Attributes:
        before: what stands before it in its line, or in its text.
        words: of the remark.
        instead: returns the answer, without other remarks, with a text for both.
    """

    before: str
    words: str
    instead: Callable[[str], str]

    def may_count(self) -> bool:
        """Whether it may be a field, or another number than the one that stands before it."""
        is_other = "%" in self.words or has_other_number(f" {self.words}")
        has_number = _COUNT.match(self.words) or (_NUMBER.search(self.before) and is_other)
        return bool(has_number or _FIELD.match(self.words))

    def may_turn(self) -> bool:
        """Whether it may name another word than the one that stands before it."""
        return bool(_TURNS.search(self.words))

    def others(self) -> Iterator[str]:
        """Yield the answer as it is where the end of the remark is what is meant: ``WORK? REST``.

        That may stand for all that is before it, but for its label or its mark.
        """
        starts = {found[0] for one in (_ITEM, _LABEL) if (found := one.match(self.before))}
        for found in [*_WORDS.finditer(self.words)][-_MOST_ENDS:]:
            yield from (self.instead(start + self.words[found.start() :]) for start in starts)


def without_remarks(answer: str, *, bare: bool = False) -> Iterator[tuple[str, list[Remark]]]:
    """Yield an answer without the remarks in its lines, and these; none where it has none.

    Programs are left as they are. A number at the start of a line is the mark of an item, or else
    the answer itself: ``7. They are friends.`` Behind a bare word a comma begins a remark, too:
    ``Yes, Ada believes in it.``
    """
    for has_marks in (True, False):
        cuts = _cuts(answer, has_marks, bare)
        if cuts:
            kept = {n: before for n, (before, _) in cuts.items()}
            remarks = [
                Remark(before, words, _instead(answer, kept, n))
                for n, (before, words) in cuts.items()
            ]
            yield _with(answer, kept), remarks


def last_word(answer: str) -> tuple[str, str] | None:
    """Return the word with which an answer of one line ends, and what leads to it; None: none.

    It is bold, in capitals, or a number, and nothing before it is one, or denies or leaves it open.
    """
    said = answer.strip()
    found = _LAST.fullmatch(said) if len(said) <= _MOST_CHARACTERS else None
    if found is None or "\n" in said:
        return None
    before, word = found["before"], found["bold"] or found["word"]
    is_open = _OPEN.search(before) or (word.isdigit() and re.search(r"\d", before))
    return None if is_open or "**" in before else (word, before)


def _cuts(answer: str, has_marks: bool, bare: bool) -> dict[int, tuple[str, str]]:
    """Return by its number each text that has a remark: what stands before it, and the remark."""
    cuts = dict[int, tuple[str, str]]()

    def note(n: int, text: str) -> str:
        if (cut := _cut(text, has_marks, bare)) is not None and len(cuts) < _MOST_REMARKS:
            cuts[n] = cut
        return text

    _changed(answer, note)
    return cuts


def _with(answer: str, texts: dict[int, str]) -> str:
    return _changed(answer, texts.get)


def _instead(answer: str, kept: dict[int, str], number: int) -> Callable[[str], str]:
    return lambda text: _with(answer, kept | {number: text})


def _cut(text: str, has_marks: bool, bare: bool) -> tuple[str, str] | None:
    """Return what stands in a text before its first remark, and this; None: it has none."""
    form = _AFTER_WORD if bare else _REMARK
    if _BETWEEN.search(text):
        items, within = _BETWEEN.sub("", text), " ".join(_BETWEEN.findall(text))
        if set(_ALL_WORDS.findall(items)).isdisjoint(_ALL_WORDS.findall(within)):
            return items, within.strip()
    item = _ITEM.match(text) if has_marks else None
    word = _WORD.search(text, item.end() if item else 0)
    found = form.search(text, word.end()) if word else None
    if found is None or not _WORD.search(text, found.end()):
        return None
    return text[: found.start()], text[found.start() :].strip()


def _changed(answer: str, change: _Change) -> str:
    """Return an answer with other texts: its lines, and its objects' texts but for reasons."""
    number = count()

    def each(value: Any) -> Any:
        if isinstance(value, str):
            return change(next(number), value)
        if isinstance(value, list):
            return [each(one) for one in value]
        if isinstance(value, dict):
            return {
                key: inner if REASONS.fullmatch(called(str(key))) else each(inner)
                for key, inner in value.items()
            }
        return value

    def lines(text: str) -> str:
        return "\n".join(change(next(number), line) for line in text.split("\n"))

    programs = code_places(answer, _JSON)
    told, at = "", 0
    closed = sorted(
        [(start, end, found) for found, start, end in places(answer)]
        + [(start, end, None) for start, end in programs],
        key=lambda one: one[:2],
    )
    for start, end, found in closed:
        if start >= at:
            inner = (
                answer[start:end] if found is None else json.dumps(each(found), ensure_ascii=False)
            )
            told += lines(answer[at:start]) + inner
            at = end
    return told + lines(answer[at:])
