"""A village on the plane: people who walk, work, pay and are heard, in computed time.

The headless world of societies. Nobody is stepped: a way is a straight line with a beginning and an
end, and where somebody is at a moment follows from it. A village of 10,000 costs no more a person
than one of 100, because who hears whom is looked up in a grid of cells.
"""

from __future__ import annotations

import math
import random
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
        self._from = np.array([resident.start for resident in residents], float)
        self._speed = np.zeros_like(self._from)
        self._left = np.zeros(len(residents))
        self._there = np.zeros(len(residents))
        self._crowd = _Crowd(self.positions, hearing_blocks + WALKING_SPEED)

    def body(self, name: str) -> Walker:
        """One person's body."""
        return Walker(self, self.residents[name])

    def positions(self) -> Floats:
        """Where everybody is now, (people, 2), in blocks."""
        walked = np.minimum(self.now(), self._there) - self._left
        return np.asarray(self._from + self._speed * walked[:, None])

    def position(self, i: int) -> Place:
        """Where one is now."""
        walked = min(self.now(), self._there[i]) - self._left[i]
        x, y = self._from[i] + self._speed[i] * walked
        return float(x), float(y)

    def set_out(self, i: int, to: Place) -> float:
        """Let one walk to somewhere; gives the seconds that it takes."""
        x, y = self.position(i)
        far = math.hypot(to[0] - x, to[1] - y)
        seconds = far / WALKING_SPEED
        self._from[i] = x, y
        self._speed[i] = ((to[0] - x) / seconds, (to[1] - y) / seconds) if seconds else (0.0, 0.0)
        self._left[i] = self.now()
        self._there[i] = self.now() + seconds
        return seconds

    def near(self, i: int) -> list[str]:
        """Who hears one who speaks now."""
        if self._mixing:
            others = self._chance.sample(range(len(self.names) - 1), self._mixing)
            return [self.names[other + (other >= i)] for other in others]
        x, y = self.position(i)
        at = self._crowd.around(self.now(), x, y)
        walked = np.minimum(self.now(), self._there[at]) - self._left[at]
        away = self._from[at] + self._speed[at] * walked[:, None] - (x, y)
        heard = at[np.einsum("ij,ij->i", away, away) <= self._hearing**2]
        return [self.names[j] for j in np.sort(heard) if j != i]

    def place_at(self, i: int) -> str:
        """The name of the place where one is."""
        x, y = self.position(i)
        for name, (px, py) in self.places.items():
            if (px - x) ** 2 + (py - y) ** 2 <= self.place_radius**2:
                return name
        return "the open"

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
        self._order = np.zeros(0, np.int64)
        self._keys = np.zeros(0, np.int64)

    def around(self, now: float, x: float, y: float) -> npt.NDArray[np.int64]:
        """Everybody in the nine cells around a point, and some more."""
        if now - self._made >= 1.0 or self._made < 0:
            self._make(now)
        column, row = math.floor(x / self._cell), math.floor(y / self._cell)
        edges = [
            (column + side) * _ROWS + row + offset for side in (-1, 0, 1) for offset in (-1, 2)
        ]
        at = np.searchsorted(self._keys, edges).tolist()
        order = self._order
        return np.concatenate([order[at[0] : at[1]], order[at[2] : at[3]], order[at[4] : at[5]]])

    def _make(self, now: float) -> None:
        cells = np.floor(self._positions() / self._cell).astype(np.int64)
        keys = cells[:, 0] * _ROWS + cells[:, 1]
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._made = now


#: Rows of cells are so far apart in their numbers that no two share one.
_ROWS = 1 << 24


class Walker:
    """One person's body: what :class:`bots.piano.body.Body` asks for."""

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
