"""Double-Vein: two players, two veins of ore, two pickaxes, and perhaps a contract.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023). There are 12 iron ore
and 6 diamond ore near a chest with a stone and an iron pickaxe. Stone mines iron only, iron mines
both and faster. Items change hands through the chest alone. The players value the ores
differently, so that together they are best off (78 emeralds) when Gizmo takes all iron and Glitch
all diamonds; without a contract, whoever is first at the chest takes what the other would need.

Run it with ``python -m scenarios.double_vein --help``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bots.models import Message
from bots.models.scripted import Script
from bots.prompts import policy
from bridge import MinecraftWorld
from judge import Contract, Terms
from judge.contract import Inventories
from scenarios.arena import Game, platform
from scenarios.bargaining import Bargain
from scenarios.cli import scenario_command
from scenarios.scenario import GridForm

# --- The world -------------------------------------------------------------------------------

#: Feet level of the platform, high above ground on any server.
GROUND_Y = 151
CHEST = (0, GROUND_Y, 0)
#: The first and last blocks of the arena, walled with barrier.
ARENA_X, ARENA_Z = (-12, 12), (-7, 11)
WALL_HEIGHT = 5

#: A mound of iron about 6 blocks west of the chest: nine on the ground, one of them buried, and
#: three on top.
IRON_ORE = [(x, GROUND_Y, z) for x in (-7, -6, -5) for z in (-1, 0, 1)] + [
    (-6, GROUND_Y + 1, z) for z in (-1, 0, 1)
]
#: A mound of diamonds about 5 blocks east of the chest: four on the ground, two on top.
DIAMOND_ORE = [(x, GROUND_Y, z) for x in (4, 5) for z in (0, 1)] + [
    (4, GROUND_Y + 1, 0),
    (4, GROUND_Y + 1, 1),
]
#: Players start south of the chest (x, z), two blocks apart, 5 to 6 blocks from it.
STARTS = {"Gizmo": (-0.5, 6.0), "Glitch": (1.5, 6.0)}

# --- What the server calls things ------------------------------------------------------------

ITEMS = {"iron": "raw_iron", "diamond": "diamond"}
ORES = {"iron_ore": "iron", "diamond_ore": "diamond"}
SUPPLY = {"iron": len(IRON_ORE), "diamond": len(DIAMOND_ORE)}

# --- Texts -----------------------------------------------------------------------------------

BRIEFING = """\
You stand on a small walled platform together with {other}. A chest near you holds one stone pickaxe
and one iron pickaxe. To one side of the chest is a mound of {iron} iron ore (`iron_ore`), to the
other a mound of {diamond} diamond ore (`diamond_ore`); some blocks lie behind others. A stone
pickaxe mines iron ore only; an iron pickaxe mines both, and faster. There are no other tools, and
bare hands get nothing out of ore.

