"""A simulated village on a plane, where people walk, work, pay and hear each other.

People are not moved step by step. A walk is a straight line with a start and an end, from which the
position at any time follows. The cost per person does not grow with the size of the village,
because listeners are found through a grid of cells.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voxpolis.records.events import Position
from voxpolis.worlds.crowd import Crowd, Way, spot
from voxpolis.worlds.society import (
    THE_OPEN,
    WALKING_SPEED,
    Place,
    Resident,
    VillageBody,
    VillagePlan,
    away_from,
    whole_share,
)

if TYPE_CHECKING:
    from voxpolis.worlds.wolves import Wolves

Floats = npt.NDArray[np.float64]


class Village:
    """The simulated world of a society; see :class:`worlds.society.SocietyWorld`. All heights are
    0.
    """

    def __init__(self, plan: VillagePlan, now: Callable[[], float], *, seed: int) -> None:
        """Place the residents.

        Args:
            plan: the residents and the public places.
            now: returns the time in seconds.
            seed: seed for choosing who hears an utterance, if the plan's ``mixing`` is not 0.
        """
        self.plan = plan
        self.now = now
        self.names = [resident.name for resident in plan.residents]
        self.residents = {resident.name: resident for resident in plan.residents}
        self.number = {name: i for i, name in enumerate(self.names)}
        self.chest: Counter[str] = Counter()
        # The threat in this village, or None.
        self.wolves: Wolves | None = None
        self._is_closed = False
        self._worked: dict[str, float] = {}
        self._rng = random.Random(f"{seed} mixing")
        # The last walk of each person.
        self._ways: list[Way] = [(*one.start, 0.0, 0.0, 0.0, 0.0) for one in plan.residents]
        self._places_by_cell = _by_cells(plan.places, plan.place_radius_blocks)
        # Cached place name of each person, with the time until which it is valid; a new walk
        # clears the entry.
        self._places: list[tuple[float, str] | None] = [None] * len(self.names)
        self._crowd = Crowd(self.names, now, self._ways, plan.hearing_blocks)
        # Returns the names of a speaker's hearers.
        self.near: Callable[[int], list[str]] = self._drawn if plan.mixing else self._crowd.near

    # --- Common interface of societies' worlds ---------------------------------------------------

    def body(self, name: str) -> Walker:
        return Walker(self, self.residents[name])

    def position(self, name: str) -> Position:
        x, z = self.at(self.number[name])
        return (round(x, 1), 0.0, round(z, 1))

    async def work(self, name: str) -> bool:
        now, resident = self.now(), self.residents[name]
        worked = self._worked.get(name, -math.inf)
        if now - worked < self.plan.work_s or self._is_closed or not resident.makes:
            return False
        self._worked[name] = now
        resident.holds[resident.makes] += 1
        return True

    async def deposit(self, name: str, share: float) -> Counter[str]:
        held = self.residents[name].holds
        paid = whole_share(held, share)
        held.subtract(paid)
        self.chest.update(paid)
        return paid

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        held = {name: Counter(self.residents[name].holds) for name in names}
        return held, Counter(self.chest)

    def close_workplaces(self, closed: bool) -> None:
        self._is_closed = closed

    async def watch(self) -> None:
        """Return at once, because nothing outside the village changes its state."""

    def scenery(self) -> dict[str, Any]:
        """Return the village as fields of :class:`records.events.WorldBuilt`. The ground reaches to
        the outermost homes.
        """
        starts = [resident.start for resident in self.plan.residents]
        xs, zs = zip(*starts, strict=True)
        places = {name: (x, 0.0, z) for name, (x, z) in self.plan.places.items()}
        return {"ground": [("land", min(xs), min(zs), max(xs), max(zs))], "places": places}

    # --- Walks -----------------------------------------------------------------------------------

    def all_at(self) -> Floats:
        """Return the current positions of all people, of shape (people, 2), in blocks."""
        ways = np.array(self._ways, dtype=np.float64)
        walked = np.minimum(self.now(), ways[:, 5]) - ways[:, 4]
        return np.asarray(ways[:, :2] + ways[:, 2:4] * walked[:, None])

    def at(self, i: int) -> Place:
        return spot(self._ways[i], self.now())

    def set_out(self, i: int, to: Place) -> float:
        """Start a person's walk, and return how many seconds the walk takes."""
        x, z = self.at(i)
        far = math.hypot(to[0] - x, to[1] - z)
        seconds, left = far / self.speed_of(i), self.now()
        speed = ((to[0] - x) / seconds, (to[1] - z) / seconds) if seconds else (0.0, 0.0)
        self._ways[i] = (x, z, *speed, left, left + seconds)
        self._places[i] = None
        self._crowd.set_out(i)
        return seconds

    def speed_of(self, _i: int) -> float:
        return WALKING_SPEED

    def place_at(self, i: int) -> str:
        now, known = self.now(), self._places[i]
        if known is None or known[0] < now:
            has_arrived = self._ways[i][5] <= now
            known = self._places[i] = (math.inf if has_arrived else now, self._look_up(i))
        return known[1]

    def _look_up(self, i: int) -> str:
        x, z = self.at(i)
        reach = self.plan.place_radius_blocks
        for name, east, south in self._places_by_cell.get((x // reach, z // reach), ()):
            if (east - x) ** 2 + (south - z) ** 2 <= reach**2:
                return name
        return THE_OPEN

    # --- Hearing ---------------------------------------------------------------------------------

    def _drawn(self, i: int) -> list[str]:
        others = self._rng.sample(range(len(self.names) - 1), self.plan.mixing)
        return [self.names[other + (other >= i)] for other in others]


def _by_cells(
    places: Mapping[str, Place], reach: float
) -> dict[tuple[float, float], list[tuple[str, float, float]]]:
    found = dict[tuple[float, float], list[tuple[str, float, float]]]()
    for name, (x, z) in places.items():
        for i in (-1, 0, 1):
            for k in (-1, 0, 1):
                cell = (x // reach + i, z // reach + k)
                found.setdefault(cell, []).append((name, x, z))
    return found


class Walker(VillageBody):
    """The body of one person in a simulated village; see :class:`bots.agents.piano.body.Body`."""

    __slots__ = ("_i", "_village")

    def __init__(self, village: Village, resident: Resident) -> None:
        super().__init__(resident)
        self._village = village
        self._i = village.number[resident.name]

    def place(self) -> str:
        return self._village.place_at(self._i)

    def near(self) -> list[str]:
        return self._village.near(self._i)

    def inventory(self) -> Mapping[str, int]:
        return self._resident.holds

    def threat(self) -> str | None:
        return None if self._danger() is None else "a wolf"

    def flee(self) -> None:
        danger = self._danger()
        if danger is not None:
            village = self._village
            village.set_out(self._i, away_from(danger, village.at(self._i)))

    def _danger(self) -> Place | None:
        wolves = self._village.wolves
        return None if wolves is None else wolves.near(self._village.at(self._i))

    def _plan(self) -> VillagePlan:
        return self._village.plan

    def _at(self, name: str) -> Place | None:
        number = self._village.number.get(name)
        return None if number is None else self._village.at(number)

    def head_for(self, target: str) -> float:
        return self._village.set_out(self._i, self._where(target))

    def stop(self) -> None:
        self._village.set_out(self._i, self._village.at(self._i))

    def say(self, text: str) -> list[str]:
        return self._village.near(self._i)
