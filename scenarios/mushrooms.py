"""Giant mushrooms that regrow: the common base of Cleanup and Harvest.

Source: the public code of Yocum et al. (2023). Players harvest cap blocks. By the server's loot
table, each block drops 0 to 2 mushrooms, and mostly none. The grid uses the same probabilities.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from voxpolis.bots.agents.code_writer import NO_CRITIC, PolicyRequest
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import program
from voxpolis.experiments.loops.contract.scenario import ContractScenario, Situation, Specialised
from voxpolis.judge import Outcome, Rule, Terms
from voxpolis.judge.contracts.negotiation import Turn
from voxpolis.judge.contracts.scripted import Bargain
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, Box, Column, Layout, Source
from voxpolis.worlds.protocol import Account, World

# Height of the agents' feet on the platform, which is high above the ground of any server.
GROUND_Y = 151
WALL_HEIGHT = 6
# Caps are flat, on stems of two blocks (2 to 4 in the authors' code), so that players stand below
# the caps they harvest.
STEM_HEIGHT = 2
# The valuable item that caps drop.
MUSHROOM = "red_mushroom"
CAP = "red_mushroom_block"
# Drops of a cap by Minecraft's loot table: none in seven of nine cases, otherwise one or two.
LOOT = {0: 7 / 9, 1: 1 / 9, 2: 1 / 9}
# Value of a mushroom, in emeralds. Source: the paper.
MUSHROOM_VALUE = 3.0


def caps_of(*columns: Column) -> list[Block]:
    """Return the nine cap blocks of each mushroom whose stem is at one of ``columns`` (x, z)."""
    y = GROUND_Y + STEM_HEIGHT
    around = [(dx, dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1)]
    return [(x + dx, y, z + dz) for x, z in columns for dx, dz in around]


async def grow_by_chance(
    world: World, block: str, places: Sequence[Block], probability: float, rng: random.Random
) -> None:
    """Put a block at each empty position, with probability ``probability`` per position."""
    await world.grow(block, [place for place in places if rng.random() < probability])


class MushroomScenario(ContractScenario):
    """The base class of Cleanup and Harvest, with two players and mushrooms that are worth
    emeralds.

    ``STARTS`` contains the positions (x, z) at which players start, without the random shift to the
    east or west.
    """

    STARTS: ClassVar[Mapping[str, Column | tuple[float, float]]]
    # Mushrooms per player on the grid if both keep contract 1; see docs/scenarios/cleanup.md.
    HARVEST: ClassVar[Mapping[str, int]]
    # Names of diggable blocks in clauses.
    dug: ClassVar[Mapping[str, str]]
    counted: ClassVar[tuple[str, ...]] = ("mushrooms",)
    # Walking speed on the grid in cells per second. Our choice, not measured.
    steps_per_s: ClassVar[int] = 5

    mushroom_value: float = Field(
        default=MUSHROOM_VALUE, description="Value of a mushroom in emeralds. Source: the paper."
    )
    start_jitter_blocks: float = Field(
        default=2,
        ge=0,
        le=4,
        description="Maximum random shift of each player's start to the east or west, in blocks. "
        "The shift decides which player is nearer. Our choice.",
    )

    @field_validator("policies", check_fields=False)
    @classmethod
    def _known_players(cls, policies: dict[str, str]) -> dict[str, str]:
        if not set(policies) <= set(cls.STARTS):
            raise ValueError(f"the players are {' and '.join(cls.STARTS)}")
        return policies

    @property
    def agent_names(self) -> tuple[str, ...]:
        return tuple(self.STARTS)

    def other(self, agent: str) -> str:
        (other,) = (name for name in self.agent_names if name != agent)
        return other

    def starts(self, seed: int) -> dict[str, Position]:
        """Return where the players start, which depends on the seed."""
        rng = random.Random(f"{type(self).__name__.lower()} starts {seed}")
        jitter = self.start_jitter_blocks
        return {
            agent: (round(x + rng.uniform(-jitter, jitter), 2), float(GROUND_Y), z + 0.5)
            for agent, (x, z) in self.STARTS.items()
        }

    def arena(
        self,
        seed: int,
        x: tuple[int, int],
        z: tuple[int, int],
        mushrooms: Sequence[Column],
        cap_s: float,
        *,
        ground: Sequence[tuple[str, Box]] = (),
        others: Mapping[str, tuple[Source, Sequence[Block]]] | None = None,
    ) -> Layout:
        """Return a meadow with walls and mushrooms. ``others`` describes other blocks that can be
        dug.
        """
        dug = {
            **(others or {}),
            CAP: (Source(MUSHROOM, loot=LOOT, seconds=cap_s), caps_of(*mushrooms)),
        }
        return Layout(
            x=x,
            z=z,
            ground_y=GROUND_Y,
            wall_height=WALL_HEIGHT,
            floor="grass_block",
            starts=self.starts(seed),
            ground=[
                *ground,
                *(
                    ("mushroom_stem", ((x, GROUND_Y, z), (x, GROUND_Y + STEM_HEIGHT - 1, z)))
                    for x, z in mushrooms
                ),
            ],
            sources={block: source for block, (source, _) in dug.items()},
            blocks={block: list(places) for block, (_, places) in dug.items()},
            limit_s=self.time_limit_s,
        )

    def terms(self) -> Terms:
        items = dict.fromkeys(("mushrooms", *self.dug.values()), 10_000)
        return Terms(self.agent_names, items, aliases={MUSHROOM: "mushrooms", **self.dug})

    def worth(self) -> Mapping[str, Mapping[str, float]]:
        return {agent: {"mushrooms": self.mushroom_value} for agent in self.agent_names}

    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        return {
            agent: {"mushrooms": held.get(MUSHROOM, 0)}
            for agent, held in account.inventories.items()
        }

    def value(self, account: Account) -> Mapping[str, float]:
        return {
            agent: self.mushroom_value * held["mushrooms"]
            for agent, held in self.count(account).items()
        }

    def specialised(self) -> Specialised:
        """Return the outcome that is expected if players specialise: the mean harvest of scripted
        minds on the grid under contract 1.
        """
        held = {agent: {"mushrooms": self.HARVEST[agent]} for agent in self.agent_names}
        values = {agent: self.mushroom_value * own["mushrooms"] for agent, own in held.items()}
        return Specialised(Outcome(held), values)

    def split(self, gizmos_part: float) -> Rule:
        """Return the rule of a contract that gives Gizmo a share of the mushrooms' total value, and
        Glitch the remaining share.
        """

        def rule(outcome: Outcome) -> dict[str, float]:
            value = {a: self.mushroom_value * held["mushrooms"] for a, held in outcome.held.items()}
            to_gizmo = gizmos_part * sum(value.values()) - value["Gizmo"]
            return {"Gizmo": to_gizmo, "Glitch": -to_gizmo}

        return rule

    def bargain(self, *, roles: str, why: str, unit: str, formula: str) -> Bargain:
        """Return how scripted players negotiate the price that Gizmo pays per mushroom. If the
        price is half of a mushroom's value, both players get the same.
        """
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


@dataclass(frozen=True)
class MushroomMinds(ABC):
    """Scripted players, who bargain and then write programs for the policies that they have agreed
    on.
    """

    policies: Mapping[str, str]
    bargain: Bargain
    folder: ClassVar[Path]

    def __call__(self, request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, Turn):
            return self.bargain.answer(about)
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            situation = about.briefing.situation
            name = self.policy(situation)
            if about.format == "plans":
                return program_answer(self.plans(name, situation))
            return program(self.folder / "common.js", self.folder / f"{name}.js")
        return NO_CRITIC

    @abstractmethod
    def policy(self, situation: Situation) -> str:
        """Return the name of the policy that a player follows."""

    @abstractmethod
    def plans(self, name: str, situation: Situation) -> str:
        """Return a policy as plans for the grid."""


def nothing(outcome: Outcome) -> dict[str, float]:
    """Return the transfers of a contract without payments: zero for each player."""
    return dict.fromkeys(outcome.held, 0.0)
