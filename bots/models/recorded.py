"""Records every call of a model."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from bots.models.budget import Prices, price_of
from bots.models.model import ChatModel, ChatRequest, Completion
from bots.models.settings import ModelSettings


class RecordedModel:
    """Passes calls on to another model and hands each, with its answer or error, to ``record``.

    What is recorded: role, agent, what was requested (model, temperature, length, messages), and
    the answer with its tokens, seconds and cost in dollars (None where no price is known).
    """

    def __init__(
        self,
        model: ChatModel,
        record: Callable[[dict[str, Any]], None],
        settings: ModelSettings,
        prices: Prices,
    ) -> None:
        """``settings`` and ``prices`` are those that the model itself works with."""
        self._model = model
        self._record = record
        self._settings = settings
        self._prices = prices

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        asked = self._settings.request(request)
        call: dict[str, Any] = {
            "role": request.role,
            "agent": request.agent,
            "requested": asked.model,
            "temperature": asked.temperature,
            "max_tokens": asked.max_tokens,
            "messages": list(request.messages),
        }
        started = time.monotonic()
        try:
            answer = await self._model.complete(request)
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
                "cost": self._cost(asked.model, answer),
            }
        )
        return answer

    def _cost(self, requested: str, answer: Completion) -> float | None:
        price = price_of(self._prices, requested)
        if price is None or answer.prompt_tokens is None or answer.completion_tokens is None:
            return None
        return price.cost(answer.prompt_tokens, answer.completion_tokens)


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)
