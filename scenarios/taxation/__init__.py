"""Taxation: a village that pays taxes and votes on its constitution.

Source: Altera.AL, "Project Sid" (2024), the experiment on collective rules. The village has 25
constituents with jobs, three influencers who all want a higher tax or all want a lower tax, and an
election manager who lives far away. A bell rings every 120 s. People then have 20 s to carry a
share of their items to the community chest. In the first half of the run, people give feedback on
the law, the manager turns the feedback into amendments, and people vote. What they adopt applies in
the second half.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from voxpolis.bots.agents import piano
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import LEAST_S
from voxpolis.experiments.loops.society.scenario import Modules, Setup, SocietyScenario, thought
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.agents import NAMES, names
from voxpolis.experiments.run.options import CHANGEABLE, Share, UsageError, agents_option, option
from voxpolis.experiments.run.scenario import Entry
from voxpolis.judge.law.constitution import Amendment, Constitution, Election, changes, enact
from voxpolis.records import events
from voxpolis.records.measures import known_mean
from voxpolis.scenarios.taxation import referendum
from voxpolis.scenarios.taxation.measures import (
    SentimentRequest,
    Votes,
    feedback_outcome,
    sentiment,
    show,
    summary,
    votes_by_stance,
)
from voxpolis.scenarios.taxation.scripted import VillagerParams, Villagers
from voxpolis.worlds.society import CHEST, Place, Resident, SocietyWorld, VillagePlan, scatter

# --- People of the taxed village: jobs, names, initial items and self-descriptions ----------------

# Workplaces, keyed by the name that a person uses for its own workplace.
WORKPLACE = "work"
# Job of the sixth constituent, who works at the community chest. The other constituents take the
# jobs in turn.
GUARD = "guard"


@dataclass(frozen=True)
class Job:
    """A constituent's job. We chose the jobs.

    ``makes`` is the item that the work produces, or empty. ``holds`` lists the kinds of items at
    the start; half of the pieces are of the first kind. ``nature`` describes the person's
    character.
    """

    makes: str
    holds: tuple[str, ...]
    nature: str


# Source of the kinds of items: Project Sid, appendix D. There are only a few kinds, so that
# Minecraft's chests can hold all payments.
JOBS: Mapping[str, Job] = {
    "farmer": Job(
        "wheat",
        ("wheat", "carrot", "bread"),
        "You plan from harvest to harvest. You dislike waste. You listen long before you speak.",
    ),
    "miner": Job(
        "coal",
        ("coal", "cobblestone", "torch"),
        "You work hard where nobody sees it. You are careful with what you own. You say what you "
        "think.",
    ),
    "lumberjack": Job(
        "oak_log",
        ("oak_log", "oak_planks", "birch_planks"),
        "You like company after a day alone. You are generous in good weeks. You hold grudges.",
    ),
    "fisher": Job(
        "cod",
        ("cod", "string", "bread"),
        "You are patient and calm. You share with neighbours. You distrust grand plans.",
    ),
    "smith": Job(
        "iron_ingot",
        ("iron_ingot", "coal", "torch"),
        "You are proud of your craft. You keep accounts in your head. You want rules that are the "
        "same for all.",
    ),
    GUARD: Job(
        "",
        ("bread", "torch", "cobblestone"),
        "You stand at the community chest and see who comes. You take orders seriously. You are "
        "slow to trust.",
    ),
}
# Influencers, and their livelihoods; our choice.
INFLUENCERS: Mapping[str, str] = {
    "Alba": "an innkeeper",
    "Bruno": "a pedlar",
    "Clara": "a teacher",
    "Edgar": "a healer",
    "Frida": "a weaver",
}
MANAGER = "Manager"
# Position known to all; the chest is in the middle.
PLACES: Mapping[str, Place] = {CHEST: (0.0, 0.0)}
# Initial distance of influencers from the middle, in blocks; our choice.
INFLUENCERS_WITHIN_BLOCKS = 8.0

VOTER = "You are a {job}, you pay taxes and you vote. You want a good life for yourself. {nature}"
# Influencers' aims. Source: Project Sid, appendix D, in our words.
WISHES = {
    "anti": "You think that the village flourishes by what its people earn, and that 20 % is an "
    "incredibly high tax. You want 5 to 10 %. You look for people, ask what they think, and talk "
    "with them in depth until they want that, too.",
    "pro": "You think that taxes are vital for the village, and that not to pay them is selfish. "
    "You want at least 25 %. You look for people, ask what they think, and talk with them in depth "
    "until they want that, too.",
}
WITHOUT_WISHES = "You manage the elections and live far away. You have no wishes."


def job_of(number: int) -> str:
    """Return the job of the constituent with a certain number. Numbers start at 0."""
    jobs = [name for name in JOBS if name != GUARD]
    return GUARD if number == len(jobs) else jobs[number % len(jobs)]


# --- Seasons, vote and law on the experiment's timeline -------------------------------------------

# Distance from the chest that counts as being there. Source: Project Sid, figure 10 C.
NEAR_BLOCKS = 6.0
# Sampling interval of positions, in seconds; our choice.
LOOK_S = 1.0

# When a visit takes place: the number of seasons that have opened so far, and the time since then,
# in seasons.
Span = tuple[Literal["season", "between"], int, int]

ARTICLES = (
    "Each season everybody carries the share tax_rate of what they hold to the community chest.",
    "What is in the chest belongs to all.",
    "The village can change this by a vote.",
)
BELL = (
    "The bell rings: tax season {season}. Carry what the law asks for to the community chest "
    "within {window_s:g} s."
)
# Text added to the bell's message if the message names the tax rate.
RATE = " The law asks for {percent:g} % of what you hold."
NEW_LAW = "A new constitution holds from now on."


def first_constitution(tax_rate: float) -> Constitution:
    """Return the law at the start."""
    return Constitution(ARTICLES, {"tax_rate": tax_rate}, limits={"tax_rate": (0.0, 1.0)})


class Institution:
    """The village's institutions; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(self, run: SocietyRun, settings: Taxation, setup: Setup) -> None:
        self._run, self._settings = run, settings
        self._voters, self._voices = settings.constituents, list(settings.voices(setup))
        self._has_vote = has_vote(setup.condition)
        self._is_frozen = setup.condition.startswith(FROZEN)
        self._bell_names_rate = settings.bell_names_rate
        self.law = first_constitution(settings.tax_rate)
        # Shares paid, season by season.
        self.shares: list[dict[str, float]] = []
        self._is_open = False
        # Each person's sentiment when asked (for less or more tax), and its votes.
        self._sentiments: dict[str, float] = {}
        self._votes: Votes = {}
        # People near the chest, by time of the visit.
        self._came: dict[Span, set[str]] = {}
        self._proclaim()

    def works(self) -> list[Coroutine[Any, Any, None]]:
        lasting = [self._hold_seasons(), self._watch_the_chest()]
        return [*lasting, self._change_the_law()] if self._has_vote else lasting

    def is_busy(self) -> bool:
        return self._is_open

    def outcome(self) -> Entry:
        paid = list(zip(self._settings.seasons, self.shares, strict=False))
        change, voters = self._settings.enactment_s, len(self._voters)
        return {
            "tax_share_before": known_mean(
                s for at, by in paid if at < change for s in by.values()
            ),
            "tax_share_after": known_mean(
                s for at, by in paid if at >= change for s in by.values()
            ),
            "tax_shares": [round(known_mean(by.values()) or 0.0, 6) for by in self.shares],
            "tax_rate_after": self.law.parameters["tax_rate"],
            "law_version": self.law.version,
            "near_chest": {
                kind: known_mean(
                    len(came) / voters for at, came in self._came.items() if at[0] == kind
                )
                for kind in ("season", "between")
            },
            "feedback": feedback_outcome(self._sentiments),
            "votes": self._votes,
            "treated": self._voices,
            "coherence": self._run.words.coherence(),
        }

    def _proclaim(self, changed: tuple[str, ...] = ()) -> None:
        law, parameters = self.law, dict(self.law.parameters)
        self._run.note(events.LawChanged, version=law.version, text=str(law), parameters=parameters)
        known = referendum.Law(law, self._run.time.now(), changed)
        for agent in self._run.agents.values():
            agent.standing[referendum.LAW] = known

    async def _watch_the_chest(self) -> None:
        x, z = PLACES[CHEST]
        while (now := self._run.time.now()) < self._settings.length_s:
            opened = [at for at in self._settings.seasons if at <= now]
            part = math.floor((now - opened[-1] if opened else now) / self._settings.window_s)
            span: Span = ("season" if opened and not part else "between", len(opened), part)
            came = self._came.setdefault(span, set())
            for name in self._voters:
                east, _, south = self._run.world.position(name)
                if name not in came and math.hypot(east - x, south - z) <= NEAR_BLOCKS:
                    came.add(name)
                    self._run.note(events.CameNear, name, place=CHEST)
            await self._run.time.sleep(LOOK_S, key=-1)

    # --- Seasons ---------------------------------------------------------------------------------

    async def _hold_seasons(self) -> None:
        run, world, window_s = self._run, self._run.world, self._settings.window_s
        for number, at in enumerate(self._settings.seasons, start=1):
            await self._until(at)
            self._is_open = True
            rate = self.law.parameters["tax_rate"]
            world.close_workplaces(True)
            held, before = await world.account(self._voters)
            dues = await self._assess(number, held)
            run.note(events.SeasonOpened, season=number, tax_rate=rate, window_s=window_s)
            opened = run.time.now()
            told = RATE.format(percent=rate * 100) if self._bell_names_rate else ""
            for name in self._voters:
                season = referendum.TaxSeason(number, opened, opened + window_s, dues.get(name))
                run.agents[name].standing[referendum.SEASON] = season
                text = BELL.format(season=number, window_s=window_s) + told
                run.agents[name].tell(text, urgent=True, about=season)
            await run.time.sleep(window_s, key=-1)
            left, after = await world.account(self._voters)
            total, shares = Counter[str](), {}
            for name, had in held.items():
                paid = had - left[name]
                total += paid
                share = round(paid.total() / had.total(), 6) if had.total() else 0.0
                shares[name] = share
                fields = {"held": dict(had), "paid": dict(paid), "share": share}
                run.note(events.TaxPaid, name, season=number, **fields)
            self.shares.append(shares)
            if total != after - before:
                message = f"season {number}: the chest's items do not match those paid"
                run.note(events.Fault, where="world", message=message)
            world.close_workplaces(False)
            self._is_open = False

    async def _assess(
        self, season: int, held: Mapping[str, Mapping[str, int]]
    ) -> Mapping[str, float]:
        """Let a judge decide which share (0 to 1) of its items each person owes by law.

        The result is empty if the numbers of the law are enough. If no judge answers, the numbers
        apply, and the run has a fault.
        """
        if not self.law.is_judged:
            return {}
        request = referendum.AssessRequest(self.law, season, held)
        dues = await self._run.agents[MANAGER].think(request, request.read)
        if dues is None:
            message = f"season {season}: no judge applied the law, so its numbers applied"
            self._run.note(events.Fault, where="model", message=message)
            self._run.faults.append(message)
        for name, share in (dues or {}).items():
            self._run.note(events.TaxAssessed, name, season=season, share=share)
        return dues or {}

    # --- The law ---------------------------------------------------------------------------------

    async def _change_the_law(self) -> None:
        run, time, voters = self._run, self._settings, [*self._voters]
        await self._until(time.feedback_s)
        asked = [*voters, *self._voices]
        said = await run.time.gather([self._hear(run.agents[name]) for name in asked])
        feedback = {name: text for name, text in zip(asked, said, strict=True) if text}
        rate = self.law.parameters["tax_rate"]
        self._sentiments = {name: sentiment(text, rate) for name, text in feedback.items()}
        await self._until(time.amendments_s)
        amendments = await self._propose(feedback)
        await self._until(time.vote_s)
        election = Election(amendments, voters)
        if amendments:
            ballots = [self._vote(run.agents[name], election) for name in voters]
            await run.time.gather(ballots)
        self._votes = votes_by_stance(self._sentiments, amendments, election.ballots, rate)
        await self._until(time.tally_s)
        tallies = election.tally()
        for count in tallies:
            run.note(events.AmendmentTallied, None, **asdict(count), passed=count.passed)
        await self._until(time.enactment_s)
        if not self._is_frozen:
            self._enact(enact(self.law, amendments, tallies))

    async def _hear(self, agent: piano.Agent) -> str:
        """Return an agent's opinion of the constitution, or an empty string."""
        request = referendum.FeedbackRequest(
            agent.name, agent.traits, self.law, piano.digest(agent)
        )
        text = await agent.think(request, request.read)
        if text:
            self._run.note(events.FeedbackGiven, agent.name, text=text)
        return text or ""

    async def _propose(self, feedback: Mapping[str, str]) -> tuple[Amendment, ...]:
        """Let the election manager propose amendments, and return them as people will vote on them.

        The model of the election manager reads the words of the amendments, and adds the changes of
        numbers that the words imply. If its answer cannot be used, a judge will apply the
        amendments that set no number.
        """
        manager = self._run.agents[MANAGER]
        asked = referendum.AmendmentsRequest(self.law, feedback)
        amendments = tuple(await manager.think(asked, asked.read) or ())
        if amendments:
            reading = referendum.CompileRequest(self.law, amendments)
            read = await manager.think(reading, reading.read)
            amendments = read or tuple(
                replace(one, is_judged=one.is_judged or not one.sets) for one in amendments
            )
        for one in amendments:
            fields = {"number": one.number, "text": one.text, "sets": dict(one.sets)}
            self._run.note(events.AmendmentProposed, MANAGER, **fields, judged=one.is_judged)
        return amendments

    async def _vote(self, agent: piano.Agent, election: Election) -> None:
        amendments = tuple(election.amendments)
        request = referendum.BallotRequest(
            agent.name, agent.traits, self.law, amendments, piano.digest(agent)
        )
        ballot = await agent.think(request, request.read)
        if ballot is not None:
            election.cast(agent.name, ballot)
            self._run.note(events.BallotCast, agent.name, choices=list(ballot))

    def _enact(self, law: Constitution) -> None:
        """If a law differs from the current law, enact the new law and tell everybody about it."""
        if law is not self.law:
            before, self.law = self.law, law
            self._proclaim(changes(before, law))
            for agent in self._run.agents.values():
                agent.tell(NEW_LAW)

    def change(self, setting: str, value: float | bool) -> None:
        if setting == "bell_names_rate":
            self._bell_names_rate = bool(value)
        else:
            parameters = {**self.law.parameters, "tax_rate": float(value)}
            version = self.law.version + 1
            self._enact(replace(self.law, parameters=parameters, version=version))

    async def _until(self, at: float) -> None:
        await self._run.time.sleep(max(0.0, at - self._run.time.now()), key=-1)


