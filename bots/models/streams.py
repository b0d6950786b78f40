"""Answers that come in pieces: server-sent events, put together to one completion.

Some servers stream whatever they are asked, others answer in no other way.
"""

from __future__ import annotations

import json
from typing import Any

_DATA, _DONE = b"data:", b"[DONE]"
#: How a line of a stream of events begins; one that begins with a colon is a comment.
_LINES = (_DATA, b"event:", b"id:", b"retry:", b":")


class UnfinishedError(ValueError):
    """The stream ended before the answer did."""


def is_stream(data: bytes | bytearray) -> bool:
    """Whether an answer's bytes are a stream of events, and no JSON."""
    return data.lstrip().startswith(_LINES)


def assembled(data: bytes) -> dict[str, Any]:
    """Return the completion whose pieces a stream has, as an endpoint sends it whole.

    Raises:
        UnfinishedError: it has no end, neither a reason nor a mark.
        ValueError: a piece is no JSON object.
    """
    whole: dict[str, Any] = {}
    first: dict[str, Any] = {"index": 0, "finish_reason": None}
    message: dict[str, Any] = {}
    is_done = False
    for line in data.splitlines():
        piece = line.strip().removeprefix(_DATA).strip()
        if not line.strip().startswith(_DATA) or not piece:
            continue
        if piece == _DONE:
            is_done = True
            continue
        chunk = json.loads(piece)
        if not isinstance(chunk, dict):
            raise ValueError("a piece is no object")
        whole |= {name: value for name, value in chunk.items() if value is not None}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index"):
                continue  # the first answer is the one that was asked for
            told = ((name, choice.get(name)) for name in ("finish_reason", "error"))
            first |= {name: value for name, value in told if value}
            _add(message, choice.get("delta"))
            if isinstance(choice.get("message"), dict):
                message = choice["message"]
    if whole.get("error"):
        return {"error": whole["error"]}
    if not is_done and first["finish_reason"] is None:
        raise UnfinishedError("the stream has no end")
    return whole | {"choices": [first | {"message": message}]}


def _add(message: dict[str, Any], delta: object) -> None:
    """Add what a piece brings to a message: more of a text or of a list, or another field."""
    for name, value in delta.items() if isinstance(delta, dict) else ():
        had = message.get(name)
        is_more = name != "role" and isinstance(value, str | list) and type(had) is type(value)
        if is_more:
            message[name] = had + value
        elif value is not None:
            message[name] = value
