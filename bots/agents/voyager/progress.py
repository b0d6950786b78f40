"""The progress of a Voyager agent, which is saved so that a run can be resumed."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError


class Task(BaseModel):
    """A task of an agent.

    ``obtain`` says what the agent must have when the task is done: the count of each item, by the
    item's name or a pattern with ``*``. If ``obtain`` is empty, only the critic can judge the task.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    context: str = ""
    obtain: dict[str, int] = {}

    def is_obtained(self, inventory: Mapping[str, int]) -> bool:
        return all(
            sum(count for item, count in inventory.items() if fnmatchcase(item, pattern)) >= wanted
            for pattern, wanted in self.obtain.items()
        )


class Progress(BaseModel):
    """The tasks and the knowledge of one agent, stored as JSON that people can read.

    Attributes:
        iterations: the number of programs that the model was asked for (Voyager's "prompting
            iterations").
        items: for each kind of item, the iteration in which the agent first had such an item.
        answers: the answers to the questions that the agent asked about its tasks.
        current: the task that the agent is working on.
    """

    model_config = ConfigDict(extra="forbid")

    iterations: int = 0
    completed: list[str] = []
    failed: list[str] = []
    items: dict[str, int] = {}
    answers: dict[str, str] = {}
    current: Task | None = None

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load the progress from a file; start without progress if there is no file.

        Raises:
            ValueError: the file does not contain progress.
        """
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except ValidationError as error:
            raise ValueError(f"{path} cannot be read: {error.errors()[0]['msg']}") from error

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        part.replace(path)

    def first_held(self, inventory: Mapping[str, int]) -> list[str]:
        """Store the kinds of item that the agent has for the first time, and return them."""
        new = sorted(set(inventory) - set(self.items))
        self.items |= dict.fromkeys(new, self.iterations)
        return new

    def finish(self, task: Task, success: bool) -> None:
        """Add the task to the completed or to the failed tasks.

        A completed task is removed from the failed tasks.
        """
        self.current = None
        if success:
            self.completed.append(task.name)
            self.failed = [name for name in self.failed if name != task.name]
        elif task.name not in self.failed:
            self.failed.append(task.name)
