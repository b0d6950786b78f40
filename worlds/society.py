"""The interface between a society and its village or country.

People walk, work, put items into a community chest, and hear each other. The same rules apply on
the computed plane (``worlds/village.py``) and in Minecraft (``worlds/minecraft/village.py``).
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
    """A village's data about one person.

    Attributes:
        name: name of the person.
        start: initial position.
        places: its own places: work, home.
        makes: item that its work produces, or an empty text.
        holds: initial inventory: item → count.
    """

    name: str
    start: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    makes: str = ""
    holds: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class VillagePlan:
    """A scenario's village.

    Attributes:
        residents: the residents.
        places: places known to all, by name.
        hearing_blocks: hearing radius.
        place_radius_blocks: radius of places.
        work_s: duration of a piece of work.
        mixing: on the computed plane: if not 0, this many random people hear each utterance,
            wherever they are.
    """

    residents: Sequence[Resident]
    places: Mapping[str, Place]
    hearing_blocks: float = HEARING_BLOCKS
    place_radius_blocks: float = ARRIVED_BLOCKS
    work_s: float = 6.0
    mixing: int = 0


class SocietyWorld(Protocol):
    """World of a society."""

    def body(self, name: str) -> Body:
        """Return an agent's body."""

    def position(self, name: str) -> Position:
        """Return an agent's position, in blocks."""

    async def work(self, name: str) -> bool:
        """Let a person do one piece of work in its job; return whether it produced anything."""

    async def deposit(self, name: str, share: float) -> Mapping[str, int]:
        """Put a share of a person's items into the chest; return the number of items."""

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """Return the inventories by name and the chest's contents, at one moment."""

    def close_workplaces(self, closed: bool) -> None:
        """Stop or resume production at workplaces."""

    async def watch(self) -> None:
        """Track the world's state until cancelled, or return immediately if that is not needed."""


class VillageBody(ABC):
    """Common base of bodies in villages: places and people; see :class:`Body`."""

    __slots__ = ("_resident",)

    def __init__(self, resident: Resident) -> None:
        self._resident = resident

    @abstractmethod
    def _plan(self) -> VillagePlan:
        """Return the village's plan."""

    @abstractmethod
    def _at(self, name: str) -> Place | None:
        """Return a person's position; None for non-residents."""

    def notices(self) -> Surroundings:
        """Return nothing: people have no visible properties except their position."""
        return NOTHING_NOTICED

    def _where(self, target: str) -> Place:
        """Return the position of one of its own places, a common place, or a person."""
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
    """Describe walking times in a village in a sentence."""
    told = f"To walk {WALKING_SPEED:.1f} blocks takes 1 s"
    starts = [one.start for one in plan.residents]
    half = len(starts) // 2
    if not half:
        return f"{told}."
    far = sorted(math.dist(one, other) for one, other in zip(starts, starts[half:], strict=False))
    usual, longest = far[len(far) // 2] / WALKING_SPEED, far[-1] / WALKING_SPEED
    return f"{told}: the way from one's place to another's {usual:.0f} s, at most {longest:.0f} s."


def whole_share(held: Mapping[str, int], share: float) -> Counter[str]:
    """Return whole items whose total number is closest to a share of the inventory."""
    total = round(sum(held.values()) * share)
    exact = {item: count * share for item, count in sorted(held.items()) if count > 0}
    paid = Counter({item: math.floor(part) for item, part in exact.items()})
    by_rest = sorted(exact, key=lambda item: (paid[item] - exact[item], item))
    for item in by_rest[: max(0, total - paid.total())]:
        paid[item] += 1
    return Counter({item: count for item, count in paid.items() if count})


def scatter(rng: random.Random, middle: Place, radius: float, count: int) -> Iterator[Place]:
    """Yield points drawn uniformly from a disc, in blocks."""
    for _ in range(count):
        angle, far = rng.random() * math.tau, radius * math.sqrt(rng.random())
        yield middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)


def away_from(danger: Place, place: Place) -> Place:
    """Return the destination of a person that flees from a danger."""
    east, south = place[0] - danger[0], place[1] - danger[1]
    far = math.hypot(east, south)
    if not far:
        east, south, far = 1.0, 0.0, 1.0
    part = FLIGHT_BLOCKS / far
    return place[0] + east * part, place[1] + south * part
