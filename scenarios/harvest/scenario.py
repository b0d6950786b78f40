"""Harvest: three giant mushrooms that grow again as long as something of them is left.

The commons in Minecraft, from the public code of Yocum et al. (2023), which the paper does not
report on. A cap block that was harvested comes back by itself while its mushroom has another one;
who takes the last block of a mushroom has killed it for good. Whoever harvests all that is there
has more now, and both have nothing later.

Run it with ``python -m scenarios.harvest --help``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from bots.models import Message
from bots.models.scripted import Script
from bots.prompts import policy
from bridge import MinecraftWorld
from judge import Contract, Terms
from scenarios.arena import platform
from scenarios.bargaining import Bargain
from scenarios.cli import scenario_command
from scenarios.mushrooms import (
    CAP,
    GROUND_Y,
    STEM_HEIGHT,
    MushroomGame,
    caps_of,
    count_blocks,
    each_second,
    grow,
    mushroom_layout,
    nothing,
)

# --- The world -------------------------------------------------------------------------------

ARENA_X, ARENA_Z = (120, 144), (-11, 12)
WALL_HEIGHT = 6
#: Cleanup's three mushrooms (x, z); the code uses the same.
MUSHROOMS = [(127, -7), (127, 0), (127, 7)]
#: Players start between the two outer mushrooms, some blocks east of them (x, z).
STARTS = {"Gizmo": (134.5, -1.0), "Glitch": (134.5, 1.0)}

# --- Texts -----------------------------------------------------------------------------------

BRIEFING = """\
You stand on a walled platform together with {other}. On its west side stand three giant mushrooms
whose caps are nine blocks of `red_mushroom_block` each. A cap block that was harvested grows again
after a while, as long as its mushroom has another one left. A mushroom that loses its last cap
block is dead for good, and everybody is told who stood nearest.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you and to {other} alike. A cap block that is dug drops 0 to 2 of them, mostly none. {cares}
There is no chest. Nobody knows how long it goes on. Emeralds owed by a contract are paid at the
end, by the judge."""


class Harvest(MushroomGame):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    name: ClassVar[str] = "harvest"
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps"}
    published: ClassVar[Mapping[str, str]] = {}
    source: ClassVar[str] = "nothing: the scenario is in the authors' code only"

    cap_chance: float = Field(
        default=0.07, ge=0, le=1, description="For each missing cap and second. Source: the code."
    )
    policies: dict[str, Literal["greedy", "sparing"]] = Field(
        default={}, description="Scripted policies by player, where no contract is kept."
    )

    def layout(self) -> list[str]:
        """The arena as vanilla commands."""
        return [
            *platform(ARENA_X, ARENA_Z, GROUND_Y, WALL_HEIGHT, "grass_block"),
            *(command for place in MUSHROOMS for command in mushroom_layout(*place)),
        ]

    # --- What happens by itself ------------------------------------------------------------------

    async def live(self, world: MinecraftWorld, seed: int) -> None:
        """Once a second: caps grow on mushrooms that live, and chat says when one has died.

        In the code a cap grows if another stands within 3 blocks. Mushrooms are 7 apart, so that
        is any other cap of the same mushroom.
        """
        chance = random.Random(f"harvest rules {seed}")
        living = list(MUSHROOMS)
        async for _ in each_second(world.bridge.clock):
            for x, z in list(living):
                if await caps_left(world, x, z):
                    await grow(world, caps_of(x, z), CAP, self.cap_chance, chance)
                else:
                    living.remove((x, z))
                    culprit = await self._nearest(world, x, z)
                    await world.edit(f"say A mushroom is dead. {culprit} stood nearest.")

    async def _nearest(self, world: MinecraftWorld, x: int, z: int) -> str:
        places = {agent: await world.position(agent) for agent in self.agents}
        return min(places, key=lambda agent: _distance(places[agent], x, z))

    # --- Rules of the game -----------------------------------------------------------------------

    def briefing(self, agent: str) -> str:
        """What a player is told."""
        return BRIEFING.format(other=self.other(agent), value=self.mushroom_value, cares=self.cares)

    def terms(self) -> Terms:
        """What formal clauses may name, with what no run of any length we allow can pass."""
        return Terms(self.agents, {"mushrooms": 10_000, "caps": 10_000})

    def contracts(self) -> dict[str, Contract]:
        """The shipped contracts by name; both are ours."""
        return {
            "none": Contract("none", ""),
            "1": Contract("1", CONTRACT_1_TEXT, self.split(0.5)),
            "1-roles": Contract("1-roles", SPARE, nothing),
        }

    def script(self) -> Script:
        """The scripted minds: sparing under a contract that asks for it; else ``policies``."""
        common = policy("harvest/common")

        def answer(role: str, agent: str | None, messages: Sequence[Message]) -> str:
            asked = messages[0]["content"]
            if role == "negotiator" and agent is not None:
                return self._bargain().answer(agent, asked)
            if role == "action" and agent is not None:
                name = "sparing" if SPARE in asked else self.policies.get(agent, "greedy")
                program = common + policy(f"harvest/{name}")
                return f"A scripted mind's policy.\n\n```javascript\n{program}```"
            return '{"success": true, "critique": "A scripted mind has no critic."}'

        return answer

    def _bargain(self) -> Bargain:
        return self.bargain(
            roles=SPARE,
            why="What is dead feeds nobody.",
            unit=" for each mushroom that Gizmo holds more than Glitch (and the other way round)",
            formula=" * (held(Gizmo, mushrooms) - held(Glitch, mushrooms))",
        )


async def caps_left(world: MinecraftWorld, x: int, z: int) -> int:
    """How many caps the mushroom at (x, z) has, by the world's own blocks."""
    y = GROUND_Y + STEM_HEIGHT
    return await count_blocks(world, (x - 1, y, z - 1), (x + 1, y, z + 1))


def _distance(place: tuple[float, float, float], x: int, z: int) -> float:
    return (place[0] - x - 0.5) ** 2 + (place[2] - z - 0.5) ** 2


# --- The shipped contracts -------------------------------------------------------------------

SPARE = "1. Neither Gizmo nor Glitch harvests from a mushroom that has three cap blocks or fewer."
CONTRACT_1_TEXT = f"""\
{SPARE}
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""


app = scenario_command(Harvest)

if __name__ == "__main__":
    app()
