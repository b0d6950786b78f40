"""Events of policies: observations, programs, plans and learned skills."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from voxpolis.records.events.base import Counts, Event
from voxpolis.records.text import many

# What begins a comment line in JavaScript and in lists of plans.
COMMENTS = ("//", "#")


class Perceived(Event, origin="experiment", lane="code", is_detailed=True):
    """The observation of an agent before it wrote a program, in the words of its prompt."""

    kind: Literal["perceived"] = "perceived"
    text: str

    def summary(self) -> str:
        return f"perceives: {self.text.splitlines()[0]}"


class CodeStarted(Event, origin="bot", lane="code", is_detailed=True):
    """The policy of an agent began to run. ``code`` is the whole program."""

    kind: Literal["code_started"] = "code_started"
    code: str

    def summary(self) -> str:
        """Describe the length of the program.

        A program that only has comments counts as no program.
        """
        lines = self.code.splitlines()
        if all(not line.strip() or line.strip().startswith(COMMENTS) for line in lines):
            return "has no program: it does nothing"
        return f"starts a program of {many(len(lines), 'line')}"


class CodeFinished(
    Event,
    origin="bot",
    lane="code",
    in_words="program {status} after {seconds:g} s",
    is_detailed=True,
):
    """A policy ended without an error, or was told to end (``stopped``, ``timeout``)."""

    kind: Literal["code_finished"] = "code_finished"
    status: Literal["done", "stopped", "timeout"]
    seconds: float
    logs: list[str]


class CodeFailed(Event, origin="bot", lane="code", is_detailed=True):
    """A policy threw an error, could not be parsed, or was killed.

    ``line`` is a line of the agent's code. ``done`` lists the primitives that had succeeded before.
    """

    kind: Literal["code_failed"] = "code_failed"
    status: Literal["error", "killed"]
    message: str
    line: int | None
    column: int | None
    source: str | None
    done: list[str] = Field(default=[])
    seconds: float
    logs: list[str]

    def summary(self) -> str:
        line = f" in line {self.line}" if self.line else ""
        return f"program failed{line}: {self.message}"


class CommandRefused(Event, origin="bot", lane="code", in_words="tried to give a command: {text}"):
    """The code of an agent tried to give a server command through the chat."""

    kind: Literal["command_refused"] = "command_refused"
    text: str


class Critique(Event, origin="experiment", lane="code", is_detailed=True):
    """The critic's assessment of an agent's episode, which the agent's next prompt contains."""

    kind: Literal["critique"] = "critique"
    success: bool
    text: str

    def summary(self) -> str:
        return f"critic: {'done' if self.success else 'not done'}. {self.text}"


class TaskStarted(Event, origin="experiment", lane="code", in_words="tries: {task}"):
    """An agent began a task of its curriculum.

    ``obtain`` is the inventory that the task requires.
    """

    kind: Literal["task_started"] = "task_started"
    task: str
    context: str
    obtain: Counts


class TaskEnded(Event, origin="experiment", lane="code", is_detailed=True):
    """A task was completed, or was given up after the last attempt."""

    kind: Literal["task_ended"] = "task_ended"
    task: str
    success: bool
    attempts: int

    def summary(self) -> str:
        return f"{'did' if self.success else 'gave up'}: {self.task}"


class SkillLearned(
    Event,
    origin="experiment",
    lane="code",
    in_words="learned {name}: {description}",
    is_detailed=True,
):
    """A successful program was added to the agent's skill library."""

    kind: Literal["skill_learned"] = "skill_learned"
    name: str
    description: str


class PlanEnded(Event, origin="experiment", lane="code", in_words="{plan}: {outcome}"):
    """A plan of an agent on the grid ended. ``outcome`` is done, or the reason for the failure."""

    kind: Literal["plan_ended"] = "plan_ended"
    plan: str
    outcome: str
