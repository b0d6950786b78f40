"""Any endpoint that speaks OpenAI's chat-completions protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from bots.models.model import Completion, Message, ModelError

DEFAULT_MODEL = "gpt-4o"
TIMEOUT_S = 120.0
MAX_RETRIES = 3


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    What is not given comes from the usual environment variables: ``OPENAI_API_KEY``,
    ``OPENAI_BASE_URL``, ``OPENAI_MODEL``.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        """Make the client; nothing is sent yet.

        Raises:
            ModelError: there is no key.
        """
        self.model = model
        try:
            self._client = openai.AsyncOpenAI(
                base_url=base_url, api_key=api_key, timeout=timeout_s, max_retries=max_retries
            )
        except openai.OpenAIError as error:
            raise ModelError("there is no API key: set OPENAI_API_KEY, or use scripted") from error

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
            answer = await self._client.chat.completions.create(
                model=self.model,
                messages=cast("list[ChatCompletionMessageParam]", list(messages)),
                temperature=temperature,
                max_tokens=max_tokens,
            )
        except openai.APITimeoutError as error:
            raise ModelError(f"{self._where()} did not answer in time") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise ModelError(f"{self._where()} cannot be reached: {cause}") from error
        except openai.APIStatusError as error:
            said = " ".join(str(error.message).split())[:200]
            raise ModelError(f"{self._where()} answers {error.status_code}: {said}") from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ModelError(f"{self._where()} answers nonsense: {error}") from error
        return self._read(answer)

    def _read(self, answer: Any) -> Completion:
        try:
            text = answer.choices[0].message.content
            used = answer.usage
        except (AttributeError, IndexError, TypeError) as error:
            raise ModelError(f"{self._where()} answers nonsense: no choices") from error
        if not isinstance(text, str):
            raise ModelError(f"{self._where()} answers nonsense: a choice without text")
        return Completion(
            text=text,
            model=str(getattr(answer, "model", self.model)),
            prompt_tokens=getattr(used, "prompt_tokens", None),
            completion_tokens=getattr(used, "completion_tokens", None),
        )

    def _where(self) -> str:
        return f"the model {self.model} at {self._client.base_url}"
