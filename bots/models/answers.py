"""From what an endpoint sends to a completion: the answer, the thought before it, the tokens."""

from __future__ import annotations

import math
from typing import Any

from bots.models.model import Completion, ModelError
from bots.models.thoughts import THOUGHT_FIELDS, split_content, split_thought, words_of

#: Longer answers are cut: no reader of ours needs more, and a record should not hold a flood.
MAX_CHARACTERS = 200_000
#: Why an answer ended that the endpoint itself calls a refusal.
REFUSAL = "refusal"
#: Why one ends that was cut off, and what servers of other protocols call it.
CUT_OFF = "length"
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
    if not said:
        said, refusal = "", message.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            said, finish = refusal, REFUSAL
    thought, text = split_thought(said[:MAX_CHARACTERS], is_cut=finish == CUT_OFF)
    return Completion(
        text=_clean(text),
        model=_clean(str(body.get("model") or requested)[:200]),
        reasoning=_clean("\n".join(part for part in (apart[:MAX_CHARACTERS], thought) if part)),
        finish_reason=_clean(finish[:40]) if isinstance(finish, str) else None,
        **_usage(body.get("usage")),
    )


def _clean(text: str) -> str:
    """Text that can be written: a half of a pair of code units becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


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
    return float(cost) if 0 <= cost < math.inf else None
