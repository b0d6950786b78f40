"""Claims about a commons with trees. Claims in general are explained in
:mod:`judge.deeds.claims`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from voxpolis.bots.agents.turns import Cell
from voxpolis.judge.deeds import claims
from voxpolis.judge.deeds.claims import Claims, Count, Form, Outcomes, Span
from voxpolis.worlds.commons.history import History

# Alternative wordings of numbers of apples.
AT_LEAST = "or more"
# Number of hours without a visible apple in one test of an attack rule.
WATCHED_HOURS = 10

# Types of claims about any commons, and about trees.
Claim = claims.Claim[History]
State = claims.State[History]


@dataclass(frozen=True)
class Near:
    """A condition on the number of apples within a radius of a site that has no apple."""

    apples: Count
    or_more: bool
    radius: Count

    def __str__(self) -> str:
        more = f" {AT_LEAST}" * self.or_more
        return f"place with {self.apples}{more} apples within {self.radius}"

    def holds(self, count: int) -> bool:
        return count >= self.apples if self.or_more else count == self.apples

    def excess(self, history: History) -> str:
        """Explain why there can never be as many apples near a site as the condition requires. The
        text is empty if there can be.
        """
        most = history.most_near(self.radius)
        can_be = self.apples <= most
        return "" if can_be else f"within {self.radius} of a place there are at most {most} others"


@dataclass(frozen=True)
class GrassRule:
    """A claim: if the condition ``near`` holds at an empty site, its grass disappears (or stays).
    The claim is tested at the end of each round.
    """

    near: Near
    stays: bool

    def __str__(self) -> str:
        return f"{self.near} -> grass {'stays' if self.stays else 'gone'}"

    def complaint(self, history: History) -> str:
        return self.near.excess(history)

    def tests(self, history: History, since: int) -> Outcomes:
        rounds = zip(history.empty_sites(self.near.radius), history.moments, strict=True)
        for (hour, empty), moment in rounds:
            if hour >= since:
                for site, count in empty.items():
                    if self.near.holds(count):
                        yield (site in moment.grass) == self.stays


@dataclass(frozen=True)
class GrowthRule:
    """A claim: if the condition ``near`` holds at an empty site, an apple grows there within
    ``hours`` hours.

    If ``grows`` is false, the claim is that no apple grows. At the end of a round, a test begins at
    each empty site where the condition holds, unless an earlier test of the site is still running.
    The test is decided when its hours are over. Changes nearby during these hours do not matter.
    """

    near: Near
    grows: bool
    hours: Span

    def __str__(self) -> str:
        what = "apple grows" if self.grows else "no apple grows"
        return f"{self.near} -> {what} within {self.hours} hours"

    def complaint(self, history: History) -> str:
        return self.near.excess(history)

    def tests(self, history: History, since: int) -> Outcomes:
        busy: dict[Cell, int] = {}
        for hour, empty in history.empty_sites(self.near.radius):
            until = hour + self.hours
            if not since <= hour <= history.hour - self.hours:
                continue
            for site, count in empty.items():
                if self.near.holds(count) and busy.get(site, 0) <= hour:
                    busy[site] = until
                    yield (history.grew(site, hour, until) is not None) == self.grows


@dataclass(frozen=True)
class SiteGrowth:
    """A claim: an apple grows at a cell within some hours.

    A test begins at the end of a round if the cell is empty and no other test is running. The test
    is decided when its hours are over.
    """

    waits: ClassVar[bool] = True  # the claim itself says for how many hours

    cell: Cell
    hours: Span

    def __str__(self) -> str:
        return f"apple grows at {_at(self.cell)} within {self.hours} hours"

    def complaint(self, history: History) -> str:
        return history.cannot_grow(self.cell)

    def tests(self, history: History, since: int) -> Outcomes:
        busy = since
        for moment in history.moments:
            until = moment.hour + self.hours
            if busy <= moment.hour <= history.hour - self.hours and self.cell not in moment.apples:
                busy = until
                yield history.grew(self.cell, moment.hour, until) is not None


@dataclass(frozen=True)
class EatenRule:
    """A claim: if a number of apples near a cell are taken within some hours, the cell's grass
    disappears.

    A test begins when the last of these apples is taken, and is decided at the end of the same
    round. Then the count of taken apples starts again. There is no test if the cell had neither an
    apple nor grass before the first of these apples was taken.
    """

    apples: Count
    radius: Count
    cell: Cell
    hours: Span

    def __str__(self) -> str:
        eaten = f"after {self.apples} apples eaten within {self.radius} of {_at(self.cell)}"
        return f"{eaten} in {self.hours} hours -> grass gone"

    def complaint(self, history: History) -> str:
        """Explain why the claim can never be tested; see :func:`judge.deeds.claims.check_there`.

        A place can yield at most one apple per hour, because a taken apple regrows after one step
        at the earliest.
        """
        if barren := history.cannot_grow(self.cell):
            return barren
        most = history.places_near(self.cell, self.radius) * (self.hours + 1)
        if not 0 < self.apples <= most:
            return f"from 1 to {most} apples can be eaten there in that time"
        return ""

    def tests(self, history: History, since: int) -> Outcomes:
        latest: list[int] = []
        for meal in history.meals:
            if meal.hour < since or not _is_near(meal.cell, self.cell, self.radius):
                continue
            latest = [hour for hour in latest if meal.hour - hour <= self.hours] + [meal.hour]
            if len(latest) >= self.apples:
                after = next((one for one in history.moments if one.hour >= meal.hour), None)
                if after is not None and history.could_lose(self.cell, latest[0]):
                    yield self.cell not in after.grass | after.apples
                latest = []


@dataclass(frozen=True)
class DeadTree:
    """A claim: a tree that has lost its last apple never bears again (or does bear again).

    After the tree's death, each period of ``hours`` hours is one test.
    """

    grows: bool
    hours: Span

    def __str__(self) -> str:
        what = "apple grows" if self.grows else "no apple grows"
        return f"tree without apples -> {what} within {self.hours} hours"

    def tests(self, history: History, since: int) -> Outcomes:
        for tree, died in sorted(history.died.items()):
            sites = [cell for cell, number in history.tree_of.items() if number == tree]
            start = max(died, since)
            for hour in range(start, history.hour - self.hours + 1, self.hours):
                grew = any(
                    history.grew(site, hour, hour + self.hours) is not None for site in sites
                )
                yield grew == self.grows


@dataclass(frozen=True)
class AttacksUnfed:
    """A claim: a player attacks when it sees no apple.

    A test begins when the player stops seeing apples, or when the previous test ends. The test ends
    with the player's next shot, or after :data:`WATCHED_HOURS` without a shot. The test does not
    count if an apple becomes visible, or the player leaves the game, before it ends.
    """

    agent: str

    def __str__(self) -> str:
        return f"{self.agent} attacks when apples_seen == 0"

    def tests(self, history: History, since: int) -> Outcomes:
        sights = history.sights.get(self.agent, [])
        ends = [hour for hour, _ in sights[1:]] + [history.hour]
        for (began, seen), end in zip(sights, ends, strict=True):
            if seen != "none":
                continue
            hour = max(began, since)
            while hour < end:
                until = hour + WATCHED_HOURS
                shot = history.fired(self.agent, hour, min(until, end))
                if shot is not None:
                    yield True
                elif until <= end:
                    yield False
                hour = until if shot is None else shot


@dataclass(frozen=True)
class TakesLast:
    """A claim: an agent takes the last apple of a tree. Every turn in which the nearest apple is
    the last of its tree is a test.
    """

    agent: str

    def __str__(self) -> str:
        return f"{self.agent} takes last apple"

    def tests(self, history: History, since: int) -> Outcomes:
        for one in history.temptations:
            if one.agent == self.agent and one.hour >= since:
                yield one.took


@dataclass(frozen=True)
class TreeState:
    """A claim: a tree has no apples (or has some). The claim is tested at the end of each round."""

    tree: Count
    is_alive: bool

    def __str__(self) -> str:
        return f"tree {self.tree} has {'apples' if self.is_alive else 'no apple'}"

    def complaint(self, history: History) -> str:
        return "" if self.tree in history.trees else f"there is no tree {self.tree}"

    def tests(self, history: History, since: int) -> Outcomes:
        for moment in history.moments:
            if moment.hour >= since:
                alive = any(history.tree_of[cell] == self.tree for cell in moment.apples)
                yield alive == self.is_alive

    def holds(self, history: History) -> bool:
        return history.is_alive(self.tree) == self.is_alive


def _is_near(one: Cell, other: Cell, radius: int) -> bool:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 <= radius * radius


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"


# --- The language ---------------------------------------------------------------------------------

# Forms of claims about any commons.
GROWS_AT = Form("apple_at", SiteGrowth, "apple grows at [r, c] within D hours")
ATTACKS = Form("attacks_unfed", AttacksUnfed, "NAME attacks when apples_seen == 0")
TREE_CLAIMS = Claims(
    (
        Form("grass", GrassRule, "place with N apples within R -> grass gone (or: grass stays)"),
        Form(
            "growth",
            GrowthRule,
            "place with N apples within R -> apple grows within D hours (or: no apple grows …)",
        ),
        Form(
            "eaten",
            EatenRule,
            "after N apples eaten within R of [r, c] in D hours -> grass gone",
        ),
        Form(
            "dead_tree",
            DeadTree,
            "tree without apples -> no apple grows within D hours (or: apple grows …)",
        ),
        GROWS_AT,
        ATTACKS,
        Form("takes_last", TakesLast, "NAME takes last apple"),
        Form("tree", TreeState, "tree N has no apple (or: tree N has apples)"),
    )
)


# --- Claims about a commons by a river ------------------------------------------------------------

# 100 % of the river.
MOST = 100


@dataclass(frozen=True)
class Dirt:
    """A condition on the river: its dirty share is at least (or is less than) a number."""

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
    """A claim: if the condition ``dirt`` holds for the river, an apple grows somewhere within
    ``hours`` hours (or none grows).

    A test begins at the end of a round in which the condition holds, unless another test is
    running. The test is decided when its hours are over. Later changes of the river do not matter.
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
    """A claim: an agent cleans the river within some rounds. Each period of that many rounds is one
    test.
    """

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
    """A claim: the condition ``dirt`` holds for the river. The claim is tested at the end of each
    round.

    The current state of the river is its state at the end of the last round.
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
