"""What is asked about a recorded run: how somebody feels about another, by what it wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder, quoted
from bots.structured import (
    CORRECTS,
    AnswerError,
    alone,
    has_other_number,
    is_aside,
    lines,
    own_words,
)
from records.text import caseless
from scenarios.sentiment.lexicon import HATE, LOVE

render = PromptFolder(Path(__file__).parent / "prompts").render
#: What may stand before the number: ``Score:``, ``The answer is``, ``I'd rate it a``.
_LEAD = (
    r"(?:on a scale (?:from|of) (?:0|zero) to (?:10|ten)\W++)?+"
    r"(?:(?:(?:the|my|final|overall|likeability|her|his|their)\s++){0,3}+"
    r"(?:score|answer|number|rating|likeability)\W++(?:(?:is|would be)\W++)?+"
    r"|I(?:'d|\s++would)?+\s++(?:rate|score|say|give)\s++"
    r"(?:(?:it|this|that|(?:the|this|that|her|his|their)\s++(?:feelings?|relationship))\s++)?+"
    r"(?:(?:as|at)\s++)?+(?:an?\s++)?+)?+(?:(?:about|around|roughly|approximately|some)\s++)?+"
)
_NUMBER_FORM = r"(-?\d++(?:\.\d++)?+)(?![\d.]*\d)(?:\s*+(?:/|of|out of)\s*+10)?+(.*)"
_NUMBER = caseless(_LEAD + _NUMBER_FORM)
#: The same behind another label: ``Ada's feelings: 7``.
_LABELLED = caseless(r"[^\W\d_][^:\d\n]{0,60}:\s*+" + _NUMBER_FORM)


@dataclass(frozen=True)
class ScoreRequest:
    """The question how somebody feels about another, by a text of its own."""

    role: ClassVar[str] = "score"
    of_record: ClassVar[bool] = True

    observer: str
    about: str
    text: str

    def prompt(self) -> str:
        """Return the question in words."""
        return render("score", observer=self.observer, about=self.about, text=quoted(self.text))

    def read(self, answer: str) -> float:
        """Return the score, 0 to 10.

        Raises:
            AnswerError: there is no number, or it is too small or too large, or there are several.
        """
        return read_score(answer, (self.observer, self.about))


@dataclass(frozen=True)
class LikeabilityRequest:
    """The question how likeable somebody with some traits is: the truth that others may see."""

    role: ClassVar[str] = "likeability"
    of_record: ClassVar[bool] = True

    name: str
    traits: str

    def prompt(self) -> str:
        """Return the question in words."""
        return render("likeability", name=self.name, traits=self.traits)

    def read(self, answer: str) -> float:
        """Return the likeability, 0 to 10.

        Raises:
            AnswerError: there is no number, or it is too small or too large.
        """
        return read_score(answer, (self.name,))


#: The scale behind a label: ``Score (0-10): 7``.
_SCALE = caseless(r"\s*[(\[]\s*(?:0|1|zero)\s*(?:-|\u2013|to)\s*(?:10|ten)\s*[)\]]")
#: What a score may be called, and of how much it is.
_OWN = own_words(
    """
    on say score rating rate liking likes like likeability likability likeable feeling feelings
    number love of out to toward towards for from scale 0 10 zero ten points about her his their
    """
)


def read_score(answer: str, names: Sequence[str] = ()) -> float:
    """Return the number of an answer, 0 to 10.

    Raises:
        AnswerError: there is no number, or it is too small or too large, or there are several, or
            something else is attached to it.
    """
    own = _OWN.union(*({name.casefold(), f"{name.casefold()}'s"} for name in names))
    return alone(answer, _read_score, own, bare=True)


def _read_score(answer: str) -> float:
    said = [_SCALE.sub("", line.strip('"')) for line in lines(answer)]
    numbers = [m for line in said if (m := _NUMBER.fullmatch(line))]
    numbers = numbers or [
        m for line in said if (m := _LABELLED.fullmatch(line)) and not CORRECTS.search(line)
    ]
    found = {float(m[1]) for m in numbers if is_aside(m[2])}
    if any(has_other_number(m.string[m.end(1) :]) for m in numbers if is_aside(m[2])):
        raise AnswerError("the answer is one number from 0 to 10, and no other")
    if len(found) != 1 or not HATE <= max(found) <= LOVE:
        raise AnswerError("the answer is one number from 0 to 10")
    return found.pop()
