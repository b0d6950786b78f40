"""From what an endpoint sends to a completion: the answer, the thought before it, the tokens."""

from __future__ import annotations

import json
import re
from typing import Any

from bots.models.model import Completion, ModelError
from bots.models.thoughts import THOUGHT_FIELDS, split_content, split_thought, words_of
from bots.models.typed import NO_TEXT

#: Longer answers are cut: no reader of ours needs more, and a record should not hold a flood.
MAX_CHARACTERS = 200_000
#: Why an answer ended that the endpoint itself calls a refusal.
REFUSAL = "refusal"
#: Why one ended that a content filter took away.
FILTERED = "content_filter"
#: Why one ends that was cut off, and what servers of other protocols call it.
CUT_OFF = "length"
#: No call costs more.
MOST_DOLLARS = 1e6
_CUT_OFF = (CUT_OFF, "max_tokens", "max_output_tokens", "model_length")


def read_completion(body: Any, requested: str, where: str) -> Completion:
    """Return the completion in an endpoint's answer; a refusal is what the model says, too.

    Args:
        body: the answer's JSON.
        requested: the model that was asked.
        where: model and endpoint, for the error.

    Raises:
        ModelError: it is none.
    """
    problem = body.get("error") if isinstance(body, dict) else None
    if problem:
        said = problem.get("message") if isinstance(problem, dict) else problem
        raise ModelError(f"{where} answers an error: {' '.join(str(said).split())[:200]}")
    choices = body.get("choices") if isinstance(body, dict) else None
    mark = body.get("system_fingerprint") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError(f"{where} answers nonsense: no choices")
    said, shown = split_content(message.get("content"))
    fields = (shown, *(words_of(message.get(name)) for name in THOUGHT_FIELDS))
    apart = next((text for text in fields if text), "")
    finish = choice.get("finish_reason")
    if isinstance(finish, str) and finish.lower() in _CUT_OFF:
        finish = CUT_OFF
    called = _called(message)
    if called:
        said, shown = called, "\n".join(part for part in (shown, said) if part)
    if not said:
        said, refusal = "", message.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            said, finish = refusal, REFUSAL
    thought, text = _split(said[:MAX_CHARACTERS], is_cut=finish == CUT_OFF)
    return Completion(
        text=_clean(text),
        model=_clean(str(body.get("model") or requested)[:200]),
        reasoning=_clean("\n".join(part for part in (apart[:MAX_CHARACTERS], thought) if part)),
        finish_reason=_clean(finish[:40]) if isinstance(finish, str) else None,
        fingerprint=_clean(mark[:80]) if isinstance(mark, str) and mark else None,
        **_usage(body.get("usage")),
    )


#: Marks of templates that may stand behind an answer.
_MARKS = re.compile(r"<\|[^<>|]{1,40}\|>|</s>|<end_of_turn>")


def _split(text: str, *, is_cut: bool) -> tuple[str, str]:
    """Return the thought and the answer in a text; marks within a JSON object are its texts'."""
    start = text.lstrip()
    if start.startswith("{"):
        try:
            end = json.JSONDecoder(strict=False).raw_decode(start)[1]
        except (ValueError, RecursionError):
            end = 0
        if end and not _MARKS.sub("", start[end:]).strip():
            return "", start[:end]
    return split_thought(text, is_cut=is_cut)


def _called(message: dict[str, Any]) -> str:
    """Return the arguments of the first tool that a message calls; empty: it calls none."""
    calls = message.get("tool_calls")
    call = (
        calls[0]
        if isinstance(calls, list) and calls
        else {"function": message.get("function_call")}
    )
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, dict):
        return json.dumps(arguments)
    return arguments if isinstance(arguments, str) else ""


def _clean(text: str) -> str:
    """Return a text without halves of surrogate pairs and control characters."""
    return NO_TEXT.sub("", text)


def _usage(used: object) -> dict[str, Any]:
    """Return the counts that make sense; what ``total_tokens`` holds beside both is thought."""
    if not isinstance(used, dict):
        return {}
    prompt, completion, total = (
        _count(used, name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    )
    cached = _count(used.get("prompt_tokens_details"), "cached_tokens")
    thought = _count(used.get("completion_tokens_details"), "reasoning_tokens")
    if cached is None:
        cached = _count(used, "prompt_cache_hit_tokens")
    if prompt is not None and completion is not None and total is not None:
        beside = total - prompt - completion
        completion += max(beside, 0)
        thought = beside if thought is None and beside > 0 else thought
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached_tokens": cached if cached is None or prompt is None else min(cached, prompt),
        "reasoning_tokens": thought,
        "cost": _dollars(used.get("cost")),
    }


def _count(used: object, name: str) -> int | None:
    count = used.get(name) if isinstance(used, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None


def _dollars(cost: object) -> float | None:
    """Return what a router says that a call cost; None where it does not."""
    if not isinstance(cost, int | float) or isinstance(cost, bool):
        return None
    return float(cost) if 0 <= cost < MOST_DOLLARS else None
