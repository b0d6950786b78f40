"""Claims about a commons by a river; what claims are is in :mod:`judge.deeds.claims`."""

from __future__ import annotations

from dataclasses import dataclass

from voxpolis.judge.deeds.claims import Claims, Count, Form, Outcomes, Span
from voxpolis.worlds.commons.claims import ATTACKS, GROWS_AT
from voxpolis.worlds.commons.history import History

#: Of a river in percent, all of it.
MOST = 100


@dataclass(frozen=True)
class Dirt:
    """That so much of the river is dirty, or less."""

    percent: Count
    or_more: bool

    def __str__(self) -> str:
        return (
            f"{self.percent} % dirty or more"
            if self.or_more
            else f"less than {self.percent} % dirty"
        )

    @property
    def excess(self) -> str:
        return "no river is dirty to more than 100 %" if self.percent > MOST else ""

    def is_so(self, part: float) -> bool:
        return (round(100 * part, 4) >= self.percent) == self.or_more


@dataclass(frozen=True)
class RiverGrowth:
    """Where so much of the river is dirty, an apple grows somewhere within some hours, or none.

    A test is opened at the end of a round where that is so, one at a time, and settled when its
    hours are over, whatever became of the river.
    """

    dirt: Dirt
    grows: bool
    hours: Span

    def __str__(self) -> str:
        what = "apple grows" if self.grows else "no apple grows"
        return f"river with {self.dirt} -> {what} within {self.hours} hours"

    def complaint(self, _history: History) -> str:
        return self.dirt.excess

    def tests(self, history: History, since: int) -> Outcomes:
        busy = since
        for moment in history.moments:
            until = moment.hour + self.hours
            if busy <= moment.hour <= history.hour - self.hours and self.dirt.is_so(moment.dirt):
                busy = until
                yield history.grew_anywhere(moment.hour, until) == self.grows


@dataclass(frozen=True)
class CleansWithin:
    """Somebody cleans the river within some rounds; a test is each span of so many rounds."""

    agent: str
    rounds: Span

    def __str__(self) -> str:
        return f"{self.agent} cleans within {self.rounds} rounds"

    def tests(self, history: History, since: int) -> Outcomes:
        ends = [moment.hour for moment in history.moments if moment.hour >= since]
        for number in range(self.rounds, len(ends), self.rounds):
            yield history.cleaned(self.agent, ends[number - self.rounds], ends[number])


@dataclass(frozen=True)
class RiverState:
    """So much of the river is dirty, or less; a test is the end of each round.

    How it is now is how it was at the end of the last round.
    """

    dirt: Dirt

    def __str__(self) -> str:
        return f"river is {self.dirt}"

    def complaint(self, _history: History) -> str:
        always = "" if self.dirt.percent else "every river is 0 % dirty or more"
        return self.dirt.excess or always

    def tests(self, history: History, since: int) -> Outcomes:
        for moment in history.moments:
            if moment.hour >= since:
                yield self.dirt.is_so(moment.dirt)

    def holds(self, history: History) -> bool:
        return self.dirt.is_so(history.dirt)


RIVER_CLAIMS = Claims(
    (
        Form(
            "river_growth",
            RiverGrowth,
            "river with N % dirty or more -> no apple grows within D hours (or: river with less "
            "than N % dirty -> …; or: apple grows …)",
        ),
        GROWS_AT,
        Form("cleans", CleansWithin, "NAME cleans within N rounds"),
        ATTACKS,
        Form("river", RiverState, "river is N % dirty or more (or: river is less than N % dirty)"),
    )
)
