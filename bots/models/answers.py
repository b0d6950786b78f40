"""Conversion of an endpoint's response into a completion.

A completion consists of the answer, the thought and token counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from voxpolis.bots.models.model import Completion, ModelError
from voxpolis.bots.models.typed import NO_TEXT

# Longer answers are truncated, because they are useless and would flood the record.
MAX_CHARACTERS = 200_000
# The fields of a message that may contain the thought. The first field that is not empty counts.
THOUGHT_FIELDS = (
    *("reasoning_content", "reasoning", "thinking", "thought"),
    *("reasoning_details", "thinking_blocks"),
)
# The fields of a content part that may contain its text.
_WORDS = ("text", "thinking", "reasoning", "summary", "content")
# The types of content parts that belong to the answer. A part without a type also does.
_ANSWERS = (None, "text", "output_text")

# Maximum depth to which lists and parts may be nested within a content part.
_DEPTH = 8
# The ``finish_reason`` of an answer that the endpoint reports as a refusal.
REFUSAL = "refusal"
# The ``finish_reason`` of an answer that a content filter removed.
FILTERED = "content_filter"
# The ``finish_reason`` of an answer that was cut off.
CUT_OFF = "length"
# A reported cost above this many dollars per call is ignored as an error.
MOST_DOLLARS = 1e6
_CUT_OFF = (CUT_OFF, "max_tokens", "max_output_tokens", "model_length")


def read_completion(body: Any, requested: str, where: str) -> Completion:
    """Convert an endpoint's response into a completion. A refusal also counts as an answer.

    Args:
        body: the parsed JSON of the response.
        requested: the name of the requested model.
        where: the model and the endpoint, for error messages.

    Raises:
        ModelError: the response is not a completion.
    """
    problem = body.get("error") if isinstance(body, dict) else None
    if problem:
        said = problem.get("message") if isinstance(problem, dict) else problem
        raise ModelError(f"{where} returned an error: {' '.join(str(said).split())[:200]}")
    choices = body.get("choices") if isinstance(body, dict) else None
    mark = body.get("system_fingerprint") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError(f"{where} sent an invalid response: no choices")
    said, shown = split_content(message.get("content"))
    fields = (shown, *(words_of(message.get(name)) for name in THOUGHT_FIELDS))
    apart = next((text for text in fields if text), "")
    finish = choice.get("finish_reason")
    if isinstance(finish, str) and finish.lower() in _CUT_OFF:
        finish = CUT_OFF
    called = _tool_arguments(message)
    if called:
        said, shown = called, "\n".join(part for part in (shown, said) if part)
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
        fingerprint=_clean(mark[:80]) if isinstance(mark, str) and mark else None,
        **_usage(body.get("usage")),
    )


# A regular expression for the markers of chat templates that some servers leave in the answer.
_MARK = r"(?:<\|[^<>|]{1,40}\|>|</s>|<end_of_turn>|<\uff5c[^<>]{1,40}\uff5c>)"
# What begins and ends a thought in chat templates, for servers that leave the thought in the
# answer.
_TAGS = r"(?:seed:)?(?:think|thinking|thought|reasoning)"
_BEGIN = re.compile(
    rf"<{_TAGS}\b[^<>]{{0,200}}>|\[THINK\]|\u25c1think\u25b7|<\|START_THINKING\|>"
    r"|<\|channel>thought|(?:<\|start\|>assistant)?<\|channel\|>"
)
_END = re.compile(
    rf"</{_TAGS}>|\[/THINK\]|\u25c1/think\u25b7|<\|END_THINKING\|>|<channel\|>"
    r"|<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
# Markers before an answer, and markers that end the model's turn. The model invented any text after
# the end of its turn.
_LEADING = re.compile(rf"(?:\s*{_MARK})*\s*")
_OPENING = re.compile(rf"{_LEADING.pattern}(?:```(?:json)?\s*)?")
_TURN_END = re.compile(rf"{_MARK}[ \t]*$", re.MULTILINE)
# At most this many markers that end a thought are tried in addition to the last marker.
_MOST_ENDS = 20


def split_thought(text: str) -> tuple[str, str]:
    """Split a text into the thought and the answer.

    If a JSON object runs to the end of the text, this object is the answer. Strings in it may
    contain markers. Otherwise the answer begins after the last marker that ends a thought. If only
    a marker that begins a thought is found, the thought extends to the end of the text.
    """
    ends = list(_END.finditer(text))
    for until, at in ((0, 0), *(end.span() for end in ends[:_MOST_ENDS])):
        found = _object_at(text, at)
        if found:
            return _without_edges(text[:until]), found
    thought, answer = "", text
    begin = _BEGIN.search(text)
    if ends:
        thought, answer = text[: ends[-1].start()], text[ends[-1].end() :]
    elif begin:
        thought, answer = text[begin.end() :], text[: begin.start()]
    leading = _LEADING.match(answer)
    assert leading is not None
    answer = _TURN_END.split(answer[leading.end() :], maxsplit=1)[0]
    return _without_edges(thought), answer.strip() if thought or leading[0] else answer


def _object_at(text: str, at: int) -> str:
    """Return the JSON object that begins at position ``at`` and ends with the model's turn.

    Return an empty text if there is no such object.

    The object may be in a fenced block.
    """
    opening = _OPENING.match(text, at)
    assert opening is not None
    begins = opening.end()
    if not text.startswith("{", begins):
        return ""
    try:
        ends = json.JSONDecoder(strict=False).raw_decode(text, begins)[1]
    except (ValueError, RecursionError):
        return ""
    behind = text[ends:].lstrip("` \t\r\n")
    is_whole = not behind or (re.match(_MARK, behind) and not _END.match(behind))
    return text[begins:ends] if is_whole else ""


def _without_edges(thought: str) -> str:
    return _END.sub(" ", _BEGIN.sub(" ", thought)).strip()


def _tool_arguments(message: dict[str, Any]) -> str:
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
    """Remove unpaired surrogates and control characters from a text."""
    return NO_TEXT.sub("", text)


def _usage(used: object) -> dict[str, Any]:
    """Return the token counts that are valid.

    If ``total_tokens`` is more than the sum of prompt and completion, the difference is the
    thought.
    """
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
    """Return the cost of a call in dollars that a router reports; None if there is none."""
    if not isinstance(cost, int | float) or isinstance(cost, bool):
        return None
    return float(cost) if 0 <= cost < MOST_DOLLARS else None


def split_content(content: object) -> tuple[str | None, str]:
    """Split a message's content into its text and its thought.

    The content is a string or a list of typed parts. A part whose type is that of text, and that is
    not marked as a thought, belongs to the text. All other parts belong to the thought. The text is
    None if there is no content.
    """
    if isinstance(content, str):
        return content, ""
    parts = [content] if isinstance(content, dict) else content
    if not isinstance(parts, list):
        return None, ""
    known = [part for part in parts if isinstance(part, dict)]
    texts = [words_of(part) for part in known if _is_answer(part)]
    thoughts = [words_of(part) for part in known if not _is_answer(part)]
    return ("".join(texts) if known else None), "\n".join(part for part in thoughts if part)


def _is_answer(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _ANSWERS and not part.get("thought")


def words_of(part: object, depth: int = _DEPTH) -> str:
    """Return the text in a field or in a typed part, which may contain further parts."""
    if isinstance(part, str):
        return part
    if isinstance(part, list) and depth:
        return "\n".join(words for each in part if (words := words_of(each, depth - 1)))
    if not isinstance(part, dict) or not depth:
        return ""
    found = (words_of(part.get(name), depth - 1) for name in _WORDS)
    return next((words for words in found if words), "")
