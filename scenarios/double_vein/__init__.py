"""Double-Vein: two players, two veins of ore, two pickaxes, and perhaps a contract.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023). There are 12 iron ore
and 6 diamond ore near a chest that contains a stone pickaxe and an iron pickaxe. A stone pickaxe
mines only iron. An iron pickaxe mines both ores, and is faster. Items can only be exchanged through
the chest. The players value the ores differently. Welfare is highest (78 emeralds) if Gizmo takes
all iron and Glitch takes all diamonds. Without a contract, the player who reaches the chest first
takes what the other player would need.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from voxpolis.bots.agents.code_writer import NO_CRITIC, PolicyRequest
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script, program
from voxpolis.experiments.loops.contract.cooperation import CooperatingScenario, keeps_its_part
from voxpolis.experiments.loops.contract.scenario import Situation, Specialised
from voxpolis.experiments.loops.cooperation.scripted import (
    NO_COMPANIONS,
    ActsCompanion,
    ActsKnowledge,
    answer_of,
)
from voxpolis.judge import Contract, Outcome, Terms
from voxpolis.judge.contracts.negotiation import Talk, Turn, TurnAnswer
from voxpolis.judge.contracts.scripted import Bargain
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
from voxpolis.worlds.layout import Layout, Source
from voxpolis.worlds.protocol import Account

# --- Prompts of Double-Vein, and the texts of its contracts ---------------------------------------

BRIEFING = """\
You and {other} stand on a small walled platform. A chest near you holds one stone pickaxe and one
iron pickaxe. On one side of the chest is a mound of {iron} iron ore (`iron_ore`), on the other a
mound of {diamond} diamond ore (`diamond_ore`); some blocks lie behind others. A stone pickaxe mines
iron ore only; an iron pickaxe mines both, and faster. There are no other tools, and bare hands get
nothing out of ore.

What counts is what you hold when the episode ends: each raw iron is worth {own_iron:g} emeralds to
you and each diamond {own_diamond:g}. To {other} a raw iron is worth {their_iron:g} and a diamond
{their_diamond:g}. {cares} Players cannot hand each other items; only
the chest can pass them on. The judge pays the emeralds owed by a contract at the end."""

SETTING = """\
{players} stand on a small walled platform. A chest holds one stone pickaxe and one
iron pickaxe; there are {iron} iron ore and {diamond} diamond ore. A stone pickaxe mines iron ore
only, an iron pickaxe mines both. Iron is held as `raw_iron`, diamonds as `diamond`. Players cannot
hand each other items; only the chest can pass them on. Each player's task is
{task}.
Items count at their value to the player who holds them; transfers by contracts count as well."""

SPECIALISE = "1. Gizmo mines all of the iron ore, and Glitch mines all of the diamond ore."
PAYMENT = "When the episode ends, Gizmo pays Glitch 11 emeralds."
CONTRACT_2_TEXT = """\
1. Gizmo takes the iron pickaxe, mines the iron ore, puts the pickaxe back into the chest and
   signals. After the signal Glitch takes the iron pickaxe and mines the diamond ore.
2. When the episode ends, Gizmo pays Glitch half of what Gizmo's iron is worth to Gizmo.
3. When the episode ends, Glitch pays Gizmo half of what Glitch's diamonds are worth to Glitch."""


# --- Rules, parameters and texts of Double-Vein ---------------------------------------------------

# --- The world -------------------------------------------------------------------------------

# Height of the agents' feet on the platform, which is high above the ground of any server.
GROUND_Y = 151
CHEST = (0, GROUND_Y, 0)
# First and last block of the walled arena.
ARENA_X, ARENA_Z = (-12, 12), (-7, 11)
WALL_HEIGHT = 5

# A mound of iron about 6 blocks west of the chest: nine on the ground, one of them buried, and
# three on top.
IRON_ORE = [(x, GROUND_Y, z) for x in (-7, -6, -5) for z in (-1, 0, 1)] + [
    (-6, GROUND_Y + 1, z) for z in (-1, 0, 1)
]
# A mound of diamonds about 5 blocks east of the chest: four on the ground, two on top.
DIAMOND_ORE = [(x, GROUND_Y, z) for x in (4, 5) for z in (0, 1)] + [
    (4, GROUND_Y + 1, 0),
    (4, GROUND_Y + 1, 1),
]
# Players start south of the chest (x, z), two blocks apart, 5 to 6 blocks from it.
STARTS = {"Gizmo": (-0.5, 6.0), "Glitch": (1.5, 6.0)}
TOOLS = ("iron_pickaxe", "stone_pickaxe")

