"""Players in a circle around something that fills and empties, such as a lake or a pot.

Games without a map have no world. The circle is only in the record, so that a page can show the
state of the game. No agent sees it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from voxpolis.records import events

# Distances of players, of their heaps and of the edge of the world from the area, in cells.
PLAYER, HEAP, EDGE = 2.0, 3.5, 5.0
# Maximum number of cells for units; more units share cells.
MOST_CELLS = 400


class Circle:
    """A round area, with a place and a heap for each player around it.

    Args:
        note: records an event.
        players: names of the players.
        middle: name of the area, its block, and the block of its rim.
        most: usual maximum number of units in the area, which fill all its cells.
    """

    def __init__(
        self,
        note: Callable[..., Any],
        players: Sequence[str],
        middle: tuple[str, str, str],
        most: int,
    ) -> None:
        self._note, self._most = note, most
        place, block, rim = middle
        size = math.sqrt(min(most, MOST_CELLS) / math.pi)
        radius = max(math.ceil(size), math.ceil(0.4 * len(players)), 3)
        self._cells = [(x, z) for z, wide in _rows(radius) for x in range(-wide, wide + 1)]
        random.Random(0).shuffle(self._cells)
        self._heaps: dict[str, tuple[int, int]] = {}
        self._piles: dict[tuple[str, int, int], int] = {}
        edge = radius + EDGE
        land = [(name, -edge, -edge, edge, edge) for name in ("floor", "grass_block")]
        discs = [
            (name, float(-wide), float(z), float(wide), float(z))
            for name, far in ((rim, radius + 1), (block, radius))
            for z, wide in _rows(far)
        ]
        note(events.WorldBuilt, ground=[*land, *discs], places={place: (0.5, 0.0, 0.5)})
        for number, player in enumerate(players):
            turn = 2 * math.pi * number / len(players) - math.pi / 2
            x, z = math.cos(turn), math.sin(turn)
            at = (round((radius + PLAYER) * x, 1), 0.0, round((radius + PLAYER) * z, 1))
            note(events.PositionSampled, player, position=at)
            self._heaps[player] = round((radius + HEAP) * x), round((radius + HEAP) * z)

    def fill(self, item: str, units: int) -> None:
        """Record the number of units in the middle, which fill its cells one after another."""
        each = math.ceil(max(self._most, units, 1) / len(self._cells))
        self._record(
            (item, *cell, min(each, max(0, units - each * number)))
            for number, cell in enumerate(self._cells)
        )

    def heap(self, item: str, units: Mapping[str, float]) -> None:
        """Record the rounded number of units beside each player."""
        self._record((item, *cell, round(units.get(name, 0))) for name, cell in self._heaps.items())

    def _record(self, piles: Iterable[tuple[str, int, int, int]]) -> None:
        changed = [pile for pile in piles if pile[3] != self._piles.get(pile[:3], 0)]
        self._piles |= {pile[:3]: pile[3] for pile in changed}
        if changed:
            self._note(events.PilesChanged, piles=changed)


def _rows(radius: int) -> list[tuple[int, int]]:
    """Return the rows of a disc, each with half of its width."""
    return [(z, math.isqrt(radius * (radius + 1) - z * z)) for z in range(-radius, radius + 1)]
