"""What an agent on the grid knows: what it has seen so far, and when."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.tables import UNLIMITED, Ground, Names, Tables

Cell = tuple[int, int]
# What another agent sees: its number, place (2,), inventory (R,) and window (S, S, C).
Shown = tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]

# A cell that was never seen.
NEVER = -1
MOVES: tuple[Cell, ...] = ((-1, 0), (1, 0), (0, -1), (0, 1))


class BeliefMap:
    """One agent's map in its memory; what changed out of its sight it does not know."""

    def __init__(self, agent: int, tables: Tables, names: Names, origin: Cell = (0, 0)) -> None:
        """``origin`` is what the first cell is called, where a map is a part of a wider land."""
        self.agent = agent
        self.names = names
        self.origin = origin
        # Steps that it takes to collect one unit, for things that take more than one.
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
        self._could_see = self._visible(np.zeros(tables.resources, np.int32))

    def see(self, observed: Mapping[str, npt.NDArray[Any]], shown: Sequence[Shown] = ()) -> None:
        """Take in one step.

        Args:
            observed: ``position`` (2,), ``inventory`` (R,), ``window`` (S, S, C) and ``step`` () of
                a :class:`VectorGame`'s observation: the agent's own rows.
            shown: what others see in this step, and share with it.
        """
        position, inventory, window = (observed[n] for n in ("position", "inventory", "window"))
        self.position = int(position[0]), int(position[1])
        self.step = int(observed["step"])
        self.held = {n: int(c) for n, c in zip(self.names.resources, inventory, strict=True) if c}
        visible = self._visible(inventory)
        if (visible & ~self._could_see).any():  # a new tool shows what was not seen before
            self._could_see |= visible
            self.seen_at[:] = NEVER
        self._take_in(self.agent, self.position, window, visible)
        for other in shown:
            self._take_over(*other)

    def _take_over(
        self,
        sender: int,
        position: npt.NDArray[np.int32],
        inventory: npt.NDArray[np.int32],
        window: npt.NDArray[np.uint8],
    ) -> None:
        """Take in what another agent sees in this step, which shares it."""
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
        around = np.arange(-sight, sight + 1)
        rows = (position[0] + around) % self.size[0]
        columns = (position[1] + around) % self.size[1]
        inner = slice(pad - sight, pad + sight + 1)
        channels = np.flatnonzero(visible)
        self._known[np.ix_(rows, columns, channels)] = window[inner, inner][..., channels]
        self.seen_at[np.ix_(rows, columns)] = self.step

    def _visible(self, inventory: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """Which channels of a window the tools in hand show."""
        held = int(sum(1 << int(bit) for bit in np.flatnonzero(inventory)))
        channel, shown = self.tables.channel, np.ones(self.tables.channels, np.bool_)
        shown[channel.resources] = held & self.tables.collect == self.tables.collect
        shown[channel.events] = held & self.tables.operate == self.tables.operate
        return shown

    def called(self, cell: Cell) -> Cell:
        """Return what a cell is called in words: its place in the wider land."""
        return cell[0] + self.origin[0], cell[1] + self.origin[1]

    def cell(self, place: Cell) -> Cell:
        """Return the cell of a place of the wider land; places outside are taken to the edge."""
        row, column = (
            min(max(part - first, 0), size - 1)
            for part, first, size in zip(place, self.origin, self.size, strict=True)
        )
        return row, column

    def units(self, resource: str) -> dict[Cell, int]:
        """Where units of a resource lie, as far as known."""
        channel = self.tables.channel.first_resource + self.names.resources.index(resource)
        layer = self._known[..., channel]
        return {(int(x), int(y)): int(layer[x, y]) for x, y in np.argwhere(layer)}

    def stations(self, event: str) -> list[Cell]:
        """Where an event's stations stand, as far as known."""
        channel = self.tables.channel.first_event + self.names.events.index(event)
        return [(int(x), int(y)) for x, y in np.argwhere(self._known[..., channel])]

    def chests(self) -> list[Cell]:
        """Where chests stand, as far as known."""
        return [(int(x), int(y)) for x, y in np.argwhere(self._ground == Ground.CHEST)]

    def others(self) -> dict[Cell, int]:
        """Other agents in sight just now: cell → agent's number."""
        agent = self.tables.channel.agent
        near = np.argwhere((self.seen_at == self.step) & (self._known[..., agent] > 0))
        found = {(int(x), int(y)): int(self._known[x, y, agent]) - 1 for x, y in near}
        return {cell: agent for cell, agent in found.items() if agent != self.agent}

    def distance(self, one: Cell, other: Cell) -> int:
        """Steps from cell to cell on the torus, blocks left aside."""
        apart = (abs(a - b) for a, b in zip(one, other, strict=True))
        return sum(min(d, size - d) for d, size in zip(apart, self.size, strict=True))

    def nearest(self, cells: Iterator[Cell] | list[Cell], to: Cell | None = None) -> Cell | None:
        """The nearest of some cells; ties go to the first by place."""
        start = to or self.position
        return min(cells, key=lambda cell: (self.distance(start, cell), cell), default=None)

    def staleness(self) -> Cell:
        """The cell most worth going to for a look: long unseen, and near; never this one."""
        age = np.where(self.seen_at == NEVER, self.tables.length, self.step - self.seen_at)
        x = np.abs(np.arange(self.size[0]) - self.position[0])
        y = np.abs(np.arange(self.size[1]) - self.position[1])
        away = np.minimum(x, self.size[0] - x)[:, None] + np.minimum(y, self.size[1] - y)
        worth = np.where(self._ground == Ground.BLOCK, -1, age) - 3 * away
        worth[self.position] = worth.min() - 1
        best = np.unravel_index(int(worth.argmax()), self.size)
        return int(best[0]), int(best[1])

    def way(self, goal: Cell) -> int | None:
        """The move (0 to 3) that begins a shortest way; None where there is none or it is here.

        Blocks are gone around, and so are agents that stand next to this one.
        """
        if goal == self.position:
            return None
        taken = {cell for cell in self.others() if self.distance(cell, self.position) == 1}
        first: dict[Cell, int] = {self.position: -1}
        ground, block = self._ground, int(Ground.BLOCK)
        queue = deque([self.position])
        while queue:
            cell = queue.popleft()
            if cell == goal:
                return first[cell]
            for move, (dx, dy) in enumerate(MOVES):
                after = (cell[0] + dx) % self.size[0], (cell[1] + dy) % self.size[1]
                if after in first or ground[after] == block or (after in taken and after != goal):
                    continue
                first[after] = move if cell == self.position else first[cell]
                queue.append(after)
        return None
