"""What is asked about a recorded village: whether somebody is for less tax, or for more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer
from voxpolis.bots.prompts import PromptFolder, quoted

#: What is answered, and the sentiment that it is.
SENTIMENTS = {"LESS": -1.0, "NEITHER": 0.0, "MORE": 1.0}

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Sentiment(Answer):
    """Which tax the speaker wants."""

    wants: Literal["LESS", "MORE", "NEITHER"] = Field(description="Less tax, more tax, or neither.")


@dataclass(frozen=True)
class SentimentRequest:
    """The question whether somebody is for less tax or for more than a rate.

    Attributes:
        text: what it said of the law.
        tax_rate: of the law that held then, from 0 to 1.
    """

    role: ClassVar[str] = "sentiment"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Sentiment]] = Sentiment

    text: str
    tax_rate: float

    def messages(self) -> list[Message]:
        """Return the question in words."""
        return messages("sentiment", percent=f"{self.tax_rate * 100:g}", text=quoted(self.text))

    def read(self, answer: Sentiment) -> float:
        """Return the sentiment: -1 for less tax, 1 for more, 0 for neither."""
        return SENTIMENTS[answer.wants]
