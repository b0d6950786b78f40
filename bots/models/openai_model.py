"""Any endpoint that speaks OpenAI's chat-completions protocol."""

from __future__ import annotations

from typing import Any, cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from bots.models.model import ChatRequest, Completion, ModelError
from bots.models.settings import ModelSettings

TIMEOUT_S = 120.0
MAX_RETRIES = 3
#: Longer answers are cut: no reader of ours needs more, and a record should not hold a flood.
MAX_CHARACTERS = 200_000


class OpenAIModel:
    """Chat models behind an OpenAI-compatible endpoint.

    Rate limits, time-outs, lost connections and the endpoint's own faults are retried with growing
    pauses, or after the time that the endpoint asks for. What is not given comes from the usual
    environment variables: ``OPENAI_API_KEY``, ``OPENAI_BASE_URL``.
    """

    def __init__(
        self,
        settings: ModelSettings,
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
        self._settings = settings
        try:
            self._client = openai.AsyncOpenAI(
                base_url=base_url, api_key=api_key, timeout=timeout_s, max_retries=max_retries
            )
        except openai.OpenAIError as error:
            raise ModelError("there is no API key: set OPENAI_API_KEY, or use scripted") from error

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        asked = self._settings.request(request)
        where = f"the model {asked.model} at {self._client.base_url}"
        try:
            answer = await self._client.chat.completions.create(
                model=asked.model,
                messages=cast("list[ChatCompletionMessageParam]", list(request.messages)),
                temperature=asked.temperature,
                max_tokens=asked.max_tokens,
            )
        except openai.APITimeoutError as error:
            raise ModelError(f"{where} did not answer in time") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise ModelError(f"{where} cannot be reached: {cause}") from error
        except openai.APIStatusError as error:
            said = " ".join(str(error.message).split())[:200]
            raise ModelError(f"{where} answers {error.status_code}: {said}") from error
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ModelError(f"{where} answers nonsense: {error}") from error
        return _read(answer, asked.model, where)


def _read(answer: Any, requested: str, where: str) -> Completion:
    """The text of an answer; a refusal is what the model says, too."""
    try:
        message = answer.choices[0].message
        text = message.content if message.content is not None else message.refusal
        used = answer.usage
    except (AttributeError, IndexError, TypeError) as error:
        raise ModelError(f"{where} answers nonsense: no choices") from error
    if not isinstance(text, str):
        raise ModelError(f"{where} answers nonsense: a choice without text")
    return Completion(
        text=text[:MAX_CHARACTERS],
        model=str(getattr(answer, "model", None) or requested),
        prompt_tokens=_count(used, "prompt_tokens"),
        completion_tokens=_count(used, "completion_tokens"),
    )


def _count(used: Any, name: str) -> int | None:
    count = getattr(used, name, None)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