What counts is what you hold when the episode ends: each raw iron is worth {own_iron:g} emeralds to
you and each diamond {own_diamond:g}. To {other} a raw iron is worth {their_iron:g} and a diamond
{their_diamond:g}. {cares} Players cannot hand each other items; only
the chest can pass them on. Emeralds owed by a contract are paid at the end, by the judge."""


class Values(BaseModel):
    """What one item is worth to a player, in emeralds."""

    model_config = ConfigDict(extra="forbid")

    iron: float
    diamond: float


class DoubleVein(Game):
    """The scenario and all that can be varied about it (``--set``, ``--config``)."""

    name: ClassVar[str] = "double_vein"
    counted: ClassVar[tuple[str, ...]] = tuple(ITEMS)
    dug: ClassVar[Mapping[str, str]] = ORES
    chest: ClassVar[tuple[int, int, int] | None] = CHEST
    grid: ClassVar[GridForm | None] = GridForm(
        game="double_vein",
        items={
            **ITEMS,
            "iron_pickaxe": "iron_pickaxe",
            "stone_pickaxe": "stone_pickaxe",
        },
        dug={"raw_iron": "iron_ore", "diamond": "diamond_ore"},
    )
    published: ClassVar[Mapping[str, str]] = {
        "none": "0.55 ± 0.14",
        "1": "0.05 ± 0.02",
        "2": "0.00",
    }
    source: ClassVar[str] = "Yocum et al. (2023), table 1, gpt-4, 5 runs a contract"

    values: dict[str, Values] = Field(
        default={
            "Gizmo": Values(iron=4, diamond=4),
            "Glitch": Values(iron=3, diamond=5),
        },
        description="Emeralds per item for each player. Source: the paper, section on Double-Vein.",
    )
    start_jitter_blocks: float = Field(
        default=0.8,
        ge=0,
        le=2,
        description="Each player starts up to this much nearer to the chest or farther from it, by "
        "the seed. Ours: who is nearer is there first and has the iron pickaxe, and who is nearer "
        "by a block or more takes both; nothing else decides the game without a contract.",
    )

    @field_validator("values")
    @classmethod
    def _two_known_players(cls, values: dict[str, Values]) -> dict[str, Values]:
        if set(values) != set(STARTS):
            raise ValueError(f"the players are {' and '.join(STARTS)}")
        return values

    @property
    def agents(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(self.values)

    @property
    def optimum(self) -> float:
        """Welfare when every item goes to who values it most (78 with the paper's values)."""
        worths = [values.model_dump() for values in self.values.values()]
        return float(sum(n * max(worth[item] for worth in worths) for item, n in SUPPLY.items()))

    def starts(self, seed: int) -> dict[str, tuple[float, float, float]]:
        """Where the players start, fixed by the seed."""
        chance = random.Random(f"double_vein starts {seed}")
        jitter = self.start_jitter_blocks
        return {
            agent: (
                x,
                float(GROUND_Y),
                round(z + chance.uniform(-jitter, jitter), 2),
            )
            for agent, (x, z) in STARTS.items()
        }

    def layout(self) -> list[str]:
        """The arena as vanilla commands."""
        chest = " ".join(map(str, CHEST))
        commands = [
            *platform(ARENA_X, ARENA_Z, GROUND_Y, WALL_HEIGHT, "grass_block"),
            f"setblock {chest} chest[facing=south]",
            f"item replace block {chest} container.0 with iron_pickaxe",
            f"item replace block {chest} container.1 with stone_pickaxe",
        ]
        for ore, places in (("iron_ore", IRON_ORE), ("diamond_ore", DIAMOND_ORE)):
            commands += [f"setblock {x} {y} {z} {ore}" for x, y, z in places]
        return commands

    async def live(self, world: MinecraftWorld, seed: int) -> None:
        """Nothing happens by itself here."""

    def briefing(self, agent: str) -> str:
        """What a player is told. Nobody is told the time limit."""
        (other,) = (name for name in self.agents if name != agent)
        own, theirs = self.values[agent], self.values[other]
        return BRIEFING.format(
            other=other,
            **SUPPLY,
            own_iron=own.iron,
            own_diamond=own.diamond,
            their_iron=theirs.iron,
            their_diamond=theirs.diamond,
            cares=self.cares,
        )

    def count(self, inventory: Mapping[str, int]) -> dict[str, int]:
        """How much iron and how many diamonds an inventory holds."""
        return {item: inventory.get(name, 0) for item, name in ITEMS.items()}

    def value(self, agent: str, inventory: Mapping[str, int]) -> float:
        """What an inventory is worth to a player, in emeralds."""
        worth = self.values[agent].model_dump()
        return float(sum(n * worth[item] for item, n in self.count(inventory).items()))

    def is_all_gained(self, inventories: Inventories) -> bool:
        """Whether the players hold all there is."""
        held = [self.count(inventory) for inventory in inventories.values()]
        return all(sum(h[item] for h in held) >= supply for item, supply in SUPPLY.items())

    def contracts(self) -> dict[str, Contract]:
        """The shipped contracts by name."""
        return {
            "none": Contract("none", ""),
            "1": CONTRACT_1,
            "1-roles": CONTRACT_1_ROLES,
            "1-transfer": CONTRACT_1_TRANSFER,
            "2": self._contract_2(),
        }

    def _contract_2(self) -> Contract:
        iron, diamond = self.values["Gizmo"].iron / 2, self.values["Glitch"].diamond / 2

        def rule(inventories: Inventories) -> dict[str, float]:
            mined_iron = self.count(inventories["Gizmo"])["iron"]
            mined_diamonds = self.count(inventories["Glitch"])["diamond"]
            to_glitch = iron * mined_iron - diamond * mined_diamonds
            return {"Gizmo": -to_glitch, "Glitch": to_glitch}

        return Contract("2", CONTRACT_2_TEXT, rule)

    def terms(self) -> Terms:
        """What formal clauses may name: the players, and how much of each ore there is."""
        return Terms(self.agents, SUPPLY)

    def script(self) -> Script:
        """The scripted minds: keepers of a shipped contract, or of one that they negotiated.

        They are greedy where there is none, and under one in other words, which they cannot read.
        """
        greedy, contract_1, contract_2 = (
            policy(f"double_vein/{name}") for name in ("greedy", "contract_1", "contract_2")
        )
        programs = {CONTRACT_2_TEXT: contract_2, SPECIALISE: contract_1}

        def answer(role: str, agent: str | None, messages: Sequence[Message]) -> str:
            asked = messages[0]["content"]
            if role == "negotiator" and agent is not None:
                return self._bargain(agent, asked)
            if role == "action" and ON_THE_GRID in asked:
                kept = next((p for text, p in PLANS.items() if text in asked), {})
                return (
                    f"A scripted mind's plans.\n\n```\n{kept.get(agent or '', GREEDY_PLANS)}\n```"
                )
            if role == "action":
                program = next((p for text, p in programs.items() if text in asked), greedy)
                return f"A scripted mind's policy.\n\n```javascript\n{program}```"
            return '{"success": true, "critique": "A scripted mind has no critic."}'

        return answer

    def _bargain(self, agent: str, asked: str) -> str:
        """A scripted negotiator: each digs what it values most, and Gizmo pays for the difference.

        It knows the stated values (``scenarios.bargaining``).
        """
        payment = self._even_payment()
        if payment is None:
            return "[message] What is worth most to whom leaves nothing that I could offer."
        why = "Each of us digs what is worth most to us."
        bargain = Bargain("Gizmo", "Glitch", payment, OPENING, NEAR, roles=SPECIALISE, why=why)
        return bargain.answer(agent, asked)

    def _even_payment(self) -> float | None:
        """What Gizmo pays Glitch to leave both the same when Gizmo has all iron and Glitch all
        diamonds; None where that is not the optimum.
        """
        gizmo = self.value("Gizmo", {ITEMS["iron"]: SUPPLY["iron"]})
        glitch = self.value("Glitch", {ITEMS["diamond"]: SUPPLY["diamond"]})
        return (gizmo - glitch) / 2 if gizmo + glitch == self.optimum else None


# --- The shipped contracts -------------------------------------------------------------------

#: Gizmo's payment does not depend on anything: the paper's contract 1 names a plain amount.
SPECIALISE = "1. Gizmo mines all of the iron ore, and Glitch mines all of the diamond ore."
CONTRACT_1 = Contract(
    name="1",
    text=f"{SPECIALISE}\n2. When the episode ends, Gizmo pays Glitch 11 emeralds.",
    rule=lambda _inventories: {"Gizmo": -11.0, "Glitch": 11.0},
)
#: Coordination without incentive, and incentive without coordination: what the paper leaves open.
CONTRACT_1_ROLES = Contract(
    name="1-roles",
    text=SPECIALISE,
    rule=lambda _inventories: {"Gizmo": 0.0, "Glitch": 0.0},
)
CONTRACT_1_TRANSFER = Contract(
    name="1-transfer",
    text="1. When the episode ends, Gizmo pays Glitch 11 emeralds.",
    rule=CONTRACT_1.rule,
)

CONTRACT_2_TEXT = """\
1. Gizmo takes the iron pickaxe, mines the iron ore, puts the pickaxe back into the chest and
   signals. After the signal Glitch takes the iron pickaxe and mines the diamond ore.
2. When the episode ends, Gizmo pays Glitch half of what Gizmo's iron is worth to Gizmo.
3. When the episode ends, Glitch pays Gizmo half of what Glitch's diamonds are worth to Glitch."""


# --- Scripted minds on the grid ------------------------------------------------------------------

#: What the grid's prompt says, and Minecraft's does not.
ON_THE_GRID = "The game is played on a grid"
#: The better pickaxe, else the other; iron first, which the other player can dig too.
GREEDY_PLANS = """\
GATHER 1 iron_pickaxe
GATHER 12 iron
GATHER 1 stone_pickaxe
GATHER 12 iron
GATHER 6 diamond"""
PLANS = {
    SPECIALISE: {
        "Gizmo": "GATHER 1 stone_pickaxe\nGATHER 12 iron",
        "Glitch": "GATHER 1 iron_pickaxe\nGATHER 6 diamond",
    },
    CONTRACT_2_TEXT: {
        "Gizmo": "GATHER 1 iron_pickaxe\nGATHER 12 iron\nDUMP 1 iron_pickaxe\nSIGNAL Glitch",
        "Glitch": "WAIT FOR Gizmo\nGATHER 1 iron_pickaxe\nGATHER 6 diamond",
    },
}

# --- Scripted negotiators ------------------------------------------------------------------------

#: How far from the even split the first offers are, and what is near enough to it, in emeralds.
OPENING, NEAR = 6, 1


app = scenario_command(DoubleVein)

if __name__ == "__main__":
    app()
