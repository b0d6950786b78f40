"""Result of an agent's program, as bodies report it, records store it and minds see it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class CodeError(BaseModel):
    """An error in terms of the agent's code.

    ``line`` and ``column`` count from 1 in the agent's own code, ``source`` is that line, and
    ``done`` lists the primitives that had succeeded until then.
    """

    model_config = ConfigDict(extra="forbid")

    message: str
    line: int | None
    column: int | None
    source: str | None
    done: list[str]


class RunResult(BaseModel):
    """How a program ended.

    ``done``: normally; ``error``: it threw or did not parse; ``timeout`` and ``stopped``: it was
    asked to stop and did; ``killed``: it did not stop, or its thread died, and the bot was
    restored.
    """

    model_config = ConfigDict(extra="forbid")

    status: Literal["done", "error", "timeout", "stopped", "killed"]
    error: CodeError | None
    logs: list[str]
    seconds: float
