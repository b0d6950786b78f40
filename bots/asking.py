"""Asks a model until its answer can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bots.models import ChatModel, Message
from bots.parsing import AnswerError

T = TypeVar("T")

MAX_ANSWERS = 3
MAX_TOKENS = 3000


async def ask(
    model: ChatModel,
    messages: list[Message],
    read: Callable[[str], T],
    *,
    role: str,
    agent: str | None,
    temperature: float,
) -> T:
    """Ask, and ask again with the complaint where the answer cannot be read.

    Args:
        model: who is asked.
        messages: the conversation; not changed.
        read: turns an answer into a value, or raises ``AnswerError``.
        role: see :class:`~bots.models.model.ChatModel`.
        agent: whose mind asks.
        temperature: sampling temperature.

    Raises:
        AnswerError: no answer of :data:`MAX_ANSWERS` could be read.
        ModelError: the model does not answer.
    """
    conversation = list(messages)
    for left in range(MAX_ANSWERS - 1, -1, -1):
        answer = await model.complete(
            conversation, role=role, agent=agent, temperature=temperature, max_tokens=MAX_TOKENS
        )
        try:
            return read(answer.text)
        except AnswerError as error:
            if not left:
                raise
            conversation.append({"role": "assistant", "content": answer.text})
            conversation.append({"role": "user", "content": f"That cannot be used: {error}."})
    raise AssertionError("unreachable")
