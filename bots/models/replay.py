"""Answers from a recording, looked up by question and never by time."""

from __future__ import annotations

import difflib
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from voxpolis.bots.models.model import (
    ChatModel,
    ChatRequest,
    ClosedError,
    Completion,
    ModelError,
    ThoughtLimitError,
)
from voxpolis.bots.models.settings import ModelSettings
from voxpolis.bots.models.typed import schema_id

MAX_DIFF_LINES = 30
# Fields of a call that define the request.
ASKED = (
    *("requested", "temperature", "max_tokens", "reasoning_effort", "extra_body"),
    *("no_thought", "schema_id"),
)


# Recorded errors that are raised again with their own class.
_KINDS: Mapping[Any, type[ModelError]] = {one.kind: one for one in (ClosedError, ThoughtLimitError)}


class ReplayError(ModelError):
    """The recording has no answer to this question; the message shows the most similar question."""


class ReplayModel:
    """Returns the recorded answer to the same question: role, agent, model, parameters, messages.

    Repeated questions get the answers in recorded order. Recorded errors are raised again.
    """

    def __init__(self, calls: Iterable[Mapping[str, Any]], settings: ModelSettings) -> None:
        self._settings = settings
        self._answers: dict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
        self._calls = [call for call in calls if _has_answer(call)]
        # Calls to scripted minds have no schemas, so none are generated for the lookup.
        self._has_schemas = any("schema_id" in call for call in self._calls)
        for call in self._calls:
            self._answers[_key(call)].append(call)

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ReplayError: the question was never recorded, or fewer times than it is now asked.
            ClosedError: the recorded call ended its run.
            ModelError: the recorded call failed.
        """
        answer = self.take(request)
        if answer is None:
            raise ReplayError(self._miss(self._request_fields(request)))
        return answer

    def take(self, request: ChatRequest) -> Completion | None:
        """Return the next recorded answer to a question, if any is left.

        Raises:
            ModelError: the recorded call failed.
        """
        left = self._answers.get(_key(self._request_fields(request)))
        if not left:
            return None
        call = left.popleft()
        if "error" in call:
            raise _KINDS.get(call.get("error_kind"), ModelError)(str(call["error"]))
        return Completion(
            text=call["answer"],
            model=call["model"],
            prompt_tokens=call.get("prompt_tokens"),
            completion_tokens=call.get("completion_tokens"),
            reasoning=call.get("reasoning", ""),
            finish_reason=call.get("finish_reason"),
            cached_tokens=call.get("cached_tokens"),
            reasoning_tokens=call.get("reasoning_tokens"),
        )

    def _request_fields(self, request: ChatRequest) -> dict[str, Any]:
        asked = self._settings.request(request)
        typed: dict[str, Any] = {}
        if self._has_schemas and request.answer is not None:
            typed["schema_id"] = schema_id(request.answer(), thought=asked.thought)
        return {
            "role": request.role,
            "agent": request.agent,
            **asked.recorded(),
            **typed,
            "messages": list(request.messages),
        }

    def _miss(self, question: Mapping[str, Any]) -> str:
        who = f"role {question['role']}" + (f" of {question['agent']}" if question["agent"] else "")
        whose = ("role", "agent")
        same = [call for call in self._calls if all(call.get(n) == question[n] for n in whose)]
        if not same:
            return f"the recording has no call of the {who}"
        text = _text(question)
        nearest = max(same, key=lambda call: _likeness(text, _text(call)))
        if _text(nearest) == text:
            return f"the recording has fewer answers for the {who} than requested"
        lines = difflib.unified_diff(
            _text(nearest).splitlines(), text.splitlines(), "recorded", "asked", lineterm="", n=1
        )
        shown = "\n".join(list(lines)[:MAX_DIFF_LINES])
        return f"the recording has no answer for the {who}; the closest question differs:\n{shown}"


def _has_answer(call: Mapping[str, Any]) -> bool:
    """Return whether a recorded call has an outcome: a cancelled or damaged one may not."""
    is_answer = isinstance(call.get("answer"), str) and isinstance(call.get("model"), str)
    return not call.get("cut_off") and ("error" in call or is_answer)


def _key(call: Mapping[str, Any]) -> str:
    parts = ("role", "agent", *ASKED, "messages")
    return json.dumps([call.get(part) for part in parts], sort_keys=True)


def _text(call: Mapping[str, Any]) -> str:
    head = [f"{part}: {call[part]}" for part in ("agent", *ASKED) if part in call]
    return "\n".join([*head, *(f"[{m['role']}]\n{m['content']}" for m in call["messages"])])


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).quick_ratio()


# --- A recording first, then a live model for missing answers -------------------------------------


class ResumedModel:
    """Answers from a recording, and asks a model the questions that it lacks."""

    def __init__(self, recording: ReplayModel, model: ChatModel) -> None:
        self._recording = recording
        self._model = model

    async def complete(self, request: ChatRequest) -> Completion:
        answer = self._recording.take(request)
        return answer if answer is not None else await self._model.complete(request)
