"""Cleanup: two players, and mushrooms that only grow while a polluted river is clean.

Sources: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023), and the authors' public
code for the rates. Slime keeps appearing in the river. Far from the river, three giant mushrooms
regrow, but only while the river contains at most 7 slime blocks. A harvested mushroom block yields
0 to 2 mushrooms, and usually none. A player who cleans cannot harvest at the same time, so players
hardly ever clean without a contract.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.cooperation import CooperatingScenario, keeps_its_part
from voxpolis.experiments.loops.contract.scenario import Situation
from voxpolis.experiments.loops.cooperation.scripted import (
    ActsCompanion,
    ActsKnowledge,
    answer_of,
)
from voxpolis.experiments.run.options import Share
from voxpolis.judge import Contract
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.judge.deeds.acts import (
    EVERYONE,
    Act,
    ActClaims,
    ActRule,
    Amount,
    Counts,
    Duty,
    LastRound,
    account_of,
)
from voxpolis.scenarios.mushrooms import (
    CAP,
    GROUND_Y,
    MushroomMinds,
    MushroomScenario,
    caps_of,
    grow_by_chance,
    nothing,
)
from voxpolis.worlds.layout import Layout, Source
from voxpolis.worlds.protocol import Account, World

# --- Prompts of Cleanup, and the texts of its contracts -------------------------------------------

BRIEFING = """\
You and {other} stand on a walled platform. On its east side is a river bed in which slime
(`slime_block`) keeps appearing. On its west side, a walk away, stand three giant mushrooms with
caps of `red_mushroom_block`. While the river holds {clean} slime blocks or fewer, harvested caps
grow again; while it holds more, nothing grows. Remove slime by digging it; this needs no tool, and
it soon comes back.

What counts is what you hold when the episode ends: each `red_mushroom` is worth {value:g} emeralds,
to you as well as to {other}. Digging a cap block drops 0 to 2 of them, mostly none. {cares}
There is no chest. The players do not know how long it lasts. The judge pays the emeralds owed by a
contract at the end."""

SETTING = """\
{players} stand on a walled platform. Slime (`slime_block`) keeps appearing in a river on its east
side. On its west side stand three giant mushrooms with caps of `red_mushroom_block`, which drop
`red_mushroom` when they are dug. Harvested caps grow again only while the river holds {clean} slime
blocks or fewer. To clean is to dig slime, to harvest is to dig caps. Each player's task is
{task}.
Items count at their value to the player who holds them; transfers by contracts count as well."""

ROLES = "1. Gizmo harvests the mushrooms all the time, and Glitch cleans the river all the time."
SPLIT = (
    "When the episode ends, Glitch gets 55 % of the value of all mushrooms, and Gizmo keeps 45 %."
)
CONTRACT_2_TEXT = """\
1. Gizmo and Glitch take turns at cleaning the river and harvesting, Gizmo cleans first. Who cleans
   signals when it is time to change.
