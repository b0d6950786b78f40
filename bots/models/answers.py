"""From what an endpoint sends to a completion: the answer, the thought before it, the tokens."""

from __future__ import annotations

import math
import re
from typing import Any

from bots.models.model import Completion, ModelError

#: Longer answers are cut: no reader of ours needs more, and a record should not hold a flood.
MAX_CHARACTERS = 200_000
#: Why an answer ended that the endpoint itself calls a refusal.
REFUSAL = "refusal"

_TAGS = r"think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad"
_OPEN = re.compile(rf"<(?:seed:)?(?:{_TAGS})>|\[THINK\]|\u25c1(?:{_TAGS})\u25b7", re.IGNORECASE)
_CLOSE = re.compile(rf"</(?:seed:)?(?:{_TAGS})>|\[/THINK\]|\u25c1/(?:{_TAGS})\u25b7", re.IGNORECASE)
#: What chat templates put between a thought and an answer, where a server does not read it.
_CHANNEL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
_MARK = re.compile(r"<\|[^|<>]*\|>")
#: Where a turn ends, in chat templates whose end a server does not know; what follows is made up.
_TURN_ENDS = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|end_of_turn)\|>|<end_of_turn>|</s>\s*\Z"
)


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
    said, shown = _content(message.get("content"))
    fields = [shown, *(message.get(name) for name in ("reasoning_content", "reasoning"))]
    apart = next((text for text in fields if isinstance(text, str) and text), "")
    finish = choice.get("finish_reason")
    if not said:
        said, refusal = "", message.get("refusal")
        if isinstance(refusal, str) and refusal.strip():
            said, finish = refusal, REFUSAL
    thought, text = split_thought(said[:MAX_CHARACTERS])
    return Completion(
        text=_clean(text),
        model=_clean(str(body.get("model") or requested)[:200]),
        reasoning=_clean("\n".join(part for part in (apart[:MAX_CHARACTERS], thought) if part)),
        finish_reason=_clean(finish[:40]) if isinstance(finish, str) else None,
        **_usage(body.get("usage")),
    )


def _content(content: object) -> tuple[str | None, str]:
    """Return the text and the thought of a message's content: a text, or a list of typed parts."""
    if not isinstance(content, list):
        return (content, "") if isinstance(content, str) else (None, "")
    texts = [p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str)]
    thoughts = [
        _content(part["thinking"])[0] or ""
        for part in content
        if isinstance(part, dict) and "thinking" in part
    ]
    return ("".join(texts) if texts or thoughts else None), "\n".join(thoughts)


def split_thought(text: str) -> tuple[str, str]:
    """Return the thought and the answer in a text.

    A thought stands between ``<think>`` and ``</think>``; without an end it goes to the end of the
    text, without a beginning it comes from the beginning. An answer ends where its turn does.
    """
    final = list(_CHANNEL.finditer(text))
    if final:
        thought, answer = text[: final[-1].start()], text[final[-1].end() :]
        return _MARK.sub(" ", thought).strip(), _MARK.sub("", answer).strip()
    thoughts: list[str] = []
    answers: list[str] = []
    place = 0
    while True:
        opened, closed = _OPEN.search(text, place), _CLOSE.search(text, place)
        if closed is not None and (opened is None or closed.start() < opened.start()):
            # all before an end without a beginning was thought, whatever it looked like
            thoughts += [*answers, text[place : closed.start()]]
            answers, place = [], closed.end()
        elif opened is not None:
            answers.append(text[place : opened.start()])
            end = closed.start() if closed else len(text)
            thoughts.append(text[opened.end() : end])
            place = closed.end() if closed else len(text)
        else:
            answers.append(text[place:])
            break
    answers = [_TURN_ENDS.split("".join(answers), maxsplit=1)[0]]
    if not thoughts:
        return "", answers[0]
    return "\n".join(part.strip() for part in thoughts if part.strip()), "".join(answers).strip()


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
