"""Pauses of a server's clock. Several parts of a run can request a pause at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType


class Standstill:
    """Pauses a game while at least one request is open. Each ``async with`` block is a request.

    Requests have no effect before a server is attached.
    """

    def __init__(self) -> None:
        self._wanted = 0
        self._stands: bool | None = False  # None: unknown
        self._command: Callable[[str], Awaitable[str]] | None = None
        self._turn = asyncio.Lock()

    @property
    def is_wanted(self) -> bool:
        """True if the game is to stand still."""
        return self._wanted > 0

    async def attach(self, command: Callable[[str], Awaitable[str]]) -> None:
        """Control a server from now on. Its clock is set at once, because an earlier run may have
        stopped it.
        """
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
        """Withdraw the request. The game continues if there are no other requests."""
        self._wanted -= 1
        await asyncio.shield(self._settle())

    async def _settle(self) -> None:
        async with self._turn:
            wanted = self._wanted > 0
            if self._command is not None and wanted != self._stands:
                await self._command(f"tick {'freeze' if wanted else 'unfreeze'}")
                self._stands = wanted
