"""Answers from a recording. An answer is found by its question, never by its time."""

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
# The fields of a recorded call that define the request, apart from role, agent and messages.
ASKED = (
    *("requested", "temperature", "max_tokens", "reasoning_effort", "extra_body"),
    *("no_thought", "schema_id"),
)


# The classes of recorded errors that are not raised again as a plain ``ModelError``.
_KINDS: Mapping[Any, type[ModelError]] = {one.kind: one for one in (ClosedError, ThoughtLimitError)}


class ReplayError(ModelError):
    """The recording has no answer to a question.

    The message shows the most similar recorded question.
    """


class ReplayModel:
    """Answers each question with the recorded answer to the same question.

    Two questions are the same if role, agent, model, parameters and messages are equal. If a
    question was asked repeatedly, its answers are given in the recorded order. A recorded error is
    raised again.
    """

    def __init__(self, calls: Iterable[Mapping[str, Any]], settings: ModelSettings) -> None:
        self._settings = settings
        self._answers: dict[str, deque[Mapping[str, Any]]] = defaultdict(deque)
        self._calls = [call for call in calls if _has_answer(call)]
        # Calls to scripted minds were recorded without schemas. In this case none are generated for
        # the comparison.
        self._has_schemas = any("schema_id" in call for call in self._calls)
        for call in self._calls:
            self._answers[_key(call)].append(call)

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request; see :class:`~bots.models.model.ChatModel`.

        Raises:
            ReplayError: the question was not recorded, or is asked more often than it was recorded.
            ClosedError: the recorded call ended the recorded run.
            ModelError: the recorded call failed.
        """
        answer = self.take(request)
        if answer is None:
            raise ReplayError(self._miss(self._request_fields(request)))
        return answer

    def take(self, request: ChatRequest) -> Completion | None:
        """Return the next recorded answer to a question; None if there is no further answer.

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
    """Return whether a recorded call has an outcome. A cancelled or damaged call may have none."""
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


# --- Answers from a recording, and from a model where the recording has none ----------------------


class ResumedModel:
    """Answers from a recording. Questions without a recorded answer are passed on to a model."""

    def __init__(self, recording: ReplayModel, model: ChatModel) -> None:
        self._recording = recording
        self._model = model

    async def complete(self, request: ChatRequest) -> Completion:
        answer = self._recording.take(request)
        return answer if answer is not None else await self._model.complete(request)
