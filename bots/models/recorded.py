"""Records every call of a model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from bots.models.model import ChatModel, Completion, Message


class RecordedModel:
    """Passes calls on to another model and hands each, with its answer or error, to ``record``."""

    def __init__(self, model: ChatModel, record: Callable[[dict[str, Any]], None]) -> None:
        self._model = model
        self._record = record

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
        call: dict[str, Any] = {
            "role": role,
            "agent": agent,
            "temperature": temperature,
            "max_tokens": max_tokens,
            "messages": list(messages),
        }
        started = time.monotonic()
        try:
            answer = await self._model.complete(
                messages, role=role, agent=agent, temperature=temperature, max_tokens=max_tokens
            )
        except Exception as error:
            self._record({**call, "error": str(error), "seconds": _since(started)})
            raise
        self._record(
            {
                **call,
                "model": answer.model,
                "answer": answer.text,
                "prompt_tokens": answer.prompt_tokens,
                "completion_tokens": answer.completion_tokens,
                "seconds": _since(started),
            }
        )
        return answer


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)
