"""Who is around whom on the computed plane: looked up by square cells.

Most people stand most of the time, and where one stands follows from nothing but its last way. So
those who stand are kept in cells, and each of them knows who stands around it: only who sets out or
arrives changes that, for those around. Only those who walk are put into cells anew, every few
seconds.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worlds.society import WALKING_SPEED, Place

#: Who walks is put into cells anew after so many seconds; ours.
WALKS_S = 4.0
#: Rows of cells are so far apart in their numbers that no two share one.
_ROWS = 1 << 24
#: The nine cells around one, as differences of their numbers.
_AROUND = tuple(row + column for row in (-_ROWS, 0, _ROWS) for column in (-1, 0, 1))


@dataclass(slots=True)
class _Stand:
    """Where somebody stands: its cells, and east and south in blocks.

    Attributes:
        cell: among those who stand.
        wide: among those who walk.
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
        at: Callable[[int], Place],
        reach_blocks: float,
    ) -> None:
        """Begin with everybody standing where they are.

        Args:
            names: of all people, by number.
            now: the time in seconds.
            at: returns where one is now, by number, in blocks.
            reach_blocks: how far is near.
        """
        self._names = names
        self._now = now
        self._at = at
        self._reach, self._square = reach_blocks, reach_blocks**2
        #: By cell who stands in it, and where.
        self._standing: dict[int, dict[int, Place]] = {}
        self._stands: list[_Stand | None] = [None] * len(names)
        #: Who walks, and when each is there, in seconds.
        self._walking: dict[int, float] = {}
        #: By cell who may walk near whoever is in it, since the cells were ``made``. They are so
        #: wide that who walks stays within the nine around its own until they are made again.
        self._walkers: dict[int, list[int]] = defaultdict(list)
        self._wide = reach_blocks + WALKING_SPEED * WALKS_S
        self._made = now()
        #: The moment of what follows, in seconds: who was near whom then, and where who walked was.
        #: Setting out moves nobody, so that both hold until the moment is over.
        self._moment = -math.inf
        self._found: dict[int, list[str]] = {}
        self._spots: dict[int, Place] = {}
        for i in range(len(names)):
            self._stand(i)

    def set_out(self, i: int, there: float) -> None:
        """Take note that one walks until a moment, in seconds, wherever to."""
        stand = self._stands[i]
        if stand is not None:
            if there <= self._now():
                return
            self._leave(i, stand)
            self._walk(i, stand.wide)
        self._walking[i] = there

    def near(self, i: int) -> list[str]:
        """Return the names of those within reach of one now, in the order of their numbers.

        Where nothing changed it is the same list as before; it is not to be changed.
        """
        now = self._now()
        if now != self._moment:
            self._moment = now
            self._found.clear()
            self._spots.clear()
            if now - self._made >= WALKS_S:
                self._make(now)
        found = self._found.get(i)
        if found is None:
            found = self._found[i] = self._look(i)
        return found

    def _look(self, i: int) -> list[str]:
        """Look who is within reach of one."""
        stand = self._stands[i]
        if stand is None:
            x, z = self._at(i)
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
        """Return who stands within reach of a point, in order."""
        cell, reach, found = _cell(x, z, self._reach), self._square, list[int]()
        standing = self._standing
        for step in _AROUND:
            there = standing.get(cell + step)
            if there:
                for j, (u, v) in there.items():
                    if (u - x) ** 2 + (v - z) ** 2 <= reach:
                        found.append(j)
        found.sort()
        return found

    def _within(self, i: int, x: float, z: float, there: Sequence[int]) -> list[int]:
        """Return which of those who walk are within reach of a point, but one."""
        reach, found, spots = self._square, list[int](), self._spots
        for j in there:
            if j in spots:
                u, v = spots[j]
            else:
                u, v = spots[j] = self._at(j)
            if (u - x) ** 2 + (v - z) ** 2 <= reach and j != i:
                found.append(j)
        return found

    def _make(self, now: float) -> None:
        """Let those stand who have arrived, and put those who walk into cells."""
        self._made = now
        self._walkers = defaultdict(list)
        for i in [i for i, there in self._walking.items() if there <= now]:
            del self._walking[i]
            self._stand(i)
        for i in self._walking:
            self._walk(i, _cell(*self._at(i), self._wide))

    def _stand(self, i: int) -> None:
        """Let one stand where it is, for those around it, too."""
        x, z = self._at(i)
        cell, around = _cell(x, z, self._reach), self._standing_near(x, z)
        self._stands[i] = _Stand(cell, _cell(x, z, self._wide), x, z, around)
        self._standing.setdefault(cell, {})[i] = (x, z)
        for j in around:
            other = self._stands[j]
            assert other is not None
            other.numbers.insert(bisect_left(other.numbers, i), i)
            other.names = None

    def _leave(self, i: int, stand: _Stand) -> None:
        """Let one stand no more, for those around it, too."""
        self._stands[i] = None
        del self._standing[stand.cell][i]
        for j in stand.numbers:
            other = self._stands[j]
            assert other is not None
            other.numbers.remove(i)
            other.names = None

    def _walk(self, i: int, wide: int) -> None:
        """Let one walk from a cell, for those in the cells around it to look at."""
        walkers = self._walkers
        for step in _AROUND:
            walkers[wide + step].append(i)


def _cell(x: float, z: float, blocks: float) -> int:
    """Return the number of the square cell of so many blocks in which a point is."""
    return math.floor(x / blocks) * _ROWS + math.floor(z / blocks)
