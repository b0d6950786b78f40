"""The seam between a society and the village or country that it lives in.

People walk, work, put things into a community chest, and hear each other, by the same rules on the
computed plane (``worlds/village.py``) and in Minecraft (``worlds/minecraft/village.py``).
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

# East and south of the middle, in blocks.
Place = tuple[float, float]

# Blocks a second. Source: walking in Minecraft.
WALKING_SPEED = 4.317
# Somebody within so many blocks of a place is there.
ARRIVED_BLOCKS = 3.0
# The published experiments do not say how far a voice carries; ours.
HEARING_BLOCKS = 16.0
# How far those run who get away from something, in blocks; ours.
FLIGHT_BLOCKS = 16.0
# By this name people know the place where they put what belongs to all.
CHEST = "chest"
# Where somebody is who is at no place.
THE_OPEN = "the open"


@dataclass
class Resident:
    """What a village knows of one person.

    Attributes:
        name: the person's.
        start: where it is at the beginning.
        places: its own: work, home.
        makes: the item that its work makes; empty: none.
        holds: what it begins with: item → count.
    """

    name: str
    start: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    makes: str = ""
    holds: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class VillagePlan:
    """A village as a scenario has it.

    Attributes:
        residents: who lives here.
        places: what everybody knows, by name.
        hearing_blocks: how far a voice carries.
        place_radius_blocks: how far from its middle a place reaches.
        work_s: how long a piece of work takes.
        mixing: on the computed plane: if not 0, so many people drawn out of all hear each word,
            wherever they are.
    """

    residents: Sequence[Resident]
    places: Mapping[str, Place]
    hearing_blocks: float = HEARING_BLOCKS
    place_radius_blocks: float = ARRIVED_BLOCKS
    work_s: float = 6.0
    mixing: int = 0


class SocietyWorld(Protocol):
    """Where a society lives."""

    def body(self, name: str) -> Body:
        """Return an agent's body."""

    def position(self, name: str) -> Position:
        """Return where an agent is, in blocks."""

    async def work(self, name: str) -> bool:
        """Let somebody do one piece of work of its job; return whether anything came of it."""

    async def deposit(self, name: str, share: float) -> Mapping[str, int]:
        """Put a share of what somebody holds into the chest; return what was put in."""

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """Return what people hold by name, and what the chest holds, at one moment."""

    def close_workplaces(self, closed: bool) -> None:
        """Let nothing be made while they are closed."""

    async def watch(self) -> None:
        """Keep up with what happens, until cancelled or until there is nothing to keep up with."""


class VillageBody(ABC):
    """What bodies of all villages know of places and people; see :class:`Body`."""

    __slots__ = ("_resident",)

    def __init__(self, resident: Resident) -> None:
        self._resident = resident

    @abstractmethod
    def _plan(self) -> VillagePlan:
        """Return the village's plan."""

    @abstractmethod
    def _at(self, name: str) -> Place | None:
        """Return where somebody is now; None of somebody who does not live here."""

    def notices(self) -> Surroundings:
        """Return nothing: people here show nothing but where they are."""
        return NOTHING_NOTICED

    def _where(self, target: str) -> Place:
        """Return where one of its own places, one that all know, or somebody is."""
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
    """Return how long ways take in a village, in a sentence."""
    told = f"To walk {WALKING_SPEED:.1f} blocks takes 1 s"
    starts = [one.start for one in plan.residents]
    half = len(starts) // 2
    if not half:
        return f"{told}."
    far = sorted(math.dist(one, other) for one, other in zip(starts, starts[half:], strict=False))
    usual, longest = far[len(far) // 2] / WALKING_SPEED, far[-1] / WALKING_SPEED
    return f"{told}: the way from one's place to another's {usual:.0f} s, at most {longest:.0f} s."


def whole_share(held: Mapping[str, int], share: float) -> Counter[str]:
    """Return whole pieces of what is held that come nearest to a share of all of it together."""
    total = round(sum(held.values()) * share)
    exact = {item: count * share for item, count in sorted(held.items()) if count > 0}
    paid = Counter({item: math.floor(part) for item, part in exact.items()})
    by_rest = sorted(exact, key=lambda item: (paid[item] - exact[item], item))
    for item in by_rest[: max(0, total - paid.total())]:
        paid[item] += 1
    return Counter({item: count for item, count in paid.items() if count})


def scatter(rng: random.Random, middle: Place, radius: float, count: int) -> Iterator[Place]:
    """Yield places drawn evenly from a disc, in blocks."""
    for _ in range(count):
        angle, far = rng.random() * math.tau, radius * math.sqrt(rng.random())
        yield middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)


def away_from(danger: Place, place: Place) -> Place:
    """Return where somebody runs to from a danger."""
    east, south = place[0] - danger[0], place[1] - danger[1]
    far = math.hypot(east, south)
    if not far:
        east, south, far = 1.0, 0.0, 1.0
    part = FLIGHT_BLOCKS / far
    return place[0] + east * part, place[1] + south * part
