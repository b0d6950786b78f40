"""Reading blocks: programs and JSON objects, with or without fences and words around them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from bots.structured.text import QUOTES, AnswerError, spoken

T = TypeVar("T")

_BLOCK = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<name>[\w+.-]*)[^\n]*\n(?P<text>.*?)"
    r"(?:^[ \t]*(?P=fence)|(?<=\S)(?P=fence)[ \t]*$|(?P<cut>\Z))",
    re.DOTALL | re.MULTILINE,
)
_SCRIPTS = frozenset(("", "javascript", "js", "jsx", "mjs", "node", "nodejs", "typescript", "ts"))
_BARE = re.compile(r"\s*(?://|/\*|(?:async function|function|const|let)\b)")
#: Places where an object may begin that are tried; a flood of braces is no answer.
MAX_BRACES = 100
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


def fenced(answer: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of an answer, as pairs of the language that is named and the text.

    A block that is not closed goes to the answer's end.
    """
    found = _BLOCK.finditer(spoken(answer))
    return [(one["name"].lower(), one["text"]) for one in found if one["text"].strip()]


def read_program(answer: str) -> str:
    """Return the JavaScript program of an answer: its last fenced block.

    An answer that is nothing but a program needs no fence. A block that is cut off is none.

    Raises:
        AnswerError: there is none.
    """
    programs = [text for name, text in fenced(answer) if name in _SCRIPTS and not _is_json(text)]
    bare = spoken(answer).rstrip().removesuffix(";")
    if not programs and _BARE.match(bare) and bare.endswith("}"):
        programs = [bare]
    if not programs:
        raise AnswerError("the answer holds no block between ```javascript and ```")
    program = programs[-1].strip("\n").rstrip() + "\n"
    if spoken(answer).count("```") % 2 and program.count("{") != program.count("}"):
        raise AnswerError("the program is cut off: its block has no end; write a shorter one")
    return program


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{") and bool(list(_objects(text)))


def read_object(answer: str) -> dict[str, Any]:
    """Return the JSON object of an answer, with or without a fence or words around it.

    Of several, the last: drafts come before what is meant.

    Raises:
        AnswerError: there is none.
    """
    return read_objects(answer)[-1]


def read_objects(answer: str) -> list[dict[str, Any]]:
    """Return all JSON objects of an answer that stand in no other, in their order.

    Raises:
        AnswerError: there is none.
    """
    found = list(_objects(spoken(answer)))
    if not found:
        raise AnswerError("the answer is not a JSON object")
    return found


def only_reading(answer: str, read: Callable[[dict[str, Any]], T]) -> T:
    """Return what the JSON object of an answer says; objects that say nothing are passed over.

    Args:
        answer: of a model.
        read: raises ``AnswerError`` for an object that is not what was asked for.

    Raises:
        AnswerError: there is none, or there are several that say different things.
    """
    readings: list[T] = []
    problem: AnswerError | None = None
    for one in read_objects(answer):
        try:
            reading = read(one)
        except AnswerError as error:
            problem = error
            continue
        if reading not in readings:
            readings.append(reading)
    if len(readings) > 1:
        raise AnswerError("the answer holds several objects that differ; write exactly one")
    if readings:
        return readings[0]
    assert problem is not None
    raise problem


def unboxed(answer: str) -> str:
    """Return what an answer says, with JSON objects in it written as lines.

    ``{"goal": "…"}`` says ``GOAL: …``, a list is a numbered line for each item, and an object in an
    object a line for each of its fields: ``{"likes": {"Ada": 7}}`` says ``LIKES Ada 7``.
    """
    text, last = spoken(answer), 0
    parts: list[str] = []
    if "{" not in text and "[" not in text:
        return text
    array = _array(text)
    if array is not None:
        return "\n".join(_numbered(array))
    for found, start, end in _places(text):
        parts += [text[last:start], "\n".join(_as_lines(found))]
        last = end
    return "".join([*parts, text[last:]])


def _as_lines(found: dict[str, Any]) -> Iterator[str]:
    for key, value in found.items():
        tag = str(key).upper()
        if isinstance(value, dict):
            for name, inner in value.items():
                yield f"{tag} {name}{':' * isinstance(inner, str)} {inner}"
        elif isinstance(value, list):
            yield from _numbered(value)
        elif value is not None:
            yield f"{tag}: {value}"


def _numbered(items: list[Any]) -> Iterator[str]:
    return (f"{number}. {_inline(item)}" for number, item in enumerate(items, start=1))


def _array(text: str) -> list[Any] | None:
    """Return the list that an answer is, if it is nothing else."""
    blocks = _BLOCK.search(text)
    bare = (blocks["text"] if blocks else text).strip()
    if not bare.startswith("["):
        return None
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _inline(value: object) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    return (found for found, _, _ in _places(text))


def _places(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the outermost objects, as JSON or as what models write for it, with start and end."""
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    for _ in range(MAX_BRACES):
        if at < 0:
            return
        end = _end(text, at)
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value = _lenient(text[at:end]) if end > at else None
        if isinstance(value, dict):
            yield value, at, end
            at = text.find("{", end)
        else:
            at = text.find("{", at + 1)


def _end(text: str, start: int) -> int:
    """Return where the braces that open at ``start`` close; ``start`` where they do not."""
    depth, quoted, escaped = 0, False, False
    for at in range(start, len(text)):
        letter = text[at]
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "{}":
            depth += 1 if letter == "{" else -1
            if not depth:
                return at + 1
    return start


def _lenient(text: str) -> Any:
    """Return the value of JSON with commas too many or comments, or of a Python literal."""
    cleaned = _TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", text.translate(QUOTES)))
    try:
        return json.loads(cleaned, strict=False)
    except (ValueError, RecursionError):
        pass
    if sum(map(cleaned.count, "{[(-+~")) > MAX_BRACES:  # no parser of deep nesting is safe
        return None
    try:
        return ast.literal_eval(cleaned)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
