"""A parser for SNBT, the text format in which Minecraft answers the command ``data get``."""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<punctuation>[{}\[\],:;])
      | "(?P<double>(?:\\.|[^"\\])*)"
      | '(?P<single>(?:\\.|[^'\\])*)'
      | (?P<word>[A-Za-z0-9._+-]+)
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[bslfdBSLFD]?")


# The words between the name of an entity and its data.
_WORDS = ("has", "the", "following", "entity", "data")
_TELLS = [*(("word", one) for one in _WORDS), ("punctuation", ":")]


def parse_snbt(text: str) -> Any:
    """Parse SNBT into dicts, lists, numbers and strings. The suffixes for types are dropped.

    >>> parse_snbt('[{Slot: 0b, id: "minecraft:diamond", Count: 6b}]')
    [{'Slot': 0, 'id': 'minecraft:diamond', 'Count': 6}]

    Raises:
        ValueError: the text is not SNBT.
    """
    tokens = _tokens(text)
    value, rest = _value(tokens, 0)
    if rest != len(tokens):
        raise ValueError(f"more than one SNBT value in {text!r}")
    return value


def parse_entity_data(text: str) -> dict[str, Any]:
    """Parse an answer with the data of several entities into a dictionary from entity to data.

    >>> parse_entity_data("Ada has the following entity data: [1b]")
    {'Ada': [1]}

    Raises:
        ValueError: the text does not have this form.
    """
    tokens = _tokens(text)
    found: dict[str, Any] = {}
    at = 0
    while at < len(tokens):
        kind, name = tokens[at]
        value_at = at + 1 + len(_TELLS)
        if kind != "word" or tokens[at + 1 : value_at] != _TELLS:
            raise ValueError(f"no entity's data: {text[:80]!r}")
        found[name], at = _value(tokens, value_at)
    return found


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise ValueError(f"not SNBT at character {at}: {text!r}")
        kind = match.lastgroup
        found.append((kind, match[kind]))
        at = match.end()
    return found


def _value(tokens: list[tuple[str, str]], at: int) -> tuple[Any, int]:
    if at >= len(tokens):
        raise ValueError("SNBT ends too early")
    kind, text = tokens[at]
    if kind in ("double", "single"):
        return re.sub(r"\\(.)", r"\1", text), at + 1
    if kind == "word":
        return _word(text), at + 1
    if text == "{":
        return _compound(tokens, at + 1)
    if text == "[":
        return _list(tokens, at + 1)
    raise ValueError(f"unexpected {text!r} in SNBT")


def _word(text: str) -> Any:
    if _NUMBER.fullmatch(text) is None:
        return text
    digits = text.rstrip("bslfdBSLFD")
    return float(digits) if re.search(r"[.eE]", digits) else int(digits)


def _is(tokens: list[tuple[str, str]], at: int, text: str) -> bool:
    return at < len(tokens) and tokens[at] == ("punctuation", text)


def _compound(tokens: list[tuple[str, str]], at: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while not _is(tokens, at, "}"):
        if at >= len(tokens) or not _is(tokens, at + 1, ":"):
            raise ValueError("SNBT compound without a key")
        key = tokens[at][1]
        found[key], at = _value(tokens, at + 2)
        at = _separator(tokens, at, "}")
    return found, at + 1


def _list(tokens: list[tuple[str, str]], at: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    if _is(tokens, at + 1, ";"):  # a typed array such as [I; 1, 2]
        at += 2
    while not _is(tokens, at, "]"):
        value, at = _value(tokens, at)
        found.append(value)
        at = _separator(tokens, at, "]")
    return found, at + 1


def _separator(tokens: list[tuple[str, str]], at: int, end: str) -> int:
    if _is(tokens, at, ","):
        return at + 1
    if _is(tokens, at, end):
        return at
    raise ValueError(f"SNBT misses {end!r}")
