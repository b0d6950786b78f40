"""What is asked about a recorded country: who believes, and what people cared about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, integer, line
from voxpolis.bots.prompts import PromptFolder, quoted

MOST_TOPICS, MOST_PERIODS, MOST_KEYWORDS = 15, 6, 4
#: The longest keyword and name of a topic, and the longest time, in seconds.
MOST_CHARACTERS, LONGEST_S = 60, 10_000_000

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Believes(Answer):
    """Whether the speaker believes."""

    believes: bool


@dataclass(frozen=True)
class BelievesRequest:
    """The question whether somebody who said something believes."""

    role: ClassVar[str] = "believes"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Believes]] = Believes

    text: str

    def messages(self) -> list[Message]:
        """Return the question in words."""
        return messages("believes", text=quoted(self.text))

    def read(self, answer: Believes) -> bool:
        """Return the verdict."""
        return answer.believes


class Period(Answer):
    """A time in which the goals were about the same."""

    from_s: integer(0, LONGEST_S) = Field(description="The second at which it began.")  # type: ignore[valid-type]
    until_s: integer(0, LONGEST_S) = Field(description="The second at which it ended.")  # type: ignore[valid-type]
    about: line(200)  # type: ignore[valid-type]
    keywords: each(line(MOST_CHARACTERS), MOST_KEYWORDS, 1)  # type: ignore[valid-type]


class Summary(Answer):
    """What a person cared about, in the order of time."""

    periods: each(Period, MOST_PERIODS, 1)  # type: ignore[valid-type]


@dataclass(frozen=True)
class SummaryRequest:
    """The question what somebody's goals were about; ``goals``: seconds and words."""

    role: ClassVar[str] = "summary"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Summary]] = Summary

    goals: tuple[tuple[float, str], ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        goals = "\n".join(f"{t:.0f} s: {text}" for t, text in self.goals)
        return messages("summary", goals=goals, most=str(MOST_PERIODS))

    def read(self, answer: Summary) -> str:
        """Return the summary as the next question shows it."""
        return "\n".join(
            f"- {one.from_s} s to {one.until_s} s: {one.about} [{', '.join(one.keywords)}]"
            for one in answer.periods
        )


class Topic(Answer):
    """A topic, and the words by which it is found in a person's goals."""

    name: line(MOST_CHARACTERS)  # type: ignore[valid-type]
    keywords: each(line(MOST_CHARACTERS), 20, 1)  # type: ignore[valid-type]


class Topics(Answer):
    """The topics that several people share; empty: they share none."""

    topics: each(Topic, MOST_TOPICS)  # type: ignore[valid-type]


@dataclass(frozen=True)
class TopicsRequest:
    """The question which topics the summaries of many share."""

    role: ClassVar[str] = "topics"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Topics]] = Topics

    summaries: tuple[str, ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        people = enumerate(self.summaries, start=1)
        summaries = "\n".join(f"Person {number}:\n{text}" for number, text in people)
        return messages("topics", summaries=summaries, most=str(MOST_TOPICS))

    def read(self, answer: Topics) -> dict[str, list[str]]:
        """Return the keywords in small letters by topic; a topic that is named twice has all."""
        found: dict[str, list[str]] = {}
        names: dict[str, str] = {}
        for one in answer.topics:
            words = found.setdefault(names.setdefault(one.name.casefold(), one.name), [])
            words += [word.lower() for word in one.keywords if word.lower() not in words]
        return found
