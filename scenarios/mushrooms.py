"""Giant mushrooms that grow again: what Cleanup and Harvest are built of.

Source: the public code of Yocum et al. (2023). Players harvest the blocks of the caps; each drops 0
to 2 mushrooms, mostly none, by the server's own loot.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from bridge import MinecraftWorld
from judge.contract import Inventories, Rule
from records import Clock
from scenarios.arena import Game
from scenarios.bargaining import Bargain
from scenarios.scenario import GridForm

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


class MushroomGame(Game):
    """What Cleanup and Harvest have in common: two players, and mushrooms that are worth emeralds.

    ``STARTS`` are the players' places (x, z) before the seed moves them towards east or west.
    """

    STARTS: ClassVar[Mapping[str, tuple[float, float]]]
    counted: ClassVar[tuple[str, ...]] = ("mushrooms",)
    chest: ClassVar[tuple[int, int, int] | None] = None
    grid: ClassVar[GridForm | None] = None
    #: How much could be had depends on chance: there is no optimum to compare with.
    optimum: ClassVar[float | None] = None

    mushroom_value: float = Field(
        default=MUSHROOM_VALUE, description="Emeralds for each. Source: the paper."
    )
    start_jitter_blocks: float = Field(
        default=2,
        ge=0,
        le=4,
        description="Each player starts up to this much farther east or west, by the seed. Ours: "
        "it decides who is nearer to what.",
    )

    @field_validator("policies", check_fields=False)
    @classmethod
    def _known_players(cls, policies: dict[str, str]) -> dict[str, str]:
        if not set(policies) <= set(cls.STARTS):
            raise ValueError(f"the players are {' and '.join(cls.STARTS)}")
        return policies

    @property
    def agents(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(self.STARTS)

    def other(self, agent: str) -> str:
        """The other player."""
        (other,) = (name for name in self.agents if name != agent)
        return other

    def starts(self, seed: int) -> dict[str, tuple[float, float, float]]:
        """Where the players start, fixed by the seed."""
        chance = random.Random(f"{type(self).__name__.lower()} starts {seed}")
        jitter = self.start_jitter_blocks
        return {
            agent: (round(x + chance.uniform(-jitter, jitter), 2), float(GROUND_Y), z + 0.5)
            for agent, (x, z) in self.STARTS.items()
        }

    def count(self, inventory: Mapping[str, int]) -> dict[str, int]:
        """How many mushrooms an inventory holds."""
        return mushrooms_in(inventory)

    def value(self, agent: str, inventory: Mapping[str, int]) -> float:
        """What an inventory is worth, in emeralds; the same to both players."""
        return self.mushroom_value * self.count(inventory)["mushrooms"]

    def is_all_gained(self, inventories: Inventories) -> bool:
        """Never: there is always more to harvest, or nothing to do but wait."""
        return False

    def split(self, gizmos_part: float) -> Rule:
        """The rule that leaves Gizmo a part of all mushrooms' value, and Glitch the rest."""
        return lambda held: _split(held, gizmos_part, self.mushroom_value)

    def bargain(self, *, roles: str, why: str, unit: str, formula: str) -> Bargain:
        """Scripted negotiators over what Gizmo pays for each mushroom: half its value is even."""
        return Bargain(
            payer="Gizmo",
            receiver="Glitch",
            even=self.mushroom_value / 2,
            opening=self.mushroom_value / 3,
            near=self.mushroom_value / 30,
            roles=roles,
            why=why,
            unit=unit,
            formula=formula,
            digits=2,
        )


def nothing(held: Inventories) -> dict[str, float]:
    """The transfers of a contract that names none."""
    return dict.fromkeys(held, 0.0)


def mushrooms_in(inventory: Mapping[str, int]) -> dict[str, int]:
    """How many mushrooms an inventory holds, as scenarios count them."""
    return {"mushrooms": inventory.get("red_mushroom", 0)}


def _split(inventories: Inventories, gizmos_part: float, value: float) -> dict[str, float]:
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
