"""The values of the fields of an object that a model answered, whatever the case of their names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bots.structured.text import AnswerError, plain

#: What a list without items is called.
_NOTHING = ("", "-", "none", "nothing", "null", "n/a")


def field_text(fields: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a field's text, whatever its case and whether words are joined by _ or spaces.

    Raises:
        AnswerError: there is none, and no default.
    """
    try:
        return as_text(field_value(fields, name), name)
    except AnswerError:
        if default is None:
            raise
        return default


def field_value(fields: Mapping[str, Any], name: str) -> Any:
    """Return a field's value.

    Raises:
        AnswerError: there is none.
    """
    wanted = _key(name)
    for key, value in fields.items():
        if _key(str(key)) == wanted:
            return value
    raise AnswerError(f'the field "{name.capitalize()}" is missing')


def field_list(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return a field that is a list; empty where it is missing, null or empty.

    A text is a list as people write one: in JSON, or items with commas or semicolons between.

    Raises:
        AnswerError: it is something else.
    """
    try:
        value = field_value(fields, name)
    except AnswerError:
        return []
    if isinstance(value, str):
        return _items(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise AnswerError(f'the field "{name.capitalize()}" must be a list')
    return value


def _items(text: str) -> list[Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list):
        return found
    if plain(text).strip(" .").lower() in _NOTHING:
        return []
    items = [plain(item).strip() for item in re.split(r"[\n;]", text)]
    words = [word.strip() for word in text.split(",")]
    if len(items) == 1 and all(word and " " not in word for word in words):
        return words
    return [item for item in items if item]


def field_share(value: object, name: str, most: float = 1.0) -> float:
    """Return a number from 0 to ``most``; a share may be given in percent.

    Raises:
        AnswerError: it is none.
    """
    text = str(value).strip()
    try:
        number = float(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    except ValueError as error:
        raise AnswerError(f'"{name.capitalize()}" must be a number') from error
    if isinstance(value, bool) or not 0 <= number <= most:
        raise AnswerError(f'"{name.capitalize()}" must be from 0 to {most:g}')
    return number


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def as_text(value: object, name: str) -> str:
    """Return a value as one line of text.

    Raises:
        AnswerError: it is an object, missing or empty.
    """
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, Mapping) or value is None or not str(value).strip():
        raise AnswerError(f'the field "{name.capitalize()}" must be a text')
    return " ".join(str(value).split())
