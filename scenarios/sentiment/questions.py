"""What is asked about a recorded run: how somebody feels about another, by what it wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.structured import AnswerError, lines
from scenarios.sentiment.lexicon import HATE, LOVE

render = PromptFolder(Path(__file__).parent / "prompts").render
_NUMBER = re.compile(
    r"(?:(?:score|answer|number)\W+(?:is\W+)?)?(-?\d+(?:\.\d+)?)(?:\s*(?:/|of|out of)\s*10)?\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ScoreRequest:
    """The question how somebody feels about another, by a text of its own."""

    role: ClassVar[str] = "score"

    observer: str
    about: str
    text: str

    def prompt(self) -> str:
        """Return the question in words."""
        return render("score", observer=self.observer, about=self.about, text=self.text)

    def read(self, answer: str) -> float:
        """Return the score, 0 to 10.

        Raises:
            AnswerError: there is no number, or it is too small or too large.
        """
        found = [float(m[1]) for line in lines(answer) if (m := _NUMBER.fullmatch(line))]
        if not found or not HATE <= found[-1] <= LOVE:
            raise AnswerError("the answer is one number from 0 to 10")
        return found[-1]
