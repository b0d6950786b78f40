"""The rules, numbers and texts of Cleanup."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.cooperation import CooperatingSettings
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.experiments.loops.cooperation.scripted import ActsKnowledge
from voxpolis.judge import Contract
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.scenarios.cleanup.cooperation import ACTS, knowledge
from voxpolis.scenarios.cleanup.scripted import CleanupMinds
from voxpolis.scenarios.cleanup.texts import BRIEFING, CONTRACT_2_TEXT, ROLES, SETTING, SPLIT
from voxpolis.scenarios.mushrooms import (
    CAP,
    GROUND_Y,
    MushroomSettings,
    caps_of,
    grow_by_chance,
    nothing,
)
from voxpolis.worlds.layout import Layout, Source
from voxpolis.worlds.protocol import Account, World

# --- The world -------------------------------------------------------------------------------

ARENA_X, ARENA_Z = (80, 112), (-11, 12)
SLIME = "slime_block"
#: Seconds to dig one on the grid, and to harvest one cap with what falls. Chosen so that scripted
#: welfare comes near Minecraft's; not measured times.
SLIME_S, CAP_S = 0.4, 1.0
#: A strip of 7 by 10 blocks, 17 of which get dirty; where they are is ours. Source: the code.
RIVER_X, RIVER_Z = (101, 107), (-5, 4)
SLIME_PLACES = [
    (x, GROUND_Y, z)
    for x, z in random.Random("cleanup river").sample(
        [(x, z) for x in range(101, 108) for z in range(-5, 5)], 17
    )
]
#: Three mushrooms of nine cap blocks (x, z), about 14 blocks west of the river.
MUSHROOMS = [(87, -7), (87, 0), (87, 7)]
CAPS = caps_of(*MUSHROOMS)
#: Players start between the two (x, z).
STARTS = {"Gizmo": (94.5, -1.0), "Glitch": (94.5, 1.0)}


class Cleanup(CooperatingSettings, MushroomSettings):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    name: ClassVar[str] = "cleanup"
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "1"}
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    HARVEST: ClassVar[Mapping[str, int]] = {"Gizmo": 31, "Glitch": 0}
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps", SLIME: "slime"}
    #: Gini coefficients of scripted minds by world, from docs/scenarios.md.
    measured: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "grid": {
            "none": "0.41 ± 0.22",
            "1": "0.10 ± 0.00",
            "2": "0.00 ± 0.00",
            "negotiate": "0.09 ± 0.00",
        },
        "minecraft": {
            "none": "0.61 ± 0.39",
            "1": "0.10 ± 0.00",
            "2": "0.00 ± 0.00",
            "negotiate": "0.09 ± 0.00",
        },
    }
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

    def layout(self, seed: int) -> Layout:
        """Return the arena; the seed moves the players' starts."""
        (a, b), (c, d), floor = RIVER_X, RIVER_Z, GROUND_Y - 1
        river = ("blue_concrete", ((a, floor, c), (b, floor, d)))
        slime = (Source(SLIME, seconds=SLIME_S), SLIME_PLACES)
        return self.arena(
            seed, ARENA_X, ARENA_Z, MUSHROOMS, CAP_S, ground=[river], others={SLIME: slime}
        )

    def dynamics(self, seed: int) -> River:
        """Return what happens by itself in one episode."""
        return River(self, seed)

    def briefing(self, situation: Situation) -> str:
        """Return what a player is told."""
        return BRIEFING.format(
            other=self.other(situation.agent),
            clean=self.clean_at_most,
            value=self.mushroom_value,
            cares=self.cares,
        )

    def setting(self) -> str:
        """Return the game in words, for the judge."""
        return SETTING.format(
            players=" and ".join(self.agents), task=self.task, clean=self.clean_at_most
        )

    def contracts(self) -> Mapping[str, Contract]:
        """Return the shipped contracts by name."""
        return {
            "none": Contract("none", ""),
            "1": Contract("1", f"{ROLES}\n2. {SPLIT}", self.split(0.45)),
            "1-roles": Contract("1-roles", ROLES, nothing),
            "1-transfer": Contract("1-transfer", SPLIT, self.split(0.45)),
            "2": Contract("2", CONTRACT_2_TEXT, self.split(0.5)),
        }

    # --- Modules of cooperation ------------------------------------------------------------------

    @property
    @override
    def counted_acts(self) -> tuple[Act, ...]:
        """What is counted of an episode."""
        return ACTS

    @override
    def acts(self, account: Account) -> Counts:
        """Return how much slime each took away, and how many mushrooms each holds."""
        slime, mushrooms = ACTS
        return {
            agent: {
                slime.name: account.log.of(agent, "dug").get(SLIME, 0),
                mushrooms.name: held["mushrooms"],
            }
            for agent, held in self.count(account).items()
        }

    @override
    def knowledge(self) -> ActsKnowledge:
        """Return claims, deeds and duty, and what scripted minds know of them."""
        return knowledge(self.agents)

    def script(self, seed: int = 0) -> Script:
        """Return the scripted minds."""
        bargain = self.bargain(
            roles=ROLES,
            why="Who has to change sides all the time loses time.",
            unit=" for each mushroom that Gizmo holds",
            formula=" * held(Gizmo, mushrooms)",
        )
        companions = self.companions(f"{self.name} {seed}")
        return CleanupMinds(self.policies, bargain, RIVER_X[0], companions)


class River:
    """Once a second slime comes up and caps grow, and chat says when that changes."""

    def __init__(self, settings: Cleanup, seed: int) -> None:
        self._settings = settings
        self._rng = random.Random(f"cleanup rules {seed}")
        self._was_clean = False

    async def tick(self, world: World) -> None:
        """Do what happens in one second."""
        settings, rng = self._settings, self._rng
        await grow_by_chance(world, SLIME, SLIME_PLACES, settings.slime_chance, rng)
        is_clean = await world.standing(SLIME, SLIME_PLACES) <= settings.clean_at_most
        if is_clean:
            await grow_by_chance(world, CAP, CAPS, settings.cap_chance, rng)
        if is_clean != self._was_clean:
            state = "clean: mushrooms grow" if is_clean else "dirty: nothing grows"
            await world.announce(f"The river is {state}.")
        self._was_clean = is_clean
