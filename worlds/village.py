"""A village on the plane: people who walk, work, pay and are heard, in computed time.

The headless world of societies. Nobody is stepped: a way is a straight line with a beginning and an
end, and where somebody is at a moment follows from it. A village of 10,000 costs no more a person
than one of 100, because who hears whom is looked up in a grid of cells.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Place = tuple[float, float]
Floats = npt.NDArray[np.float64]

#: Blocks a second. Source: walking in Minecraft.
WALKING_SPEED = 4.317
#: Somebody within so many blocks of a place is there.
ARRIVED_BLOCKS = 3.0
#: The published experiment does not say how far a voice carries; ours.
HEARING_BLOCKS = 16.0


@dataclass
class Resident:
    """What the village knows of one person. ``places`` are its own: work, home."""

    name: str
    start: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    makes: str = ""
    holds: Counter[str] = field(default_factory=Counter)


class Village:
    """The world; :meth:`body` gives one person's body in it."""

    def __init__(
        self,
        residents: Sequence[Resident],
        places: Mapping[str, Place],
        now: Callable[[], float],
        *,
        seed: int,
        hearing_blocks: float = HEARING_BLOCKS,
        place_radius: float = ARRIVED_BLOCKS,
        work_s: float = 6.0,
        mixing: int = 0,
    ) -> None:
        """Settle people.

        Args:
            residents: who lives here.
            places: what everybody knows, ``chest`` among it where taxes are paid.
            now: the time in seconds.
            seed: of who hears whom under perfect mixing.
            hearing_blocks: how far a voice carries.
            place_radius: how far from its middle a place reaches.
            work_s: how long a piece of work takes.
            mixing: if not 0, so many people drawn out of all hear each word, wherever they are.
        """
        self.names = [resident.name for resident in residents]
        self.residents = {resident.name: resident for resident in residents}
        self.places = dict(places)
        self._place_names = list(self.places)
        self._middles = np.array(list(self.places.values()), float).reshape(-1, 2)
        self.chest: Counter[str] = Counter()
        self.now = now
        self.work_s = work_s
        #: While workplaces are closed nothing is made.
        self.is_closed = False
        self.place_radius = place_radius
        self.number = {name: i for i, name in enumerate(self.names)}
        self._mixing = mixing
        self._chance = random.Random(f"{seed} mixing")
        self._hearing = hearing_blocks
        #: Of each: from where, how fast (blocks a second), when it set out, when it is there.
        self._ways = [(*resident.start, 0.0, 0.0, 0.0, 0.0) for resident in residents]
        self._heard_by: dict[int, tuple[float, list[str]]] = {}
        self._crowd = _Crowd(self.positions, hearing_blocks + WALKING_SPEED)

    def body(self, name: str) -> Walker:
        """One person's body."""
        return Walker(self, self.residents[name])

    def positions(self) -> Floats:
        """Where everybody is now, (people, 2), in blocks."""
        ways = np.array(self._ways)
        walked = np.minimum(self.now(), ways[:, 5]) - ways[:, 4]
        return np.asarray(ways[:, :2] + ways[:, 2:4] * walked[:, None])

    def position(self, i: int) -> Place:
        """Where one is now."""
        x, z, east, south, left, there = self._ways[i]
        walked = min(self.now(), there) - left
        return x + east * walked, z + south * walked

    def set_out(self, i: int, to: Place) -> float:
        """Let one walk to somewhere; gives the seconds that it takes."""
        x, z = self.position(i)
        far = math.hypot(to[0] - x, to[1] - z)
        seconds, left = far / WALKING_SPEED, self.now()
        speed = ((to[0] - x) / seconds, (to[1] - z) / seconds) if seconds else (0.0, 0.0)
        self._ways[i] = (x, z, *speed, left, left + seconds)
        return seconds

    def near(self, i: int) -> list[str]:
        """Who hears one who speaks now."""
        if self._mixing:
            others = self._chance.sample(range(len(self.names) - 1), self._mixing)
            return [self.names[other + (other >= i)] for other in others]
        now, known = self.now(), self._heard_by.get(i)
        if known is None or known[0] != now:
            known = self._heard_by[i] = (now, self._look_around(i))
        return known[1]

    def _look_around(self, i: int) -> list[str]:
        x, z = self.position(i)
        reach, position = self._hearing**2, self.position
        found = []
        for j in self._crowd.around(self.now(), x, z):
            jx, jz = position(j)
            if (jx - x) ** 2 + (jz - z) ** 2 <= reach and j != i:
                found.append(j)
        return [self.names[j] for j in sorted(found)]

    def place_at(self, i: int) -> str:
        """The name of the place where one is."""
        away = self._middles - self.position(i)
        found = np.flatnonzero((away * away).sum(1) <= self.place_radius**2)
        return self._place_names[found[0]] if len(found) else "the open"

    def deposit(self, name: str, share: float) -> Counter[str]:
        """Move a share of what one holds into the chest: whole pieces, as near to it as can be."""
        held = self.residents[name].holds
        paid = whole_share(held, share)
        held.subtract(paid)
        self.chest.update(paid)
        return paid


