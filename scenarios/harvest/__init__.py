"""Harvest: three giant mushrooms that regrow as long as some of their caps remain.

This commons in Minecraft comes from the public code of Yocum et al. (2023); the paper does not
report on it. A harvested cap block regrows while its mushroom has another cap block. If the last
block is taken, the mushroom dies. A player who harvests everything gains now, but both players lose
later.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.scenario import Situation
from voxpolis.experiments.run.options import Share
from voxpolis.judge import Contract
from voxpolis.records.events import Position
from voxpolis.scenarios.mushrooms import (
    CAP,
    MushroomMinds,
    MushroomScenario,
    caps_of,
    grow_by_chance,
    nothing,
)
from voxpolis.worlds.layout import Column, Layout
from voxpolis.worlds.protocol import World

# --- Prompts of Harvest, and the texts of its contracts -------------------------------------------

BRIEFING = """\
You and {other} stand on a walled platform. On its west side stand three giant mushrooms, each with
nine cap blocks of `red_mushroom_block`. A harvested cap block grows again after a while, as long as
its mushroom has another one. A mushroom that loses its last cap block is dead for good, and all
players are told who stood nearest.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you as well as to {other}. Digging a cap block drops 0 to 2 of them, mostly none. {cares}
There is no chest. The players do not know how long it lasts. The judge pays the emeralds owed by a
contract at the end."""

SETTING = """\
{players} stand on a walled platform beside three giant mushrooms with nine cap blocks each
(`red_mushroom_block`), which drop `red_mushroom` when they are dug. A harvested cap grows again as
long as its mushroom has another one; a mushroom without any is dead. To harvest is to dig caps.
Each player's task is
{task}.
Items count at their value to the player who holds them; transfers by contracts count as well."""

SPARE = "1. Neither Gizmo nor Glitch harvests from a mushroom that has three cap blocks or fewer."
CONTRACT_1_TEXT = f"""\
{SPARE}
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""


# --- Rules, parameters and texts of Harvest -------------------------------------------------------

ARENA_X, ARENA_Z = (120, 144), (-11, 12)
# Positions of the mushrooms (x, z). The mushrooms are those of Cleanup, as in the authors' code.
MUSHROOMS = [(127, -7), (127, 0), (127, 7)]
# Seconds to harvest one cap with its drops, on the grid. Chosen, not measured, so that scripted
# welfare is close to that in Minecraft.
CAP_S = 0.6
# Players start between the two outer mushrooms, some blocks east of them (x, z).
STARTS = {"Gizmo": (134.5, -1.0), "Glitch": (134.5, 1.0)}


class Harvest(MushroomScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "harvest"
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "1"}
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    HARVEST: ClassVar[Mapping[str, int]] = {"Gizmo": 16, "Glitch": 15}
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps"}
    # Gini coefficients of scripted minds by world; see docs/scenarios/harvest.md.
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

    cap_chance: Share = Field(
        default=0.07,
        description="Probability per second that a missing cap block regrows. Source: the code.",
    )
    policies: dict[str, Literal["greedy", "sparing"]] = Field(
        default={}, description="Policy of each scripted player if no contract is in force."
    )

    def layout(self, seed: int) -> Layout:
        return self.arena(seed, ARENA_X, ARENA_Z, MUSHROOMS, CAP_S)

    def dynamics(self, seed: int) -> Mushrooms:
        return Mushrooms(self.cap_chance, seed)

    def briefing(self, situation: Situation) -> str:
        other = self.other(situation.agent)
        return BRIEFING.format(other=other, value=self.mushroom_value, cares=self.cares)

    def setting(self) -> str:
        return SETTING.format(players=" and ".join(self.agent_names), task=self.task)

    def contracts(self) -> Mapping[str, Contract]:
        return {
            "none": Contract("none", ""),
            "1": Contract("1", CONTRACT_1_TEXT, self.split(0.5)),
            "1-roles": Contract("1-roles", SPARE, nothing),
        }

    def minds(self, seed: int = 0) -> Script:
        bargain = self.bargain(
            roles=SPARE,
            why="A dead mushroom feeds no player.",
            unit=" for each mushroom that Gizmo holds more than Glitch (and the other way round)",
            formula=" * (held(Gizmo, mushrooms) - held(Glitch, mushrooms))",
        )
        return HarvestMinds(self.policies, bargain)


class Mushrooms:
    """Lets the caps of living mushrooms regrow once per second. Announces in the chat when a
    mushroom has died.

    In the authors' code, a cap grows if another cap is within 3 blocks. Because mushrooms are 7
    blocks apart, our rule has the same effect: a cap grows as long as its mushroom has another cap.
    """

    def __init__(self, cap_chance: float, seed: int) -> None:
        self._cap_chance = cap_chance
        self._rng = random.Random(f"harvest rules {seed}")
        self._living = list(MUSHROOMS)

    async def tick(self, world: World) -> None:
        """Apply one second of changes."""
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


# --- Scripted minds of Harvest: sparing under a contract that asks for it, or else a policy -------
#
# They use the typed values from which prompts are rendered, never the prompts' text.

# On the grid: take everything, or leave three caps of each mushroom.
PLANS = {
    "greedy": "GATHER 4 red_mushroom_block\nREPEAT",
    "sparing": "GATHER 1 red_mushroom_block KEEPING 3\nWAIT\nWAIT\nREPEAT",
}


@dataclass(frozen=True)
class HarvestMinds(MushroomMinds):
    """Scripted players."""

    folder = Path(__file__).parent / "policies"

    def policy(self, situation: Situation) -> str:
        if SPARE in situation.contract.text:
            return "sparing"
        return self.policies.get(situation.agent, "greedy")

    def plans(self, name: str, situation: Situation) -> str:
        return PLANS[name]
