"""Structured output: asks a model until its answer can be read, and reads what models answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from bots.models import ChatModel, ChatRequest, Message

T = TypeVar("T")

MAX_ANSWERS = 3
MAX_TOKENS = 3000


async def complete_parsed(
    model: ChatModel,
    messages: list[Message],
    read: Callable[[str], T],
    *,
    role: str,
    agent: str | None,
    temperature: float,
    about: object = None,
) -> T:
    """Ask, and ask again with the complaint where the answer cannot be read; return its value.

    Args:
        model: who is asked.
        messages: the conversation; not changed.
        read: turns an answer into a value, or raises ``AnswerError``.
        role: see :class:`~bots.models.model.ChatModel`.
        agent: whose mind asks.
        temperature: sampling temperature.
        about: the typed value that the messages were rendered from, for scripted minds.

    Raises:
        AnswerError: no answer of :data:`MAX_ANSWERS` could be read.
        ModelError: the model does not answer.
    """
    conversation = list(messages)
    for left in range(MAX_ANSWERS - 1, -1, -1):
        request = ChatRequest(list(conversation), role, agent, temperature, MAX_TOKENS, about)
        answer = await model.complete(request)
        try:
            return read(answer.text)
        except AnswerError as error:
            if not left:
                raise
            conversation.append({"role": "assistant", "content": answer.text})
            conversation.append({"role": "user", "content": f"That cannot be used: {error}."})
    raise AssertionError("unreachable")


_PROGRAM = re.compile(r"```(?:javascript|js)?[ \t]*\r?\n(.*?)```", re.DOTALL | re.IGNORECASE)


class AnswerError(ValueError):
    """The answer is not in the form that was asked for; the message is for the model."""


def read_program(answer: str) -> str:
    """The JavaScript program of an answer: its last fenced block.

    Raises:
        AnswerError: there is none.
    """
    programs = [block for block in _PROGRAM.findall(answer) if block.strip()]
    if not programs:
        raise AnswerError("the answer holds no block between ```javascript and ```")
    return str(programs[-1]).rstrip() + "\n"


def read_object(answer: str) -> dict[str, Any]:
    """The JSON object of an answer, with or without a fence or words around it.

    Raises:
        AnswerError: there is none.
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError) as error:
        raise AnswerError("the answer is not a JSON object") from error
    if not isinstance(found, dict):
        raise AnswerError("the answer is not a JSON object")
    return found
