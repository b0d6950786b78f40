"""Typed answers: the pydantic type of a question's answer, its JSON schema, and its validation.

A question has an answer type, a subclass of :class:`Answer`. The class defines the schema that is
sent to an endpoint, and validates the answer, wherever it comes from.
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

from voxpolis.records.lines import is_deep

# The field for a model's reasoning. Every schema begins with this field; no answer type has it.
THOUGHT = "thought"
_THOUGHT_SCHEMA = {
    "type": "string",
    "description": "Your private reasoning, in a few short sentences. It is not shown to others.",
}
# If a field has more possible names than this, its type is a string that is checked afterwards and
# not an enum. The size of a schema is limited (OpenAI: 1,000 values in total; llama.cpp compiles
# each one).
MOST_NAMES = 200
# Longer texts are not repaired, because the time for a repair grows faster than the length.
LONGEST_REPAIRED = 4_000
# Maximum depth to which an answer may be nested.
DEEPEST = 64
# Characters that may surround an answer.
_BLANK = " \t\r\n\ufeff\u200b"
# A model is shown at most this many errors of an answer.
MOST_ERRORS = 5
# Each of these errors is shortened to this many characters.
MOST_TOLD = 300
# Keywords that only some strict modes accept, and that are left out if an endpoint rejects them.
BOUNDS = ("minimum", "maximum", "minItems", "maxItems")
# Keywords that are never sent, because pydantic checks them afterwards.
_LEFT_OUT = frozenset(
    (
        *("title", "default", "discriminator", "format", "examples"),
        *("pattern", "minLength", "maxLength", "uniqueItems"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    )
)
# When a model writes a tool call as text, a field of one of these names contains the arguments.
_WRAPPERS = ("arguments", "parameters", "input", "answer")
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)


# Characters that do not belong to a text: control characters except tabs and line ends, unpaired
# surrogates, and controls of the writing direction.
NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class AnswerError(ValueError):
    """An answer is unusable. The message tells the model why.

    Attributes:
        cause: two or three words, under which the failed decision is counted.
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
        defer_build=True,  # listings and usage errors import many answer types and use none of them
    )

    def text(self) -> str:
        """Return the answer as JSON, as a language model would write it."""
        return self.model_dump_json(by_alias=True)


# Returns the answer type of a question; called only if a language model or a person is asked.
AnswerType = Callable[[], type[Answer]]
A = TypeVar("A", bound=Answer)


# --- Types of fields ------------------------------------------------------------------------------


