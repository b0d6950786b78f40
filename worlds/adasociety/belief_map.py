"""The knowledge of an agent about the grid: which cells it has seen, and when it last saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.tables import UNLIMITED, Ground, Names, Tables

Cell = tuple[int, int]
# What another agent shows of its observation: that agent's number, position (2,), inventory (R,)
# and window (S, S, C).
Shown = tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]

# Value of a cell that was never seen.
NEVER = -1
MOVES: tuple[Cell, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))


class BeliefMap:
    """The map as one agent remembers it. The map does not show changes that the agent has not
    seen.
    """

    def __init__(self, agent: int, tables: Tables, names: Names, origin: Cell = (0, 0)) -> None:
        """Create an empty map.

        If the map is part of a larger area, ``origin`` gives the coordinates of the map's first
        cell in that area.
        """
        self.agent = agent
        self.names = names
        self.origin = origin
        # Number of steps to collect one unit, for resources that take several.
        self.steps_to_collect: Mapping[str, int] = {}
        self.tables = tables
        self.job = names.jobs[int(tables.job[agent])]
        limits = zip(names.resources, tables.capacity[agent].tolist(), strict=True)
        self.capacity = {name: most for name, most in limits if most < UNLIMITED}
        self.size = tables.height, tables.width
        self.seen_at = np.full(self.size, NEVER)
        self._known = np.zeros((*self.size, tables.channels), np.uint8)
        self._ground = self._known[..., tables.channel.ground]
        self.position: Cell = (0, 0)
        self.step = 0
        self.held: dict[str, int] = {}
        # The result of :meth:`others`; None if it has to be computed.
        self._others: dict[Cell, int] | None = None
        # The channels that are visible with a set of items, by the bytes of that set.
        self._visible_with: dict[bytes, npt.NDArray[np.bool_]] = {}
        self._could_see = self._visible(np.zeros(tables.resources, np.int32)).copy()

    def see(self, observed: Mapping[str, npt.NDArray[Any]], shown: Sequence[Shown] = ()) -> None:
        """Update the map with the observation of one step.

        Args:
            observed: the agent's rows of a :class:`VectorGame`'s observation: ``position`` (2,),
                ``inventory`` (R,), ``window`` (S, S, C) and ``step`` ().
            shown: observations that other agents share with this agent in the same step.
        """
        position, inventory, window = (observed[n] for n in ("position", "inventory", "window"))
        self.position = int(position[0]), int(position[1])
        self.step = int(observed["step"])
        self.held = {n: int(c) for n, c in zip(self.names.resources, inventory, strict=True) if c}
        visible = self._visible(inventory)
        if (visible & ~self._could_see).any():  # a new tool reveals previously invisible things
            self._could_see |= visible
            self.seen_at[:] = NEVER
        self._take_in(self.agent, self.position, window, visible)
        for other in shown:
            self._take_over(*other)
        self._others = None

    def _take_over(
        self,
        sender: int,
        position: npt.NDArray[np.int32],
        inventory: npt.NDArray[np.int32],
        window: npt.NDArray[np.uint8],
    ) -> None:
        cell = int(position[0]), int(position[1])
        self._take_in(sender, cell, window, self._visible(inventory))

    def _take_in(
        self,
        agent: int,
        position: Cell,
        window: npt.NDArray[np.uint8],
        visible: npt.NDArray[np.bool_],
    ) -> None:
        sight, pad = int(self.tables.sight[agent]), self.tables.pad
        (height, width), side = self.size, 2 * sight + 1
        seen = window[pad - sight : pad + sight + 1, pad - sight : pad + sight + 1]
        for rows, seen_rows in _pieces(position[0] - sight, side, height):
            for columns, seen_columns in _pieces(position[1] - sight, side, width):
                known = self._known[rows, columns]
                np.copyto(known, seen[seen_rows, seen_columns], where=visible)
                self.seen_at[rows, columns] = self.step

    def _visible(self, inventory: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        has = inventory > 0
        shown = self._visible_with.get(has.tobytes())
        if shown is None:
            held = int(sum(1 << int(bit) for bit in np.flatnonzero(has)))
            channel, shown = self.tables.channel, np.ones(self.tables.channels, np.bool_)
            shown[channel.resources] = held & self.tables.collect == self.tables.collect
            shown[channel.events] = held & self.tables.operate == self.tables.operate
            self._visible_with[has.tobytes()] = shown
        return shown

    def called(self, cell: Cell) -> Cell:
        """Convert a cell of the map to the coordinates of the larger area."""
        return cell[0] + self.origin[0], cell[1] + self.origin[1]

    def cell(self, place: Cell) -> Cell:
        """Convert coordinates of the larger area to a cell of the map. Places outside the map
        become the nearest cell on the map's edge.
        """
        row, column = (
            min(max(part - first, 0), size - 1)
            for part, first, size in zip(place, self.origin, self.size, strict=True)
        )
        return row, column

    def units(self, resource: str) -> dict[Cell, int]:
        """Return the known positions of a resource, and the number of units at each position."""
        channel = self.tables.channel.first_resource + self.names.resources.index(resource)
        layer = self._known[..., channel]
        return {(x, y): int(layer[x, y]) for x, y in np.argwhere(layer).tolist()}

    def stations(self, event: str) -> list[Cell]:
        """Return the known positions of the stations at which an event (a recipe) can be carried
        out.
        """
        channel = self.tables.channel.first_event + self.names.events.index(event)
        return [(int(x), int(y)) for x, y in np.argwhere(self._known[..., channel])]

    def chests(self) -> list[Cell]:
        return [(int(x), int(y)) for x, y in np.argwhere(self._ground == Ground.CHEST)]

    def others(self) -> dict[Cell, int]:
        """Return the other agents that are visible now, as a mapping from cell to agent number.

        Do not modify the mapping, which is the same until the next observation.
        """
        if self._others is None:
            agents = self._known[..., self.tables.channel.agent]
            near = np.argwhere((self.seen_at == self.step) & (agents > 0)).tolist()
            found = {(x, y): int(agents[x, y]) - 1 for x, y in near}
            self._others = {cell: agent for cell, agent in found.items() if agent != self.agent}
        return self._others

    def distance(self, one: Cell, other: Cell) -> int:
        """Return how many steps apart two cells would be if there were no obstacles. The map wraps
        around at its edges (it is a torus).
        """
        apart = (abs(a - b) for a, b in zip(one, other, strict=True))
        return sum(min(d, size - d) for d, size in zip(apart, self.size, strict=True))

    def nearest(self, cells: Iterator[Cell] | list[Cell]) -> Cell | None:
        """Return the cell nearest to the agent. If several cells are equally near, the one that
        comes first row by row is returned.
        """
        return min(cells, key=lambda cell: (self.distance(self.position, cell), cell), default=None)

    def staleness(self) -> Cell:
        """Return the cell that is most worth exploring. The score of a cell grows with the time
        since it was last seen and falls with its distance. The agent's own cell is never returned.
        """
        age = np.where(self.seen_at == NEVER, self.tables.length, self.step - self.seen_at)
        x = np.abs(np.arange(self.size[0]) - self.position[0])
        y = np.abs(np.arange(self.size[1]) - self.position[1])
        away = np.minimum(x, self.size[0] - x)[:, None] + np.minimum(y, self.size[1] - y)
        worth = np.where(self._ground == Ground.BLOCK, -1, age) - 3 * away
        worth[self.position] = worth.min() - 1
        best = np.unravel_index(int(worth.argmax()), self.size)
        return int(best[0]), int(best[1])

    def way(self, goal: Cell) -> int | None:
        """Return the first move (0 to 3) on a shortest path to ``goal``.

        The path avoids blocks and adjacent agents. The result is None if no path exists or if the
        agent is already at the goal.
        """
        if goal == self.position:
            return None
        width = self.size[1]
        start, end = (row * width + column for row, column in (self.position, goal))
        # Cells that the search has not reached yet.
        is_free = (self._ground != Ground.BLOCK).ravel().tolist()
        is_free[start] = False
        for cell in self.others():
            if cell != goal and self.distance(cell, self.position) == 1:
                is_free[cell[0] * width + cell[1]] = False
        first, queue, beside = {start: -1}, [start], _neighbours(*self.size)
        for at in queue:
            if at == end:
                return first[at]
            for move, after in enumerate(beside[at]):
                if is_free[after]:
                    is_free[after] = False
                    first[after] = move if at == start else first[at]
                    queue.append(after)
        return None


@cache
def _neighbours(height: int, width: int) -> list[list[int]]:
    """Return the numbers of the four cells around each cell. Cells are numbered row by row."""
    return [
        [(x + dx) % height * width + (y + dy) % width for dx, dy in MOVES]
        for x in range(height)
        for y in range(width)
    ]


def _pieces(first: int, length: int, size: int) -> Iterator[tuple[slice, slice]]:
    """Divide a row of cells wherever it crosses the edge of the map. Yield, for each piece, its
    cells on the map and its cells in the row.
    """
    done = 0
    while done < length:
        at = (first + done) % size
        part = min(length - done, size - at)
        yield slice(at, at + part), slice(done, done + part)
        done += part
