"""A game that stands still: while anybody wants it to, its server's clock does not run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType


class Standstill:
    """Counts who wants a game to stand still; ``async with`` it is to want that for a while.

    Before a server is attached it has no effect.
    """

    def __init__(self) -> None:
        self._wanted = 0
        self._stands: bool | None = False  # None: nobody knows
        self._command: Callable[[str], Awaitable[str]] | None = None
        self._turn = asyncio.Lock()

    async def attach(self, command: Callable[[str], Awaitable[str]]) -> None:
        """Speak with a server from now on, whose clock may stand since a run before."""
        self._command, self._stands = command, None
        await self._settle()

    async def __aenter__(self) -> None:
        self._wanted += 1
        try:
            await asyncio.shield(self._settle())
        except BaseException:
            await self.__aexit__(None, None, None)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let it go on, unless others want it to stand."""
        self._wanted -= 1
        await asyncio.shield(self._settle())

    async def _settle(self) -> None:
        async with self._turn:
            wanted = self._wanted > 0
            if self._command is not None and wanted != self._stands:
                await self._command(f"tick {'freeze' if wanted else 'unfreeze'}")
                self._stands = wanted