# --- Additional actions of the taxed village ------------------------------------------------------

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
    """The community chest. While a season is open, it accepts one payment per person."""

    def __init__(self, world: SocietyWorld) -> None:
        self._world = world
        self._accounts: dict[str, referendum.TaxAccount] = {}

    async def pay(self, task: piano.Task) -> None:
        """Carry a share of the inventory to the chest, or report why this is impossible."""
        season, action = referendum.season_of(task.standing), task.action
        account = self._accounts.get(task.agent, referendum.TaxAccount())
        if season is None:
            task.refuse("no tax season has opened for you")
            return
        if not season.is_open(task.now()):
            task.refuse("no tax season is open, the chest takes nothing")
            return
        if season.number in account.seasons:
            task.refuse(f"you have paid in season {season.number} already")
            return
        if not task.go_to(CHEST):
            return
        held = sum(task.body.inventory().values())
        paid = await self._world.deposit(task.agent, action.share)
        count = sum(paid.values())
        is_paid = bool(count or round(held * action.share) == 0)
        if task.action is action:  # the mind may have changed its decision
            if is_paid:
                task.finish(reconsider=True)
            else:
                task.fail("nothing got into the chest")
        if is_paid:
            share = count / held if held else action.share
            account = referendum.TaxAccount(
                (*account.payments, referendum.Payment(season.number, share, task.now()))
            )
            self._accounts[task.agent] = account
            told = f"I paid {share * 100:.1f} % in season {season.number}"
            task.outcomes.append(piano.Outcome(referendum.TAX, account, told))
        items = ", ".join(f"{count} {item}" for item, count in paid.items()) or "nothing"
        task.happened(f"I put {items} into the community chest in season {season.number}")


