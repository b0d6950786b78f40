"""The result of running an agent's program, as bodies report it and records store it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class CodeError(BaseModel):
    """An error in an agent's program.

    Attributes:
        line: the line of the agent's own code, counted from 1.
        column: the column in this line, counted from 1.
        source: the text of the line.
        done: the primitives that had succeeded before the error.
    """

    model_config = ConfigDict(extra="forbid")

    message: str
    line: int | None
    column: int | None
    source: str | None
    done: list[str]


class RunResult(BaseModel):
    """How a program ended.

    Attributes:
        status: ``done``: normally. ``error``: it threw an error or could not be parsed. ``timeout``
            and ``stopped``: it was asked to stop, and did. ``killed``: it did not stop or its
            thread died, and the bot was restored.
        logs: the lines that it printed.
    """

    model_config = ConfigDict(extra="forbid")

    status: Literal["done", "error", "timeout", "stopped", "killed"]
    error: CodeError | None
    logs: list[str]
    seconds: float
