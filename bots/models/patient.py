"""Asks once more, with more room, where a thought left none for the answer."""

from __future__ import annotations

from dataclasses import replace

from bots.models.model import ChatModel, ChatRequest, Completion, ModelError
from bots.models.settings import OMIT, ModelSettings

#: How much longer an answer may be that was empty because the thought took all there was.
MORE_TOKENS = 8000


class PatientModel:
    """Passes calls on; an answer that is all thought is asked for once more, with more tokens.

    Which model needs more for which role is remembered, so that it is not paid for twice each time.
    """

    def __init__(self, model: ChatModel, settings: ModelSettings) -> None:
        self._model = model
        self._settings = settings
        self._needs_more: set[tuple[str | None, str, str]] = set()

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ModelError: the thought took all tokens of the longer answer, too.
        """
        asked = self._settings.request(request)
        name = (asked.base_url, asked.model, request.role)
        longer = replace(request, extra_tokens=request.extra_tokens + MORE_TOKENS)
        if name in self._needs_more or asked.max_tokens == OMIT:
            answer = await self._model.complete(longer)
            if _is_all_thought(answer):
                raise self._error(longer, answer)
            return answer
        first = await self._model.complete(request)
        if not _is_all_thought(first):
            return first
        self._needs_more.add(name)
        note = f"{asked.model} thinks for all its tokens as {request.role}: it has more from now on"
        answer = _together(first, await self._model.complete(longer), note)
        if _is_all_thought(answer):
            raise self._error(longer, answer)
        return answer

    def _error(self, request: ChatRequest, answer: Completion) -> ModelError:
        asked = self._settings.request(request)
        bound = "all tokens" if asked.max_tokens == OMIT else f"all {asked.max_tokens} tokens"
        error = ModelError(
            f"the model {asked.model} used {bound} for its thought and answered nothing: give the "
            f"role {request.role} more max_tokens or less reasoning_effort with --models"
        )
        error.answer, error.notes, error.tries = answer, answer.notes, answer.tries
        return error


def _is_all_thought(answer: Completion) -> bool:
    return not answer.text.strip() and answer.finish_reason == "length"


def _together(first: Completion, second: Completion, note: str) -> Completion:
    """Return the second answer with what both took."""
    return replace(
        second,
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
        cached_tokens=_sum(first.cached_tokens, second.cached_tokens),
        reasoning_tokens=_sum(first.reasoning_tokens, second.reasoning_tokens),
        cost=None if first.cost is None or second.cost is None else first.cost + second.cost,
        notes=(*first.notes, *second.notes, note),
        tries=first.tries + second.tries,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)
