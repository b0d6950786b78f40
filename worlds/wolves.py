"""Wolves in the simulated world. They chase people and take their items."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from voxpolis.bots.time import Time
from voxpolis.worlds.society import Place
from voxpolis.worlds.village import Village

# Interval of a wolf's moves and thefts, in seconds; our choice.
STEP_S = 1.0
# Distance at which a wolf takes items, and distance at which people and wolves notice each other,
# in blocks; our choices.
BITES_BLOCKS, NOTICES_BLOCKS = 2.0, 8.0
# Speed in blocks per second: slower than people walk, so that a running person escapes.
WOLF_SPEED = 3.0
# Distance between wolves' starts and a person, and distance over which wolves chase, in blocks.
BEGINS_BLOCKS, SCENTS_BLOCKS = 20.0, 12.0
WOLF = "wolf"

# Called with each item that a wolf takes: victim and item.
Listener = Callable[[str, str], None]


class Wolves:
    """The wolves of a village.

    Attributes:
        at: position of each wolf, in blocks.
    """

    def __init__(self, village: Village, count: int, seed: int, taken: Listener) -> None:
        self._village = village
        self._taken = taken
        self._rng = random.Random(f"{seed} wolves")
        names = village.names
        self.at = [self._around(village.at(k % len(names)), BEGINS_BLOCKS) for k in range(count)]
        village.wolves = self

    async def roam(self, time: Time) -> None:
        while True:
            await time.sleep(STEP_S, key=-1)
            people = self._village.all_at()
            for k, (x, z) in enumerate(self.at):
                away = [math.hypot(px - x, pz - z) for px, pz in people]
                nearest = min(range(len(away)), key=away.__getitem__)
                if away[nearest] <= BITES_BLOCKS:
                    self._take(self._village.names[nearest])
                elif away[nearest] <= SCENTS_BLOCKS:
                    px, pz = people[nearest]
                    part = min(1.0, WOLF_SPEED * STEP_S / away[nearest])
                    self.at[k] = (x + (px - x) * part, z + (pz - z) * part)
                else:
                    self.at[k] = self._around((x, z), WOLF_SPEED)

    def near(self, place: Place) -> Place | None:
        """Return the position of the nearest wolf if it can be noticed from ``place``, otherwise
        None.
        """
        nearest = min(self.at, key=lambda wolf: math.dist(wolf, place), default=None)
        if nearest is None or math.dist(nearest, place) > NOTICES_BLOCKS:
            return None
        return nearest

    def _take(self, name: str) -> None:
        held = self._village.residents[name].holds
        there = sorted(item for item, count in held.items() if count > 0)
        if there:
            item = self._rng.choice(there)
            held[item] -= 1
            self._taken(name, item)

    def _around(self, place: Place, blocks: float) -> Place:
        angle = self._rng.random() * math.tau
        return place[0] + blocks * math.cos(angle), place[1] + blocks * math.sin(angle)
