"""The taxed village: what can be varied about it, and how its parts belong together.

Source of the numbers, where nothing else is said: Altera.AL, "Project Sid" (2024).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, field_validator, model_validator

from voxpolis.bots.agents.piano import (
    ABLATED,
    FULL,
    NOTHING,
    PERCENT,
    Agent,
    Outcome,
    Periods,
    Task,
    Verb,
    announcement,
    digest,
)
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import LEAST_S
from voxpolis.experiments.loops.society.scenario import Setup, SocietyScenario, thought
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.options import CHANGEABLE, agents_option, option
from voxpolis.judge.law.constitution import Amendment
from voxpolis.scenarios.taxation.institution import (
    Institution,
    Timeline,
    first_constitution,
)
from voxpolis.scenarios.taxation.knowledge import (
    LAW,
    TAX,
    Law,
    Payment,
    TaxAccount,
    season_of,
)
from voxpolis.scenarios.taxation.measures import show, summary
from voxpolis.scenarios.taxation.population import (
    JOBS,
    MANAGER,
    PLACES,
    WORKPLACE,
    constituents,
    influencers,
    residents,
    traits,
)
from voxpolis.scenarios.taxation.questions import SentimentRequest
from voxpolis.scenarios.taxation.referendum import (
    AmendmentsRequest,
    AssessRequest,
    BallotRequest,
    CompileRequest,
    FeedbackRequest,
)
from voxpolis.scenarios.taxation.scripted import VillagerParams, Villagers
from voxpolis.worlds.society import CHEST, SocietyWorld, VillagePlan

# --- What people of the taxed village can decide to do beside going, visiting and resting ---------

PAY_TEXT = (
    "you walk to the community chest and put that part of all you hold into it. The chest takes "
    "it while a tax season is open, which is for {window_s:g} s after the bell, and once in each. "
    "What is not paid by then is not collected later, and nothing is taken from you for it."
)
WORK_TEXT = (
    "you go to your workplace and do your job there. Each {work_s:g} s of work bring 1 piece: "
    "{makes}; other jobs make nothing. While a tax season is open, work brings nothing."
)


class Chest:
    """The community chest: it takes one payment a season from each, while the season is open."""

    def __init__(self, world: SocietyWorld) -> None:
        """Open the books of a world's chest."""
        self._world = world
        self.accounts: dict[str, TaxAccount] = {}

    def refusal(self, task: Task) -> str:
        """Return why a payment is not taken now; empty where it is."""
        season, now = season_of(task.standing), task.now()
        if season is None:
            return "no tax season has opened for you"
        if not season.is_open(now):
            return "no tax season is open, the chest takes nothing"
        if season.number in self.account(task.agent).seasons:
            return f"you have paid in season {season.number} already"
        return ""

    def account(self, name: str) -> TaxAccount:
        """Return what somebody has paid."""
        return self.accounts.get(name, TaxAccount())

    async def pay(self, task: Task) -> None:
        """Carry a share of what is held to the chest, or say why not."""
        reason, season, action = self.refusal(task), season_of(task.standing), task.action
        if reason or season is None:
            task.refuse(reason)
            return
        if not task.go_to(CHEST):
            return
        held = sum(task.body.inventory().values())
        paid = await self._world.deposit(task.agent, action.share)
        count = sum(paid.values())
        is_paid = bool(count or round(held * action.share) == 0)
        if task.action is action:  # the mind may have changed meanwhile
            if is_paid:
                task.finish(reconsider=True)
            else:
                task.fail("nothing got into the chest")
        if is_paid:
            share = count / held if held else action.share
            self._enter(task, Payment(season.number, share, task.now()))
        items = ", ".join(f"{count} {item}" for item, count in paid.items()) or "nothing"
        task.happened(f"I put {items} into the community chest in season {season.number}")

    def _enter(self, task: Task, payment: Payment) -> None:
        account = TaxAccount((*self.account(task.agent).payments, payment))
        self.accounts[task.agent] = account
        told = f"I paid {payment.share * 100:.1f} % in season {payment.season}"
        task.outcomes.append(Outcome(TAX, account, told))


