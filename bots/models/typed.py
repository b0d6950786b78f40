"""Typed answers: the pydantic type of a question, its JSON schema, and validation of answers.

A question carries a subclass of :class:`Answer`. The class defines the schema that is sent to an
endpoint, and also validates the answer from any source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
)
from pydantic_core import PydanticCustomError

# Field for a model's reasoning. Every schema begins with it; no answer type contains it.
THOUGHT = "thought"
_THOUGHT_SCHEMA = {
    "type": "string",
    "description": "Your private reasoning, in a few short sentences. It is not shown to others.",
}
# Enums with more names than this become validated plain strings: grammars and strict modes limit
# the size of a schema (OpenAI: 1,000 values in total; llama.cpp compiles each).
MOST_NAMES = 200
# Longer texts are not repaired, because the time for repair grows superlinearly.
LONGEST_REPAIRED = 4_000
# Maximum nesting depth of an answer.
DEEPEST = 64
# Text that may surround an answer.
_BLANK = " \t\r\n\ufeff\u200b"
# Maximum number of errors per answer that are shown to a model.
MOST_ERRORS = 5
# Maximum length of each error, in characters.
MOST_TOLD = 300
# Keywords that only some strict modes accept; dropped if an endpoint rejects them.
BOUNDS = ("minimum", "maximum", "minItems", "maxItems")
# Keywords that are never sent: pydantic checks them.
_LEFT_OUT = frozenset(
    (
        *("title", "default", "discriminator", "format", "examples"),
        *("pattern", "minLength", "maxLength", "uniqueItems"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    )
)
# Names of the field that contains the arguments when a model writes a tool call as text.
_WRAPPERS = ("arguments", "parameters", "input", "answer")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)


# Characters that are not text: control characters except tabs and line ends, unpaired surrogates,
# and bidirectional controls.
NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class AnswerError(ValueError):
    """An answer is unusable; the message tells the model why.

    Attributes:
        cause: cause under which the failed decision is counted, two or three words.
    """

    cause = "invalid answer"


class NoObjectError(AnswerError):
    """An answer contains no JSON object."""

    cause = "no JSON object"


class Answer(BaseModel):
    """Base class of all answers of minds.

    Unknown fields are ignored: models add some, and the record keeps the whole answer.
    """

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        coerce_numbers_to_str=True,
        defer_build=True,  # listings and usage errors import many answers and use none
    )

    def text(self) -> str:
        """Return the answer as JSON, as a language model would write it."""
        return self.model_dump_json(by_alias=True)


# Returns the answer type of a question. Called only if a language model or a person is asked.
AnswerType = Callable[[], type[Answer]]
A = TypeVar("A", bound=Answer)


# --- Types of fields ------------------------------------------------------------------------------


def one_of(names: Iterable[str], what: str = "name", most: int = MOST_NAMES) -> Any:
    """Return the type of a field that names one of several things.

    The type is an enum; for zero or more than ``most`` names, a validated string.

    Args:
        names: allowed names, in the order of the schema.
        what: a noun for the error of a large or empty enum, such as ``person``.
        most: maximum size of an enum.
    """
    return _one_of(tuple(dict.fromkeys(names)), what, most)


@lru_cache(4096)
def _one_of(names: tuple[str, ...], what: str, most: int) -> Any:
    if 0 < len(names) <= most:
        return Literal[names]
    known = frozenset(names)

    def check(name: str) -> str:
        if name not in known:
            raise PydanticCustomError("unknown", "there is no {what}", {"what": f"{what} {name!r}"})
        return name

    return Annotated[str, AfterValidator(check)]


@cache
def integer(least: int, most: int) -> Any:
    """Return the type of an integer from ``least`` to ``most``."""
    return Annotated[int, Field(ge=least, le=most)]


@cache
def line(most: int = 400) -> Any:
    """Return the type of a non-empty text that becomes one line of at most ``most`` characters."""
    return Annotated[str, AfterValidator(lambda text: _filled(" ".join(text.split())[:most]))]


@cache
def text(most: int = 4000) -> Any:
    """Return the type of a non-empty, stripped text of at most ``most`` characters."""
    return Annotated[str, AfterValidator(lambda text: _filled(text.strip()[:most]))]


# Common texts: a line, and a longer text.
Line = Annotated[str, AfterValidator(lambda value: _filled(" ".join(value.split())[:400]))]
Text = Annotated[str, AfterValidator(lambda value: _filled(value.strip()[:4000]))]


def _filled(value: str) -> str:
    if not value:
        raise PydanticCustomError("empty", "must not be empty")
    return value


@cache
def maybe(kind: Any) -> Any:
    """Return the type for text that may be null; blank text becomes null."""

    def null_if_blank(value: Any) -> Any:
        return None if isinstance(value, str) and not value.strip() else value

    return Annotated[kind | None, BeforeValidator(null_if_blank)]


@lru_cache(1024)
def each(kind: Any, most: int, least: int = 0) -> Any:
    """Return the type of a list of independent items; invalid and surplus items are dropped.

    A list in which all items are invalid is rejected.

    Args:
        kind: type of an item.
        most: maximum number of items that are kept.
        least: minimum number of valid items.
    """

    def keep(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            return error

    def kept(values: tuple[Any, ...]) -> tuple[Any, ...]:
        errors = [one for one in values if isinstance(one, ValidationError)]
        valid = [one for one in values if not isinstance(one, ValidationError)]
        if len(valid) < least or (errors and not valid):
            told_first = f": {describe_errors(errors[0])}" if errors else ""
            message = "must have at least {least} valid items{first}"
            few = {"least": max(least, 1), "first": told_first}
            raise PydanticCustomError("few", message, few)
        return tuple(valid[:most])

    one = Annotated[kind, WrapValidator(keep)]
    least_items = {"minItems": least} if least else {}
    bounds = Field(json_schema_extra={**least_items, "maxItems": most})
    return Annotated[tuple[one, ...], AfterValidator(kept), bounds]


def narrowed(base: type[A], /, **fields: Any) -> type[A]:
    """Return a subclass of an answer type with narrower field types, for one question.

    Args:
        base: the general type; its descriptions are kept.
        fields: name → the narrower type, or a pair of type and ``Field(…)``.
    """
    given: dict[str, Any] = {
        name: kind if isinstance(kind, tuple) else (kind, base.model_fields[name])
        for name, kind in fields.items()
    }
    kind: type[A] = create_model(base.__name__, __base__=base, __doc__=base.__doc__, **given)
    return kind


# --- Schemas --------------------------------------------------------------------------------------


@lru_cache(1024)
def wire_schema(kind: type[Answer], *, thought: bool = True, bounds: bool = True) -> dict[str, Any]:
    """Return the JSON schema for an endpoint, within the limits of strict modes.

    Every field is required, objects are closed, unions are ``anyOf``, references are resolved.
    Descriptions are kept. Text lengths are omitted because they slow down grammars.

    Args:
        kind: answer type.
        thought: begin with a field for the model's private reasoning.
        bounds: include bounds of numbers and of lists.
    """
    whole = kind.model_json_schema(by_alias=True)
    schema = _strict(whole, whole.get("$defs", {}), bounds=bounds)
    if thought:
        schema["properties"] = {THOUGHT: _THOUGHT_SCHEMA, **schema["properties"]}
        schema["required"] = [THOUGHT, *schema["required"]]
    return schema


def _strict(part: Mapping[str, Any], defs: Mapping[str, Any], *, bounds: bool) -> dict[str, Any]:
    if "$ref" in part:
        rest = {name: value for name, value in part.items() if name != "$ref"}
        part = {**defs[part["$ref"].rpartition("/")[2]], **rest}
    if len(part.get("allOf", ())) == 1:
        part = {**part["allOf"][0], **{name: v for name, v in part.items() if name != "allOf"}}
        return _strict(part, defs, bounds=bounds)
    found: dict[str, Any] = {}
    for name, value in part.items():
        if name in _LEFT_OUT or name == "$defs" or (name in BOUNDS and not bounds):
            continue
        if name == "properties":
            found[name] = {key: _strict(one, defs, bounds=bounds) for key, one in value.items()}
        elif name in ("anyOf", "oneOf"):
            found["anyOf"] = [_strict(one, defs, bounds=bounds) for one in value]
        elif name == "items":
            found[name] = _strict(value, defs, bounds=bounds)
        elif name == "const":
            found["enum"] = [value]
        else:
            found[name] = value
    if "properties" in found:
        found |= {"required": list(found["properties"]), "additionalProperties": False}
    return found


@lru_cache(1024)
def schema_id(kind: type[Answer], *, thought: bool = True) -> str:
    """Return a short hash of a type's schema, the question's key in records and replays."""
    text = json.dumps(wire_schema(kind, thought=thought), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


# --- Reading --------------------------------------------------------------------------------------


def read_answer(kind: type[A], text: str, *, is_cut: bool = False) -> A:
    """Return the answer in a text that is, or contains, one JSON object.

    ``is_cut``: the text was truncated, so an object without an end is not completed.

    Raises:
        AnswerError: there is no object, or it does not match; the message says where.
    """
    found = json_object(text, is_cut=is_cut)
    try:
        return kind.model_validate(found)
    except ValidationError as error:
        inner = _unwrapped(found, kind)
        if inner is None:
            raise AnswerError(describe_errors(error)) from error
    try:
        return kind.model_validate(inner)
    except ValidationError as error:
        raise AnswerError(describe_errors(error)) from error


def json_object(text: str, *, is_cut: bool = False) -> dict[str, Any]:
    """Return the JSON object in a text: the whole text, its last fenced block, or its last lines.

    An object within a sentence does not count: ``I will not answer with {…}``. A damaged object is
    repaired.

    Raises:
        NoObjectError: there is none.
    """
    text = text.strip(_BLANK)
    parts = [text] if is_cut else [text, *_parts(text)]
    for part in parts:
        found = _loaded(part)
        # `{}` next to text is not an answer
        if isinstance(found, dict) and (found or part is text):
            return _cleaned_object(found)
    for part in parts:
        is_whole = part.startswith("{") and part.endswith("}")
        if is_whole and len(part) <= LONGEST_REPAIRED and not is_cut:
            repaired = _repaired(part)
            if isinstance(repaired, dict) and repaired and not is_deep(repaired):
                return _cleaned_object(repaired)
    raise NoObjectError("the answer is not a JSON object")


def is_object(text: str) -> bool:
    """Return whether a text is exactly one JSON object."""
    return isinstance(_loaded(text), dict)


def _cleaned_object(decoded: Mapping[str, Any]) -> dict[str, Any]:
    """Return decoded JSON with control characters and unpaired surrogates removed from texts."""
    return {NO_TEXT.sub("", str(name)): _cleaned(value) for name, value in decoded.items()}


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return NO_TEXT.sub("", value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return _cleaned_object(value) if isinstance(value, dict) else value


def _parts(text: str) -> list[str]:
    blocks = [block[2].strip(_BLANK) for block in _FENCE.finditer(text)]
    return [*reversed(blocks), *reversed(_balanced(text))]


def _balanced(text: str) -> list[str]:
    """Return the outermost braced parts that occupy whole lines."""
    parts: list[str] = []
    depth = start = 0
    in_string = is_escaped = False
    for at, sign in enumerate(text):
        if depth and in_string:
            if is_escaped:
                is_escaped = False
            elif sign == "\\":
                is_escaped = True
            elif sign == '"':
                in_string = False
        elif depth and sign == '"':
            in_string = True
        elif sign == "{":
            start = start if depth else at
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if not depth and _is_alone(text, start, at + 1):
                parts.append(text[start : at + 1])
    return parts


def _is_alone(text: str, start: int, end: int) -> bool:
    """Return whether part of the text occupies whole lines."""
    while start and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t\r":
        end += 1
    return (not start or text[start - 1] == "\n") and (end == len(text) or text[end] == "\n")


def _repaired(text: str) -> object:
    import json_repair  # noqa: PLC0415  (most endpoints never need it)

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):  # nested too deeply for the parser
        return None


def _loaded(text: str) -> object:
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return None if is_deep(found) else found


def is_deep(value: object) -> bool:
    """Return whether decoded JSON is nested more deeply than any answer."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def _unwrapped(decoded: Mapping[str, Any], kind: type[Answer]) -> Mapping[str, Any] | None:
    """Return the object inside a tool call written as text, if any."""
    names = {*kind.model_fields, *(field.alias for field in kind.model_fields.values())}
    rest = {name: value for name, value in decoded.items() if name not in names and name != THOUGHT}
    inside = [value for name, value in rest.items() if name in _WRAPPERS]
    for part in inside:
        value = _loaded(part) if isinstance(part, str) else part
        if isinstance(value, dict) and names & value.keys():
            return value
    return None


def describe_errors(error: ValidationError) -> str:
    """Describe the errors of an answer in one line for a model: fields and what they must be."""
    problems = []
    for one in error.errors(include_url=False)[:MOST_ERRORS]:
        place = ".".join(str(part) for part in one["loc"] if not str(part).startswith("function-"))
        message = one["msg"].removeprefix("Value error, ")
        if one["type"] == "union_tag_invalid":
            message = f"must be one of: {one['ctx']['expected_tags']}"
        message = message[:MOST_TOLD]
        problems.append(f"{place}: {message}" if place else message)
    left = error.error_count() - len(problems)
    return "; ".join(problems) + (f"; and {left} more" if left > 0 else "")
