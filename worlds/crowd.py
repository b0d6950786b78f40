"""Who is around whom on the computed plane: looked up by square cells.

Most people stand most of the time, and where one stands follows from nothing but its last way. So
those who stand are kept in cells that change only when somebody sets out or arrives, and each of
them remembers who stands around it until that happens near it. Only those who walk are put into
cells anew, every few seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from worlds.society import WALKING_SPEED, Place

#: Who walks is put into cells anew after so many seconds; ours.
WALKS_S = 4.0
#: Rows of cells are so far apart in their numbers that no two share one.
_ROWS = 1 << 24
#: The nine cells around one, as differences of their numbers.
_AROUND = tuple(row + column for row in (-_ROWS, 0, _ROWS) for column in (-1, 0, 1))


@dataclass(slots=True)
class _Stand:
    """Where somebody stands: its cell, and east and south in blocks.

    ``names``: who stands within reach of it, as it was when the cell's ``stamp`` was this.
    """

    cell: int
    x: float
    z: float
    stamp: int = -1
    names: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


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
        self._reach = reach_blocks**2
        #: So wide that whoever is near is in the cells around one, however it walked meanwhile.
        self._cell = reach_blocks + WALKING_SPEED * WALKS_S
        self._standing: dict[int, list[int]] = {}
        #: By cell how often somebody came to stand, or set out, in the nine cells around it.
        self._stamps: dict[int, int] = {}
        self._stands: list[_Stand | None] = [None] * len(names)
        #: Who walks, and when each is there, in seconds.
        self._walking: dict[int, float] = {}
        #: In which cells they were when these were made, or when they set out since then.
        self._walkers: dict[int, list[int]] = {}
        self._made = now()
        for i in range(len(names)):
            self._stand(i)

    def set_out(self, i: int, there: float) -> None:
        """Take note that one walks until a moment, in seconds, wherever to."""
        if self._stands[i] is not None:
            if there <= self._now():
                return
            cell = self._leave(i)
            self._walkers.setdefault(cell, []).append(i)
        self._walking[i] = there

    def near(self, i: int) -> list[str]:
        """Return the names of those within reach of one now, in the order of their numbers.

        Where nothing changed it is the same list as before; it is not to be changed.
        """
        now = self._now()
        if now - self._made >= WALKS_S:
            self._make(now)
        stand = self._stands[i]
        if stand is None:
            x, z = self._at(i)
            cell, numbers, names = self._cell_at(x, z), self._standing_near(i, x, z), None
        else:
            cell, x, z = stand.cell, stand.x, stand.z
            stamp = self._stamps[cell]
            if stand.stamp != stamp:
                stand.stamp, stand.numbers = stamp, self._standing_near(i, x, z)
                stand.names = [self._names[j] for j in stand.numbers]
            numbers, names = stand.numbers, stand.names
        walking = self._walking_near(i, cell, x, z)
        if names is None or walking:
            return [self._names[j] for j in sorted((*numbers, *walking))]
        return names

    def _standing_near(self, i: int, x: float, z: float) -> list[int]:
        """Return who stands within reach of a point, but one."""
        cell, found = self._cell_at(x, z), list[int]()
        for step in _AROUND:
            for j in self._standing.get(cell + step, ()):
                other = self._stands[j]
                assert other is not None
                if (other.x - x) ** 2 + (other.z - z) ** 2 <= self._reach and j != i:
                    found.append(j)
        found.sort()
        return found

    def _walking_near(self, i: int, cell: int, x: float, z: float) -> list[int]:
        """Return who walks within reach of a point of a cell, but one."""
        walkers, found = self._walkers, list[int]()
        for step in _AROUND:
            for j in walkers.get(cell + step, ()):
                if j != i:
                    u, v = self._at(j)
                    if (u - x) ** 2 + (v - z) ** 2 <= self._reach:
                        found.append(j)
        return found

    def _make(self, now: float) -> None:
        """Let those stand who have arrived, and put those who walk into cells."""
        self._made = now
        walkers: dict[int, list[int]] = {}
        arrived = []
        for i, there in self._walking.items():
            if there <= now:
                arrived.append(i)
            else:
                walkers.setdefault(self._cell_at(*self._at(i)), []).append(i)
        self._walkers = walkers
        for i in arrived:
            del self._walking[i]
            self._stand(i)

    def _stand(self, i: int) -> None:
        x, z = self._at(i)
        cell = self._cell_at(x, z)
        self._stands[i] = _Stand(cell, x, z)
        self._standing.setdefault(cell, []).append(i)
        self._stamp(cell)

    def _leave(self, i: int) -> int:
        stand = self._stands[i]
        assert stand is not None
        self._stands[i] = None
        self._standing[stand.cell].remove(i)
        self._stamp(stand.cell)
        return stand.cell

    def _stamp(self, cell: int) -> None:
        """Let those around a cell look again who stands near them."""
        for step in _AROUND:
            self._stamps[cell + step] = self._stamps.get(cell + step, 0) + 1

    def _cell_at(self, x: float, z: float) -> int:
        return math.floor(x / self._cell) * _ROWS + math.floor(z / self._cell)
