"""The history of a commons, reconstructed from its initial apples and the recorded events."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from voxpolis.bots.agents.turns import Cell
from voxpolis.records import events
from voxpolis.records.events import Position

Sight = Literal["some", "none", "out"]


@dataclass(frozen=True)
class Meal:
    """A taken apple. ``was_last`` says whether it was the last apple of its tree."""

    hour: int
    cell: Cell
    agent: str
    tree: int
    was_last: bool


@dataclass(frozen=True)
class Moment:
    """The state at the end of a round: apples, grass, and the dirty share of the river (0 without a
    river).
    """

    hour: int
    apples: frozenset[Cell]
    grass: frozenset[Cell]
    dirt: float = 0.0


@dataclass(frozen=True)
class Temptation:
    """A turn in which the nearest apple was the last of its tree. ``took`` says whether the agent
    went for that apple.
    """

    hour: int
    agent: str
    took: bool


@dataclass
class History:
    """The history of an episode, updated with every event. One step of the world is one hour.

    Attributes:
        radius: maximum distance between neighbouring apples of one tree; only used to number trees.
        hour: the time of the newest event.
        apples: the cells that have an apple now.
        grass: the cells that have grass now.
        tree_of: number of the tree to which each site belongs.
        ground: cells that are not walls.
        sites: cells where apples can grow.
        meals: apples that agents have taken.
        grown: for each site, the hours at which an apple grew there.
        died: for each tree, the hour at which its last apple was taken.
        moments: the states at the ends of rounds.
        shots: for each player, the hours at which the player fired.
        sights: for each player, the hours at which the player began to see apples, began to see
            none, or left the game for a time.
        temptations: turns at whose start the nearest apple was the last of its tree.
        dirt: dirty share of the river at the end of the last round; 0 without a river.
        cleanings: for each agent, the hours at which the agent cleaned.
    """

    radius: int
    hour: int = 0
    apples: set[Cell] = field(default_factory=set)
    grass: set[Cell] = field(default_factory=set)
    tree_of: Mapping[Cell, int] = field(default_factory=dict)
    ground: Collection[Cell] = ()
    sites: Collection[Cell] = ()
    meals: list[Meal] = field(default_factory=list)
    grown: defaultdict[Cell, list[int]] = field(default_factory=lambda: defaultdict(list))
    died: dict[int, int] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    shots: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sights: defaultdict[str, list[tuple[int, Sight]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    temptations: list[Temptation] = field(default_factory=list)
    dirt: float = 0.0
    cleanings: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _growths: list[int] = field(default_factory=list)
    _meals_of_turn: list[Meal] = field(default_factory=list)
    _most: dict[int, int] = field(default_factory=dict)
    _near: dict[int, list[tuple[int, dict[Cell, int]]]] = field(default_factory=dict)

    def begin(
        self,
        apples: Iterable[Cell],
        ground: Collection[Cell],
        dirt: float | None = None,
        sites: Collection[Cell] = (),
    ) -> None:
        """Set the initial state.

        Args:
            apples: cells that have an apple at the start.
            ground: cells that are not walls.
            dirt: dirty share of the river; None without a river.
            sites: cells where apples can grow. By default, these are the cells of the initial
                apples, or all of ``ground`` if there are no apples.
        """
        self.apples = set(apples)
        self.ground, self.dirt = ground, dirt or 0.0
        self.sites = frozenset(sites or self.apples or ground)
        self.tree_of = trees_of(sorted(self.apples), self.radius) if dirt is None else {}

    def take(self, event: events.Event, hour: int) -> None:
        """Process an event of the episode. ``hour`` is the number of steps before the event."""
        self.hour = hour
        match event:
            case events.AppleEaten(position=at, tree=tree, was_last=was_last):
                self.apples.discard(cell_of(at))
                meal = Meal(self.hour, cell_of(at), str(event.agent), tree, was_last)
                self.meals.append(meal)
                self._meals_of_turn.append(meal)
                if was_last:
                    self.died[tree] = self.hour
            case events.AppleGrown(position=at):
                self.apples.add(cell_of(at))
                self.grown[cell_of(at)].append(self.hour)
                self._growths.append(self.hour)
            case events.RiverCleaned():
                self.cleanings[str(event.agent)].append(self.hour)
            case events.GrassChanged(appeared=appeared, vanished=vanished):
                self.grass |= set(map(cell_of, appeared))
                self.grass -= set(map(cell_of, vanished))
            case events.SightChanged(apples=apples):
                self.sights[str(event.agent)].append((self.hour, apples))
            case events.ZapFired():
                self.shots[str(event.agent)].append(self.hour)
            case events.TurnTaken():
                self._turn(event)
            case events.RoundEnded(dirt=dirt):
                self.dirt = dirt or 0.0
                map_now = (frozenset(self.apples), frozenset(self.grass), self.dirt)
                self.moments.append(Moment(self.hour, *map_now))
            case _:
                pass

    def _turn(self, turn: events.TurnTaken) -> None:
        if turn.last_apple is not None:
            at = cell_of(turn.last_apple)
            took = any(
                meal.was_last and meal.cell == at and meal.agent == turn.agent
                for meal in self._meals_of_turn
            )
            self.temptations.append(Temptation(self.hour, str(turn.agent), took))
        others = [meal for meal in self._meals_of_turn if meal.agent != turn.agent]
        self._meals_of_turn = others  # agents' turns can be simultaneous

    @property
    def trees(self) -> list[int]:
        return sorted(set(self.tree_of.values()))

    def lacks(self, cell: Cell) -> str:
        """Explain why a cell can never contain anything, or return an empty text if it can."""
        where = f"[{cell[0]}, {cell[1]}]"
        return "" if cell in self.ground else f"{where} is a wall, or outside the map"

    def cannot_grow(self, cell: Cell) -> str:
        barren = "" if cell in self.sites else f"no apple can grow at [{cell[0]}, {cell[1]}]"
        return self.lacks(cell) or barren

    def places_near(self, cell: Cell, radius: int) -> int:
        """Return the number of apple sites within a radius of a cell. The cell counts too if it is
        a site.
        """
        return sum(near(cell, site, radius) for site in self.sites)

    def most_near(self, radius: int) -> int:
        """Return the largest number of apples that can be within a radius of a site that has no
        apple.
        """
        if radius not in self._most:
            self._most[radius] = max((self.places_near(c, radius) for c in self.sites), default=1)
        return self._most[radius] - 1

    def is_alive(self, tree: int) -> bool:
        return any(self.tree_of[cell] == tree for cell in self.apples)

    def grew(self, cell: Cell, after: int, until: int) -> int | None:
        """Return the first hour in (``after``, ``until``] at which an apple grew at a cell, or
        None.
        """
        return _first(self.grown.get(cell, []), after, until)

    def grew_anywhere(self, after: int, until: int) -> bool:
        return _first(self._growths, after, until) is not None

    def cleaned(self, agent: str, after: int, until: int) -> bool:
        return _first(self.cleanings.get(agent, []), after, until) is not None

    def fired(self, agent: str, after: int, until: int) -> int | None:
        return _first(self.shots.get(agent, []), after, until)

    def could_lose(self, cell: Cell, hour: int) -> bool:
        """Return whether a cell had something to lose at ``hour``: an apple or grass at the end of
        the round before.
        """
        before = bisect_left(self.moments, hour, key=lambda one: one.hour)
        if not before:
            return cell in self.tree_of  # initially every site of a tree has an apple
        moment = self.moments[before - 1]
        return cell in moment.apples or cell in moment.grass

    def empty_sites(self, radius: int) -> list[tuple[int, dict[Cell, int]]]:
        """Return, for the end of each round, the hour and a mapping from each site without an apple
        to the number of apples within the radius of that site.
        """
        found = self._near.setdefault(radius, [])
        for moment in self.moments[len(found) :]:
            empty = {
                site: sum(near(site, apple, radius) for apple in moment.apples)
                for site in self.tree_of
                if site not in moment.apples
            }
            found.append((moment.hour, empty))
        return found


def _first(hours: Sequence[int], after: int, until: int) -> int | None:
    at = bisect_right(hours, after)
    return hours[at] if at < len(hours) and hours[at] <= until else None


def cell_of(at: Position) -> Cell:
    """Convert a recorded position to a cell."""
    return int(at[0]), int(at[2])


# --- Trees: groups of nearby apple sites ----------------------------------------------------------


def near(one: Cell, other: Cell, radius: int) -> bool:
    """Return whether the Euclidean distance between two cells is at most ``radius``."""
    rows, columns = one[0] - other[0], one[1] - other[1]
    return rows * rows + columns * columns <= radius * radius


def trees_of(sites: Sequence[Cell], radius: int) -> dict[Cell, int]:
    """Group sites into trees and return the tree number of each site (union-find).

    Two sites belong to one tree if they are connected by a chain of sites in which each site is
    within ``radius`` of the next. Trees are numbered from 1 in the order of their first sites, row
    by row.
    """
    parent = {site: site for site in sites}

    def root(site: Cell) -> Cell:
        while parent[site] != site:
            parent[site] = parent[parent[site]]
            site = parent[site]
        return site

    for one in sites:
        for other in sites:
            if near(one, other, radius):
                first, second = sorted((root(one), root(other)))
                parent[second] = first
    numbers = {top: number for number, top in enumerate(sorted(set(map(root, sites))), start=1)}
    return {site: numbers[root(site)] for site in sites}
