"""Pauses: whoever runs an experiment in Minecraft lets its game stand still, and go on.

A file in the run's folder asks for it (``python -m experiments pause`` and ``go-on``); while it is
there, the server's clock stands, and with it all agents, limits and records. Models that are asked
may answer meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from voxpolis.records import events
from voxpolis.records.interventions import PauseWish
from voxpolis.worlds.standstill import Standstill

LOOK_S = 0.25


class Pauses:
    """Lets a game stand still while the file is there."""

    def __init__(self, folder: Path, standstill: Standstill, note: Callable[..., None]) -> None:
        """Begin without a pause, also where a run before was cut off in one.

        Args:
            folder: the run's.
            standstill: of its game.
            note: records an event: its class, and its fields.
        """
        self._wish = PauseWish(folder)
        self._standstill = standstill
        self._note = note
        self._since: float | None = None

    async def watch(self) -> None:
        """Look whether a pause is asked for, until cancelled."""
        while True:
            await self._follow(self._wish.now())
            await asyncio.sleep(LOOK_S)

    async def end(self) -> None:
        """Let the game go on: nobody can ask for it any more."""
        await self._follow(False)
        self._wish.forget()

    async def _follow(self, is_asked: bool) -> None:
        if is_asked and self._since is None:
            self._since = time.monotonic()
            await self._standstill.__aenter__()
            self._note(events.Intervention, action="pause", by=self._wish.by())
        elif not is_asked and self._since is not None:
            passed = f"after {time.monotonic() - self._since:.1f} s of the wall's clock"
            self._since = None
            self._note(events.Intervention, action="go_on", by=self._wish.by(), text=passed)
            await self._standstill.__aexit__(None, None, None)
