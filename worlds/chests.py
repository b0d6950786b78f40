"""Players with tokens and chests: the accounting for games in which players give and pay.

On the grid, a payment only changes numbers. In Minecraft, bots carry gold nuggets to chests, and
the contents of the chests on the server decide the result (:mod:`worlds.minecraft.chests`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.recorded import ReplayWriter

# Capacity of a Minecraft chest in tokens: 27 stacks of 64. A player can hold more.
MOST_IN_CHEST = 27 * 64

# Tokens by player and chest.
Moves = Mapping[str, Mapping[str, int]]


class Chests(Protocol):
    """A world with players and named chests. All methods raise :class:`FaultError` on failure."""

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Empty all chests, and give each player exactly the stated number of tokens."""

    async def put(self, moves: Moves) -> Moves:
        """Let players put tokens into chests. Return those of ``moves`` that the world confirms."""

    def seconds(self) -> float:
        """Return the elapsed time on the world's clock, in seconds."""


class CountedChests:
    """Chests on the grid: every move succeeds."""

    def __init__(self, clock: SimulatedClock) -> None:
        self._clock, self._began = clock, clock.now()

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Do nothing: there is no store to fill, and players can only choose amounts that they
        hold.
        """

    async def put(self, moves: Moves) -> Moves:
        return moves

    def seconds(self) -> float:
        return self._clock.now() - self._began


class RecordedChests:
    """The chests in a replay: the recorded server has confirmed every move."""

    def __init__(self, writer: ReplayWriter) -> None:
        self._writer = writer
        writer.pass_world(until=events.EpisodeStarted)

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Do nothing."""

    async def put(self, moves: Moves) -> Moves:
        return moves

    def seconds(self) -> float:
        return self._writer.episode_seconds()
