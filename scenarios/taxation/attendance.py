"""Who comes to the community chest while a tax season is open, and who between seasons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.scenarios.taxation.measures import mean_share
from voxpolis.scenarios.taxation.population import PLACES
from voxpolis.worlds.society import CHEST

#: Who is so near to the chest is at it. Source: Project Sid, figure 10 C.
NEAR_BLOCKS = 6.0
#: How often people are looked for, in seconds; ours.
LOOK_S = 1.0

#: When somebody came.
Span = Literal["season", "between"]


class Attendance:
    """Counts who came within :data:`NEAR_BLOCKS` of the chest, in spans as long as a season."""

    def __init__(
        self, run: SocietyRun, seasons: Sequence[float], window_s: float, voters: Sequence[str]
    ) -> None:
        """Count constituents; ``seasons``: when each opens, ``window_s``: how long it is open."""
        self._run = run
        self._seasons = seasons
        self._window_s = window_s
        self._voters = voters
        #: Who came in each span that has begun.
        self._came: dict[tuple[Span, int, int], set[str]] = {}

    def span(self, t: float) -> tuple[Span, int, int]:
        """Return what a moment is in: a season, or so long a time between two; how many seasons
        have opened; and which part of the time since then it is, as long as a season each.
        """
        opened = [at for at in self._seasons if at <= t]
        part = math.floor((t - opened[-1] if opened else t) / self._window_s)
        return "season" if opened and not part else "between", len(opened), part

    async def watch(self) -> None:
        """Look who is near, until cancelled."""
        x, z = PLACES[CHEST]
        while True:
            came = self._came.setdefault(self.span(self._run.time.now()), set())
            for name in self._voters:
                east, _, south = self._run.world.position(name)
                if math.hypot(east - x, south - z) <= NEAR_BLOCKS:
                    came.add(name)
            await self._run.time.sleep(LOOK_S, key=-1)

    def outcome(self) -> dict[Span, float | None]:
        """Return the part of the constituents who came, the mean over spans of each kind."""
        spans: tuple[Span, Span] = ("season", "between")
        parts = {kind: [self._part(s) for s in self._came if s[0] == kind] for kind in spans}
        return {kind: mean_share(found) for kind, found in parts.items()}

    def _part(self, span: tuple[Span, int, int]) -> float:
        return len(self._came[span]) / len(self._voters)
