"""Execution of a commons game, either by the substrate (the grid game itself) alone or with bodies.

The substrate decides the outcome of a step: who may enter a cell, where apples grow, who is out. A
stage shows that outcome in its world. It also reports where the players are and how many apples
each player has taken, as counted in its world. If these reports differ from the outcome of the
substrate, the world has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from voxpolis.bots.agents.turns import Cell
from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.commons.table import CommonsTable, Happening, position
from voxpolis.worlds.recorded import ReplayWriter

# Item that represents an apple on a server and in its log.
FRUIT = "red_mushroom"

# Records an event, given its class, its agent and its fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class Step:
    """A step of the substrate. The attributes hold the state before the step, while the
    :class:`CommonsTable` already holds the state after the step.

    Attributes:
        cells: positions of the players.
        headings: headings of the players.
        out: players that were out of the game.
        piles: the things that can come and go (apples and dirt), each with its kind and cell.
        grass: sites on which apples could grow.
        happened: events of the step.
    """

    cells: Sequence[Cell]
    headings: Sequence[int]
    out: Sequence[bool]
    piles: frozenset[tuple[str, int, int]]
    grass: frozenset[Cell]
    happened: Sequence[Happening]

    @property
    def fleeting(self) -> frozenset[tuple[str, int, int]]:
        """Return the name and cell of each thing that appeared and was removed again within the
        step.
        """
        taken = {("apple", *one.cell) for one in self.happened if one.what == "eaten"}
        taken |= {("dirt", *cell) for one in self.happened for cell in one.cleaned}
        return frozenset(taken - self.piles)


def take_step(table: CommonsTable, chosen: Mapping[int, int]) -> Step:
    """Apply the players' choices to the substrate, and return the step."""
    cells, headings, out = list(table.cells), list(table.headings), list(table.out)
    piles, grass = table.piles, table.grass
    return Step(cells, headings, out, piles, grass, table.step(chosen))


class Stage(Protocol):
    """The world in which a commons game is shown. All methods raise :class:`FaultError` if the
    world is lost.
    """

    async def build(self, table: CommonsTable, note: Note) -> None:
        """Build the initial world, and record what it consists of."""

    async def placed(self) -> None:
        """Record the players' positions at the start of the episode."""

    async def act(self, step: Step) -> None:
        """Let the players carry out a step of the substrate, and check the outcome."""

    async def show(self, step: Step) -> None:
        """Show the state after a step, and record changes that no player caused."""

    async def taken(self) -> Mapping[str, int]:
        """Return how many apples each player has taken, according to the world."""

    def seconds(self) -> float:
        """Return the duration of the episode on the world's clock, in seconds."""


class GridStage:
    """The substrate alone as a world. Each step takes one second on the clock."""

    def __init__(self, clock: SimulatedClock) -> None:
        self._clock = clock

    async def build(self, table: CommonsTable, note: Note) -> None:
        self._table, self._note = table, note
        self._started = self._clock.now()
        note(events.WorldBuilt, blocks=table.scenery(), ground=table.ground())

    async def placed(self) -> None:
        self._note_places(range(len(self._table.names)))

    async def act(self, step: Step) -> None:
        self._clock.set(self._started + self.seconds())

    async def show(self, step: Step) -> None:
        now = self._table.piles
        if step.piles != now:
            piles = [(*pile, int(pile in now)) for pile in sorted(step.piles ^ now)]
            self._note(events.PilesChanged, piles=piles)
        cells = self._table.cells
        self._note_places([i for i, before in enumerate(step.cells) if before != cells[i]])

    def _note_places(self, players: Sequence[int]) -> None:
        for i in players:
            name, at = self._table.names[i], position(self._table.cells[i])
            self._note(events.PositionSampled, name, position=at)

    async def taken(self) -> Mapping[str, int]:
        return self._table.eaten

    def seconds(self) -> float:
        return float(self._table.steps)


class RecordedStage:
    """A recorded world, which a replay uses instead of a live world."""

    def __init__(self, writer: ReplayWriter) -> None:
        self._writer = writer

    async def build(self, table: CommonsTable, note: Note) -> None:
        self._table = table
        self._writer.pass_world(until=events.EpisodeStarted)
        self._writer.passed.clear()

    async def placed(self) -> None:
        """Do nothing."""

    async def act(self, step: Step) -> None:
        """Do nothing."""

    async def show(self, step: Step) -> None:
        """Do nothing."""

    async def taken(self) -> Mapping[str, int]:
        found = dict.fromkeys(self._table.names, 0)
        for event in self._writer.passed:
            if isinstance(event, events.LedgerEntry) and event.item == FRUIT:
                found[str(event.agent)] += event.count
        return found

    def seconds(self) -> float:
        return self._writer.episode_seconds()
