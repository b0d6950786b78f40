"""Specialisation: a village of thirty people with trades, in which people find their roles.

Source: Altera.AL, "Project Sid" (2024), specialisation. Thirty agents live in one village for 20
minutes. At first all have the same traits and no items. Their work follows from social goals, which
each agent derives from what it knows about the others. The conditions are a normal village, a
martial village, a village of artists, and a normal village without social awareness. We designed
the village and its trades.
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
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import AFTER_ALL_WAKE, LEAST_S
from voxpolis.experiments.loops.cooperation.scripted import ActsKnowledge, answer_of
from voxpolis.experiments.loops.society.cooperation import (
    CooperatingPeople,
    ModuleContext,
)
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    HearingBlocks,
    Modules,
    Setup,
    SocietyScenario,
    settle_at_market,
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
from voxpolis.worlds.minecraft.trades.skills import minecraft_rules
from voxpolis.worlds.society import HEARING_BLOCKS
from voxpolis.worlds.trades import Report, TradePlan, Trades, TradeWorld, read_trades

# --- Cooperation modules: the village's acts, and its scripted people's knowledge -----------------
# Acts are bringing items to the market, taking items from the market, and giving items to people,
# as the village reports them. The law requires each person to bring something in each round. A
# person who violates it may not take anything in the next round; the village enforces this.

BROUGHT = acts.Act("brought", "brings", "things to the market")
TAKEN = acts.Act("taken", "takes", "things from the market")
GIVEN = acts.Act("given", "gives", "things to others")
ACTS = (BROUGHT, TAKEN, GIVEN)
# Which act each verb of a report counts as.
ACT_OF = {"PUT": BROUGHT, "TAKE": TAKEN, "GIVE": GIVEN}
# Number of the article that the law has at the start.
BAN_ROUNDS = "ban_rounds"
# Number of items that the law requires per round; our choice.
DUTY_THINGS = 1
# A number of gifts per round that never occurs. Scripted people use it in false hypotheses.
NEVER = 1000
BANNED = "You may take nothing from the market in this round."
# Reply to banned people who try to take something.
REFUSED = "the law forbids you to take anything from the market in this round"
# Times that differ by at most this many seconds count as equal.
SAME_S = 1e-6


class MarketBook:
    """Counts what people bring to the market and take from it in each round, for promises and the
    law.

    See :class:`experiments.loops.society.cooperation.Book`.
    """

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
        """Return whether the run is long enough for another round."""
        return self._run.time.now() + self._round_s <= self._length_s + SAME_S

    async def round(self) -> acts.Counts:
        """Wait until a round is over, and return what each person has done since the previous
        round.
        """
        await self._run.time.sleep(self._round_s, AFTER_ALL_WAKE)
        counts, self._counts = self._counts, {name: Counter() for name in self._counts}
        return {name: {act.name: own[act.name] for act in ACTS} for name, own in counts.items()}

    def ban(self, names: Collection[str]) -> None:
        """Forbid these people to take anything from the market in the next round."""
        self._village.barred = dict.fromkeys(names, REFUSED)


# The condition without social awareness, and its kind of village.
ABLATED, NORMAL = "ablated", "normal"
# Traits of all people. Source: Project Sid, the two traits, in our words.
TRAITS = "You like to work alone, and you say what you are doing."
# Further prompt text for all people. Source: Project Sid.
NO_BUILDING = "Building is impossible here: do not be a builder."
# Social goals are made every 5 to 10 s (Project Sid): each person's period is the module's period
# times a random factor from this range.
JITTER = (2 / 3, 4 / 3)
# Modules whose periods in seconds differ from the defaults: reflexes have little to do here; the
# period of goals is Project Sid's.
MODULES = {**FULL, "reflexes": 2.0, "goals": 7.5, "memory": 30.0}
# Description of the village for cooperation modules.
WORLD = """\
You live in a village with others. {goal} People gather and make things at several places. They
leave things at the market, which are free to take, and give each other things. A round is
{round_s:g} s of the village's time. All that people bring to the market, take from it and give is
counted, and everyone knows the counts."""
# Key under which people know the village's goal.
COMMUNITY = "community"


@dataclass(frozen=True)
class VillageGoal:
    """The village's goal, which everybody knows."""

    goal: str

    def text(self, _now: float) -> str:
        return f"{self.goal} {NO_BUILDING}"


class Specialisation(CooperatingPeople, SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

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
        30,
        3000,
        "Number of people. More than most_together people live in several villages, far apart.",
    )
    most_together: int = Field(
        default=30, ge=1, le=200, description="Maximum number of people in a village."
    )
    length_s: float = Field(default=1200, gt=0, description="Duration of the run, in seconds.")
    hearing_blocks: HearingBlocks = HEARING_BLOCKS
    thinking_s: float = thought(0.5)
    modules: Modules = MODULES
    round_s: float = Field(
        default=150,
        ge=LEAST_S,
        description="Duration of a round for the cooperation modules (--modules), in seconds. "
        "Our choice.",
    )
    ways: CitizenParams = CitizenParams()
    trades: Trades = Field(
        default=Trades(**read_trades()),
        description="File that describes the village and its trades.",
        json_schema_extra={
            "shown": "worlds/trades/village.yaml (or another FILE of that form)",
            "is_file": True,
        },
    )

    minecraft_scale: float = Field(
        default=0.4,
        gt=0,
        le=10,
        description="Factor on the distances between sites in Minecraft. Our choice.",
        json_schema_extra=only_in("minecraft"),
    )

    @field_validator("trades", mode="before")
    @classmethod
    def _read(cls, village: Any) -> Any:
        return read_from_file(village, read_trades)

    def _trades_in(self, setup: Setup) -> Trades:
        if setup.world != MINECRAFT:
            return self.trades
        return minecraft_rules(self.trades, self.minecraft_scale)

    def village(self, setup: Setup) -> TradePlan:
        people, together = names(self.agents), self.most_together
        return settle_at_market(setup, self._trades_in, people, together, self.hearing_blocks)

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

    # --- Cooperation modules ---------------------------------------------------------------------

    def knowledge(self) -> ActsKnowledge:
        """Return the claims and deeds that this village defines, and the duty to bring something to
        the market.
        """
        people = names(self.agents)
        parts = {name: acts.Amount(name, BROUGHT, DUTY_THINGS) for name in people}
        duty = acts.Duty(
            f"In every round each person brings at least {DUTY_THINGS} thing to the market. A "
            f"person who does not may take nothing from it in the next {BAN_ROUNDS} rounds.",
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

    def cooperation(self, setup: Setup) -> ModuleContext | None:
        rules = self.rules()
        if rules is None:
            return None
        goal = VillageGoal(self._community(setup).goal).text(0.0)
        rounds = math.floor(self.length_s / self.round_s)
        world = WORLD.format(goal=goal, round_s=self.round_s)
        return ModuleContext(
            rules, ACTS, rounds, world, lambda run: MarketBook(run, self.round_s, self.length_s)
        )

    def institutions(self, setup: Setup, run: SocietyRun) -> Observer:
        return Observer(run)

    def requests(self, agent: Agent) -> list[Request]:
        return [RoleRequest(("(a goal)",)), SynonymsRequest(("(a role)", "(another)"))]

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