def verbs(world: SocietyWorld, work_s: float, window_s: float) -> tuple[Verb, ...]:
    """Return the verbs PAY and WORK, as they are done in a world.

    Args:
        world: where people live.
        work_s: how long a piece of work takes.
        window_s: how long a tax season is open.
    """
    makes = ", ".join(f"a {job} makes {one.makes}" for job, one in JOBS.items())

    async def work(task: Task) -> None:
        if not task.go_to(WORKPLACE):
            return
        before = sum(task.body.inventory().values())
        if await world.work(task.agent):
            task.expect_items(before)

    return (
        Verb(
            "PAY",
            PERCENT,
            Chest(world).pay,
            announcement("(?:pay|paying|deposit)"),
            PAY_TEXT.format(window_s=window_s),
        ),
        Verb(
            "WORK",
            NOTHING,
            work,
            announcement("work"),
            WORK_TEXT.format(work_s=work_s, makes=makes),
        ),
    )


# --------------------------------------------------------------------------------------------------

STANCES = ("anti", "pro", "none")
#: Of the stances that are played where nobody says: one condition each.
BOTH = "both"
#: In Minecraft the election manager lives so far beyond the village; the platform ends there.
BEYOND_BLOCKS = 16


class Taxation(SocietyScenario):
    """The scenario and all that can be varied about it. Times are seconds of the village's own."""

    name: ClassVar[str] = "taxation"
    runs: ClassVar[int] = 4
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "stances": "anti", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        "full": "the village votes on its law",
        "frozen": "there is no vote: the first law stays",
        "ablated": "people perceive no society: reflexes, perception, memory, controller, skills",
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.tax_share_before", "runs.0.tax_share_after")
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    quantum_s: ClassVar[float] = 0.25
    position_every_s: ClassVar[float] = 10.0

    agents: int = agents_option(25, 2000, "Constituents.")
    stances: str = Field(
        default=BOTH,
        description="What influencers want: pro, anti, none (there are no influencers), or both: "
        "each condition once pro and once anti.",
        json_schema_extra=option("influencers"),
    )
    influencers: int = Field(default=3, ge=0, le=100)
    tax_rate: float = Field(default=0.2, ge=0, le=1, json_schema_extra=CHANGEABLE)
    length_s: float = Field(default=1200, gt=0)
    first_season_s: float = Field(default=100, ge=0)
    season_every_s: float = Field(default=120, gt=0)
    window_s: float = Field(default=20, ge=LEAST_S)
    feedback_s: float = Field(default=300, ge=0)
    amendments_s: float = Field(default=360, ge=0)
    vote_s: float = Field(default=420, ge=0)
    tally_s: float = Field(default=480, ge=0)
    enactment_s: float = Field(default=600, ge=0)
    radius_blocks: float = Field(default=24, gt=4, description="The chest is in the middle.")
    far_blocks: float = Field(default=200, gt=0, description="Where the election manager lives.")
    hearing_blocks: float = Field(default=16, gt=0)
    bell_names_rate: bool = Field(
        default=False,
        description="Whether the bell tells the tax rate; as it is, people must know the law.",
        json_schema_extra=CHANGEABLE,
    )
    goods: tuple[int, int] = Field(default=(40, 80), description="What each begins with.")
    work_s: float = Field(default=6.0, gt=0, description="How long a piece of work takes.")
    thinking_s: float = thought(0.5)
    modules: Periods = Field(default=FULL, description="Modules and their periods.")
    ways: VillagerParams = VillagerParams()

    @field_validator("stances")
    @classmethod
    def _known(cls, stances: str) -> str:
        if stances not in (*STANCES, BOTH):
            raise ValueError(f"there is no {stances!r}; there are: {', '.join((*STANCES, BOTH))}")
        return stances

    @model_validator(mode="after")
    def _in_order(self) -> Taxation:
        order = (self.feedback_s, self.amendments_s, self.vote_s, self.tally_s, self.enactment_s)
        if list(order) != sorted(order):
            raise ValueError("feedback, amendments, vote, tally and enactment come in this order")
        if self.window_s >= self.season_every_s:
            raise ValueError("a season's window must be shorter than the time between seasons")
        return self

    @property
    def timeline(self) -> Timeline:
        """When what happens."""
        last = self.length_s - self.window_s
        count = math.floor((last - self.first_season_s) / self.season_every_s) + 1
        return Timeline(
            [self.first_season_s + k * self.season_every_s for k in range(max(0, count))],
            self.window_s,
            self.feedback_s,
            self.amendments_s,
            self.vote_s,
            self.tally_s,
            self.enactment_s,
        )

    @property
    def constituents(self) -> list[str]:
        """The names of those who pay and vote."""
        return constituents(self.agents)

    def voices(self, setup: Setup) -> dict[str, str]:
        """Return the influencers' stances by name."""
        return influencers(self.influencers, setup.condition.partition("-")[2])

    # --- Where, and who --------------------------------------------------------------------------

    def variants(self, condition: str) -> list[str]:
        """Return a condition with each of the stances that are asked for: full-anti, full-pro."""
        stances = ("anti", "pro") if self.stances == BOTH else (self.stances,)
        return [f"{condition}-{stance}" for stance in stances]

    def village(self, setup: Setup) -> VillagePlan:
        """Return the village; in Minecraft the manager lives as far as its platform reaches."""
        far = self.far_blocks
        if setup.world == "minecraft":
            far = min(far, self.radius_blocks + BEYOND_BLOCKS)
        people = residents(
            self.constituents,
            list(self.voices(setup)),
            seed=setup.seed,
            radius_blocks=self.radius_blocks,
            far_blocks=far,
            goods=self.goods,
        )
        return VillagePlan(people, PLACES, hearing_blocks=self.hearing_blocks, work_s=self.work_s)

    def members(self, setup: Setup) -> list[Member]:
        """Return constituents, influencers and the manager; the ablated have fewer modules."""
        modules = self.modules
        if setup.condition.startswith("ablated"):
            modules = {name: period for name, period in modules.items() if name in ABLATED}
        texts = traits(self.constituents, self.voices(setup))
        law = {LAW: Law(first_constitution(self.tax_rate), 0.0)}
        return [
            Member(name, text, modules, tuple(PLACES), standing=law) for name, text in texts.items()
        ]

    def verbs(self, world: SocietyWorld) -> tuple[Verb, ...]:
        """Return PAY and WORK."""
        return verbs(world, self.work_s, self.window_s)

    def minds(self, setup: Setup) -> Script:
        """Return the scripted villagers."""
        voices = self.voices(setup)
        return Villagers(self.constituents, voices, self.ways, setup.seed, helpers=[MANAGER])

    def institutions(self, setup: Setup, run: SocietyRun) -> Institution:
        """Return seasons and the vote; without the vote where the law is frozen."""
        return Institution(
            run,
            self.timeline,
            first_constitution(self.tax_rate),
            voters=self.constituents,
            voices=list(self.voices(setup)),
            is_frozen=setup.condition.startswith("frozen"),
            bell_names_rate=self.bell_names_rate,
        )

    def requests(self, agent: Agent) -> list[Any]:
        """Return what the vote asks, with words that stand for what people say."""
        law, state = first_constitution(self.tax_rate), digest(agent)
        amendment = Amendment(1, "(its words)", {"tax_rate": self.tax_rate / 2})
        return [
            FeedbackRequest(agent.name, agent.traits, law, state),
            AmendmentsRequest(law, {agent.name: "(what it said)"}),
            CompileRequest(law, (Amendment(1, "(its words)"),)),
            AssessRequest(law, 1, {agent.name: {"(item)": 1}}),
            BallotRequest(agent.name, agent.traits, law, (amendment,), state),
            SentimentRequest("The tax is too high; a tenth would do.", self.tax_rate),
        ]

    # --- What came of it -------------------------------------------------------------------------

    def rare_calls(self, setup: Setup) -> dict[str, int]:
        """Return the seasons in which a judge may have to apply a law in words."""
        if setup.condition.startswith("frozen"):
            return {}
        seasons = [at for at in self.timeline.seasons if at >= self.enactment_s]
        return {AssessRequest.role: len(seasons)}

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
