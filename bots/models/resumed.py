"""A recording first, a live model for what it does not hold."""

from __future__ import annotations

from collections.abc import Sequence

from bots.models.model import ChatModel, Completion, Message
from bots.models.replay import ReplayError, ReplayModel


class ResumedModel:
    """Answers out of a recording, and asks a model for what was never asked before."""

    def __init__(self, recording: ReplayModel, model: ChatModel) -> None:
        self._recording = recording
        self._model = model

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
        try:
            return await self._recording.complete(
                messages, role=role, agent=agent, temperature=temperature, max_tokens=max_tokens
            )
        except ReplayError:
            return await self._model.complete(
                messages, role=role, agent=agent, temperature=temperature, max_tokens=max_tokens
            )
