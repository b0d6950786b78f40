"""Voyager's questions: what its prompts are rendered from, and the types of its answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Task
from voxpolis.bots.models import Answer
from voxpolis.bots.models.typed import Line, Text


@dataclass(frozen=True)
class CurriculumRequest:
    """What to try next: what was told and is perceived, and the tasks that went well or badly."""

    briefing: Briefing
    observation: str
    completed: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True)
class QuestionsRequest:
    """What one must know to do a task."""

    task: str
    observation: str


@dataclass(frozen=True)
class AnswerRequest:
    """The answer to one of those questions."""

    question: str


@dataclass(frozen=True)
class TaskRequest:
    """A program for a task; ``skills`` are the functions shown, ``feedback`` what went wrong."""

    briefing: Briefing
    task: Task
    observation: str
    skills: tuple[str, ...]
    feedback: str


@dataclass(frozen=True)
class TaskCriticRequest:
    """Whether a task is done; ``ended_well``: its program ran to its end without an error."""

    task: Task
    observation: str
    outcome: str
    ended_well: bool


@dataclass(frozen=True)
class DescribeRequest:
    """What a program that worked does, by the name of its function."""

    function: str
    code: str


class Item(Answer):
    """Items of a kind."""

    name: Line = Field(
        description="Minecraft's name of the item; * stands for any part of a name: *_log."
    )
    count: Annotated[int, Field(ge=1, le=999)]


class Proposal(Answer):
    """The next task."""

    task: Line | None = Field(description="The task in one line; null where nothing is left to do.")
    obtain: list[Item] = Field(
        description=(
            "What the inventory must hold when the task is done; an empty list where the inventory "
            "cannot show success."
        )
    )

    def value(self) -> Task | None:
        """Return the task; None where nothing is left to do."""
        if self.task is None:
            return None
        obtain = {one.name.removeprefix("minecraft:"): one.count for one in self.obtain}
        return Task(name=self.task, obtain=obtain)


class Questions(Answer):
    """What one must know about the game to do the task."""

    questions: list[Line] = Field(
        description="Short questions about recipes, tools, places or mobs; the list may be empty."
    )


class Known(Answer):
    """What is known of a question."""

    answer: Text


class Described(Answer):
    """What a function does."""

    description: Text
