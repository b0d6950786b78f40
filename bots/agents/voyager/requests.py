"""What Voyager's prompts are rendered from: typed values, which scripted minds answer from."""

from __future__ import annotations

from dataclasses import dataclass

from bots.agents.protocol import Briefing
from bots.agents.voyager.progress import Task


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
