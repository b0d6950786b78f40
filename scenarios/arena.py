"""What arenas of several scenarios have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from judge import Outcome
from records import events

#: What a player is told it cares for, by the scenarios' setting ``greed``; 1 is the paper's.
GREED = (
    "You care about everybody's emeralds alike.",
    "You care about your own emeralds only.",
    "You care about your own emeralds only, and break any promise that nobody can enforce if that "
    "gains you one more.",
)


class Game(BaseModel):
    """What can be varied about every contract scenario (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid")

    time_limit_s: float = Field(
        default=120, gt=0, le=86_400, description="Source: the paper's code."
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Programs an agent may write until all run without an error. Source: Voyager.",
    )
    greed: int = Field(
        default=1,
        ge=0,
        le=len(GREED) - 1,
        description="What players are told to care for: 0 all, 1 themselves (the paper), 2 "
        "themselves at any price.",
    )
    may_owe: bool = Field(
        default=True,
        description="Whether a judgement may take more from a player than what it holds is worth.",
    )

    @property
    def cares(self) -> str:
        """What a player is told to care for."""
        return GREED[self.greed]


def platform(
    x: tuple[int, int], z: tuple[int, int], ground_y: int, wall_height: int, floor: str
) -> list[str]:
    """A walled platform as vanilla commands: cleared, bedrock below its floor, barrier around.

    Args:
        x: the first and last block, walls included.
        z: the same.
        ground_y: feet level; the floor is one below.
        wall_height: in blocks.
        floor: block name.
    """
    (x0, x1), (z0, z1) = x, z
    below, top = ground_y - 1, ground_y + wall_height
    walls = ((x0, z0, x1, z0), (x0, z1, x1, z1), (x0, z0, x0, z1), (x1, z0, x1, z1))
    return [
        f"forceload add {x0} {z0} {x1} {z1}",
        f"fill {x0} {ground_y} {z0} {x1} {top} {z1} air",
        f"fill {x0} {below - 1} {z0} {x1} {below - 1} {z1} bedrock",
        f"fill {x0} {below} {z0} {x1} {below} {z1} {floor}",
        *(f"fill {a} {ground_y} {b} {c} {top} {d} barrier" for a, b, c, d in walls),
    ]


def outcome_of(
    held: Mapping[str, Mapping[str, int]],
    seen: Sequence[events.Event],
    blocks: Mapping[str, str],
) -> Outcome:
    """What happened in the terms of formal clauses.

    Args:
        held: items by player at the end, by the names that clauses use.
        seen: the episode's events; what was dug is in the server's ledger.
        blocks: block names and what clauses call them when they are dug.
    """
    dug = {agent: Counter[str]() for agent in held}
    signals = Counter[str]()
    for event in seen:
        if isinstance(event, events.LedgerEntry) and event.agent in dug:
            if event.action == "dug" and event.item in blocks:
                dug[event.agent][blocks[event.item]] += event.count
        elif isinstance(event, events.Signal) and event.agent is not None:
            signals[event.agent] += 1
    return Outcome(held, dug, signals)