# --- Names -----------------------------------------------------------------------------------

ITEMS = {"iron": "raw_iron", "diamond": "diamond"}
ORES = {"iron_ore": "iron", "diamond_ore": "diamond"}
SUPPLY = {"iron": len(IRON_ORE), "diamond": len(DIAMOND_ORE)}
# Additional names that clauses may use for items held and dug.
CALLED = {name: item for item, name in ITEMS.items() if name != item} | ORES


class Values(BaseModel):
    """The value of one unit of each ore to a player, in emeralds."""

    model_config = ConfigDict(extra="forbid")

    iron: float
    diamond: float


class DoubleVein(CooperatingScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "double_vein"
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "1"}
    counted: ClassVar[tuple[str, ...]] = tuple(ITEMS)
    dug: ClassVar[Mapping[str, str]] = ORES
    # Our choice: on the grid, a step to the next cell takes a second, and so does digging a unit of
    # ore.
    steps_per_s: ClassVar[int] = 1
    published: ClassVar[Mapping[str, str]] = {
        "none": "0.55 ± 0.14",
        "1": "0.05 ± 0.02",
        "2": "0.00",
    }
    # Gini coefficients of scripted minds by world; see docs/scenarios/double_vein.md.
    measured: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "grid": {
            "none": "0.36 ± 0.11",
            "1": "0.05 ± 0.00",
            "2": "0.00 ± 0.00",
            "negotiate": "0.03 ± 0.00",
        },
        "minecraft": {"none": "0.66 ± 0.14", "1": "0.05 ± 0.00", "2": "0.00 ± 0.00"},
    }
    source: ClassVar[str] = "Yocum et al. (2023), table 1, gpt-4, 5 runs per contract"

    values: dict[str, Values] = Field(
        default={
            "Gizmo": Values(iron=4, diamond=4),
            "Glitch": Values(iron=3, diamond=5),
        },
        description="Value of each item to each player, in emeralds. Source: the paper, section "
        "on Double-Vein.",
    )
    start_jitter_blocks: float = Field(
        default=0.8,
        ge=0,
        le=2,
        description="Maximum random shift of each player's start towards or away from the chest, "
        "in blocks. Without a contract, the shift alone decides the game: the player who is "
        "nearer gets the iron pickaxe, and both pickaxes if it is nearer by a block or more. "
        "Our choice.",
    )

    @field_validator("values")
    @classmethod
    def _two_known_players(cls, values: dict[str, Values]) -> dict[str, Values]:
        if set(values) != set(STARTS):
            raise ValueError(f"the players are {' and '.join(STARTS)}")
        return values

    @property
    def agent_names(self) -> tuple[str, ...]:
        return tuple(self.values)

    @property
    def optimum(self) -> float | None:
        """The welfare if each item goes to the player who values it most. It is 78 in the paper."""
        worths = [values.model_dump() for values in self.values.values()]
        return float(sum(n * max(worth[item] for worth in worths) for item, n in SUPPLY.items()))

    def layout(self, seed: int) -> Layout:
        rng = random.Random(f"double_vein starts {seed}")
        jitter = self.start_jitter_blocks
        starts = {
            agent: (x, float(GROUND_Y), round(z + rng.uniform(-jitter, jitter), 2))
            for agent, (x, z) in STARTS.items()
        }
        return Layout(
            x=ARENA_X,
            z=ARENA_Z,
            ground_y=GROUND_Y,
            wall_height=WALL_HEIGHT,
            floor="grass_block",
            starts=starts,
            sources={
                "iron_ore": Source("raw_iron", tools=TOOLS),
                "diamond_ore": Source("diamond", tools=TOOLS[:1]),
            },
            blocks={"iron_ore": IRON_ORE, "diamond_ore": DIAMOND_ORE},
            chests={CHEST: dict.fromkeys(TOOLS, 1)},
            limit_s=self.time_limit_s,
        )

    def briefing(self, situation: Situation) -> str:
        # players do not know the time limit
        (other,) = (name for name in self.agent_names if name != situation.agent)
        own, theirs = self.values[situation.agent], self.values[other]
        return BRIEFING.format(
            other=other,
            **SUPPLY,
            own_iron=own.iron,
            own_diamond=own.diamond,
            their_iron=theirs.iron,
            their_diamond=theirs.diamond,
            cares=self.cares,
        )

    def setting(self) -> str:
        return SETTING.format(players=" and ".join(self.agent_names), task=self.task, **SUPPLY)

    def worth(self) -> Mapping[str, Mapping[str, float]]:
        return {agent: values.model_dump() for agent, values in self.values.items()}

    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        return {
            agent: {item: held.get(name, 0) for item, name in ITEMS.items()}
            for agent, held in account.inventories.items()
        }

    def value(self, account: Account) -> Mapping[str, float]:
        return {
            agent: float(sum(n * getattr(self.values[agent], item) for item, n in held.items()))
            for agent, held in self.count(account).items()
        }

    def is_over(self, account: Account) -> bool:
        held = self.count(account).values()
        return all(sum(own[item] for own in held) >= supply for item, supply in SUPPLY.items())

    def terms(self) -> Terms:
        return Terms(self.agent_names, SUPPLY, aliases=CALLED)

    def specialised(self) -> Specialised:
        """Return the outcome in which each ore goes to the player to whom it is worth more."""
        held = {agent: dict.fromkeys(SUPPLY, 0) for agent in self.agent_names}
        for item, supply in SUPPLY.items():
            values = {agent: getattr(own, item) for agent, own in self.values.items()}
            held[max(values, key=values.__getitem__)][item] = supply
        worth = self.worth()
        values = {a: sum(n * worth[a][item] for item, n in own.items()) for a, own in held.items()}
        return Specialised(Outcome(held, held), values)

    # --- Cooperation modules ---------------------------------------------------------------------

    @property
    def counted_acts(self) -> tuple[Act, ...]:
        return ACTS

    def acts(self, account: Account) -> Counts:
        dug = {agent: account.log.of(agent, "dug") for agent in self.agent_names}
        return {
            agent: {act.name: own.get(ore, 0) for ore, act in zip(ORES, ACTS, strict=True)}
            for agent, own in dug.items()
        }

    def knowledge(self) -> ActsKnowledge:
        """Return the claims and deeds that this game defines, and the players' duty.

        The duty is that Gizmo leaves the diamonds and Glitch leaves the iron, so that each ore goes
        to the player who values it most.
        """
        first, second = self.agent_names
        parts = {
            first: Amount(first, DIAMONDS, 0, at_least=False),
            second: Amount(second, IRON, 0, at_least=False),
        }
        duty = Duty(
            f"{first} leaves the diamonds, and {second} leaves the iron. A player who does not "
            f"pays {DUTY_FINE} to the other.",
            DUTY_FINE,
            "dug what the other should have",
            tuple(parts.values()),
        )
        lent = CooperationRules(ActClaims(ACTS), account_of(ACTS, duty), LastRound(parts[second]))
        most = Amount(first, IRON, MOST_OF_IRON)
        little = Amount(second, IRON, IRON_LEFT, at_least=False)
        return ActsKnowledge(
            lent,
            true=(Amount(EVERYONE, IRON, ALL_IRON), ActRule(most, little)),
            false=(
                Amount(EVERYONE, IRON, ALL_IRON - 1, at_least=False),
                ActRule(most, Amount(second, IRON, IRON_LEFT + 1)),
            ),
            promised=parts,
        )

    def minds(self, seed: int = 0) -> Script:
        return DoubleVeinMinds(self.equalising_payment(), self.companions(f"{self.name} {seed}"))

    def equalising_payment(self) -> float | None:
        """Return the payment from Gizmo to Glitch that makes their rewards equal if Gizmo mines all
        iron and Glitch mines all diamonds.

        The result is None if this division of work is not the best.
        """
        gizmo = self.values["Gizmo"].iron * SUPPLY["iron"]
        glitch = self.values["Glitch"].diamond * SUPPLY["diamond"]
        return (gizmo - glitch) / 2 if gizmo + glitch == self.optimum else None

    # --- The shipped contracts -----------------------------------------------------------------

    def contracts(self) -> Mapping[str, Contract]:
        """Return a dictionary from names to the shipped contracts.

        The paper's contract 1 names a fixed amount that does not depend on the outcome. We added
        ``1-roles`` (only the division of work, without a payment) and ``1-transfer`` (only the
        payment), because the paper does not separate the two.
        """
        return {
            "none": Contract("none", ""),
            "1": Contract("1", f"{SPECIALISE}\n2. {PAYMENT}", _eleven),
            "1-roles": Contract("1-roles", SPECIALISE, _nothing),
            "1-transfer": Contract("1-transfer", f"1. {PAYMENT}", _eleven),
            "2": Contract("2", CONTRACT_2_TEXT, self._halves),
        }

    def _halves(self, outcome: Outcome) -> dict[str, float]:
        iron, diamond = self.values["Gizmo"].iron / 2, self.values["Glitch"].diamond / 2
        held = outcome.held
        to_glitch = iron * held["Gizmo"]["iron"] - diamond * held["Glitch"]["diamond"]
        return {"Gizmo": -to_glitch, "Glitch": to_glitch}


