"""What stands where, as the events of a run tell: by places, and in columns seen from above."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Raw = Mapping[str, Any]
#: ``(block, x, z)``.
Column = tuple[str, int, int]
#: A column with how many of its block stand there now.
Change = tuple[str, int, int, int]
#: ``(block, x, y, z)``: what stands at a place from then on.
Placed = tuple[str, int, int, int]
NOTHING = "air"


class Ground:
    """How many blocks of each kind stand in each column.

    In Minecraft a place has one block; on the grid a cell has units of each kind. What agents are
    recorded to have dug and placed counts, too, where the record says nothing of what stood
    before: such events tell the same as the world's own account, or of worlds without one.
    """

    def __init__(self) -> None:
        self._at: dict[tuple[int, int, int], str] = {}
        self._counts: Counter[Column] = Counter()
        #: What the last event has changed, place by place; what was built is not in it.
        self.placed: list[Placed] = []
        self._takers: dict[str, Callable[[Raw], Iterator[Column]]] = {
            "world_built": self._build,
            "block_dug": self._dig,
            "block_placed": self._place,
            "blocks_changed": self._change_blocks,
            "piles_changed": self._change_piles,
        }

    def changes(self, event: Raw) -> list[Change]:
        """Return what is other after an event: columns, each with its count now."""
        self.placed = []
        take = self._takers.get(event["kind"])
        found = dict.fromkeys(take(event)) if take else {}
        return [(*column, self._counts[column]) for column in found]

    def _build(self, event: Raw) -> Iterator[Column]:
        self._at.clear()
        self._counts.clear()
        for block, places in event["blocks"].items():
            for place in places:
                for _ in self._put(block, place):
                    pass
        self.placed = []
        yield from ()

    def _dig(self, event: Raw) -> Iterator[Column]:
        yield from self._put(NOTHING, event["position"])

    def _place(self, event: Raw) -> Iterator[Column]:
        yield from self._put(event["block"], event["position"])

    def _change_blocks(self, event: Raw) -> Iterator[Column]:
        for block, *place in event["blocks"]:
            yield from self._put(block, place)

    def _change_piles(self, event: Raw) -> Iterator[Column]:
        for block, x, z, units in event["piles"]:
            self._counts[block, x, z] = units
            yield block, x, z

    def _put(self, block: str, place: Any) -> Iterator[Column]:
        """Let a block be at a place, and yield the columns that this changes.

        Of natural land it is not known what stood there before something is told of a place.
        """
        x, y, z = (math.floor(part) for part in place)
        before = self._at.get((x, y, z))
        if block == before:
            return
        self._at[x, y, z] = block
        self.placed.append((block, x, y, z))
        if before is not None and before != NOTHING:
            self._counts[before, x, z] -= 1
            yield before, x, z
        if block != NOTHING:
            self._counts[block, x, z] += 1
            yield block, x, z
