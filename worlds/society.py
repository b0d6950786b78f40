"""The interface between a society and the village or country in which it lives.

People walk, work, put items into a community chest, and hear each other. The same rules apply in
simulation (``worlds/village.py``) and in Minecraft (``worlds/minecraft/village.py``).
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from voxpolis.bots.agents.piano.body import NOTHING_NOTICED, Body, Surroundings
from voxpolis.records.events import Position

# Position: blocks east and south of the middle.
Place = tuple[float, float]

# Walking speed in blocks per second. Source: Minecraft.
WALKING_SPEED = 4.317
# Distance from a place that counts as being there, in blocks.
ARRIVED_BLOCKS = 3.0
# Hearing radius in blocks; our choice, since the published experiments do not state it.
HEARING_BLOCKS = 16.0
# Distance of a flight, in blocks; our choice.
FLIGHT_BLOCKS = 16.0
# Name by which people know the position of the community chest.
CHEST = "chest"
# Name of the place of people who are at no named place.
THE_OPEN = "the open"


@dataclass
class Resident:
    """The facts that a village has about one person.

    Attributes:
        name: name of the person.
        start: position at the start.
        places: the person's own places, such as work and home.
        makes: the item that the person's work produces, or an empty string.
        holds: the inventory at the start: item → count.
    """

    name: str
    start: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    makes: str = ""
    holds: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class VillagePlan:
    """The village of a scenario.

    Attributes:
        residents: the people who live there.
        places: a dictionary from the name of each place that everybody knows to its position.
        hearing_blocks: distance up to which people hear each other, in blocks.
        place_radius_blocks: radius of a place, in blocks.
        work_s: duration of one piece of work, in seconds.
        mixing: only in simulation. If it is not 0, each utterance is heard by this many random
            people, wherever they are.
    """

    residents: Sequence[Resident]
    places: Mapping[str, Place]
    hearing_blocks: float = HEARING_BLOCKS
    place_radius_blocks: float = ARRIVED_BLOCKS
    work_s: float = 6.0
    mixing: int = 0


class SocietyWorld(Protocol):
    """The world in which a society lives."""

    def body(self, name: str) -> Body:
        """Return an agent's body."""

    def position(self, name: str) -> Position:
        """Return an agent's position, in blocks."""

    async def work(self, name: str) -> bool:
        """Let a person do one piece of its work, and return whether anything was produced."""

    async def deposit(self, name: str, share: float) -> Mapping[str, int]:
        """Let a person put a share of its items into the chest, and return the number of each
        item.
        """

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """Return each person's inventory and the contents of the chest, both at one moment."""

    def close_workplaces(self, closed: bool) -> None:
        """Stop production at all workplaces, or let it resume."""

    async def watch(self) -> None:
        """Follow the world's state until cancelled. Return at once if the world needs no such
        task.
        """


class VillageBody(ABC):
    """The common base of bodies in villages, which know places and people; see :class:`Body`."""

    __slots__ = ("_resident",)

    def __init__(self, resident: Resident) -> None:
        self._resident = resident

    @abstractmethod
    def _plan(self) -> VillagePlan:
        """Return the village's plan."""

    @abstractmethod
    def _at(self, name: str) -> Place | None:
        """Return a person's position, or None if there is no such resident."""

    def notices(self) -> Surroundings:
        """Return empty surroundings, because people in a village only see where others are."""
        return NOTHING_NOTICED

    def _where(self, target: str) -> Place:
        """Return the position of one of this person's own places, of a public place, or of a
        person.
        """
        for known in (self._resident.places, self._plan().places):
            if target in known:
                return known[target]
        at = self._at(target)
        if at is None:
            raise LookupError(f"there is no place or person {target!r}")
        return at

    def _away(self, to: Place) -> float:
        at = self._at(self._resident.name)
        assert at is not None
        return math.hypot(to[0] - at[0], to[1] - at[1])

    def finds(self, target: str) -> bool:
        try:
            self._where(target)
        except LookupError:
            return False
        return True

    def is_at(self, target: str) -> bool:
        try:
            return self._away(self._where(target)) <= ARRIVED_BLOCKS
        except LookupError:
            return False


def ways_in_words(plan: VillagePlan) -> str:
    """Describe in a sentence how long people walk in a village."""
    told = f"To walk {WALKING_SPEED:.1f} blocks takes 1 s"
    starts = [one.start for one in plan.residents]
    half = len(starts) // 2
    if not half:
        return f"{told}."
    far = sorted(math.dist(one, other) for one, other in zip(starts, starts[half:], strict=False))
    usual, longest = far[len(far) // 2] / WALKING_SPEED, far[-1] / WALKING_SPEED
    return f"{told}: the way from one's place to another's {usual:.0f} s, at most {longest:.0f} s."


def whole_share(held: Mapping[str, int], share: float) -> Counter[str]:
    """Return a share of an inventory in whole items. Their total number is as close as possible to
    that share of all items.
    """
    total = round(sum(held.values()) * share)
    exact = {item: count * share for item, count in sorted(held.items()) if count > 0}
    paid = Counter({item: math.floor(part) for item, part in exact.items()})
    by_rest = sorted(exact, key=lambda item: (paid[item] - exact[item], item))
    for item in by_rest[: max(0, total - paid.total())]:
        paid[item] += 1
    return Counter({item: count for item, count in paid.items() if count})


def scatter(rng: random.Random, middle: Place, radius: float, count: int) -> Iterator[Place]:
    """Yield points drawn uniformly from a disc. Lengths are in blocks."""
    for _ in range(count):
        angle, far = rng.random() * math.tau, radius * math.sqrt(rng.random())
        yield middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)


def away_from(danger: Place, place: Place) -> Place:
    """Return the place to which a person at ``place`` flees from ``danger``."""
    east, south = place[0] - danger[0], place[1] - danger[1]
    far = math.hypot(east, south)
    if not far:
        east, south, far = 1.0, 0.0, 1.0
    part = FLIGHT_BLOCKS / far
    return place[0] + east * part, place[1] + south * part
