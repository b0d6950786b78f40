"""The crafting tree: agents start with nothing and climb, writing one program after another.

Two trees. In Minecraft's own (wood, stone, iron, diamond), agents stand in natural land; milestones
are the first tool of each material, as in Wang et al., "Voyager" (2023), and progress is the number
of kinds of item held so far, over prompting iterations and over minutes. In AdaSociety's synthesis
tree (15 resources, 9 events; Huang et al. 2024), agents stand in an arena of piles and stations
whose rules the world enforces; milestones are what the stations make, up to the totem.

Run it with ``python -m scenarios.crafting_tree --help``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bots.models.scripted import Script
from grid.adasociety.game import Game, Rules, read_rules
from scenarios import synthesis
from scenarios.climbers import climber, minecraft_steps, synthesis_script
from scenarios.climbing_cli import climbing_command

NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ines", "Jan")

# --- Minecraft's own tree ----------------------------------------------------------------------

#: Source: Wang et al. (2023), the tech tree's levels.
MATERIALS = {"wooden": "wooden", "stone": "stone", "iron": "iron", "diamond": "diamond"}
TOOLS = ("pickaxe", "axe", "shovel", "hoe", "sword")

#: Runs with different seeds start this far apart, so that none finds another's holes.
START_SPACING_BLOCKS = 512
#: Agents of one run start within this many blocks of each other.
START_RADIUS_BLOCKS = 8

MINECRAFT_GOAL = (
    "to discover as many kinds of items as possible, and to climb from wood over stone and iron to "
    "diamond tools."
)
MINECRAFT_WORLD = (
    "You start with nothing in natural land: trees, stone, ores in the depth. What you place stays "
    "where it is unless you take it back. Others may be near; chests can pass things on."
)

# --- AdaSociety's tree -------------------------------------------------------------------------

SYNTHESIS_GAME = "crafting_tree"
SYNTHESIS_GOAL = "to make everything that the stations make, up to the totem, as soon as possible."


@cache
def shipped_rules() -> Rules:
    """AdaSociety's tree, read once: nobody changes it."""
    return read_rules()


class CraftingTree(BaseModel):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str] = "crafting_tree"

    tree: Literal["minecraft", "adasociety"] = "minecraft"
    agents: int = Field(default=1, ge=1, le=len(NAMES))
    iterations: int = Field(
        default=160, ge=1, description="Programs each agent may write. Source: Voyager, figure 1."
    )
    time_limit_s: float = Field(default=7200, gt=0, le=864_000)
    program_limit_s: float = Field(
        default=900, gt=0, description="Seconds one program may run. Voyager's has 600."
    )
    until: str = Field(
        default="", description="End when all agents have reached this milestone; empty: never."
    )
    keep_inventory: bool = Field(default=True, description="Of the dead. Source: Voyager's code.")
    difficulty: Literal["peaceful", "easy", "normal", "hard"] = "peaceful"
    daylight_cycle: bool = False
    jobs: dict[str, str] = Field(
        default={}, description="Jobs by agent in the synthesis tree; the others are explorers."
    )

    roles: dict[str, str] = Field(
        default={}, description="What agents are told of their role, in your words, by agent."
    )

    @model_validator(mode="after")
    def _known_names(self) -> CraftingTree:
        if self.until and self.until not in self.milestones:
            raise ValueError(f"there is no milestone {self.until!r}: {', '.join(self.milestones)}")
        rules = self.rules
        for agent in {**self.jobs, **self.roles}:
            if agent not in self.agent_names:
                raise ValueError(f"there is no agent {agent!r}: {', '.join(self.agent_names)}")
        for job in self.jobs.values():
            if job not in rules.jobs:
                raise ValueError(f"there is no job {job!r}: {', '.join(rules.jobs)}")
        return self

    @property
    def agent_names(self) -> tuple[str, ...]:
        """The agents."""
        return NAMES[: self.agents]

    @property
    def rules(self) -> Rules:
        """AdaSociety's tree."""
        return shipped_rules()

    @property
    def game(self) -> Game:
        """The map of the synthesis arena."""
        return self.rules.games[SYNTHESIS_GAME]

    @property
    def milestones(self) -> tuple[str, ...]:
        """All there are to reach, in the order of the tree."""
        if self.tree == "minecraft":
            return tuple(MATERIALS)
        made = {self.rules.events[name].output for name in self.game.events}
        return tuple(name for name in self.rules.resources if name in made)

    def reached(self, items: Mapping[str, int]) -> list[str]:
        """The milestones that kinds of item stand for."""
        if self.tree == "adasociety":
            return [m for m in self.milestones if synthesis.ITEMS[m] in items]
        tools = {f"{material}_{tool}": material for material in MATERIALS for tool in TOOLS}
        found = {tools[item] for item in items if item in tools}
        return [milestone for milestone in self.milestones if milestone in found]

    def job(self, agent: str) -> str:
        """An agent's job in the synthesis tree."""
        return self.jobs.get(agent, "explorer")

    def score(self, agent: str, inventory: Mapping[str, int]) -> float | None:
        """What an agent gains by what it holds; None where kinds of item are what counts."""
        if self.tree == "minecraft":
            return None
        return self.rules.score(self.job(agent), synthesis.resources_in(inventory))

    def goal(self) -> str:
        """What the curriculum is told to aim at."""
        return MINECRAFT_GOAL if self.tree == "minecraft" else SYNTHESIS_GOAL

    def briefing(self, agent: str, arena: synthesis.Arena | None) -> str:
        """What is special about the world, for the action prompt."""
        role = f" Your role: {self.roles[agent]}" if agent in self.roles else ""
        if arena is None:
            return MINECRAFT_WORLD + role
        return synthesis.rules_in_words(self.rules, self.game, self.job(agent), arena.chest) + role

    def arena(self, seed: int) -> synthesis.Arena | None:
        """The synthesis arena; None in natural land."""
        if self.tree == "minecraft":
            return None
        return synthesis.lay_out(self.game, self.agent_names, seed)

    def house_rules(self) -> list[str]:
        """What the world is told before the agents start."""
        return [
            f"gamerule keepInventory {str(self.keep_inventory).lower()}",
            f"gamerule doDaylightCycle {str(self.daylight_cycle).lower()}",
            "gamerule doWeatherCycle false",
            "gamerule announceAdvancements false",
            f"difficulty {self.difficulty}",
            "time set day",
        ]

    def land(self, seed: int) -> list[str]:
        """Where a run starts in natural land: commands that put the agents there."""
        chance = random.Random(f"crafting_tree land {seed}")
        step = START_SPACING_BLOCKS
        x, z = (step * chance.randint(-12, 12) + step // 2 for _ in range(2))
        return [
            f"forceload add {x - 16} {z - 16} {x + 16} {z + 16}",
            *(
                f"spreadplayers {x} {z} 0 {START_RADIUS_BLOCKS} false {agent}"
                for agent in self.agent_names
            ),
        ]

    def script(self, seed: int) -> Script:
        """The scripted minds: they climb step by step."""
        arena = self.arena(seed)
        if arena is None:
            return climber(minecraft_steps())
        jobs = {agent: self.job(agent) for agent in self.agent_names}
        return synthesis_script(self.rules, arena, jobs)


app = climbing_command(CraftingTree)

if __name__ == "__main__":
    app()
