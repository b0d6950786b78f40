"""What a bot of a village with trades is busy with, and what came of it, in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from voxpolis.bridge.protocol import RunResult
from voxpolis.worlds.trades import Report

#: The verb of what an agent's own program does.
DO = "DO"
#: What the server answers where a condition holds.
PASSED = "Test passed"
#: Characters of why something failed.
MOST_REASON = 160


@dataclass
class Work:
    """An errand that is an action: what it is, where it is done, and what came of it."""

    action: str
    target: str | None
    report: Report | None = None


#: Does something, and returns what came of it.
Errand = Callable[[Work], Awaitable[Report]]


@dataclass
class OwnProgram:
    """What goes with a program that an agent wrote.

    Attributes:
        skills: the sources of what it may call, by name.
        wanted: how many more of each item it has to bring; empty: none.
        result: how it ended; None: it did not yet.
    """

    skills: Mapping[str, str]
    wanted: Mapping[str, int]
    result: RunResult | None = None

    @property
    def ended_well(self) -> bool:
        return self.result is not None and self.result.status == "done"


def picked(item: str) -> str:
    """Return the objective by which the server counts what somebody picks up."""
    return f"picked.{item}"


def why(result: RunResult) -> str:
    """Return why nothing came of a program, in words."""
    if result.error is None:
        return "nothing came of it this time" if result.status == "done" else "it took too long"
    return result.error.message.partition(" (in the skill")[0][:MOST_REASON]
