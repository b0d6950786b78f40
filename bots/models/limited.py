"""Bounds how many calls are under way at once."""

from __future__ import annotations

import asyncio

from bots.models.model import ChatModel, ChatRequest, Completion


class LimitedModel:
    """Passes calls on, at most so many at a time; the others wait their turn."""

    def __init__(self, model: ChatModel, at_once: int) -> None:
        self._model = model
        self._turns = asyncio.Semaphore(at_once)

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        async with self._turns:
            return await self._model.complete(request)
