"""Seasons, the vote and the law, on the experiment's timeline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from voxpolis.bots.agents.piano import Agent
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.experiments.run.scenario import Entry
from voxpolis.judge.law.constitution import Constitution, changes, enact
from voxpolis.records import events
from voxpolis.scenarios.taxation.knowledge import LAW, SEASON, Law, TaxSeason
from voxpolis.scenarios.taxation.measures import mean_share
from voxpolis.scenarios.taxation.population import MANAGER, PLACES
from voxpolis.scenarios.taxation.referendum import assess, hear, propose, vote
from voxpolis.scenarios.taxation.stances import Votes, feedback_outcome, sentiment, votes_by_stance
from voxpolis.worlds.society import CHEST

# --- Who comes to the community chest while a tax season is open, and who between seasons ---------

#: Who is so near to the chest is at it. Source: Project Sid, figure 10 C.
NEAR_BLOCKS = 6.0
#: How often people are looked for, in seconds; ours.
LOOK_S = 1.0

#: When somebody came.
Span = Literal["season", "between"]


class Attendance:
    """Counts who came within :data:`NEAR_BLOCKS` of the chest, in spans as long as a season."""

    def __init__(
        self, run: SocietyRun, seasons: Sequence[float], window_s: float, voters: Sequence[str]
    ) -> None:
        """Count constituents; ``seasons``: when each opens, ``window_s``: how long it is open."""
        self._run = run
        self._seasons = seasons
        self._window_s = window_s
        self._voters = voters
        #: Who came in each span that has begun.
        self._came: dict[tuple[Span, int, int], set[str]] = {}

    def span(self, t: float) -> tuple[Span, int, int]:
        """Return what a moment is in: a season, or so long a time between two; how many seasons
        have opened; and which part of the time since then it is, as long as a season each.
        """
        opened = [at for at in self._seasons if at <= t]
        part = math.floor((t - opened[-1] if opened else t) / self._window_s)
        return "season" if opened and not part else "between", len(opened), part

    async def watch(self) -> None:
        """Look who is near, until cancelled."""
        x, z = PLACES[CHEST]
        while True:
            came = self._came.setdefault(self.span(self._run.time.now()), set())
            for name in self._voters:
                east, _, south = self._run.world.position(name)
                if math.hypot(east - x, south - z) <= NEAR_BLOCKS:
                    came.add(name)
            await self._run.time.sleep(LOOK_S, key=-1)

    def outcome(self) -> dict[Span, float | None]:
        """Return the part of the constituents who came, the mean over spans of each kind."""
        spans: tuple[Span, Span] = ("season", "between")
        parts = {kind: [self._part(s) for s in self._came if s[0] == kind] for kind in spans}
        return {kind: mean_share(found) for kind, found in parts.items()}

    def _part(self, span: tuple[Span, int, int]) -> float:
        return len(self._came[span]) / len(self._voters)


# --------------------------------------------------------------------------------------------------

ARTICLES = (
    "Each season everybody carries the share tax_rate of what they hold to the community chest.",
    "What is in the chest belongs to all.",
    "The village can change this by a vote.",
)
BELL = (
    "The bell rings: tax season {season}. Carry what the law asks for to the community chest "
    "within {window_s:g} s."
)
RATE = " The law asks for {percent:g} % of what you hold."
NEW_LAW = "A new constitution holds from now on."


@dataclass(frozen=True)
class Timeline:
    """When what happens, in seconds of the village's time.

    Attributes:
        seasons: when the bell rings.
        window_s: how long people have to pay.
        feedback_s: when everybody is asked what they think.
        amendments_s: when amendments are made of that.
        vote_s: when people vote.
        tally_s: when it is counted.
        enactment_s: when what passed is law.
    """

    seasons: Sequence[float]
    window_s: float
    feedback_s: float
    amendments_s: float
    vote_s: float
    tally_s: float
    enactment_s: float


def first_constitution(tax_rate: float) -> Constitution:
    """Return the law at the beginning."""
    return Constitution(ARTICLES, {"tax_rate": tax_rate}, limits={"tax_rate": (0.0, 1.0)})


def bell(season: int, window_s: float, rate: float | None) -> str:
    """Return what the bell tells; ``rate``: the law's share of 1, where it names that."""
    text = BELL.format(season=season, window_s=window_s)
    return text if rate is None else text + RATE.format(percent=rate * 100)


