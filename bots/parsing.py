"""Reads what models answer; every text has a defined outcome."""

from __future__ import annotations

import json
import re
from typing import Any

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
