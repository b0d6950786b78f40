"""Listener for a bridge's events."""

from __future__ import annotations

import asyncio


class Heard:
    """Events that arrive during the ``async with`` block."""

    def __init__(self, bridge):
        self._bridge = bridge
        self.events = []

    async def __aenter__(self):
        waiting = (
            self._bridge._events
        )  # skips earlier events by id, because clocks differ by more than a fast game's steps
        while not waiting.empty():
            waiting.get_nowait()
        self._task = asyncio.create_task(self._listen())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _listen(self):
        async for event in self._bridge.events():
            self.events.append(event)

    def of(self, kind, agent=None):
        return [e for e in self.events if isinstance(e, kind) and agent in (None, e.agent)]

    async def wait(self, kind, agent=None, timeout_s=120):
        async with asyncio.timeout(timeout_s):
            while not self.of(kind, agent):
                await asyncio.sleep(0.05)
        return self.of(kind, agent)
