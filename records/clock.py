"""The game's clock, which may run faster than the wall's (``python -m server up --speed``)."""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """Game time: all times in records, time limits and rules of scenarios are in it.

    ``speed`` says how many times as fast as the wall's clock it runs; at ``anchor``, a Unix time
    in seconds, both agree. Server and bots have the same clock (``clock.js``).
    """

    speed: float = 1.0
    anchor: float = 0.0

    def now(self) -> float:
        """The game's Unix time, in seconds."""
        return self.anchor + (time.time() - self.anchor) * self.speed

    def wall_seconds(self, game_seconds: float) -> float:
        """How long a stretch of game time takes on the wall's clock, in seconds."""
        return game_seconds / self.speed


class SimulatedClock(Clock):
    """The time of a world that is computed: it is what it was last set to."""

    def __init__(self) -> None:
        super().__init__()
        self.set(0.0)

    def set(self, seconds: float) -> None:
        """Go to a time."""
        object.__setattr__(self, "_now", seconds)

    def now(self) -> float:
        """The simulated time, in seconds."""
        return float(self.__dict__["_now"])
