"""Asks once more, with more room, where a thought left too little for the answer."""

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
    OnlyThoughtError,
)
from voxpolis.bots.models.settings import OMIT, ModelSettings

# How much longer an answer may be than one that was empty because the thought took all there was.
MORE_TOKENS = 8000
# How much longer at most than the role's bound: a thought may have no end.
MOST_EXTRA_TOKENS = 32_000

_Name = tuple[str | None, str, str]


class PatientModel:
    """Passes calls on; where a thought left too little for the answer, it is asked for once more.

    It has more tokens then. An answer that is all thought is too little, and so is one that is cut
    off behind a thought of half its tokens. How many more which model needs for which role is
    remembered, so that it is not paid for twice each time.
    """

    def __init__(
        self,
        model: ChatModel,
        settings: ModelSettings,
        before: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Ask a model with its settings.

        ``before``: the recorded calls of a run that goes on; what was learnt in them still holds.
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
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ModelError: the thought took all tokens of the longer answer, too. What the first answer
                took is in it, also where the longer one failed.
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
        note = f"{name[1]} thinks for {much} its tokens as {request.role}: it has more from now on"
        first = replace(first, extra_tokens=more, notes=(*first.notes, note))
        try:
            answer = _together(first, await self._model.complete(_longer(request, more)))
        except ModelError as error:
            failed = error.answer
            error.answer = first if failed is None else _together(first, failed)
            error.notes = (*first.notes, *error.notes)
            error.tries += first.tries
            raise
        if _is_all_thought(answer):
            raise self._error(_longer(request, more), answer)
        return answer

    def _name(self, request: ChatRequest) -> _Name:
        """Return what is remembered of: the endpoint, its model and the role."""
        asked = self._settings.request(request)
        return asked.base_url, asked.model, request.role

    def _remember(self, name: _Name, extra: int) -> None:
        self._extra[name] = max(extra, self._extra.get(name, 0))

    def _error(self, request: ChatRequest, answer: Completion) -> ModelError:
        asked = self._settings.request(request)
        bound = "all tokens" if asked.max_tokens == OMIT else f"all {asked.max_tokens} tokens"
        error = OnlyThoughtError(
            f"the model {asked.model} used {bound} for its thought and answered nothing: give the "
            f"role {request.role} more max_tokens or less reasoning_effort with --models"
        )
        error.answer, error.notes, error.tries = answer, answer.notes, answer.tries
        return error


def _is_all_thought(answer: Completion) -> bool:
    return not answer.text.strip() and answer.finish_reason == CUT_OFF


def _is_crowded(answer: Completion) -> bool:
    """Return whether a thought of half of all tokens, or more, left too few for the answer."""
    if answer.finish_reason != CUT_OFF or _is_all_thought(answer):
        return _is_all_thought(answer)
    if answer.reasoning_tokens is not None and answer.completion_tokens is not None:
        return 2 * answer.reasoning_tokens >= answer.completion_tokens > 0
    return len(answer.reasoning) >= len(answer.text)


def _longer(request: ChatRequest, tokens: int) -> ChatRequest:
    return replace(request, extra_tokens=request.extra_tokens + tokens)


def _together(first: Completion, second: Completion) -> Completion:
    """Return the second answer with what both took."""
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
