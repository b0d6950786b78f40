"""The values of the fields of an object that a model answered, whatever the case of their names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bots.structured.neutral import is_harmless
from bots.structured.text import AnswerError, plain

#: What a list without items is called.
_NOTHING = ("", "-", "none", "nothing", "null", "n/a", "[]", "none at all", "no claims")
#: A number, of how many it is (or that it is a percentage), and what stands behind it.
_SHARE = re.compile(
    r"\+?(?P<number>\d{1,9}(?:\.\d*)?|\.\d+)(?![\w.]*\d)"
    r"\s*(?:(?P<percent>%|percent\b)|(?:/|out of\b|of\b)\s*(?P<whole>\d{1,3})\b(?!\.\d))?"
    r"(?P<rest>.*)",
    re.DOTALL,
)
#: Of how much people give parts: ``8/10``. ``50/50`` is a chance of one half, and no part.
_WHOLES = (5.0, 10.0, 100.0)
#: How a text begins that is torn out of JSON.
_TORN = re.compile(r"\s*(?:\{|\[\s*[\[{\"']|[\"']\w+[\"']\s*:)")


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

    A text is a list as people write one: in JSON, or items with commas or semicolons between. So
    are a number alone, and an object whose fields count the items.

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
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
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
    if is_nothing(text):
        return []
    items = [plain(item).strip() for item in re.split(r"[\n;]", text)]
    words = [word.strip() for word in text.split(",")]
    if len(items) == 1 and all(word and " " not in word for word in words):
        return words
    return [item for item in items if item]


def is_nothing(text: str) -> bool:
    """Whether a text says that a list has no items."""
    return plain(text).strip(" .*").lower() in _NOTHING


def field_share(value: object, name: str, most: float = 1.0) -> float:
    """Return a number from 0 to ``most``; a share may be given in percent, or as ``8/10``.

    Behind it stands no more than why, how sure one is, or how it was: ``0.9 (high)``.

    Raises:
        AnswerError: it is none.
    """
    found = _SHARE.fullmatch(str(value).strip(" *_`\"'"))
    rest = found["rest"] if found else ""
    if found is None or not is_harmless(rest):
        if re.fullmatch(r"-\d+(?:\.\d+)?%?", str(value).strip()):
            raise AnswerError(f'"{name.capitalize()}" must be from 0 to {most:g}')
        raise AnswerError(f'"{name.capitalize()}" must be a number')
    number = float(found["number"])
    whole = 100.0 if found["percent"] else float(found["whole"] or most)
    number = number * most / whole if whole in (*_WHOLES, most) else -1.0
    if isinstance(value, bool) or not 0 <= number <= most:
        raise AnswerError(f'"{name.capitalize()}" must be from 0 to {most:g}')
    return number


def _key(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def as_text(value: object, name: str) -> str:
    """Return a value as one line of text.

    Raises:
        AnswerError: it is an object, or a piece of one, missing or empty.
    """
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, Mapping) or value is None or not str(value).strip():
        raise AnswerError(f'the field "{name.capitalize()}" must be a text')
    if _TORN.match(str(value)):
        raise AnswerError(f'the field "{name.capitalize()}" is a piece of JSON, and no text')
    return " ".join(str(value).split())
