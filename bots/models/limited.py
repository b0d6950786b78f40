"""Bounds how many calls are under way at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bots.models.model import ChatModel, Completion, Message


class LimitedModel:
    """Passes calls on, at most so many at a time; the others wait their turn."""

    def __init__(self, model: ChatModel, at_once: int) -> None:
        self._model = model
        self._turns = asyncio.Semaphore(at_once)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        role: str,
        agent: str | None,
        temperature: float,
        max_tokens: int,
    ) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        async with self._turns:
            return await self._model.complete(
                messages, role=role, agent=agent, temperature=temperature, max_tokens=max_tokens
            )
