"""The crafting tree: agents start with nothing and write programs to make better and better tools.

There are two trees. In Minecraft's own tree (wood, stone, iron, diamond), agents live in natural
terrain. As in Wang et al., "Voyager" (2023), the milestones are the first tools of each material,
and progress is the number of distinct items held so far, as a function of prompting iterations and
of minutes. In AdaSociety's synthesis tree (15 resources, 9 events; Huang et al. 2024), agents live
in an arena with piles and stations, whose rules a referee enforces. The milestones are the products
of stations, up to the totem. The synthesis tree can also be played on the grid, on the same map,
with plans instead of programs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.curriculum.scenario import (
    CurriculumOptions,
    CurriculumScenario,
    Referee,
)
from voxpolis.experiments.run.options import RunOptions, UsageError, agents_option, only_in, option
from voxpolis.grid.adasociety.game import Game, Rules, read_rules
from voxpolis.scenarios.crafting_tree.placement import (
    ITEMS,
    PILE_BLOCKS,
    STATION_BLOCKS,
    Placement,
    block,
    place,
    resources_in,
)
from voxpolis.scenarios.crafting_tree.referee import SynthesisReferee
from voxpolis.scenarios.crafting_tree.scripted import minecraft_script, synthesis_script
from voxpolis.worlds.layout import Block, BlockMap, Layout

if TYPE_CHECKING:  # only runs on the grid load the compiler
    from voxpolis.experiments.loops.grid.game import GridGame
    from voxpolis.worlds.minecraft.land import MinecraftLand


# --- Prompts of the crafting tree -----------------------------------------------------------------

MINECRAFT_GOAL = (
    "to discover as many kinds of items as possible, and to climb from wood over stone and iron to "
    "diamond tools."
)
MINECRAFT_WORLD = (
    "You start with nothing in natural land: trees, stone, ores in the depth. What you place stays "
    "where it is unless you take it back. Others may be near; chests can pass things on."
)
SYNTHESIS_GOAL = "to make everything that the stations make, up to the totem, as soon as possible."


def rules_in_words(rules: Rules, game: Game, job: str, chest: Block) -> str:
    """Describe the rules of the synthesis tree for an agent."""
    lines = [
        "Using a block with `useBlock` is all there is to do here: digging and placing are off.",
        "Piles (each use gives one unit):",
    ]
    for name in game.piles:
        needs = rules.resources[name].requires
        lines.append(
            f"- {name}: block `{PILE_BLOCKS[name]}`, item `{ITEMS[name]}`{_needing(needs)}"
        )
    lines.append("Stations (each use turns the inputs you carry into one output):")
    for name in game.events:
        event = rules.events[name]
        inputs = " + ".join(f"{n} {resource}" for resource, n in event.inputs.items())
        tools = [r for r in event.requires if r not in event.inputs]
        lines.append(
            f"- {name}: block `{STATION_BLOCKS[name]}`: {inputs} → {event.output}, item "
            f"`{ITEMS[event.output]}`{_needing(tools)}"
        )
    full = rules.jobs[job].capacity
    if full:
        limits = ", ".join(f"{n} {resource}" for resource, n in full.items())
        lines.append(f"Your job is {job}; the most you can hold: {limits}.")
    lines.append(f"A chest at {chest} is there to exchange things. You gain, for each unit held:")
    worth = {r: rules.score(job, {r: 1}) for r in rules.resources}
    lines.append(", ".join(f"{resource} {value:g}" for resource, value in worth.items()) + ".")
    return "\n".join(lines)


def _needing(tools: Sequence[str]) -> str:
    return f"; you must hold {' and '.join(tools)}" if tools else ""


# Options without effect on the grid.
IN_MINECRAFT = only_in("minecraft")

NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ines", "Jan")

# --- Minecraft's own tree ----------------------------------------------------------------------

# The levels of the technology tree. Source: Wang et al. (2023).
MATERIALS = ("wooden", "stone", "iron", "diamond")
TOOLS = ("pickaxe", "axe", "shovel", "hoe", "sword")

# Distance between the starts for different seeds, so that runs do not share mines.
START_SPACING_BLOCKS = 512
# Maximum distance between the starts of agents in the same run, in blocks.
START_RADIUS_BLOCKS = 8

# The synthesis tree's map in AdaSociety's data.
SYNTHESIS_GAME = "crafting_tree"


# AdaSociety's synthesis tree, loaded once.
shipped_rules = cache(read_rules)


class CraftingTreeOptions(CurriculumOptions):
    """The options of the command."""

    condition: str | None = Field(
        default=None,
        description="Tree to play: minecraft, or adasociety (the default on the grid).",
        json_schema_extra=option("condition", "tree"),
    )

    @model_validator(mode="after")
    def _tree_of_the_world(self) -> Self:
        """Choose the tree that fits the world if no tree was selected."""
        if self.condition is None:
            self.condition = "adasociety" if self.world == "grid" else "minecraft"
        return self


class CraftingTree(CurriculumScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "crafting_tree"
    options: ClassVar[type[RunOptions]] = CraftingTreeOptions
    conditions: ClassVar[Mapping[str, str]] = {
        "minecraft": "Minecraft's own tree, in natural terrain",
        "adasociety": "AdaSociety's synthesis tree, in an arena; in both worlds",
    }
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "adasociety"}
    examples: ClassVar[Sequence[str]] = (
        "",
        "--until iron --minutes 15",
        "--tree adasociety --world grid --runs 10 --json",
        "--tree adasociety --agents 2 --set 'jobs={Ada: carpenter, Bo: miner}'",
    )

    agents: int = agents_option(1, len(NAMES), "Number of agents.")
    iterations: int = Field(
        default=160,
        ge=1,
        description="Number of programs that each agent can write in Minecraft. Source: Voyager, "
        "figure 1.",
        json_schema_extra={**option("iterations"), **IN_MINECRAFT},
    )
    time_limit_s: float = Field(
        default=7200,
        gt=0,
        le=864_000,
        description="Length of a run in game time: minutes in --minutes, seconds in a setting.",
        json_schema_extra=option("minutes", scale=60),
    )
    program_limit_s: float = Field(
        default=900,
        gt=0,
        description="Maximum length of a program, in seconds of game time. Voyager's limit is 600.",
        json_schema_extra=IN_MINECRAFT,
    )
    until: str = Field(
        default="",
        description="Milestone at which the run ends, when all agents have reached it. Empty: "
        "the run does not end early.",
        json_schema_extra=option("until"),
    )
    keep_inventory: bool = Field(
        default=True,
        description="Whether agents keep their items when they die. Source: Voyager's code.",
        json_schema_extra=IN_MINECRAFT,
    )
    difficulty: Literal["peaceful", "easy", "normal", "hard"] = Field(
        default="peaceful",
        json_schema_extra=IN_MINECRAFT,
        description="Difficulty of the Minecraft world.",
    )
    daylight_cycle: bool = Field(
        default=False,
        json_schema_extra=IN_MINECRAFT,
        description="Whether there are days and nights.",
    )
    jobs: dict[str, str] = Field(
        default={},
        description="Job of each agent in the synthesis tree. Agents without a job are explorers.",
    )
    roles: dict[str, str] = Field(
        default={}, description="Description of each agent's role, in your own words."
    )

    def prepared(self) -> None:
        self._check_condition()
        if self.until and self.until not in self.milestones:
            raise UsageError(
                f"there is no milestone {self.until!r}; choose from {', '.join(self.milestones)}"
            )
        for agent in {**self.jobs, **self.roles}:
            if agent not in self.agent_names:
                raise UsageError(
                    f"there is no agent {agent!r}; choose from {', '.join(self.agent_names)}"
                )
        for job in self.jobs.values():
            if job not in self.rules.jobs:
                raise UsageError(
                    f"there is no job {job!r}; choose from {', '.join(self.rules.jobs)}"
                )
        super().prepared()

    @property
    def agent_names(self) -> tuple[str, ...]:
        return NAMES[: self.agents]

    @property
    def rules(self) -> Rules:
        return shipped_rules()

    @property
    def game(self) -> Game:
        return self.rules.games[SYNTHESIS_GAME]

    @property
    def milestones(self) -> tuple[str, ...]:
        if self.condition == "minecraft":
            return MATERIALS
        made = {self.rules.events[name].output for name in self.game.events}
        return tuple(name for name in self.rules.resources if name in made)

    def reached(self, items: Mapping[str, int]) -> list[str]:
        if self.condition == "adasociety":
            return [m for m in self.milestones if ITEMS[m] in items]
        tools = {f"{material}_{tool}": material for material in MATERIALS for tool in TOOLS}
        found = {tools[item] for item in items if item in tools}
        return [milestone for milestone in self.milestones if milestone in found]

    def job(self, agent: str) -> str:
        return self.jobs.get(agent, "explorer")

    @property
    def jobs_by_agent(self) -> dict[str, str]:
        return {agent: self.job(agent) for agent in self.agent_names}

    def score(self, agent: str, inventory: Mapping[str, int]) -> float | None:
        if self.condition == "minecraft":
            return None
        return self.rules.score(self.job(agent), resources_in(inventory))

    def goal(self) -> str:
        return MINECRAFT_GOAL if self.condition == "minecraft" else SYNTHESIS_GOAL

    def briefing(self, agent: str, seed: int) -> str:
        role = f" Your role: {self.roles[agent]}" if agent in self.roles else ""
        if self.condition == "minecraft":
            return MINECRAFT_WORLD + role
        chest = block(self.placement(seed).chest)
        return rules_in_words(self.rules, self.game, self.job(agent), chest) + role

    def placement(self, seed: int) -> Placement:
        """Return where everything in the synthesis arena is, in cells."""
        return place(self.game, self.agent_names, self.jobs_by_agent, seed)

    def layout(self, seed: int) -> Layout | None:
        return None if self.condition == "minecraft" else self.placement(seed).layout()

    def referee(self, world: MinecraftLand, seed: int) -> Referee | None:
        if self.condition == "minecraft":
            return None
        return SynthesisReferee(self.rules, self.placement(seed), self.jobs_by_agent, world)

    def grid_game(self, seed: int) -> GridGame:
        """Return the synthesis arena as a grid game.

        Raises:
            UsageError: the selected tree is Minecraft's own tree.
            GameError: the game is invalid.
        """
        from voxpolis.experiments.loops.grid.experiment import grid_game  # noqa: PLC0415 - loads the grid's compiler

        if self.condition == "minecraft":
            raise UsageError(
                "the grid, --estimate, persons and agents that act step by step "
                "need --tree adasociety"
            )
        placed, length = self.placement(seed), max(1, int(self.time_limit_s))
        game = placed.game(self.rules, self.game, self.jobs_by_agent, length)
        return grid_game(self.rules, game, tuple(placed.starts))

    def block_map(self, seed: int) -> BlockMap:
        return self.placement(seed).block_map()

    def house_rules(self) -> list[str]:
        return [
            f"gamerule keepInventory {str(self.keep_inventory).lower()}",
            f"gamerule doDaylightCycle {str(self.daylight_cycle).lower()}",
            "gamerule doWeatherCycle false",
            "gamerule announceAdvancements false",
            f"difficulty {self.difficulty}",
            "time set day",
        ]

    def land(self, seed: int) -> list[str]:
        rng = random.Random(f"crafting_tree land {seed}")
        step = START_SPACING_BLOCKS
        x, z = (step * rng.randint(-12, 12) + step // 2 for _ in range(2))
        spread = f"spreadplayers {x} {z} 0 {START_RADIUS_BLOCKS} false"
        loaded = f"forceload add {x - 16} {z - 16} {x + 16} {z + 16}"
        return [loaded, *(f"{spread} {agent}" for agent in self.agent_names)]

    def minds(self, seed: int) -> Script:
        if self.condition == "minecraft":
            return minecraft_script()
        chest = block(self.placement(seed).chest)
        return synthesis_script(self.rules, self.game, chest, self.jobs_by_agent)
