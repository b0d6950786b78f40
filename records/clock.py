"""The game's clock, which may run faster than the wall clock (``python -m server up --speed``)."""

from __future__ import annotations

import asyncio
import math
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

# After this many wall-clock seconds without a time grant, the server is gone and time continues.
PATIENCE_S = 5.0
# Layout of a time grant (``clock.js``): its start on the machine's monotonic clock, its start and
# end on the game's clock, and the sum of these three, which detects partial writes. All in ms.
GRANT = struct.Struct("<4d")
MS = 1000.0
SHORTEST_SLEEP_S = 0.001
# Polling interval while the clock is stopped.
LOOK_S = 0.01


@dataclass(frozen=True)
class Clock:
    """Game time, which all times in records, time limits and rules of scenarios use.

    ``speed`` is the maximum ratio of game time to wall-clock time. The two times agree at
    ``anchor``, a Unix time in seconds. Server and bots share the clock (``clock.js``). If there is
    a ``file``, the server grants time through it, so that the clock stops while the machine cannot
    keep up.
    """

    speed: float = 1.0
    anchor: float = 0.0
    file: Path | None = None
    # The last grant: start on the monotonic clock, start and end in game time, in seconds.
    _grants: list[tuple[float, float, float]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def now(self) -> float:
        """Return the game's Unix time, in seconds.

        The file is opened for a new grant only after the last one has expired.
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
        """Read the current grant; ignore a partial or missing one."""
        try:
            numbers = file.read_bytes()
        except OSError:
            numbers = b""
        if len(numbers) == GRANT.size:
            at, game, until, total = GRANT.unpack(numbers)
            if at > 0 and total == at + game + until and math.isfinite(total):
                self._grants[:] = [(at / MS, game / MS, until / MS)]


class SimulatedClock(Clock):
    """Clock of a computed world: returns the time that was last set."""

    def __init__(self) -> None:
        super().__init__()
        self.set(0.0)

    def set(self, seconds: float) -> None:
        object.__setattr__(self, "_now", float(seconds))

    def now(self) -> float:
        now: float = self.__dict__["_now"]
        return now
