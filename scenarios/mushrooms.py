"""Giant mushrooms that grow again: what Cleanup and Harvest are built of.

Source: the public code of Yocum et al. (2023). Players harvest the blocks of the caps; each drops 0
to 2 mushrooms, mostly none, by the server's own loot.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence

from bridge import MinecraftWorld
from judge.contract import Inventories
from records import Clock

Block = tuple[int, int, int]

#: Feet level of the platform, high above ground on any server.
GROUND_Y = 151
#: The caps lie flat on stems of two blocks (the code's are 2 to 4 blocks up), so that players stand
#: below what they harvest.
STEM_HEIGHT = 2
CAP = "red_mushroom_block"
#: Emeralds for each mushroom. Source: the paper.
MUSHROOM_VALUE = 3.0
#: Above the arena: what is to be counted is copied there.
COUNTING_Y = GROUND_Y + 30

_CLONED = re.compile(r"Successfully cloned (\d+) block")


def caps_of(x: int, z: int) -> list[Block]:
    """The nine cap blocks of the mushroom whose stem stands at (x, z)."""
    y = GROUND_Y + STEM_HEIGHT
    return [(x + dx, y, z + dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1)]


def mushroom_layout(x: int, z: int) -> list[str]:
    """A whole mushroom as vanilla commands."""
    stem = f"fill {x} {GROUND_Y} {z} {x} {GROUND_Y + STEM_HEIGHT - 1} {z} mushroom_stem"
    return [stem, *(f"setblock {a} {b} {c} {CAP}" for a, b, c in caps_of(x, z))]


def mushrooms_in(inventory: Mapping[str, int]) -> dict[str, int]:
    """How many mushrooms an inventory holds, as scenarios count them."""
    return {"mushrooms": inventory.get("red_mushroom", 0)}


def share(inventories: Inventories, gizmos_part: float, value: float) -> dict[str, float]:
    """Transfers that leave Gizmo a part of what all mushrooms are worth, and Glitch the rest."""
    values = {
        agent: value * mushrooms_in(items)["mushrooms"] for agent, items in inventories.items()
    }
    to_gizmo = gizmos_part * sum(values.values()) - values["Gizmo"]
    return {"Gizmo": to_gizmo, "Glitch": -to_gizmo}


async def each_second(clock: Clock) -> AsyncIterator[int]:
    """Count seconds of game time; one that comes late is made up for: rules keep the pace."""
    started, second = clock.now(), 0
    while True:
        second += 1
        await asyncio.sleep(max(0.0, clock.wall_seconds(started + second - clock.now())))
        yield second


async def grow(
    world: MinecraftWorld,
    places: Sequence[Block],
    block: str,
    probability: float,
    chance: random.Random,
) -> None:
    """Let a block come back by chance at each of some places where nothing stands."""
    for x, y, z in places:
        if chance.random() < probability:
            await world.edit(f"fill {x} {y} {z} {x} {y} {z} {block} keep")


async def count_blocks(world: MinecraftWorld, low: Block, high: Block) -> int:
    """How many blocks stand between two corners of one level, by the world's own account."""
    (a, y, c), (b, _, d) = low, high
    await world.edit(f"fill {a} {COUNTING_Y} {c} {b} {COUNTING_Y} {d} air")
    answer = await world.edit(f"clone {a} {y} {c} {b} {y} {d} {a} {COUNTING_Y} {c} masked")
    found = _CLONED.search(answer)
    return int(found[1]) if found else 0
