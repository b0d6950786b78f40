"""Saved progress of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError


class Task(BaseModel):
    """An agent's task.

    ``obtain`` is the required inventory: item name (or a pattern with ``*``) → count. If it is
    empty, only the critic can judge the task.
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
    """One agent's tasks and knowledge, stored as human-readable JSON.

    ``iterations`` is the number of programs requested (Voyager's prompting iterations). ``items``
    maps each kind of item that the agent has had to the iteration in which it first had it.
    ``answers`` maps the curriculum's questions to their answers. ``current`` is the task in
    progress.
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
        """Load a file; start empty if there is none.

        Raises:
            ValueError: it is not a progress file.
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
        """Add the kinds of item that the agent has for the first time, and return them."""
        new = sorted(set(inventory) - set(self.items))
        self.items |= dict.fromkeys(new, self.iterations)
        return new

    def finish(self, task: Task, success: bool) -> None:
        """Move a task to the completed or failed ones; completing it removes an earlier failure."""
        self.current = None
        if success:
            self.completed.append(task.name)
            self.failed = [name for name in self.failed if name != task.name]
        elif task.name not in self.failed:
            self.failed.append(task.name)