def _eleven(_outcome: Outcome) -> dict[str, float]:
    return {"Gizmo": -11.0, "Glitch": 11.0}


def _nothing(_outcome: Outcome) -> dict[str, float]:
    return {"Gizmo": 0.0, "Glitch": 0.0}


# --- Cooperation modules: acts in Double-Vein, and the knowledge of its scripted minds ------------

# Units of each ore in an episode.
ALL_IRON, ALL_DIAMONDS = 12, 6
IRON = Act("iron_dug", "digs", "iron", ALL_IRON)
DIAMONDS = Act("diamonds_dug", "digs", "diamonds", ALL_DIAMONDS)
# In the order of the scenario's ores.
ACTS = (IRON, DIAMONDS)
# Number of the article that the law has at the start.
DUTY_FINE = "duty_fine"
# More than half of the iron; at most one player can have that much.
MOST_OF_IRON, IRON_LEFT = 7, 5


# --- Scripted minds of Double-Vein: they keep shipped contracts and those they negotiated ---------
#
# Without a contract they are greedy, and also under any other contract in words, which they cannot
# read. They use the typed values from which prompts are rendered, never the prompts' text.

POLICIES = Path(__file__).parent / "policies"
# How far the first offers are from the even split, and how far an acceptable offer may be, in
# emeralds.
OPENING, NEAR = 6, 1

