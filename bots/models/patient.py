"""A second chance for a model whose thought left too few tokens for its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from voxpolis.bots.models.answers import CUT_OFF
from voxpolis.bots.models.model import (
    ChatModel,
    ChatRequest,
    Completion,
    ModelError,
    ThoughtLimitError,
)
from voxpolis.bots.models.settings import OMIT, ModelSettings

# How many more tokens a model gets when its thought has left too few for the answer.
MORE_TOKENS = 8000
# The extra tokens never exceed this number, because a thought may be endless.
MOST_EXTRA_TOKENS = 32_000

_Name = tuple[str | None, str, str]


class PatientModel:
    """Passes calls on to another model, and asks again with more tokens if a thought was too long.

    A thought was too long if it used all tokens, or if it used at least half of them and the answer
    was cut off. The class remembers how many extra tokens each role needs. Therefore only the first
    question of a role is paid for twice.
    """

    def __init__(
        self,
        model: ChatModel,
        settings: ModelSettings,
        before: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Wrap a model.

        ``before`` contains the recorded calls of a resumed run. What was learnt from them still
        applies.
        """
        self._model = model
        self._settings = settings
        self._extra: dict[_Name, int] = {}
        for call in before:
            extra, role, agent = (call.get(name) for name in ("extra_tokens", "role", "agent"))
            if isinstance(extra, int) and isinstance(role, str):
                name = self._name(ChatRequest((), role, agent, 0.0, 0))
                if name[1] == call.get("requested"):
                    self._remember(name, extra)

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ModelError: the thought also used all of the additional tokens, or the second call
                failed. The error contains the usage of the first answer.
        """
        name = self._name(request)
        extra = self._extra.get(name, 0)
        first = await self._model.complete(_longer(request, extra))
        first = replace(first, extra_tokens=extra)
        if not _is_crowded(first):
            return first
        more = min(extra + MORE_TOKENS, MOST_EXTRA_TOKENS)
        if more == extra or self._settings.request(request).max_tokens == OMIT:
            if not _is_all_thought(first):
                return first
            raise self._error(_longer(request, extra), first)
        self._remember(name, more)
        much = "all" if _is_all_thought(first) else "most of"
        note = f"{name[1]} uses {much} its tokens to think as {request.role}, and now gets more"
        first = replace(first, extra_tokens=more, notes=(*first.notes, note))
        try:
            answer = _combine_usage(first, await self._model.complete(_longer(request, more)))
        except ModelError as error:
            failed = error.answer
            error.answer = first if failed is None else _combine_usage(first, failed)
            error.notes = (*first.notes, *error.notes)
            error.tries += first.tries
            raise
        if _is_all_thought(answer):
            raise self._error(_longer(request, more), answer)
        return answer

    def _name(self, request: ChatRequest) -> _Name:
        asked = self._settings.request(request)
        return asked.base_url, asked.model, request.role

    def _remember(self, name: _Name, extra: int) -> None:
        self._extra[name] = max(extra, self._extra.get(name, 0))

    def _error(self, request: ChatRequest, answer: Completion) -> ModelError:
        asked = self._settings.request(request)
        bound = "all tokens" if asked.max_tokens == OMIT else f"all {asked.max_tokens} tokens"
        error = ThoughtLimitError(
            f"the model {asked.model} used {bound} for its thought and gave no answer: set more "
            f"max_tokens or less reasoning_effort for the role {request.role} with --models"
        )
        error.answer, error.notes, error.tries = answer, answer.notes, answer.tries
        return error


def _is_all_thought(answer: Completion) -> bool:
    return not answer.text.strip() and answer.finish_reason == CUT_OFF


def _is_crowded(answer: Completion) -> bool:
    """Return whether a thought was too long.

    A thought was too long if it left no answer, or if it took at least half of the tokens of an
    answer that was cut off.
    """
    if answer.finish_reason != CUT_OFF or _is_all_thought(answer):
        return _is_all_thought(answer)
    if answer.reasoning_tokens is not None and answer.completion_tokens is not None:
        return 2 * answer.reasoning_tokens >= answer.completion_tokens > 0
    return len(answer.reasoning) >= len(answer.text)


def _longer(request: ChatRequest, tokens: int) -> ChatRequest:
    return replace(request, extra_tokens=request.extra_tokens + tokens)


def _combine_usage(first: Completion, second: Completion) -> Completion:
    return replace(
        second,
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
        cached_tokens=_sum(first.cached_tokens, second.cached_tokens),
        reasoning_tokens=_sum(first.reasoning_tokens, second.reasoning_tokens),
        cost=None if first.cost is None or second.cost is None else first.cost + second.cost,
        notes=(*first.notes, *second.notes),
        tries=first.tries + second.tries,
        calls=first.calls + second.calls,
        extra_tokens=first.extra_tokens,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)
