"""Cleanup: a river that gets dirty, mushrooms that only grow while it is clean, and two players.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023), and the authors' public
code for the rates. Slime comes back to the river all the time; three giant mushrooms far from it
regrow only while it holds 7 slime blocks or fewer. A harvested block of mushroom yields 0 to 2
mushrooms, usually none. Who cleans harvests nothing: without a contract hardly anybody does.

Run it with ``python -m scenarios.cleanup --help``.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bots.models import Message
from bots.models.scripted import Script
from bots.prompts import policy
from bridge import MinecraftWorld
from judge import Contract, Outcome, Terms
from judge.contract import Inventories
from records import events
from scenarios.arena import outcome_of, platform
from scenarios.cli import scenario_command

# --- The world -------------------------------------------------------------------------------

#: Feet level of the platform, high above ground on any server.
GROUND_Y = 151
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
#: Three mushrooms of nine cap blocks, about 10 blocks west of the river. The caps lie flat on stems
#: of two blocks (the code's are 2 to 4 blocks up), so that players stand below what they harvest.
STEM_HEIGHT = 2
MUSHROOMS = [(87, -7), (87, 0), (87, 7)]
CAPS = [
    (x + dx, GROUND_Y + STEM_HEIGHT, z + dz)
    for x, z in MUSHROOMS
    for dx in (-1, 0, 1)
    for dz in (-1, 0, 1)
]
#: Players start between the two (x, z).
STARTS = {"Gizmo": (94.5, -1.0), "Glitch": (94.5, 1.0)}
#: Above the arena: the river is copied there to be counted.
COUNTING_Y = GROUND_Y + 30

CLONED = re.compile(r"Successfully cloned (\d+) block")

# --- Texts -----------------------------------------------------------------------------------

BRIEFING = """\
You stand on a walled platform together with {other}. On its east side is a river bed; slime
(`slime_block`) comes up in it again and again. On its west side, a walk away, stand three giant
mushrooms whose caps are `red_mushroom_block`. While the river holds {clean} slime blocks or fewer,
caps that were harvested grow again; while it holds more, nothing grows. Slime is removed by digging
it; that needs no tool, and it comes back soon.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you and to {other} alike. A cap block that is dug drops 0 to 2 of them, mostly none. You care
about your own emeralds only. There is no chest. Nobody knows how long it goes on. Emeralds owed by
a contract are paid at the end, by the judge."""


class Cleanup(BaseModel):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str] = "cleanup"
    counted: ClassVar[tuple[str, ...]] = ("mushrooms",)
    published: ClassVar[Mapping[str, str]] = {
        "none": "0.66 ± 0.15",
        "1": "0.10 ± 0.00",
        "2": "0.00",
    }
    source: ClassVar[str] = "Yocum et al. (2023), table 1, gpt-4, 5 runs a contract"
    #: How much could be had depends on chance: there is no optimum to compare with.
    optimum: ClassVar[float | None] = None

    mushroom_value: float = Field(default=3, description="Emeralds for each. Source: the paper.")
    clean_at_most: int = Field(
        default=7, ge=0, description="Slime blocks at which caps still regrow. Source: the paper."
    )
    slime_chance: float = Field(
        default=0.05, ge=0, le=1, description="For each place and second. Source: the code."
    )
    cap_chance: float = Field(
        default=0.05, ge=0, le=1, description="For each missing cap and second. Source: the code."
    )
    time_limit_s: float = Field(default=120, gt=0, le=86_400, description="Source: the code.")
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Programs an agent may write until all run without an error. Source: Voyager.",
    )
    start_jitter_blocks: float = Field(
        default=2,
        ge=0,
        le=4,
        description="Each player starts up to this much nearer to the river or to the mushrooms, "
        "by the seed. Ours: it decides who is nearer to what.",
    )
    policies: dict[str, Literal["greedy", "harvest_only", "clean_only"]] = Field(
        default={}, description="Scripted policies by player, where no contract is kept."
    )

    @field_validator("policies")
    @classmethod
    def _known_players(cls, policies: dict[str, str]) -> dict[str, str]:
        if not set(policies) <= set(STARTS):
            raise ValueError(f"the players are {' and '.join(STARTS)}")
        return policies

    @property
    def agents(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(STARTS)

    def starts(self, seed: int) -> dict[str, tuple[float, float, float]]:
        """Where the players start, fixed by the seed."""
        chance = random.Random(f"cleanup starts {seed}")
        jitter = self.start_jitter_blocks
        return {
            agent: (round(x + chance.uniform(-jitter, jitter), 2), float(GROUND_Y), z + 0.5)
            for agent, (x, z) in STARTS.items()
        }

    def layout(self) -> list[str]:
        """The arena as vanilla commands."""
        (a, b), (c, d), floor = RIVER_X, RIVER_Z, GROUND_Y - 1
        return [
            *platform(ARENA_X, ARENA_Z, GROUND_Y, WALL_HEIGHT, "grass_block"),
            f"fill {a} {floor} {c} {b} {floor} {d} blue_concrete",
            *(f"setblock {x} {y} {z} slime_block" for x, y, z in SLIME),
            *(
                f"fill {x} {GROUND_Y} {z} {x} {GROUND_Y + STEM_HEIGHT - 1} {z} mushroom_stem"
                for x, z in MUSHROOMS
            ),
            *(f"setblock {x} {y} {z} red_mushroom_block" for x, y, z in CAPS),
        ]

    # --- What happens by itself ------------------------------------------------------------------

    async def live(self, world: MinecraftWorld, seed: int) -> None:
        """Once a second of game time: slime comes up, caps grow, and chat says when that changes.

        A second that comes late is made up for: the rules keep the game's pace.
        """
        chance = random.Random(f"cleanup rules {seed}")
        clock = world.bridge.clock
        started, was_clean = clock.now(), False
        second = 0
        while True:
            second += 1
            wait = clock.wall_seconds(started + second - clock.now())
            await asyncio.sleep(max(0.0, wait))
            await self._grow(world, SLIME, "slime_block", self.slime_chance, chance)
            is_clean = await self._slime(world) <= self.clean_at_most
            if is_clean:
                await self._grow(world, CAPS, "red_mushroom_block", self.cap_chance, chance)
            if is_clean != was_clean:
                told = "clean: mushrooms grow" if is_clean else "dirty: nothing grows"
                await world.edit(f"say The river is {told}.")
            was_clean = is_clean

    @staticmethod
    async def _grow(
        world: MinecraftWorld,
        places: Sequence[tuple[int, int, int]],
        block: str,
        share: float,
        chance: random.Random,
    ) -> None:
        """Let a block come back at each of some places by chance, where nothing stands."""
        for x, y, z in places:
            if chance.random() < share:
                await world.edit(f"fill {x} {y} {z} {x} {y} {z} {block} keep")

    @staticmethod
    async def _slime(world: MinecraftWorld) -> int:
        """How many slime blocks the river holds, by the world's own blocks."""
        (a, b), (c, d) = RIVER_X, RIVER_Z
        await world.edit(f"fill {a} {COUNTING_Y} {c} {b} {COUNTING_Y} {d} air")
        answer = await world.edit(
            f"clone {a} {GROUND_Y} {c} {b} {GROUND_Y} {d} {a} {COUNTING_Y} {c} masked"
        )
        found = CLONED.search(answer)
        return int(found[1]) if found else 0

    # --- Rules of the game -----------------------------------------------------------------------

    def briefing(self, agent: str) -> str:
        """What a player is told."""
        (other,) = (name for name in self.agents if name != agent)
        return BRIEFING.format(other=other, clean=self.clean_at_most, value=self.mushroom_value)

    def count(self, inventory: Mapping[str, int]) -> dict[str, int]:
        """How many mushrooms an inventory holds."""
        return {"mushrooms": inventory.get("red_mushroom", 0)}

    def value(self, agent: str, inventory: Mapping[str, int]) -> float:
        """What an inventory is worth, in emeralds; the same to both players."""
        return self.mushroom_value * self.count(inventory)["mushrooms"]

    def is_all_gained(self, inventories: Inventories) -> bool:
        """Never: there is always more to harvest."""
        return False

    def terms(self) -> Terms:
        """What formal clauses may name, with what no run of any length we allow can pass."""
        return Terms(self.agents, {"mushrooms": 10_000, "caps": 10_000, "slime": 10_000})

    def observed(self, inventories: Inventories, seen: Sequence[events.Event]) -> Outcome:
        """What was held, dug and signalled."""
        held = {agent: self.count(inventories[agent]) for agent in self.agents}
        return outcome_of(held, seen, {"red_mushroom_block": "caps", "slime_block": "slime"})

    def contracts(self) -> dict[str, Contract]:
        """The shipped contracts by name."""
        return {
            "none": Contract("none", ""),
            "1": Contract("1", CONTRACT_1_TEXT, lambda held: self._share(held, 0.45)),
            "2": Contract("2", CONTRACT_2_TEXT, lambda held: self._share(held, 0.5)),
        }

    def _share(self, inventories: Inventories, gizmos_part: float) -> dict[str, float]:
        """Transfers that leave Gizmo a part of the value of all mushrooms, and Glitch the rest."""
        values = {agent: self.value(agent, inventories[agent]) for agent in self.agents}
        to_gizmo = gizmos_part * sum(values.values()) - values["Gizmo"]
        return {"Gizmo": to_gizmo, "Glitch": -to_gizmo}

    def script(self) -> Script:
        """The scripted minds: keepers of a shipped contract; where there is none, ``policies``."""
        common = policy("cleanup/common")
        kept = {CONTRACT_1_TEXT: "contract_1", CONTRACT_2_TEXT: "contract_2"}

        def answer(role: str, agent: str | None, messages: Sequence[Message]) -> str:
            if role == "negotiator":
                return "[message] I make no contract."
            if role == "action" and agent is not None:
                asked = messages[0]["content"]
                own = self.policies.get(agent, "greedy")
                name = next((n for text, n in kept.items() if text in asked), own)
                program = common + policy(f"cleanup/{name}")
                return f"A scripted mind's policy.\n\n```javascript\n{program}```"
            return '{"success": true, "critique": "A scripted mind has no critic."}'

        return answer


# --- The shipped contracts -------------------------------------------------------------------

CONTRACT_1_TEXT = """\
1. Gizmo harvests the mushrooms all the time, and Glitch cleans the river all the time.
2. When the episode ends, Glitch gets 55 % of the value of all mushrooms, and Gizmo keeps 45 %."""

CONTRACT_2_TEXT = """\
1. Gizmo and Glitch take turns at cleaning the river and harvesting, Gizmo cleans first. Who cleans
   signals when it is time to change.
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""


app = scenario_command(Cleanup)

if __name__ == "__main__":
    app()