# On the grid: take the better pickaxe if available; iron first, because the other player can dig it
# too.
GREEDY_PLANS = """\
GATHER 1 iron_pickaxe
GATHER 12 raw_iron
GATHER 1 stone_pickaxe
GATHER 12 raw_iron
GATHER 6 diamond"""
CONTRACT_1_PLANS = {
    "Gizmo": "GATHER 1 stone_pickaxe\nGATHER 12 raw_iron",
    "Glitch": "GATHER 1 iron_pickaxe\nGATHER 6 diamond",
}
CONTRACT_2_PLANS = {
    "Gizmo": "GATHER 1 iron_pickaxe\nGATHER 12 raw_iron\nDUMP 1 iron_pickaxe\nSIGNAL Glitch",
    "Glitch": "WAIT FOR Gizmo\nGATHER 1 iron_pickaxe\nGATHER 6 diamond",
}


class DoubleVeinMinds:
    """Scripted minds that answer the questions in all roles."""

    def __init__(
        self,
        equalising_payment: float | None,
        companions: Mapping[str, ActsCompanion] = NO_COMPANIONS,
    ) -> None:
        self._even_payment = equalising_payment
        self._companions = companions

    def __call__(self, request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, Turn):
            return self._bargain(about)
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            return self._policy(about.briefing.situation, about.format)
        return answer_of(self._companions, request) or NO_CRITIC

    def _policy(self, situation: Situation, policy_format: str) -> Answer | str:
        text = situation.contract.text
        kept = "contract_2" if text == CONTRACT_2_TEXT else ""
        kept = "contract_1" if SPECIALISE in text else kept
        if not text and keeps_its_part(self._companions, situation):
            kept = "contract_1"
        if policy_format == "plans":
            by_agent = {"contract_1": CONTRACT_1_PLANS, "contract_2": CONTRACT_2_PLANS}
            return program_answer(by_agent.get(kept, {}).get(situation.agent, GREEDY_PLANS))
        return program(POLICIES / f"{kept or 'greedy'}.js")

    def _bargain(self, turn: Turn) -> TurnAnswer:
        """Propose that each player digs the ore that it values most, and that Gizmo makes a payment
        to Glitch.
        """
        if self._even_payment is None:
            message = "What is worth most to whom leaves nothing that I could offer."
            return TurnAnswer(note=None, message=message, move=Talk())
        why = "Each of us digs what is worth most to us."
        bargain = Bargain(
            "Gizmo", "Glitch", self._even_payment, OPENING, NEAR, roles=SPECIALISE, why=why
        )
        return bargain.answer(turn)