class Institution:
    """The village's institution; see :class:`experiments.loops.society.scenario.Institutions`."""

    def __init__(
        self,
        run: SocietyRun,
        timeline: Timeline,
        law: Constitution,
        *,
        voters: Sequence[str],
        voices: Sequence[str],
        is_frozen: bool,
        bell_names_rate: bool,
    ) -> None:
        """Proclaim the first law.

        Args:
            run: the society.
            timeline: when what happens.
            law: the first one.
            voters: who pays and votes.
            voices: who is asked, too, what they think.
            is_frozen: whether there is no vote.
            bell_names_rate: whether the bell tells the law's tax rate.
        """
        self._run = run
        self._time = timeline
        self._voters = list(voters)
        self._voices = list(voices)
        self._is_frozen = is_frozen
        self._bell_names_rate = bell_names_rate
        self.law = law
        #: What share each paid, season by season.
        self.shares: list[dict[str, float]] = []
        self._is_open = False
        #: How much each was for less tax or for more when asked, and how people voted then.
        self._sentiments: dict[str, float] = {}
        self._votes: Votes = {}
        self._attendance = Attendance(run, timeline.seasons, timeline.window_s, voters)
        self._proclaim()

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what lives along with the agents."""
        lasting = [self._hold_seasons(), self._attendance.watch()]
        return [*lasting, *([] if self._is_frozen else [self._change_the_law()])]

    def is_busy(self) -> bool:
        """Return whether a season is open, or what was paid in it is not yet counted."""
        return self._is_open

    def outcome(self) -> Entry:
        """Return what was paid before and after the change, and what the law is."""
        by_half: dict[bool, list[float]] = {False: [], True: []}
        for at, shares in zip(self._time.seasons, self.shares, strict=False):
            by_half[at >= self._time.enactment_s] += shares.values()
        seasons = (mean_share(list(shares.values())) or 0.0 for shares in self.shares)
        return {
            "tax_share_before": mean_share(by_half[False]),
            "tax_share_after": mean_share(by_half[True]),
            "tax_shares": [round(share, 6) for share in seasons],
            "tax_rate_after": self.law.parameters["tax_rate"],
            "law_version": self.law.version,
            "near_chest": self._attendance.outcome(),
            "feedback": feedback_outcome(self._sentiments),
            "votes": self._votes,
            "coherence": self._run.coherence(),
        }

    def _proclaim(self, changed: tuple[str, ...] = ()) -> None:
        """Tell everybody the law that holds, and what its enactment changed."""
        law, parameters = self.law, dict(self.law.parameters)
        self._run.note(events.LawChanged, version=law.version, text=str(law), parameters=parameters)
        known = Law(law, self._run.time.now(), changed)
        for agent in self._run.agents.values():
            agent.standing[LAW] = known

    # --- Seasons ---------------------------------------------------------------------------------

    async def _hold_seasons(self) -> None:
        """Ring the bell every season, and see who pays."""
        for number, at in enumerate(self._time.seasons, start=1):
            await self._until(at)
            self._is_open = True
            await self._season(number)
            self._is_open = False

    async def _season(self, number: int) -> None:
        run, world, window_s = self._run, self._run.world, self._time.window_s
        rate = self.law.parameters["tax_rate"]
        world.close_workplaces(True)
        held, before = await world.account(self._voters)
        dues = await assess(run.agents[MANAGER], self.law, number, held, run)
        run.note(events.SeasonOpened, season=number, tax_rate=rate, window_s=window_s)
        opened = run.time.now()
        text = bell(number, window_s, rate if self._bell_names_rate else None)
        for name in self._voters:
            season = TaxSeason(number, opened, opened + window_s, dues.get(name))
            run.agents[name].standing[SEASON] = season
            run.agents[name].tell(text, urgent=True, about=season)
        await run.time.sleep(window_s, key=-1)
        left, after = await world.account(self._voters)
        paid = {name: held[name] - left[name] for name in self._voters}
        self.shares.append(
            {name: self._note_paid(name, number, held[name], paid[name]) for name in paid}
        )
        if sum(paid.values(), Counter()) != after - before:
            message = f"season {number}: the chest holds other things than inventories lack"
            run.note(events.Fault, where="world", message=message)
        world.close_workplaces(False)

    def _note_paid(
        self, name: str, season: int, held: Mapping[str, int], paid: Mapping[str, int]
    ) -> float:
        had, gave = sum(held.values()), sum(paid.values())
        share = round(gave / had, 6) if had else 0.0
        self._run.note(
            events.TaxPaid, name, season=season, held=dict(held), paid=dict(paid), share=share
        )
        return share

    # --- The law ---------------------------------------------------------------------------------

    async def _change_the_law(self) -> None:
        """Hold feedback, amendments, ballots, tally and enactment."""
        run, time = self._run, self._time
        await self._until(time.feedback_s)
        feedback = await hear(self._agents(*self._voters, *self._voices), self.law, run)
        rate = self.law.parameters["tax_rate"]
        self._sentiments = {name: sentiment(text, rate) for name, text in feedback.items()}
        await self._until(time.amendments_s)
        amendments = await propose(run.agents[MANAGER], self.law, feedback, run)
        await self._until(time.vote_s)
        election = await vote(self._agents(*self._voters), self.law, amendments, run)
        self._votes = votes_by_stance(self._sentiments, amendments, election.ballots, rate)
        await self._until(time.tally_s)
        tallies = election.tally()
        for count in tallies:
            run.note(events.AmendmentTallied, None, **asdict(count), passed=count.passed)
        await self._until(time.enactment_s)
        self._enact(enact(self.law, amendments, tallies))

    def _enact(self, law: Constitution) -> None:
        """Let a law hold from now on, if it is another one, and tell everybody."""
        if law is not self.law:
            before, self.law = self.law, law
            self._proclaim(changes(before, law))
            self._run.broadcast(self._run.agents, NEW_LAW)

    def change(self, setting: str, value: float | bool) -> None:
        """Decree another tax rate, or let the bell tell it; see ``Institutions``."""
        if setting == "bell_names_rate":
            self._bell_names_rate = bool(value)
        else:
            parameters = {**self.law.parameters, "tax_rate": float(value)}
            version = self.law.version + 1
            self._enact(replace(self.law, parameters=parameters, version=version))

    def _agents(self, *names: str) -> list[Agent]:
        return [self._run.agents[name] for name in names]

    async def _until(self, at: float) -> None:
        await self._run.time.sleep(max(0.0, at - self._run.time.now()), key=-1)
