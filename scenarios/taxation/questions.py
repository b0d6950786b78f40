"""What is asked about a recorded village: whether somebody is for less tax, or for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bots.prompts import quoted
from bots.structured import own_words, read_word
from scenarios.taxation.referendum import render

#: What the answer may be called, and who has it.
_OWN = own_words(
    """
    classify classified rated mark marked read judged count counted as sentiment stance
    preference speaker person villager wants prefers tax taxes attitude feeling about view
    opinion
    """
)
#: What is answered, and the sentiment that it is.
ANSWERS = {"LESS": -1.0, "NEITHER": 0.0, "MORE": 1.0}


@dataclass(frozen=True)
class SentimentRequest:
    """The question whether somebody is for less tax or for more than a rate.

    Attributes:
        text: what it said of the law.
        tax_rate: of the law that held then, from 0 to 1.
    """

    role: ClassVar[str] = "sentiment"
    of_record: ClassVar[bool] = True

    text: str
    tax_rate: float

    def prompt(self) -> str:
        """Return the question in words."""
        return render("sentiment", percent=f"{self.tax_rate * 100:g}", text=quoted(self.text))

    def read(self, answer: str) -> float:
        """Return the sentiment; see :func:`read_sentiment`."""
        return read_sentiment(answer)


def read_sentiment(answer: str) -> float:
    """Return a sentiment: -1 for less tax, 1 for more, 0 for neither.

    Raises:
        AnswerError: no word alone or behind a label says it, or several do.
    """
    return read_word(answer, ANSWERS, _OWN)
