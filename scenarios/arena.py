"""What arenas of several scenarios have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from judge import Outcome
from records import events


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
        seen: the episode's events.
        blocks: block names and what clauses call them when they are dug.
    """
    dug = {agent: Counter[str]() for agent in held}
    signals = Counter[str]()
    for event in seen:
        if isinstance(event, events.BlockDug) and event.agent in dug and event.block in blocks:
            dug[event.agent][blocks[event.block]] += 1
        elif isinstance(event, events.Signal) and event.agent is not None:
            signals[event.agent] += 1
    return Outcome(held, dug, signals)
