"""Where a game of a commons is carried out: by the substrate alone, or by bodies besides.

The substrate decides what a step comes to: who may enter a cell, where apples grow, who is out. A
stage shows that in its world, and gives its own account of who is where and who took what; where
that is another than the substrate's, the world has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from voxpolis.bots.agents.turns import Cell
from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.commons.table import CommonsTable, Happening, position
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.recorded import CUT_OFF, ReplayWriter

# What apples are on a server, and in its ledger.
FRUIT = "red_mushroom"

# Records an event: its class, its agent, and its fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class Step:
    """A step of the substrate, from what held before it to what holds now in its table.

    Attributes:
        cells: where players were.
        headings: where they looked.
        out: who was out of the game.
        piles: what of the scenery comes and goes, with its cells, as it was.
        grass: the sites on which apples could grow.
        happened: what has happened.
    """

    cells: Sequence[Cell]
    headings: Sequence[int]
    out: Sequence[bool]
    piles: frozenset[tuple[str, int, int]]
    grass: frozenset[Cell]
    happened: Sequence[Happening]

    @property
    def fleeting(self) -> frozenset[tuple[str, int, int]]:
        """What came and was taken within the step: its name and its cell."""
        taken = {("apple", *one.cell) for one in self.happened if one.what == "eaten"}
        taken |= {("dirt", *cell) for one in self.happened for cell in one.cleaned}
        return frozenset(taken - self.piles)


def take_step(table: CommonsTable, chosen: Mapping[int, int]) -> Step:
    """Let the substrate take a step with what players chose, and return it."""
    cells, headings, out = list(table.cells), list(table.headings), list(table.out)
    piles, grass = table.piles, table.grass
    return Step(cells, headings, out, piles, grass, table.step(chosen))


class Stage(Protocol):
    """A world of a commons. All methods raise :class:`FaultError` where it is lost."""

    async def build(self, table: CommonsTable, note: Note) -> None:
        """Let the world be as a game begins, and record what it is made of."""

    async def placed(self) -> None:
        """Record where players are, now that the episode has begun."""

    async def act(self, step: Step) -> None:
        """Let players do what they did in a step of the substrate, and check what came of it."""

    async def show(self, step: Step) -> None:
        """Let the world be as the step has left it, and record what has changed by itself."""

    async def taken(self) -> Mapping[str, int]:
        """Return how many apples each player has taken, by the world's own account."""

    def seconds(self) -> float:
        """Return how long the episode has taken, in seconds of the world's clock."""


class GridStage:
    """The substrate is the world, and a step of it a second of the clock."""

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
    """A recorded world in the place of a live one: the record says what was shown and counted."""

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
        for event in self._writer.coming:
            if isinstance(event, events.EpisodeEnded):
                return event.seconds
        raise FaultError(CUT_OFF)
