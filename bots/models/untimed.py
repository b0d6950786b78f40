"""Minds whose answers take no time of the game: it stands still while they are asked."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from voxpolis.bots.models.model import ChatModel, ChatRequest, Completion


class UntimedModel:
    """Passes calls on, and lets something stand still meanwhile."""

    def __init__(self, model: ChatModel, standstill: AbstractAsyncContextManager[None]) -> None:
        """Ask a model.

        ``standstill`` is entered by each call, several at the same time where calls overlap.
        """
        self._model = model
        self._standstill = standstill

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ModelError: there is no answer.
        """
        async with self._standstill:
            return await self._model.complete(request)
