"""Players who hold tokens and put them into chests: the bookkeeping of games of giving and paying.

On the grid a move is an entry in an account. In Minecraft bots carry gold nuggets to chests, and
what counts is what the server finds there (:mod:`worlds.minecraft.chests`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.recorded import CUT_OFF, ReplayWriter

# Tokens that fit into a chest of Minecraft: 27 stacks of 64. A player holds as many and more.
MOST_IN_CHEST = 27 * 64

# How many tokens each player puts into each chest, by their names.
Moves = Mapping[str, Mapping[str, int]]


class Chests(Protocol):
    """A world of players and named chests. All methods raise :class:`FaultError` where it fails."""

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Empty all chests, and let each player hold so many tokens and no others."""

    async def put(self, moves: Moves) -> Moves:
        """Let players put tokens into chests; return what they put, by the world's account."""

    def seconds(self) -> float:
        """Return how long it has taken, in seconds of the world's clock."""


class CountedChests:
    """Chests on the grid: every move is as it was chosen."""

    def __init__(self, clock: SimulatedClock) -> None:
        self._clock, self._began = clock, clock.now()

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Do nothing: a player can choose only what it holds."""

    async def put(self, moves: Moves) -> Moves:
        """Return the moves."""
        return moves

    def seconds(self) -> float:
        """Return the seconds on the simulated clock."""
        return self._clock.now() - self._began


class RecordedChests:
    """The chests of a record that is replayed: its server has confirmed every move."""

    def __init__(self, writer: ReplayWriter) -> None:
        self._writer = writer
        writer.pass_world(until=events.EpisodeStarted)

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Do nothing."""

    async def put(self, moves: Moves) -> Moves:
        """Return the moves."""
        return moves

    def seconds(self) -> float:
        """Return how long the recorded episode took.

        Raises:
            FaultError: it was cut off.
        """
        for event in self._writer.coming:
            if isinstance(event, events.EpisodeEnded):
                return event.seconds
        raise FaultError(CUT_OFF)