def one_of(names: Iterable[str], what: str = "name", most: int = MOST_NAMES) -> Any:
    """Return the type of a field whose value is one of several names.

    The type is an enum. If there are no names, or more than ``most``, the type is a string that is
    checked afterwards.

    Args:
        names: the allowed names, in the order in which the schema lists them.
        what: a noun such as ``person``, for the error message about a name that is not allowed. An
            enum does not use this noun.
        most: the maximum size of an enum.
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
    """Return the type of a text that becomes one line of at most ``most`` characters.

    The text must not be empty.
    """
    return Annotated[str, AfterValidator(lambda text: _filled(" ".join(text.split())[:most]))]


@cache
def text(most: int = 4000) -> Any:
    """Return the type of a text that is not empty and is shortened to ``most`` characters."""
    return Annotated[str, AfterValidator(lambda text: _filled(text.strip()[:most]))]


# The types of common texts: one line, and a longer text.
Line = Annotated[str, AfterValidator(lambda value: _filled(" ".join(value.split())[:400]))]
Text = Annotated[str, AfterValidator(lambda value: _filled(value.strip()[:4000]))]


def _filled(value: str) -> str:
    if not value:
        raise PydanticCustomError("empty", "must not be empty")
    return value


@cache
def maybe(kind: Any) -> Any:
    """Return the type of a text that may be null. A blank text becomes null."""

    def null_if_blank(value: Any) -> Any:
        return None if isinstance(value, str) and not value.strip() else value

    return Annotated[kind | None, BeforeValidator(null_if_blank)]


@lru_cache(1024)
def each(kind: Any, most: int, least: int = 0) -> Any:
    """Return the type of a list from which invalid and surplus items are dropped.

    A list is rejected if all of its items are invalid.

    Args:
        kind: the type of an item.
        most: the maximum number of items that are kept.
        least: the minimum number of valid items.
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
    """Return a subclass of an answer type whose fields allow only what one question allows.

    Args:
        base: the general type. The descriptions of its fields are kept.
        fields: the narrower type of each field, or a pair of type and ``Field(…)``.
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
    """Return the JSON schema of an answer type, in the form that strict modes of endpoints accept.

    Every field is required, objects allow no other fields, unions are ``anyOf``, and references are
    replaced by what they refer to. Descriptions are kept. The lengths of texts are left out because
    they would slow down grammars.

    Args:
        kind: the answer type.
        thought: whether the schema begins with a field for the model's private reasoning.
        bounds: whether to include the bounds of numbers and of lists.
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
    """Return a short hash of an answer type's schema, which identifies the schema in records."""
    text = json.dumps(wire_schema(kind, thought=thought), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


# --- Reading --------------------------------------------------------------------------------------


def read_answer(kind: type[A], text: str, *, is_cut: bool = False) -> A:
    """Parse and validate the answer in a text that is or contains one JSON object.

    ``is_cut`` says that the text was cut off. In this case, an object without an end is not
    repaired.

    Raises:
        AnswerError: there is no object, or it does not match the type. The message says where.
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
    """Return the JSON object that is the whole text, its last fenced block, or its last lines.

    An object within a sentence does not count (``I will not answer with {…}``). A damaged object is
    repaired.

    Raises:
        NoObjectError: there is no object.
    """
    text = text.strip(_BLANK)
    parts = [text] if is_cut else [text, *_parts(text)]
    for part in parts:
        found = _loaded(part)
        # An empty object next to other text is not an answer.
        if isinstance(found, dict) and (found or part is text):
            return _cleaned_object(found)
    for part in parts:
        is_whole = part.startswith("{") and part.endswith("}")
        if is_whole and len(part) <= LONGEST_REPAIRED and not is_cut:
            repaired = _repaired(part)
            if isinstance(repaired, dict) and repaired and not is_deep(repaired, DEEPEST):
                return _cleaned_object(repaired)
    raise NoObjectError("the answer is not a JSON object")


def is_object(text: str) -> bool:
    """Return whether a text is exactly one JSON object."""
    return isinstance(_loaded(text), dict)


def _cleaned_object(decoded: Mapping[str, Any]) -> dict[str, Any]:
    """Remove control characters and unpaired surrogates from all texts of a decoded JSON object."""
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
    """Return the outermost parts in braces that start at the beginning of a line and stop at the
    end of a line.
    """
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
    """Return whether a part of a text consists of whole lines, apart from white space around it."""
    while start and text[start - 1] in " \t":
        start -= 1
    while end < len(text) and text[end] in " \t\r":
        end += 1
    return (not start or text[start - 1] == "\n") and (end == len(text) or text[end] == "\n")


def _repaired(text: str) -> object:
    import json_repair  # noqa: PLC0415  (most endpoints never need it)

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):  # the text is nested too deeply for the parser
        return None


def _loaded(text: str) -> object:
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return None if is_deep(found, DEEPEST) else found


def _unwrapped(decoded: Mapping[str, Any], kind: type[Answer]) -> Mapping[str, Any] | None:
    """Return the arguments of a tool call that was written as text; None if there are none."""
    names = {*kind.model_fields, *(field.alias for field in kind.model_fields.values())}
    rest = {name: value for name, value in decoded.items() if name not in names and name != THOUGHT}
    inside = [value for name, value in rest.items() if name in _WRAPPERS]
    for part in inside:
        value = _loaded(part) if isinstance(part, str) else part
        if isinstance(value, dict) and names & value.keys():
            return value
    return None


def describe_errors(error: ValidationError) -> str:
    """Describe in one line which fields of an answer are wrong and what they must be."""
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
