"""What is asked about a recorded run: how somebody feels about another, by what it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, integer, narrowed
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.scenarios.sentiment.lexicon import HATE, LOVE

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Score(Answer):
    """A number from 0 to 10."""

    score: Annotated[float, Field(ge=HATE, le=LOVE)]


#: As models are asked; the lexicon has numbers in between.
WholeScore = narrowed(Score, score=(integer(int(HATE), int(LOVE)), ...))


@dataclass(frozen=True)
class ScoreRequest:
    """The question how somebody feels about another, by a text of its own."""

    role: ClassVar[str] = "score"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Score]] = Score

    observer: str
    about: str
    text: str

    def messages(self) -> list[Message]:
        """Return the question in words."""
        own = {"observer": self.observer, "about": self.about}
        return messages("score", text=quoted(self.text), **own)

    def narrow(self) -> type[Score]:
        """Return the type of a whole number."""
        return WholeScore

    def read(self, answer: Score) -> float:
        """Return the score."""
        return answer.score


@dataclass(frozen=True)
class LikeabilityRequest:
    """The question how likeable somebody with some traits is: the truth that others may see."""

    role: ClassVar[str] = "likeability"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Score]] = Score

    name: str
    traits: str

    def messages(self) -> list[Message]:
        """Return the question in words."""
        return messages("likeability", name=self.name, traits=self.traits)

    def narrow(self) -> type[Score]:
        """Return the type of a whole number."""
        return WholeScore

    def read(self, answer: Score) -> float:
        """Return the likeability."""
        return answer.score
