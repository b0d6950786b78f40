"""Cleanup: a river that gets dirty, mushrooms that only grow while it is clean, and two players.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023), and the authors' public
code for the rates. Slime comes back to the river all the time; three giant mushrooms far from it
regrow only while it holds 7 slime blocks or fewer. A harvested block of mushroom yields 0 to 2
mushrooms, usually none. Who cleans harvests nothing: without a contract hardly anybody does.

Run it with ``python -m scenarios.cleanup --help``.
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
    MushroomGame,
    caps_of,
    count_blocks,
    each_second,
    grow,
    mushroom_layout,
    nothing,
)

# --- The world -------------------------------------------------------------------------------

ARENA_X, ARENA_Z = (80, 112), (-11, 12)
WALL_HEIGHT = 6

#: A strip of 7 by 10 blocks, 17 of which get dirty; where they are is ours. Source: the code.
RIVER_X, RIVER_Z = (101, 107), (-5, 4)
SLIME = [
    (x, GROUND_Y, z)
    for x, z in random.Random("cleanup river").sample(
        [(x, z) for x in range(101, 108) for z in range(-5, 5)], 17
    )
]
#: Three mushrooms of nine cap blocks (x, z), about 10 blocks west of the river.
MUSHROOMS = [(87, -7), (87, 0), (87, 7)]
CAPS = [block for place in MUSHROOMS for block in caps_of(*place)]
#: Players start between the two (x, z).
STARTS = {"Gizmo": (94.5, -1.0), "Glitch": (94.5, 1.0)}

# --- Texts -----------------------------------------------------------------------------------

BRIEFING = """\
You stand on a walled platform together with {other}. On its east side is a river bed; slime
(`slime_block`) comes up in it again and again. On its west side, a walk away, stand three giant
mushrooms whose caps are `red_mushroom_block`. While the river holds {clean} slime blocks or fewer,
caps that were harvested grow again; while it holds more, nothing grows. Slime is removed by digging
it; that needs no tool, and it comes back soon.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you and to {other} alike. A cap block that is dug drops 0 to 2 of them, mostly none. {cares}
There is no chest. Nobody knows how long it goes on. Emeralds owed by a contract are paid at the
end, by the judge."""


class Cleanup(MushroomGame):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    name: ClassVar[str] = "cleanup"
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps", "slime_block": "slime"}
    published: ClassVar[Mapping[str, str]] = {
        "none": "0.66 ± 0.15",
        "1": "0.10 ± 0.00",
        "2": "0.00",
    }
    source: ClassVar[str] = "Yocum et al. (2023), table 1, gpt-4, 5 runs a contract"

    clean_at_most: int = Field(
        default=7, ge=0, description="Slime blocks at which caps still regrow. Source: the paper."
    )
    slime_chance: float = Field(
        default=0.05, ge=0, le=1, description="For each place and second. Source: the code."
    )
    cap_chance: float = Field(
        default=0.05, ge=0, le=1, description="For each missing cap and second. Source: the code."
    )
    policies: dict[str, Literal["greedy", "harvest_only", "clean_only"]] = Field(
        default={}, description="Scripted policies by player, where no contract is kept."
    )

    def layout(self) -> list[str]:
        """The arena as vanilla commands."""
        (a, b), (c, d), floor = RIVER_X, RIVER_Z, GROUND_Y - 1
        return [
            *platform(ARENA_X, ARENA_Z, GROUND_Y, WALL_HEIGHT, "grass_block"),
            f"fill {a} {floor} {c} {b} {floor} {d} blue_concrete",
            *(f"setblock {x} {y} {z} slime_block" for x, y, z in SLIME),
            *(command for place in MUSHROOMS for command in mushroom_layout(*place)),
        ]

    # --- What happens by itself ------------------------------------------------------------------

    async def live(self, world: MinecraftWorld, seed: int) -> None:
        """Once a second: slime comes up, caps grow, and chat says when that changes."""
        chance = random.Random(f"cleanup rules {seed}")
        was_clean = False
        async for _ in each_second(world.bridge.clock):
            await grow(world, SLIME, "slime_block", self.slime_chance, chance)
            is_clean = await slime_in(world) <= self.clean_at_most
            if is_clean:
                await grow(world, CAPS, CAP, self.cap_chance, chance)
            if is_clean != was_clean:
                told = "clean: mushrooms grow" if is_clean else "dirty: nothing grows"
                await world.edit(f"say The river is {told}.")
            was_clean = is_clean

    # --- Rules of the game -----------------------------------------------------------------------

    def briefing(self, agent: str) -> str:
        """What a player is told."""
        return BRIEFING.format(
            other=self.other(agent),
            clean=self.clean_at_most,
            value=self.mushroom_value,
            cares=self.cares,
        )

    def terms(self) -> Terms:
        """What formal clauses may name, with what no run of any length we allow can pass."""
        return Terms(self.agents, {"mushrooms": 10_000, "caps": 10_000, "slime": 10_000})

    def contracts(self) -> dict[str, Contract]:
        """The shipped contracts by name."""
        return {
            "none": Contract("none", ""),
            "1": Contract("1", CONTRACT_1_TEXT, self.split(0.45)),
            "1-roles": Contract("1-roles", ROLES, nothing),
            "1-transfer": Contract("1-transfer", SPLIT, self.split(0.45)),
            "2": Contract("2", CONTRACT_2_TEXT, self.split(0.5)),
        }

    def script(self) -> Script:
        """The scripted minds: keepers of a shipped contract; where there is none, ``policies``."""
        common = policy("cleanup/common")
        kept = {ROLES: "contract_1", CONTRACT_2_TEXT: "contract_2"}

        def answer(role: str, agent: str | None, messages: Sequence[Message]) -> str:
            if role == "negotiator" and agent is not None:
                return self._bargain().answer(agent, messages[0]["content"])
            if role == "action" and agent is not None:
                asked = messages[0]["content"]
                own = self.policies.get(agent, "greedy")
                name = next((n for text, n in kept.items() if text in asked), own)
                program = common + policy(f"cleanup/{name}")
                return f"A scripted mind's policy.\n\n```javascript\n{program}```"
            return '{"success": true, "critique": "A scripted mind has no critic."}'

        return answer

    def _bargain(self) -> Bargain:
        return self.bargain(
            roles=ROLES,
            why="Who has to change sides all the time loses time.",
            unit=" for each mushroom that Gizmo holds",
            formula=" * held(Gizmo, mushrooms)",
        )


async def slime_in(world: MinecraftWorld) -> int:
    """How many slime blocks the river holds, by the world's own blocks."""
    (a, b), (c, d) = RIVER_X, RIVER_Z
    return await count_blocks(world, (a, GROUND_Y, c), (b, GROUND_Y, d))


# --- The shipped contracts -------------------------------------------------------------------

ROLES = "1. Gizmo harvests the mushrooms all the time, and Glitch cleans the river all the time."
SPLIT = (
    "When the episode ends, Glitch gets 55 % of the value of all mushrooms, and Gizmo keeps 45 %."
)
CONTRACT_1_TEXT = f"{ROLES}\n2. {SPLIT}"

CONTRACT_2_TEXT = """\
1. Gizmo and Glitch take turns at cleaning the river and harvesting, Gizmo cleans first. Who cleans
   signals when it is time to change.
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""


app = scenario_command(Cleanup)

if __name__ == "__main__":
    app()
