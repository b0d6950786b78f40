"""Which of a grid's piles have changed, for the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.worlds.layout import Column

#: ``(block, x, z, units)``: see :class:`records.events.PilesChanged`.
Pile = tuple[str, int, int, int]


class Piles:
    """What lies on a game's cells, as it was when it was last asked for."""

    def __init__(
        self,
        game: VectorGame,
        names: Sequence[str],
        called: Mapping[str, str] | None = None,
        origin: Column = (0, 0),
    ) -> None:
        """Get ready; nothing is taken to lie anywhere yet.

        Args:
            game: what is played.
            names: its resources, by their numbers.
            called: the block that a resource is called by, where it has another name.
            origin: the x and z of the first cell.
        """
        self._game = game
        self._names = [(called or {}).get(name, name) for name in names]
        self._origin = origin
        self._units = np.zeros_like(self._now())

    def _now(self) -> npt.NDArray[np.int64]:
        """Return how many units of each resource lie on each cell: (H, W, resources)."""
        resources = self._game.tables.channel.resources
        return self._game.world()[..., resources].astype(np.int64)

    def changed(self) -> list[Pile]:
        before, self._units = self._units, self._now()
        west, north = self._origin
        return [
            (self._names[i], row + west, column + north, int(self._units[row, column, i]))
            for row, column, i in np.argwhere(self._units != before).tolist()
        ]
