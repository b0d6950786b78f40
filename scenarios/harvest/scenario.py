"""The rules, numbers and texts of Harvest."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.judge import Contract
from voxpolis.records.events import Position
from voxpolis.scenarios.harvest.scripted import HarvestMinds
from voxpolis.scenarios.harvest.texts import BRIEFING, CONTRACT_1_TEXT, SETTING, SPARE
from voxpolis.scenarios.mushrooms import CAP, MushroomSettings, caps_of, grow_by_chance, nothing
from voxpolis.worlds.layout import Column, Layout
from voxpolis.worlds.protocol import World

ARENA_X, ARENA_Z = (120, 144), (-11, 12)
#: Cleanup's three mushrooms (x, z); the code uses the same.
MUSHROOMS = [(127, -7), (127, 0), (127, 7)]
#: Seconds to harvest one cap on the grid, with what falls. Chosen so that scripted welfare comes
#: near Minecraft's; not a measured time.
CAP_S = 0.6
#: Players start between the two outer mushrooms, some blocks east of them (x, z).
STARTS = {"Gizmo": (134.5, -1.0), "Glitch": (134.5, 1.0)}


class Harvest(MushroomSettings):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    name: ClassVar[str] = "harvest"
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "1"}
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    HARVEST: ClassVar[Mapping[str, int]] = {"Gizmo": 16, "Glitch": 15}
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps"}
    #: Gini coefficients of scripted minds by world, from docs/scenarios.md.
    measured: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "grid": {"none": "0.25 ± 0.21", "1": "0.00 ± 0.00", "negotiate": "0.02 ± 0.01"},
        "minecraft": {
            "none": "0.54 ± 0.13",
            "1": "0.00 ± 0.00",
            "1-roles": "0.17 ± 0.09",
            "negotiate": "0.00 ± 0.00",
        },
    }
    published: ClassVar[Mapping[str, str]] = {}
    source: ClassVar[str] = "no figures; the scenario is in the authors' code only"

    cap_chance: float = Field(
        default=0.07, ge=0, le=1, description="For each missing cap and second. Source: the code."
    )
    policies: dict[str, Literal["greedy", "sparing"]] = Field(
        default={}, description="Scripted policies by player, where no contract is kept."
    )

    def layout(self, seed: int) -> Layout:
        """Return the arena; the seed moves the players' starts."""
        return self.arena(seed, ARENA_X, ARENA_Z, MUSHROOMS, CAP_S)

    def dynamics(self, seed: int) -> Mushrooms:
        """Return what happens by itself in one episode."""
        return Mushrooms(self.cap_chance, seed)

    def briefing(self, situation: Situation) -> str:
        """Return what a player is told."""
        other = self.other(situation.agent)
        return BRIEFING.format(other=other, value=self.mushroom_value, cares=self.cares)

    def setting(self) -> str:
        """Return the game in words, for the judge."""
        return SETTING.format(players=" and ".join(self.agents), task=self.task)

    def contracts(self) -> Mapping[str, Contract]:
        """Return the shipped contracts by name; both are ours."""
        return {
            "none": Contract("none", ""),
            "1": Contract("1", CONTRACT_1_TEXT, self.split(0.5)),
            "1-roles": Contract("1-roles", SPARE, nothing),
        }

    def script(self, seed: int = 0) -> Script:
        """Return the scripted minds."""
        bargain = self.bargain(
            roles=SPARE,
            why="What is dead feeds nobody.",
            unit=" for each mushroom that Gizmo holds more than Glitch (and the other way round)",
            formula=" * (held(Gizmo, mushrooms) - held(Glitch, mushrooms))",
        )
        return HarvestMinds(self.policies, bargain)


class Mushrooms:
    """Once a second caps grow on mushrooms that live, and chat says when one has died.

    In the code a cap grows if another stands within 3 blocks. Mushrooms are 7 apart, so that is any
    other cap of the same mushroom.
    """

    def __init__(self, cap_chance: float, seed: int) -> None:
        self._cap_chance = cap_chance
        self._rng = random.Random(f"harvest rules {seed}")
        self._living = list(MUSHROOMS)

    async def tick(self, world: World) -> None:
        """Do what happens in one second."""
        for place in list(self._living):
            caps = caps_of(place)
            if await world.standing(CAP, caps):
                await grow_by_chance(world, CAP, caps, self._cap_chance, self._rng)
                continue
            self._living.remove(place)
            positions = world.account().positions
            nearest = sorted(positions, key=lambda agent: _distance(positions[agent], place))[:1]
            stood = "".join(f" {agent} stood nearest." for agent in nearest)
            await world.announce(f"A mushroom is dead.{stood}")


def _distance(position: Position, column: Column) -> float:
    x, _, z = position
    return math.hypot(x - column[0] - 0.5, z - column[1] - 0.5)
