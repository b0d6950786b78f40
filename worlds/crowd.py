"""Finds people near each other in the simulated world, with the help of a grid of square cells.

Most people stand still most of the time, at the end of their last walk. A standing person belongs
to one cell and has a list of standing neighbours, which only changes when a neighbour leaves or
arrives. Only walking people are assigned to cells again every few seconds. A walker is assigned to
all cells that it may come near before the next assignment.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from voxpolis.worlds.society import WALKING_SPEED, Place

# A walk: start (east, south, in blocks), velocity (blocks per second, east and south), departure
# and arrival (seconds).
Way = tuple[float, float, float, float, float, float]

# Interval at which walking people are reassigned to cells, in seconds; our choice.
WALKS_S = 8.0
# Tolerance for rounding in distance checks, in blocks.
MARGIN_BLOCKS = 0.01
# Difference between the cell numbers of two adjacent rows. It is so large that all numbers are
# different.
_ROWS = 1 << 24
# What must be added to the number of a cell to get the cell itself and its neighbours to the east,
# south and south-east.
_FOUR = (0, 1, _ROWS, _ROWS + 1)


@dataclass(slots=True)
class _StandingPerson:
    """A standing person.

    Attributes:
        cell: the cell in whose list of standing people this person is.
        wide: the larger cell in whose list are the walkers who may come near this person.
        x: position to the east, in blocks.
        z: position to the south, in blocks.
        numbers: numbers of the standing people within reach, in order.
        names: names of these people; None if the list is out of date.
    """

    cell: int
    wide: int
    x: float
    z: float
    numbers: list[int]
    names: list[str] | None = None


class Crowd:
    """Finds the people within reach of a person. People are numbered in the order of ``names``."""

    def __init__(
        self,
        names: Sequence[str],
        now: Callable[[], float],
        ways: Sequence[Way],
        reach_blocks: float,
    ) -> None:
        """Start with all people standing.

        Args:
            names: names of all people, in the order of their numbers.
            now: returns the time in seconds.
            ways: last walk of each person, in the same order; call :meth:`set_out` after changing a
                walk.
            reach_blocks: distance up to which people count as near, in blocks.
        """
        self._names = names
        self._now = now
        self._ways = ways
        self._far, self._square = reach_blocks + MARGIN_BLOCKS, reach_blocks**2
        # Standing people by cell, with positions; a cell is twice as wide as the reach with
        # tolerance.
        self._standing: dict[int, dict[int, Place]] = {}
        self._stands: list[_StandingPerson | None] = [None] * len(names)
        # Walking people.
        self._walking: dict[int, None] = {}
        # Walkers who may be near each cell, computed at the time ``made``.
        self._walkers: dict[int, list[int]] = defaultdict(list)
        self._wide = reach_blocks + WALKING_SPEED * WALKS_S
        self._made = now()
        # Time for which the cached results below are valid, in seconds. A departure does not change
        # positions at that time, so the cache stays valid until time advances.
        self._moment = -math.inf
        self._found: dict[int, list[str]] = {}
        for i in range(len(names)):
            self._stand(i)

    def set_out(self, i: int) -> None:
        """Update a person's cells after the person's entry in ``ways`` has changed."""
        stand, now = self._stands[i], self._now()
        if stand is not None:
            if self._ways[i][-1] <= now:
                return
            self._leave(i, stand)
        self._walking[i] = None
        for there in self._cells_near(i, now):
            if i not in there:  # the person may already have been walking
                there.append(i)

    def near(self, i: int) -> list[str]:
        """Return the names of the people within reach of a person, in the order of their numbers.

        If nothing has changed, the method returns the same list object as before. Do not modify the
        list.
        """
        now = self._now()
        if now != self._moment:
            self._moment = now
            self._found.clear()
            if now - self._made >= WALKS_S:
                self._make(now)
        stand = self._stands[i]
        if stand is not None and stand.names is not None and stand.wide not in self._walkers:
            return stand.names
        found = self._found.get(i)
        if found is None:
            found = self._found[i] = self._look(i, now)
        return found

    def _look(self, i: int, now: float) -> list[str]:
        stand = self._stands[i]
        if stand is None:
            x, z = spot(self._ways[i], now)
            there = self._walkers.get(_cell(x, z, self._wide))
            numbers = self._standing_near(x, z)
            if there and (walking := self._within(i, x, z, there)):
                numbers += walking
                numbers.sort()
            return [self._names[j] for j in numbers]
        there = self._walkers.get(stand.wide)
        if there and (walking := self._within(i, stand.x, stand.z, there)):
            return [self._names[j] for j in sorted(stand.numbers + walking)]
        if stand.names is None:
            stand.names = [self._names[j] for j in stand.numbers]
        return stand.names

    def _standing_near(self, x: float, z: float) -> list[int]:
        reach, far, found = self._square, self._far, list[int]()
        cell = _cell(x - far, z - far, 2 * far)
        standing = self._standing
        for step in _FOUR:
            there = standing.get(cell + step)
            if there:
                for j, (u, v) in there.items():
                    if (u - x) ** 2 + (v - z) ** 2 <= reach:
                        found.append(j)
        found.sort()
        return found

    def _within(self, i: int, x: float, z: float, there: Sequence[int]) -> list[int]:
        reach, found, ways, now = self._square, list[int](), self._ways, self._moment
        for j in there:
            u, v = spot(ways[j], now)
            if (u - x) ** 2 + (v - z) ** 2 <= reach and j != i:
                found.append(j)
        return found

    def _make(self, now: float) -> None:
        self._made = now
        self._walkers = defaultdict(list)
        for i in [i for i in self._walking if self._ways[i][-1] <= now]:
            del self._walking[i]
            self._stand(i)
        for i in self._walking:
            for there in self._cells_near(i, now):
                there.append(i)

    def _cells_near(self, i: int, now: float) -> Iterator[list[int]]:
        """Yield, for each cell around a person, the list of walkers who may come near that cell.
        Missing lists are computed first.
        """
        way, walkers, wide = self._ways[i], self._walkers, self._wide
        x, z = spot(way, now)
        u, v = spot(way, max(now, self._made + WALKS_S))
        reach = self._far
        west, east = (x, u) if x < u else (u, x)
        north, south = (z, v) if z < v else (v, z)
        columns = range(math.floor((north - reach) / wide), math.floor((south + reach) / wide) + 1)
        for row in range(math.floor((west - reach) / wide), math.floor((east + reach) / wide) + 1):
            for column in columns:
                yield walkers[row * _ROWS + column]

    def _stand(self, i: int) -> None:
        x, z = spot(self._ways[i], self._now())
        cell, around = _cell(x, z, 2 * self._far), self._standing_near(x, z)
        self._stands[i] = _StandingPerson(cell, _cell(x, z, self._wide), x, z, around)
        self._standing.setdefault(cell, {})[i] = (x, z)
        for j in around:
            other = self._stands[j]
            assert other is not None
            other.numbers.insert(bisect_left(other.numbers, i), i)
            other.names = None

    def _leave(self, i: int, stand: _StandingPerson) -> None:
        self._stands[i] = None
        del self._standing[stand.cell][i]
        for j in stand.numbers:
            other = self._stands[j]
            assert other is not None
            other.numbers.remove(i)
            other.names = None


def spot(way: Way, now: float) -> Place:
    """Return the position of a walker at a time in seconds."""
    x, z, east, south, left, there = way
    walked = (now if now < there else there) - left
    return x + east * walked, z + south * walked


def _cell(x: float, z: float, blocks: float) -> int:
    return math.floor(x / blocks) * _ROWS + math.floor(z / blocks)