2. When the episode ends, the value of all mushrooms is split equally: who holds more pays half of
   the difference."""


# --- Rules, parameters and texts of Cleanup -------------------------------------------------------

# --- The world -------------------------------------------------------------------------------

ARENA_X, ARENA_Z = (80, 112), (-11, 12)
SLIME = "slime_block"
# Seconds to dig one block, and to harvest one cap with its drops, on the grid. Chosen, not
# measured, so that scripted welfare is close to that in Minecraft.
SLIME_S, CAP_S = 0.4, 1.0
# A strip of 7 by 10 blocks, of which 17 can get dirty. The dirty positions are ours; the rest is
# from the authors' code.
RIVER_X, RIVER_Z = (101, 107), (-5, 4)
SLIME_PLACES = [
    (x, GROUND_Y, z)
    for x, z in random.Random("cleanup river").sample(
        [(x, z) for x in range(101, 108) for z in range(-5, 5)], 17
    )
]
# Three mushrooms of nine cap blocks (x, z), about 14 blocks west of the river.
MUSHROOMS = [(87, -7), (87, 0), (87, 7)]
CAPS = caps_of(*MUSHROOMS)
# Players start between mushrooms and river (x, z).
STARTS = {"Gizmo": (94.5, -1.0), "Glitch": (94.5, 1.0)}


class Cleanup(CooperatingScenario, MushroomScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "cleanup"
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "1"}
    STARTS: ClassVar[Mapping[str, tuple[float, float]]] = STARTS
    HARVEST: ClassVar[Mapping[str, int]] = {"Gizmo": 31, "Glitch": 0}
    dug: ClassVar[Mapping[str, str]] = {CAP: "caps", SLIME: "slime"}
    # Gini coefficients of scripted minds by world; see docs/scenarios/cleanup.md.
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
    source: ClassVar[str] = "Yocum et al. (2023), table 1, gpt-4, 5 runs per contract"

    clean_at_most: int = Field(
        default=7,
        ge=0,
        description="Maximum number of slime blocks with which caps regrow. Source: the paper.",
    )
    slime_chance: Share = Field(
        default=0.05,
        description="Probability per second that slime appears at a place in the river. Source: "
        "the code.",
    )
    cap_chance: Share = Field(
        default=0.05,
        description="Probability per second that a missing cap block regrows. Source: the code.",
    )
    policies: dict[str, Literal["greedy", "harvest_only", "clean_only"]] = Field(
        default={}, description="Policy of each scripted player if no contract is in force."
    )

    def layout(self, seed: int) -> Layout:
        (a, b), (c, d), floor = RIVER_X, RIVER_Z, GROUND_Y - 1
        river = ("blue_concrete", ((a, floor, c), (b, floor, d)))
        slime = (Source(SLIME, seconds=SLIME_S), SLIME_PLACES)
        return self.arena(
            seed, ARENA_X, ARENA_Z, MUSHROOMS, CAP_S, ground=[river], others={SLIME: slime}
        )

    def dynamics(self, seed: int) -> River:
        return River(self, seed)

    def briefing(self, situation: Situation) -> str:
        return BRIEFING.format(
            other=self.other(situation.agent),
            clean=self.clean_at_most,
            value=self.mushroom_value,
            cares=self.cares,
        )

    def setting(self) -> str:
        return SETTING.format(
            players=" and ".join(self.agent_names), task=self.task, clean=self.clean_at_most
        )

    def contracts(self) -> Mapping[str, Contract]:
        return {
            "none": Contract("none", ""),
            "1": Contract("1", f"{ROLES}\n2. {SPLIT}", self.split(0.45)),
            "1-roles": Contract("1-roles", ROLES, nothing),
            "1-transfer": Contract("1-transfer", SPLIT, self.split(0.45)),
            "2": Contract("2", CONTRACT_2_TEXT, self.split(0.5)),
        }

    # --- Cooperation modules ---------------------------------------------------------------------

    @property
    def counted_acts(self) -> tuple[Act, ...]:
        return ACTS

    def acts(self, account: Account) -> Counts:
        slime, mushrooms = ACTS
        return {
            agent: {
                slime.name: account.log.of(agent, "dug").get(SLIME, 0),
                mushrooms.name: held["mushrooms"],
            }
            for agent, held in self.count(account).items()
        }

    def knowledge(self) -> ActsKnowledge:
        """Return the claims and deeds that this game defines, and the duty of each player to clean
        its share.
        """
        agents = self.agent_names
        parts = {name: Amount(name, SLIME_CLEANED, DUTY_SLIME) for name in agents}
        duty = Duty(
            f"In every episode each player cleans at least {DUTY_SLIME} slime. A player who does "
            f"not pays {DUTY_FINE} to the other.",
            DUTY_FINE,
            "cleaned too little",
            tuple(parts.values()),
        )
        lent = CooperationRules(
            ActClaims(ACTS), account_of(ACTS, duty), LastRound(parts[agents[0]])
        )
        cleaned = Amount(EVERYONE, SLIME_CLEANED, 2 * DUTY_SLIME)
        return ActsKnowledge(
            lent,
            true=(ActRule(cleaned, Amount(EVERYONE, MUSHROOMS_HELD, 1)),),
            false=(ActRule(cleaned, Amount(EVERYONE, MUSHROOMS_HELD, 0, at_least=False)),),
            promised=parts,
        )

    def minds(self, seed: int = 0) -> Script:
        bargain = self.bargain(
            roles=ROLES,
            why="Who has to change sides all the time loses time.",
            unit=" for each mushroom that Gizmo holds",
            formula=" * held(Gizmo, mushrooms)",
        )
        companions = self.companions(f"{self.name} {seed}")
        return CleanupMinds(self.policies, bargain, RIVER_X[0], companions)


class River:
    """Adds slime and lets mushroom caps regrow once per second. Announces in the chat when regrowth
    starts or stops.
    """

    def __init__(self, settings: Cleanup, seed: int) -> None:
        self._settings = settings
        self._rng = random.Random(f"cleanup rules {seed}")
        self._was_clean = False

    async def tick(self, world: World) -> None:
        """Apply one second of changes."""
        settings, rng = self._settings, self._rng
        await grow_by_chance(world, SLIME, SLIME_PLACES, settings.slime_chance, rng)
        is_clean = await world.standing(SLIME, SLIME_PLACES) <= settings.clean_at_most
        if is_clean:
            await grow_by_chance(world, CAP, CAPS, settings.cap_chance, rng)
        if is_clean != self._was_clean:
            state = "clean: mushrooms grow" if is_clean else "dirty: nothing grows"
            await world.announce(f"The river is {state}.")
        self._was_clean = is_clean


# --- Cooperation modules: acts in Cleanup, and the knowledge of its scripted minds ----------------

SLIME_CLEANED, MUSHROOMS_HELD = (
    Act("slime_cleaned", "cleans", "slime"),
    Act("mushrooms", "gets", "mushrooms"),
)
ACTS = (SLIME_CLEANED, MUSHROOMS_HELD)
# Number of the article that the law has at the start.
DUTY_FINE = "duty_fine"
# Slime blocks that the law asks each player to clean per episode.
DUTY_SLIME = 8


# --- Scripted minds of Cleanup: they keep shipped contracts, or else follow a policy --------------
#
# They use the typed values from which prompts are rendered, never the prompts' text.

# On the grid, players harvest without pause, because the other player does not signal.
HARVEST = "GATHER 2 red_mushroom_block UNTIL ANYONE"
CLEAN = "GATHER 2 slime_block UNTIL ANYONE"
# The player nearer to the river cleans a little first, for the benefit of its own harvest.
A_LITTLE = 10
# Turns are short: the episode's length is unknown, and both players want their turn.
TURN_SLIME = 8
# A player that does its share, as promised or by law, cleans and harvests alternately.
SHARE = "GATHER 4 slime_block\nGATHER 4 red_mushroom_block\nREPEAT"


@dataclass(frozen=True)
class CleanupMinds(MushroomMinds):
    """Scripted players. ``river_x`` is the x coordinate of the river's edge that faces the
    players.
    """

    folder = Path(__file__).parent / "policies"

    river_x: int
    companions: Mapping[str, ActsCompanion] = field(default_factory=dict)

    def __call__(self, request: ChatRequest) -> Answer | str:
        return answer_of(self.companions, request) or super().__call__(request)

    def policy(self, situation: Situation) -> str:
        text = situation.contract.text
        if ROLES in text:
            return "contract_1"
        if text == CONTRACT_2_TEXT:
            return "contract_2"
        if not text and keeps_its_part(self.companions, situation):
            return "share"
        return self.policies.get(situation.agent, "greedy")

    def plans(self, name: str, situation: Situation) -> str:
        agent = situation.agent
        if name == "contract_1":
            return HARVEST if agent == "Gizmo" else CLEAN
        if name == "contract_2":
            return _turns(agent)
        if name == "clean_only":
            return CLEAN
        if name == "share":
            return SHARE
        nearest = min(
            situation.starts, key=lambda player: self.river_x - situation.starts[player][0]
        )
        first = f"GATHER {A_LITTLE} slime_block\n"
        return (first if name == "greedy" and nearest == agent else "") + HARVEST


def _turns(agent: str) -> str:
    """Return the plans for contract 2: Gizmo cleans first, and a player who has cleaned sends a
    signal, so that it is the other player's turn to clean.
    """
    other = "Glitch" if agent == "Gizmo" else "Gizmo"
    clean = [f"GATHER {TURN_SLIME} slime_block", f"SIGNAL {other}"]
    harvest = [f"GATHER 2 red_mushroom_block UNTIL {other}"]
    turns = [*clean, *harvest] if agent == "Gizmo" else [*harvest, *clean]
    return "\n".join([*turns, "REPEAT"])
