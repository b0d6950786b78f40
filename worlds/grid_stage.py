"""Execution of a grid game, either by its compiled kernel alone or with bodies.

The kernel decides the outcome of a step: which actions succeed, who gets a cell, what an event
makes. A stage shows and records that outcome. A stage with bodies lets the bodies act out the step,
and compares the state of the world with the kernel's state. A difference means that the world has
failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.tables import Ground
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.records import RunWriter, SimulatedClock, events
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Cell, Column

# Decimal places of rewards in results and records.
DIGITS = 6


@dataclass(frozen=True)
class Standing:
    """The state of an agent after a step, according to the kernel.

    Attributes:
        cell: the agent's position.
        holds: resource → units.
        score: the agent's total reward, after sharing.
        groups: number of each group of the agent → the agent's weight in that group.
    """

    cell: Cell
    holds: Mapping[str, int]
    score: float
    groups: Mapping[str, float]


class Stage(Protocol):
    """The world in which a grid game is shown. All methods raise ``FaultError`` if the world is
    lost.
    """

    async def build(self, table: VectorGame, agents: Sequence[str]) -> None:
        """Build the initial world, and record what it consists of."""

    async def begin(self) -> None:
        """Record the agents' states at the start of the episode."""

    async def step(self) -> None:
        """Let the agents carry out the kernel's last step, and record the outcome."""

    def seconds(self) -> float:
        """Return the duration of the episode on the world's clock, in seconds."""


def standing(table: VectorGame, resources: Sequence[str]) -> list[Standing]:
    """Return the states of all agents of a game, in the order of their numbers."""
    state, found = table.state, []
    for i in range(table.tables.agents):
        row, column = state.position[0, i].tolist()
        held = zip(resources, state.inventory[0, i].tolist(), strict=True)
        member = zip(state.group[0, i].tolist(), state.weight[0, i].tolist(), strict=True)
        found.append(
            Standing(
                (row, column),
                {name: units for name, units in held if units},
                round(float(state.score[0, i]), DIGITS),
                {str(group): float(weight) for group, weight in member if group >= 0},
            )
        )
    return found


class HeadlessStage:
    """The kernel alone as a world. Each step takes one second on the clock. Rows of the map follow
    the x axis.
    """

    def __init__(self, writer: RunWriter, clock: SimulatedClock) -> None:
        self._writer = writer
        self._clock = clock

    async def build(self, table: VectorGame, agents: Sequence[str]) -> None:
        self._table, self._agents = table, agents
        self._started = self._clock.now()
        self._told: dict[tuple[str, str], Mapping[str, object]] = {}
        self._piles = Piles(table, table.names.resources)
        self._writer.event(events.WorldBuilt, **self._scenery())

    async def begin(self) -> None:
        self._note_changes()

    async def step(self) -> None:
        self._clock.set(self._started + self.seconds())
        self._note_changes()

    def seconds(self) -> float:
        return float(self._table.state.step[0])

    def _scenery(self) -> dict[str, Any]:
        t, names, cells = self._table.tables, self._table.names, self._table.world()
        ground, channel = cells[..., t.channel.ground], t.channel
        layers = {"wall": ground == Ground.BLOCK, "chest": ground == Ground.CHEST}
        for i, name in enumerate(names.resources):
            layers[name] = cells[..., channel.first_resource + i] > 0
        for i, name in enumerate(names.events):
            layers[name] = cells[..., channel.first_event + i] > 0
        blocks: dict[str, list[Position]] = {
            name: [(float(x), 0.0, float(z)) for x, z in np.argwhere(there)]
            for name, there in layers.items()
            if there.any()
        }
        return {"ground": [("floor", 0.0, 0.0, t.height - 1.0, t.width - 1.0)], "blocks": blocks}

    def _note_changes(self) -> None:
        rows = standing(self._table, self._table.names.resources)
        for agent, row in zip(self._agents, rows, strict=True):
            position = (float(row.cell[0]), 0.0, float(row.cell[1]))
            self._note(events.PositionSampled, agent, position=position)
            self._note(events.Inventory, agent, items=dict(row.holds), value=row.score)
            self._note(events.GroupsChanged, agent, groups=dict(row.groups))
        if piles := self._piles.changed():
            self._writer.event(events.PilesChanged, piles=piles)

    def _note(self, kind: type[events.Event], agent: str, **fields: object) -> None:
        key = (kind.__name__, agent)
        if self._told.get(key) != fields:
            self._told[key] = fields
            self._writer.event(kind, agent, **fields)


# --- Changes to a grid's piles, for the record ----------------------------------------------------

# ``(block, x, z, units)``: see :class:`records.events.PilesChanged`.
Pile = tuple[str, int, int, int]


class Piles:
    """Tracks how the numbers of units in the cells of a game change."""

    def __init__(
        self,
        game: VectorGame,
        names: Sequence[str],
        called: Mapping[str, str] | None = None,
        origin: Column = (0, 0),
    ) -> None:
        """Start from an empty map.

        Args:
            game: the game.
            names: names of the game's resources, in the order of their numbers.
            called: resource → block, for resources whose block has another name.
            origin: x and z of the first cell.
        """
        self._game = game
        self._names = [(called or {}).get(name, name) for name in names]
        self._origin = origin
        self._units = np.zeros_like(self._now())

    def _now(self) -> npt.NDArray[np.int64]:
        """Return the number of units of each resource in each cell: (H, W, resources)."""
        resources = self._game.tables.channel.resources
        return self._game.world()[..., resources].astype(np.int64)

    def changed(self) -> list[Pile]:
        before, self._units = self._units, self._now()
        west, north = self._origin
        return [
            (self._names[i], row + west, column + north, int(self._units[row, column, i]))
            for row, column, i in np.argwhere(self._units != before).tolist()
        ]