def verbs(world: SocietyWorld, work_s: float, window_s: float) -> tuple[piano.Verb, ...]:
    """Return the verbs PAY and WORK with which people act in this village."""
    makes = ", ".join(f"a {job} makes {one.makes}" for job, one in JOBS.items() if one.makes)
    pay_text = PAY_TEXT.format(window_s=window_s)
    work_text = WORK_TEXT.format(work_s=work_s, makes=makes)
    paying = piano.announcement("(?:pay|paying|deposit)")

    async def work(task: piano.Task) -> None:
        if not task.go_to(WORKPLACE):
            return
        before = sum(task.body.inventory().values())
        if await world.work(task.agent):
            task.expect_items(before)

    return (
        piano.Verb("PAY", piano.PERCENT, Chest(world).pay, paying, pay_text),
        piano.Verb("WORK", piano.NOTHING, work, piano.announcement("work"), work_text),
    )


# Conditions without a change of the law. Project Sid's control (figure 10 G): the constitution
# stays "despite amendments".
FROZEN = "frozen"
NO_VOTE = "no_vote"


def has_vote(condition: str) -> bool:
    """Return whether the village votes in a condition."""
    return not condition.startswith(NO_VOTE)


STANCES = ("anti", "pro", "none")
# Influencers' default stances; each is a condition.
BOTH = "both"
# In Minecraft the election manager lives this far outside the village; the platform ends there.
BEYOND_BLOCKS = 16


