"""Players with tokens and chests: the accounting for games in which players give and pay.

On the grid, a payment only changes numbers. In Minecraft, bots carry gold nuggets to chests, and
the contents of the chests on the server decide the result (:mod:`worlds.minecraft.chests`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.circle import Circle
from voxpolis.worlds.recorded import ReplayWriter

# Capacity of a Minecraft chest in tokens: 27 stacks of 64. A player can hold more.
MOST_IN_CHEST = 27 * 64
# Duration of a payment on the grid, in seconds. A round of 1 s has at most two.
PAYMENT_S = 0.375

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
    """Chests on the grid: every move succeeds. A payment takes a moment, so that a page can show
    it.

    ``pot`` is the chest in the middle. The other chests belong to players.
    """

    def __init__(self, clock: SimulatedClock, circle: Circle, pot: str) -> None:
        self._clock, self._began = clock, clock.now()
        self._circle, self._pot = circle, pot

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Empty the chests. Players can only choose amounts that they hold."""
        self._show(Counter())

    async def put(self, moves: Moves) -> Moves:
        paid = Counter[str]()
        for own in moves.values():
            paid.update(own)
        self._show(paid)
        self._clock.set(self._clock.now() + PAYMENT_S)
        return moves

    def _show(self, paid: Counter[str]) -> None:
        self._circle.fill("token", paid[self._pot])
        self._circle.heap("fine", paid)

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
