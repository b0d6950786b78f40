"""The seam between minds and language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    """A model's answer; token counts are None where the endpoint does not say."""

    text: str
    model: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ModelError(RuntimeError):
    """The model cannot be reached or answers something that is no completion."""


class ChatModel(Protocol):
    """Answers conversations."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        role: str,
        agent: str | None,
        temperature: float,
        max_tokens: int,
    ) -> Completion:
        """Answer a conversation.

        Args:
            messages: the conversation so far.
            role: what the answer is for (``action``, ``critic``, ``judge``).
            agent: whose mind asks, or None (the judge).
            temperature: sampling temperature.
            max_tokens: upper bound of the answer's length.

        Raises:
            ModelError: there is no answer.
        """
