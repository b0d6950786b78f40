"""A recording first, a live model for what it does not hold."""

from __future__ import annotations

from voxpolis.bots.models.model import ChatModel, ChatRequest, Completion
from voxpolis.bots.models.replay import ReplayModel


class ResumedModel:
    """Answers out of a recording, and asks a model for what was never asked before."""

    def __init__(self, recording: ReplayModel, model: ChatModel) -> None:
        self._recording = recording
        self._model = model

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        answer = self._recording.take(request)
        return answer if answer is not None else await self._model.complete(request)
