"""Who is around whom on the computed plane: looked up by square cells.

Most people stand most of the time, and where one stands follows from nothing but its last way. So
those who stand are kept in cells, and each of them knows who stands around it: only who sets out or
arrives changes that, for those around. Only those who walk are put into cells anew, every few
seconds: into all from which they may be near until then, which their ways tell.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from voxpolis.worlds.society import WALKING_SPEED, Place

# How somebody gets somewhere: from where (east, south, in blocks), how fast (blocks a second, east
# and south), when it sets out, and when it is there (seconds).
Way = tuple[float, float, float, float, float, float]

# Who walks is put into cells anew after so many seconds; ours.
WALKS_S = 8.0
# So many blocks farther than is near nobody is near, however it is rounded.
MARGIN_BLOCKS = 0.01
# Rows of cells are so far apart in their numbers that no two share one.
_ROWS = 1 << 24
# A cell and those beside it, east, south and both, as differences of their numbers.
_FOUR = (0, 1, _ROWS, _ROWS + 1)


@dataclass(slots=True)
class _Stand:
    """Where somebody stands: its cells, and east and south in blocks.

    Attributes:
        cell: among those who stand.
        wide: the one whose walkers it may see.
        x: east, in blocks.
        z: south, in blocks.
        numbers: who stands within reach of it, in order.
        names: the same by name; None: that changed since somebody asked.
    """

    cell: int
    wide: int
    x: float
    z: float
    numbers: list[int]
    names: list[str] | None = None


class Crowd:
    """Who is within reach of whom. People are numbered as their names are."""

    def __init__(
        self,
        names: Sequence[str],
        now: Callable[[], float],
        ways: Sequence[Way],
        reach_blocks: float,
    ) -> None:
        """Begin with everybody standing where they are.

        Args:
            names: of all people, by number.
            now: the time in seconds.
            ways: of each the last one, by number; whoever changes one calls :meth:`set_out`.
            reach_blocks: how far is near.
        """
        self._names = names
        self._now = now
        self._ways = ways
        self._far, self._square = reach_blocks + MARGIN_BLOCKS, reach_blocks**2
        # By cell, twice as wide as is surely not near any more, who stands in it, and where.
        self._standing: dict[int, dict[int, Place]] = {}
        self._stands: list[_Stand | None] = [None] * len(names)
        # Who walks.
        self._walking: dict[int, None] = {}
        # By cell who may walk near whoever is in it, from when they were ``made`` on.
        self._walkers: dict[int, list[int]] = defaultdict(list)
        self._wide = reach_blocks + WALKING_SPEED * WALKS_S
        self._made = now()
        # The moment of what follows, in seconds: who was near whom then. Setting out moves nobody,
        # so that it holds until the moment is over.
        self._moment = -math.inf
        self._found: dict[int, list[str]] = {}
        for i in range(len(names)):
            self._stand(i)

    def set_out(self, i: int) -> None:
        """Take note that one has another way than before."""
        stand, now = self._stands[i], self._now()
        if stand is not None:
            if self._ways[i][-1] <= now:
                return
            self._leave(i, stand)
        self._walking[i] = None
        for there in self._cells_near(i, now):
            if i not in there:  # it may have been on another way
                there.append(i)

    def near(self, i: int) -> list[str]:
        """Return the names of those within reach of one now, in the order of their numbers.

        Where nothing changed it is the same list as before; it is not to be changed.
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
        """Return which of those who walk are within reach of a point, but one."""
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
        """Yield who may walk near each of the cells that one may be near, until all are made."""
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
        self._stands[i] = _Stand(cell, _cell(x, z, self._wide), x, z, around)
        self._standing.setdefault(cell, {})[i] = (x, z)
        for j in around:
            other = self._stands[j]
            assert other is not None
            other.numbers.insert(bisect_left(other.numbers, i), i)
            other.names = None

    def _leave(self, i: int, stand: _Stand) -> None:
        self._stands[i] = None
        del self._standing[stand.cell][i]
        for j in stand.numbers:
            other = self._stands[j]
            assert other is not None
            other.numbers.remove(i)
            other.names = None


def spot(way: Way, now: float) -> Place:
    """Return where on its way somebody is at a moment, in seconds."""
    x, z, east, south, left, there = way
    walked = (now if now < there else there) - left
    return x + east * walked, z + south * walked


def _cell(x: float, z: float, blocks: float) -> int:
    """Return the number of the square cell of so many blocks in which a point is."""
    return math.floor(x / blocks) * _ROWS + math.floor(z / blocks)
