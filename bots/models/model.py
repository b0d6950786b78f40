"""The seam between agents and language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """One question to a model.

    Attributes:
        messages: the conversation so far.
        role: what the answer is for (``action``, ``critic``, ``judge``).
        agent: which agent asks; None for the judge and its like.
        temperature: sampling temperature.
        max_tokens: upper bound of the answer's length.
        about: the typed value that the prompt was rendered from. Scripted minds answer from it and
            never read prose; language models do not see it.
        attempt: how often the same was asked before, because an answer could not be used.
    """

    messages: Sequence[Message]
    role: str
    agent: str | None
    temperature: float
    max_tokens: int
    about: object = None
    attempt: int = 0


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

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation.

        Raises:
            ModelError: there is no answer.
        """
