"""The game's clock, which may run faster than the wall's (``python -m server up --speed``)."""

from __future__ import annotations

import asyncio
import math
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

# Where no time is lent for so long of the wall's clock, the server is gone, and time goes on.
PATIENCE_S = 5.0
# How a loan is written (``clock.js``): from when time runs, by the machine's steady clock and by
# the game's; what it does not pass; and the sum of these, by which one that is half written is
# known. All in milliseconds.
LOAN = struct.Struct("<4d")
MS = 1000.0
SHORTEST_SLEEP_S = 0.001
# Between two looks at a clock that stands.
LOOK_S = 0.01


@dataclass(frozen=True)
class Clock:
    """Game time: all times in records, time limits and rules of scenarios are in it.

    ``speed`` says how many times as fast as the wall's clock it runs, at most; at ``anchor``, a
    Unix time in seconds, both agree. Server and bots have the same clock (``clock.js``). Where
    there is a ``file``, the server lends time by it, so that the clock stands still while the
    machine cannot follow.
    """

    speed: float = 1.0
    anchor: float = 0.0
    file: Path | None = None
    # The last loan that was read, if any: steady time, the game's, and its end, in seconds.
    _loans: list[tuple[float, float, float]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def now(self) -> float:
        """The game's Unix time, in seconds.

        A loan is looked for only once the last one has passed: that opens a file.
        """
        if self.file is not None and (not self._loans or self._passed() > self._loans[0][2]):
            self._borrow(self.file)
        if not self._loans:
            return self.anchor + (time.time() - self.anchor) * self.speed
        passed, until = self._passed(), self._loans[0][2]
        return passed if passed <= until else max(until, passed - PATIENCE_S * self.speed)

    def _passed(self) -> float:
        at, game, _ = self._loans[0]
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

    def _borrow(self, file: Path) -> None:
        """Look at what is lent now; what is there in part only, or not at all, changes nothing."""
        try:
            numbers = file.read_bytes()
        except OSError:
            numbers = b""
        if len(numbers) == LOAN.size:
            at, game, until, total = LOAN.unpack(numbers)
            if at > 0 and total == at + game + until and math.isfinite(total):
                self._loans[:] = [(at / MS, game / MS, until / MS)]


class SimulatedClock(Clock):
    """The time of a world that is computed: it is what it was last set to."""

    def __init__(self) -> None:
        super().__init__()
        self.set(0.0)

    def set(self, seconds: float) -> None:
        object.__setattr__(self, "_now", float(seconds))

    def now(self) -> float:
        now: float = self.__dict__["_now"]
        return now
