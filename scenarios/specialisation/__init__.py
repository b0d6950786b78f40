"""A village of thirty with trades, in which people find roles of their own.

Source: Altera.AL, "Project Sid" (2024), specialisation: 30 agents for 20 minutes in one village,
all with the same traits and empty hands. What they do follows from social goals, which each makes
of what it knows of the others. In a normal village, a martial one and one of art; and in a normal
one whose people have no social awareness. The village and its trades are ours.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field, field_validator

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.agents.piano.society import FULL, Periods
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import AFTER_ALL_WAKE, LEAST_S
from voxpolis.experiments.loops.cooperation.scripted import ActsKnowledge, answer_of
from voxpolis.experiments.loops.society.cooperation import (
    CooperatingPeople,
    Lending,
)
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    Setup,
    SocietyScenario,
    settled,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.options import agents_option, only_in, read_from_file
from voxpolis.judge.deeds import acts
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.scenarios.specialisation.measures import (
    Community,
    Observer,
    RoleRequest,
    SynonymsRequest,
    communities,
    show,
    summary,
)
from voxpolis.scenarios.specialisation.scripted import CitizenParams, Citizens
from voxpolis.worlds.minecraft.trades.skills import offered
from voxpolis.worlds.society import HEARING_BLOCKS
from voxpolis.worlds.trades import Report, TradePlan, Trades, TradeWorld, read_trades

# --- What the village lends to modules of cooperation, and what its scripted people know of it ----
# Acts are what people bring to the market, take from it and give each other, by the village's own
# reports of what came of their work. The law asks everybody to bring something in each round, and
# who does not may take nothing in the next: the village refuses it.

BROUGHT = acts.Act("brought", "brings", "things to the market")
TAKEN = acts.Act("taken", "takes", "things from the market")
GIVEN = acts.Act("given", "gives", "things to others")
ACTS = (BROUGHT, TAKEN, GIVEN)
# By a report's verb, which act it is.
ACT_OF = {"PUT": BROUGHT, "TAKE": TAKEN, "GIVE": GIVEN}
# The number of the first law.
BAN_ROUNDS = "ban_rounds"
# So many things each brings in a round by law; ours.
DUTY_THINGS = 1
# Nobody gives so many things in a round, which scripted people suppose all the same.
NEVER = 1000
BANNED = "You may take nothing from the market in this round."
# What people are told who ask for something all the same.
REFUSED = "the law forbids you to take anything from the market in this round"
# Two moments count as the same that are so near, in seconds.
SAME_S = 1e-6


class MarketBook:
    """The account of the market; see :class:`experiments.loops.society.cooperation.Book`."""

    def __init__(self, run: SocietyRun, round_s: float, length_s: float) -> None:
        assert isinstance(run.world, TradeWorld)
        self._run, self._village = run, run.world
        self._round_s, self._length_s = round_s, length_s
        self._counts = {name: Counter[str]() for name in run.agents}
        run.world.listeners.append(self._note)

    def _note(self, report: Report) -> None:
        act = ACT_OF.get(report.verb)
        if act is not None and report.ok:
            moved = report.gained if act is TAKEN else report.spent
            self._counts[report.agent][act.name] += sum(moved.values())

    @property
    def is_open(self) -> bool:
        """Return whether there is time for another round."""
        return self._run.time.now() + self._round_s <= self._length_s + SAME_S

    async def round(self) -> acts.Counts:
        """Wait until a round is over; return what each did since the last one was."""
        await self._run.time.sleep(self._round_s, AFTER_ALL_WAKE)
        counts, self._counts = self._counts, {name: Counter() for name in self._counts}
        return {name: {act.name: own[act.name] for act in ACTS} for name, own in counts.items()}

    def ban(self, names: Collection[str]) -> None:
        """Let these people take nothing from the market in the next round."""
        self._village.barred = dict.fromkeys(names, REFUSED)


# --------------------------------------------------------------------------------------------------

# The condition whose people have no social awareness, and the kind of village it is played in.
ABLATED, NORMAL = "ablated", "normal"
# What everybody is told of itself. Source: Project Sid, the two traits; in our words.
TRAITS = "You like to work alone, and you say what you are doing."
# What everybody is told besides. Source: Project Sid.
NO_BUILDING = "Nobody can build here: do not be a builder."
# Social goals are made every 5 to 10 s (Project Sid): a person's own period is the module's times
# a number from this range.
JITTER = (2 / 3, 4 / 3)
# Modules and periods in seconds; where they differ from others': reflexes have little to do here,
# goals are Project Sid's.
MODULES = {**FULL, "reflexes": 2.0, "goals": 7.5, "memory": 30.0}
# What modules of cooperation are told of the village.
WORLD = """\
You live in a village with others. {goal} People gather and make things at several places. What
they leave at the market is for whoever takes it, and they give each other things. A round is
{round_s:g} s of the village's time; all that people bring to the market, take from it and give is
counted, and everybody knows it."""
# The subject that the village's goal holds for.
COMMUNITY = "community"


@dataclass(frozen=True)
class VillageGoal:
    """The village's goal, which holds for all."""

    goal: str

    def text(self, _now: float) -> str:
        """Return it in words."""
        return f"{self.goal} {NO_BUILDING}"


