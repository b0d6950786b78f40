"""Pauses of a server's clock, at the request of any number of requesters."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType


class Standstill:
    """Counts requests to pause a game; ``async with`` makes a request while it is open.

    It has no effect before a server is attached.
    """

    def __init__(self) -> None:
        self._wanted = 0
        self._stands: bool | None = False  # None: unknown
        self._command: Callable[[str], Awaitable[str]] | None = None
        self._turn = asyncio.Lock()

    async def attach(self, command: Callable[[str], Awaitable[str]]) -> None:
        """Control a server from now on; an earlier run may have stopped its clock."""
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
        """Withdraw the request; the game continues if there are no other requests."""
        self._wanted -= 1
        await asyncio.shield(self._settle())

    async def _settle(self) -> None:
        async with self._turn:
            wanted = self._wanted > 0
            if self._command is not None and wanted != self._stands:
                await self._command(f"tick {'freeze' if wanted else 'unfreeze'}")
                self._stands = wanted