class Taxation(SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

    name: ClassVar[str] = "taxation"
    runs: ClassVar[int] = 4
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "stances": "anti", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        "full": "the village votes on its law",
        FROZEN: "the village gives feedback and votes, but the initial law stays",
        NO_VOTE: "nobody is asked: no feedback, no amendments, no vote",
        "ablated": "no social modules: only reflexes, perception, memory, controller, skills",
    }
    promises: ClassVar[Mapping[str, Sequence[str]]] = {
        "full": ("vote",),
        FROZEN: ("vote",),
        "ablated": ("vote",),
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.tax_share_before", "runs.0.tax_share_after")
    quantum_s: ClassVar[float] = 0.25
    position_every_s: ClassVar[float] = 10.0

    agents: int = agents_option(25, 2000, "Number of constituents, who pay the tax.")
    stances: str = Field(
        default=BOTH,
        description="Aim of the influencers: pro or anti (a higher or a lower tax), none (there "
        "are no influencers), or both (each condition is played once with pro and once with "
        "anti).",
        json_schema_extra=option("influencers"),
    )
    influencers: int = Field(default=3, ge=0, le=100, description="Number of influencers.")
    tax_rate: Share = Field(
        default=0.2,
        json_schema_extra=CHANGEABLE,
        description="Tax rate of the first law, as a share of each person's items.",
    )
    length_s: float = Field(default=1200, gt=0, description="Duration of the run, in seconds.")
    first_season_s: float = Field(default=100, ge=0, description="Time of the first bell.")
    season_every_s: float = Field(
        default=120, gt=0, description="Seconds from one bell to the next."
    )
    window_s: float = Field(
        default=20, ge=LEAST_S, description="Seconds after the bell in which people can pay."
    )
    feedback_s: float = Field(
        default=300, ge=0, description="Time at which people give feedback on the law."
    )
    amendments_s: float = Field(
        default=360, ge=0, description="Time at which the manager writes the amendments."
    )
    vote_s: float = Field(default=420, ge=0, description="Time at which people vote.")
    tally_s: float = Field(default=480, ge=0, description="Time at which the votes are counted.")
    enactment_s: float = Field(
        default=600, ge=0, description="Time at which the new law takes effect."
    )
    radius_blocks: float = Field(
        default=24, gt=4, description="Maximum distance of people's homes from the chest."
    )
    far_blocks: float = Field(
        default=200, gt=0, description="Distance of the election manager's home from the chest."
    )
    hearing_blocks: float = Field(
        default=16, gt=0, description="Distance at which people hear each other."
    )
    bell_names_rate: bool = Field(
        default=False,
        description="Whether the bell names the tax rate. If not, people have to know the law.",
        json_schema_extra=CHANGEABLE,
    )
    goods: tuple[int, int] = Field(
        default=(40, 80),
        description="Minimum and maximum number of pieces that a person has at first.",
    )
    work_s: float = Field(default=6.0, gt=0, description="Seconds of work for one piece.")
    thinking_s: float = thought(0.5)
    modules: Modules = piano.FULL
    ways: VillagerParams = VillagerParams()

    @field_validator("stances")
    @classmethod
    def _known(cls, stances: str) -> str:
        if stances not in (*STANCES, BOTH):
            raise ValueError(f"there is no {stances!r}; choose from {', '.join((*STANCES, BOTH))}")
        return stances

    @model_validator(mode="after")
    def _in_order(self) -> Taxation:
        order = (self.feedback_s, self.amendments_s, self.vote_s, self.tally_s, self.enactment_s)
        if list(order) != sorted(order):
            raise ValueError(
                "feedback, amendments, vote, tally and enactment must come in this order"
            )
        if self.window_s >= self.season_every_s:
            raise ValueError("a season's window must be shorter than the time between seasons")
        return self

    def prepared(self) -> None:
        """Check that, if the village votes, it lives until the adopted law applies."""
        super().prepared()
        votes = [case.condition for case in self.cases if has_vote(case.condition)]
        if votes and self.length_s < self.enactment_s:
            raise UsageError(
                f"setting length_s: the village ends at {self.length_s:g} s, before its vote is "
                f"counted and the law changes (enactment_s, {self.enactment_s:g} s): raise "
                f"length_s, vote earlier, or choose --condition {NO_VOTE}"
            )

    @property
    def seasons(self) -> list[float]:
        """The times at which the bell rings, in simulated seconds."""
        last = self.length_s - self.window_s
        count = math.floor((last - self.first_season_s) / self.season_every_s) + 1
        return [self.first_season_s + k * self.season_every_s for k in range(max(0, count))]

    @property
    def constituents(self) -> list[str]:
        """The names of the people who pay and vote."""
        return names(self.agents, NAMES[:26])

    def voices(self, setup: Setup) -> dict[str, str]:
        """Return which tax each influencer wants: name → ``pro`` or ``anti``."""
        stance = setup.condition.partition("-")[2]
        count = 0 if stance == "none" else self.influencers
        return dict.fromkeys(names(count, [*INFLUENCERS]), stance)

    # --- Places and people -----------------------------------------------------------------------

    def variants(self, condition: str) -> list[str]:
        stances = ("anti", "pro") if self.stances == BOTH else (self.stances,)
        return [f"{condition}-{stance}" for stance in stances]

    def village(self, setup: Setup) -> VillagePlan:
        rng, around = random.Random(f"{setup.seed} village"), (0.0, 0.0)
        homes = list(scatter(rng, around, self.radius_blocks, self.agents))
        people = []
        for number, (name, home) in enumerate(zip(self.constituents, homes, strict=True)):
            job = JOBS[job_of(number)]
            spot = PLACES[CHEST] if job is JOBS[GUARD] else home
            first, *others = job.holds
            pieces = rng.randint(*self.goods)
            held = Counter({first: pieces - pieces // 2})
            for k, item in enumerate(others):
                held[item] = (pieces // 2 + k) // len(others)
            people.append(Resident(name, spot, {WORKPLACE: spot}, job.makes, +held))
        voices = self.voices(setup)
        spots = scatter(rng, around, INFLUENCERS_WITHIN_BLOCKS, len(voices))
        people += [
            Resident(name, spot, {WORKPLACE: spot})
            for name, spot in zip(voices, spots, strict=True)
        ]
        far = self.far_blocks
        if setup.world == "minecraft":
            far = min(far, self.radius_blocks + BEYOND_BLOCKS)
        people.append(Resident(MANAGER, (far, far), {WORKPLACE: (far, far)}))
        return VillagePlan(people, PLACES, hearing_blocks=self.hearing_blocks, work_s=self.work_s)

    def members(self, setup: Setup) -> list[Member]:
        modules = self.modules
        if setup.condition.startswith("ablated"):
            modules = {name: period for name, period in modules.items() if name in piano.ABLATED}
        traits = {}
        for number, name in enumerate(self.constituents):
            job = job_of(number)
            traits[name] = VOTER.format(job=job, nature=JOBS[job].nature)
        trades = itertools.cycle(INFLUENCERS.values())
        for (name, stance), trade in zip(self.voices(setup).items(), trades, strict=False):
            traits[name] = f"You are {trade}. {WISHES[stance]}"
        traits[MANAGER] = WITHOUT_WISHES
        law = {referendum.LAW: referendum.Law(first_constitution(self.tax_rate), 0.0)}
        return [
            Member(name, text, modules, tuple(PLACES), standing=law)
            for name, text in traits.items()
        ]

    def verbs(self, world: SocietyWorld) -> tuple[piano.Verb, ...]:
        return verbs(world, self.work_s, self.window_s)

    def minds(self, setup: Setup) -> Script:
        voices = self.voices(setup)
        return Villagers(self.constituents, voices, self.ways, setup.seed, helpers=[MANAGER])

    def institutions(self, setup: Setup, run: SocietyRun) -> Institution:
        return Institution(run, self, setup)

    def requests(self, agent: piano.Agent) -> list[Any]:
        law, state = first_constitution(self.tax_rate), piano.digest(agent)
        amendment = Amendment(1, "(its words)", {"tax_rate": self.tax_rate / 2})
        return [
            referendum.FeedbackRequest(agent.name, agent.traits, law, state),
            referendum.AmendmentsRequest(law, {agent.name: "(what it said)"}),
            referendum.CompileRequest(law, (Amendment(1, "(its words)"),)),
            referendum.AssessRequest(law, 1, {agent.name: {"(item)": 1}}),
            referendum.BallotRequest(agent.name, agent.traits, law, (amendment,), state),
            SentimentRequest("The tax is too high; a tenth would do.", self.tax_rate),
        ]

    # --- Results ---------------------------------------------------------------------------------

    def rare_calls(self, setup: Setup) -> dict[str, int]:
        if setup.condition.startswith((FROZEN, NO_VOTE)):
            return {}
        seasons = [at for at in self.seasons if at >= self.enactment_s]
        return {referendum.AssessRequest.role: len(seasons)}

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