def whole_share(held: Mapping[str, int], share: float) -> Counter[str]:
    """Whole pieces of what is held that come nearest to a share of all of it together."""
    total = round(sum(held.values()) * share)
    exact = {item: count * share for item, count in sorted(held.items()) if count > 0}
    paid = Counter({item: math.floor(part) for item, part in exact.items()})
    by_rest = sorted(exact, key=lambda item: (paid[item] - exact[item], item))
    for item in by_rest[: max(0, total - paid.total())]:
        paid[item] += 1
    return Counter({item: count for item, count in paid.items() if count})


class _Crowd:
    """Who is around somewhere: people sorted by cells, made anew at most once a second."""

    def __init__(self, positions: Callable[[], Floats], cell: float) -> None:
        self._positions = positions
        self._cell = cell
        self._made = -1.0
        self._order: list[int] = []
        self._keys: list[int] = []

    def around(self, now: float, x: float, y: float) -> list[int]:
        """Everybody in the nine cells around a point, and some more."""
        if now - self._made >= 1.0 or self._made < 0:
            self._make(now)
        column, row = math.floor(x / self._cell), math.floor(y / self._cell)
        edges = [
            (column + side) * _ROWS + row + offset for side in (-1, 0, 1) for offset in (-1, 2)
        ]
        keys, order = self._keys, self._order
        at = [bisect_left(keys, edge) for edge in edges]
        return order[at[0] : at[1]] + order[at[2] : at[3]] + order[at[4] : at[5]]

    def _make(self, now: float) -> None:
        cells = np.floor(self._positions() / self._cell).astype(np.int64)
        keys = cells[:, 0] * _ROWS + cells[:, 1]
        order = np.argsort(keys, kind="stable")
        self._order, self._keys = order.tolist(), keys[order].tolist()
        self._made = now


#: Rows of cells are so far apart in their numbers that no two share one.
_ROWS = 1 << 24


class Walker:
    """One person's body: what :class:`bots.agents.piano.body.Body` asks for."""

    def __init__(self, village: Village, resident: Resident) -> None:
        self._village = village
        self._resident = resident
        self._i = village.number[resident.name]
        self._worked = -math.inf

    def place(self) -> str:
        """Where it is."""
        return self._village.place_at(self._i)

    def near(self) -> list[str]:
        """Who would hear it."""
        return self._village.near(self._i)

    def inventory(self) -> Mapping[str, int]:
        """What it holds."""
        return self._resident.holds

    def threat(self) -> str | None:
        """Nothing hurts here."""
        return None

    def flee(self) -> None:
        """There is nothing to flee from."""

    def _where(self, target: str) -> Place:
        own, village = self._resident.places, self._village
        if target in own:
            return own[target]
        if target in village.places:
            return village.places[target]
        if target in village.number:
            return village.position(village.number[target])
        raise LookupError(f"there is no place or person {target!r}")

    def is_at(self, target: str) -> bool:
        """Whether it is at a place, or next to somebody."""
        try:
            to = self._where(target)
        except LookupError:
            return False
        x, y = self._village.position(self._i)
        return (to[0] - x) ** 2 + (to[1] - y) ** 2 <= ARRIVED_BLOCKS**2

    def head_for(self, target: str) -> float:
        """Set out for a place, or for where somebody is now; gives the seconds of the way.

        Raises:
            LookupError: there is no such place or person.
        """
        return self._village.set_out(self._i, self._where(target))

    def stop(self) -> None:
        """Stay."""
        self._village.set_out(self._i, self._village.position(self._i))

    async def work(self) -> bool:
        """Make one piece of what its job makes, if the last one was long enough ago."""
        now = self._village.now()
        village = self._village
        if now - self._worked < village.work_s or village.is_closed or not self._resident.makes:
            return False
        self._worked = now
        self._resident.holds[self._resident.makes] += 1
        return True

    async def pay(self, share: float) -> Mapping[str, int]:
        """Put a share of what it holds into the chest."""
        return self._village.deposit(self._resident.name, share)

    def say(self, text: str) -> list[str]:
        """Say something."""
        return self._village.near(self._i)


def scatter(chance: random.Random, middle: Place, radius: float, count: int) -> Iterable[Place]:
    """Places drawn evenly from a disc."""
    for _ in range(count):
        angle, far = chance.random() * math.tau, radius * math.sqrt(chance.random())
        yield middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)