class Specialisation(CooperatingPeople, SocietyScenario):
    """The scenario and all that can be varied about it. Times are seconds of the village's own."""

    name: ClassVar[str] = "specialisation"
    runs: ClassVar[int] = 3
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "normal", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        NORMAL: "a village that wants to survive and to become efficient",
        "martial": "a military society",
        "art": "a village of culture and art",
        ABLATED: "a normal village whose people have no social awareness",
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.entropy", "runs.0.persistence")
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 30.0
    has_trades: ClassVar[bool] = True

    agents: int = agents_option(
        30, 3000, "Citizens; more than most_together live in more villages, far apart."
    )
    most_together: int = Field(default=30, ge=1, le=200, description="Citizens of one village.")
    length_s: float = Field(default=1200, gt=0)
    hearing_blocks: float = Field(default=HEARING_BLOCKS, gt=0, description="Not published; ours.")
    thinking_s: float = thought(0.5)
    modules: Periods = Field(default=MODULES, description="Modules and their periods.")
    round_s: float = Field(
        default=150, ge=LEAST_S, description="A round of modules of cooperation (--modules); ours."
    )
    ways: CitizenParams = CitizenParams()
    trades: Trades = Field(
        default=Trades(**read_trades()),
        description="The village and its trades: a file like worlds/trades/village.yaml.",
        json_schema_extra={
            "shown": "worlds/trades/village.yaml (or another FILE of that form)",
            "is_file": True,
        },
    )

    minecraft_scale: float = Field(
        default=0.4,
        gt=0,
        le=10,
        description="In Minecraft all places of sites are multiplied by it, too; ours.",
        json_schema_extra=only_in("minecraft"),
    )

    @field_validator("trades", mode="before")
    @classmethod
    def _read(cls, village: Any) -> Any:
        return read_from_file(village, read_trades)

    def _trades_in(self, setup: Setup) -> Trades:
        if setup.world != MINECRAFT:
            return self.trades
        return offered(self.trades, self.minecraft_scale)

    def village(self, setup: Setup) -> TradePlan:
        people, together = names(self.agents), self.most_together
        return settled(setup, self._trades_in, people, together, self.hearing_blocks)

    def members(self, setup: Setup) -> list[Member]:
        told = {COMMUNITY: VillageGoal(self._community(setup).goal)}
        places = list(self.village(setup).trades.sites)
        found = []
        for name in names(self.agents):
            own = dict(self.modules)
            if setup.condition == ABLATED:
                own.pop("social_awareness", None)
            if "goals" in own:
                own["goals"] *= random.Random(f"{setup.seed} {name} goals").uniform(*JITTER)
            found.append(Member(name, TRAITS, own, places, standing=told, keeps_profiles=True))
        return found

    def _community(self, setup: Setup) -> Community:
        return communities()[NORMAL if setup.condition == ABLATED else setup.condition]

    def minds(self, setup: Setup) -> Script:
        people, village = names(self.agents), self._trades_in(setup)
        own = self.companions(f"village {setup.seed}")
        kind = self._community(setup)
        citizens = Citizens(people, kind, village, self.ways, setup.seed, own)
        return lambda request: answer_of(own, request) or citizens(request)

    # --- Modules of cooperation ------------------------------------------------------------------

    def knowledge(self) -> ActsKnowledge:
        """Return claims, deeds and duty: each brings something."""
        people = names(self.agents)
        parts = {name: acts.Amount(name, BROUGHT, DUTY_THINGS) for name in people}
        duty = acts.Duty(
            f"In every round each brings at least {DUTY_THINGS} thing to the market. Whoever does "
            f"not may take nothing from it in the next {BAN_ROUNDS} rounds.",
            BAN_ROUNDS,
            "brought nothing to the market",
            tuple(parts.values()),
            BANNED,
        )
        lent = CooperationRules(
            acts.ActClaims(ACTS), acts.account_of(ACTS, duty), acts.LastRound(parts[people[0]])
        )
        return ActsKnowledge(
            lent,
            true=(acts.Amount(acts.EVERYONE, BROUGHT, DUTY_THINGS),),
            false=(acts.Amount(acts.EVERYONE, GIVEN, NEVER),),
            promised=parts,
        )

    def cooperation(self, setup: Setup) -> Lending | None:
        rules = self.rules()
        if rules is None:
            return None
        goal = VillageGoal(self._community(setup).goal).text(0.0)
        rounds = math.floor(self.length_s / self.round_s)
        world = WORLD.format(goal=goal, round_s=self.round_s)
        return Lending(
            rules, ACTS, rounds, world, lambda run: MarketBook(run, self.round_s, self.length_s)
        )

    def institutions(self, setup: Setup, run: SocietyRun) -> Observer:
        return Observer(run)

    def requests(self, agent: Agent) -> list[Request]:
        return [RoleRequest(("(a goal)",)), SynonymsRequest(("(a role)", "(another)"))]

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
