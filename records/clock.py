"""The clock of a game, which may run faster than real time (``python -m server up --speed``)."""

from __future__ import annotations

import asyncio
import math
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

# If the server grants no time for this many seconds of real time, it is gone, and time continues
# without it.
PATIENCE_S = 5.0
# The layout of a time grant, which the server writes (``clock.js``): the start of the grant on the
# machine's monotonic clock, its start and end on the game's clock, and the sum of these three
# numbers, from which a partly written grant is recognised. All four numbers are in milliseconds.
GRANT = struct.Struct("<4d")
MS = 1000.0
SHORTEST_SLEEP_S = 0.001
# While the clock is stopped, it is checked at this interval in seconds.
LOOK_S = 0.01


@dataclass(frozen=True)
class Clock:
    """The time of a game. Records, time limits and the rules of scenarios use this time.

    Game time runs at most ``speed`` times as fast as real time. Both times are equal at ``anchor``,
    a Unix time in seconds. The server and the bots share the clock (``clock.js``). If there is a
    ``file``, the server writes into it up to which time the game may run (a grant), so that the
    clock stops while the machine cannot keep up.
    """

    speed: float = 1.0
    anchor: float = 0.0
    file: Path | None = None
    # The last grant: its start on the monotonic clock, and its start and end in game time, in
    # seconds.
    _grants: list[tuple[float, float, float]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def now(self) -> float:
        """Return the Unix time of the game in seconds.

        If there is a ``file``, it is read again only when the time up to which the game may run has
        passed.
        """
        if self.file is not None and (not self._grants or self._passed() > self._grants[0][2]):
            self._read_grant(self.file)
        if not self._grants:
            return self.anchor + (time.time() - self.anchor) * self.speed
        passed, until = self._passed(), self._grants[0][2]
        return passed if passed <= until else max(until, passed - PATIENCE_S * self.speed)

    def _passed(self) -> float:
        at, game, _ = self._grants[0]
        return game + (time.monotonic() - at) * self.speed

    def wall_seconds(self, game_seconds: float) -> float:
        return game_seconds / self.speed

    async def sleep(self, game_seconds: float) -> None:
        before = self.now()
        until = before + game_seconds
        await asyncio.sleep(0)
        shortest = SHORTEST_SLEEP_S
        while (left := until - (now := self.now())) > 0:
            await asyncio.sleep(max(shortest, self.wall_seconds(left)))
            shortest = LOOK_S if now == before else SHORTEST_SLEEP_S
            before = now

    def _read_grant(self, file: Path) -> None:
        """Read the current grant from the file. A missing or partly written grant is ignored."""
        try:
            numbers = file.read_bytes()
        except OSError:
            numbers = b""
        if len(numbers) == GRANT.size:
            at, game, until, total = GRANT.unpack(numbers)
            if at > 0 and total == at + game + until and math.isfinite(total):
                self._grants[:] = [(at / MS, game / MS, until / MS)]


class SimulatedClock(Clock):
    """The clock of a simulated world, which returns the time that was last set."""

    def __init__(self) -> None:
        super().__init__()
        self.set(0.0)

    def set(self, seconds: float) -> None:
        object.__setattr__(self, "_now", float(seconds))

    def now(self) -> float:
        now: float = self.__dict__["_now"]
        return now
