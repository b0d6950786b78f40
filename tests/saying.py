"""Helpers for reading prompts, and for writing answers to them."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any

from voxpolis.bots.models import Completion
from voxpolis.bots.models.typed import Answer, read_answer


def last(pattern: str, text: str, default: str = "") -> str:
    """Return the last match of a pattern in a text."""
    found = re.findall(pattern, text)
    return str(found[-1]) if found else default


def drawn(text: str, of: int) -> int:
    """Return a pseudo-random number that depends on the prompt."""
    return zlib.crc32(text.encode()) % of


def said_to(asked: Any) -> str:
    """Return all messages of a request, or a list of messages, as one text."""
    return "\n\n".join(message["content"] for message in getattr(asked, "messages", asked))


def unquoted(prompt: str) -> list[str]:
    """Return the unquoted lines of a prompt, for every definition of a line."""
    return [line for line in prompt.splitlines() if not line.startswith(">")]


def read_from(question: Any, said: Mapping[str, Any]) -> Any:
    """Return the value that a typed question gets from a model's answer."""
    narrow = getattr(question, "narrow", lambda: question.answer)()
    found = read_answer(narrow, json.dumps(said)).model_dump()
    return question.read(question.answer.model_validate(found))


def answered(said: Answer | Mapping[str, Any] | str) -> Completion:
    """Return a model's answer: JSON for a value, or plain words."""
    if isinstance(said, Answer):
        return Completion(said.text(), "m")
    return Completion(said if isinstance(said, str) else json.dumps(said), "m")
