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

from bridge import MinecraftWorld
from records import events
from worlds.protocol import PAUSE_FILE

LOOK_S = 0.25
FROZEN = "The game is frozen"


class Pauses:
    """Lets the server's clock stand while the file is there."""

    def __init__(self, folder: Path, world: MinecraftWorld, note: Callable[..., None]) -> None:
        """Begin without a pause.

        Args:
            folder: the run's.
            world: whose server has a clock that can stand (the embedded one).
            note: records an event: its class, and its fields.
        """
        self._path = folder / PAUSE_FILE
        self._world = world
        self._note = note
        self._since: float | None = None

    async def begin(self) -> None:
        """Forget a pause that a run before left on the server, or in the folder."""
        self._path.unlink(missing_ok=True)
        await self._world.ask("tick unfreeze")

    async def watch(self) -> None:
        """Look whether a pause is asked for, until cancelled."""
        while True:
            await self._follow(self._path.exists())
            await asyncio.sleep(LOOK_S)

    async def end(self) -> None:
        """Let the game go on: nobody can ask for it any more."""
        await self._follow(False)
        self._path.unlink(missing_ok=True)

    async def _follow(self, is_asked: bool) -> None:
        if is_asked and self._since is None:
            if FROZEN not in await self._world.ask("tick freeze"):
                return
            self._since = time.monotonic()
            self._note(events.Intervention, action="pause")
        elif not is_asked and self._since is not None:
            passed = f"after {time.monotonic() - self._since:.1f} s of the wall's clock"
            self._since = None
            self._note(events.Intervention, action="go_on", text=passed)
            await self._world.ask("tick unfreeze")
