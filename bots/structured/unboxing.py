"""What stands in a box, as lines: JSON objects and lists, elements such as ``<goal>``, tables."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from bots.structured.blocks import fenced, places
from bots.structured.text import plain, spoken

#: The beginning or end of an element.
_MARKUP = re.compile(r"<(?P<ends>/?)(?P<name>[A-Za-z]\w{1,30})\s*>")
#: Elements that only dress what they hold.
_DRESS = frozenset(("em", "strong", "code", "br", "hr", "li", "ul", "ol", "div", "span", "pre"))
_ROW = re.compile(r"^[ \t]*\|(.+)\|[ \t]*$")
#: What stands between cells.
_CELLS = re.compile(r"(?<!\\)\|")
_RULED = re.compile(r"[\s|:-]*-[\s|:-]*")
#: Fields of an item that say where in a list it stands, and whom or what it is about.
_NUMBERS = frozenset(("number", "id", "no", "step", "amendment", "proposal", "index"))
_NAMES = frozenset(("name", "person", "who", "agent", "player", "topic", "subject"))
#: Fields of an item that say why or how sure one is, and values that say nothing beside others.
_WHY = frozenset(
    {"reason", "reasons", "reasoning", "rationale", "why", "explanation"}
    | {"confidence", "certainty", "probability", "importance"}
)
#: Fields of an item that say something of it, as a remark in brackets does.
_NOTES = frozenset(("note", "notes", "comment", "remark"))
_NOTHING = frozenset(("", "none", "null", "n/a"))


def unboxed(answer: str, columns: Collection[str] = ()) -> str:
    """Return what an answer says, with what stands in boxes written as lines.

    The object ``{"goal": "…"}``, the element ``<goal>…</goal>`` and the row ``| goal | … |`` say
    ``GOAL: …``. A list is a numbered line for each item, and an object in an object a line for
    each of its fields: ``{"likes": {"Ada": 7}}`` says ``LIKES Ada 7``. ``columns``: in capitals,
    those of a table that say what its rows hold, and the fields whose lists' items begin with the
    field's name: ``{"believes": ["tax: too high"]}`` says ``BELIEVES: tax: too high``.
    """
    text = spoken(answer)
    if "<" in text:
        text = without_elements(text)
    if "|" in text:
        text = "\n".join(_without_rows(text.split("\n"), columns))
    if "{" not in text and "[" not in text:
        return text
    array = _array(text)
    if array is not None:
        return "\n".join(_numbered(array))
    parts, last = [], 0
    for found, start, end in places(text):
        parts += [text[last:start], "\n".join(_as_lines(found, columns))]
        last = end
    return "".join([*parts, text[last:]])


# --- Elements and tables --------------------------------------------------------------------------


def without_elements(text: str) -> str:
    """Return a text with a line for each element that holds words, and its inner ones alone."""
    marks = [one for one in _MARKUP.finditer(text) if one["name"].lower() not in _DRESS]
    opened = {one["name"] for one in marks if not one["ends"]}
    paired = {one["name"] for one in marks if one["ends"]} & opened
    parts, last = [], 0
    for number, mark in enumerate(marks):
        if mark["name"] not in paired:
            continue
        parts.append(text[last : mark.start()])
        last = mark.end()
        following = marks[number + 1] if number + 1 < len(marks) else None
        is_innermost = following is not None and following["ends"] and not mark["ends"]
        is_said = is_innermost and following is not None and following["name"] == mark["name"]
        parts.append(f"\n{mark['name'].upper()}: " if is_said else "\n")
    return "".join([*parts, text[last:]])


def _without_rows(rows: list[str], columns: Collection[str]) -> Iterator[str]:
    """Yield lines, with those of tables as ``first: others`` or ``1. others``; heads are none.

    Below a head whose first cell is one of some columns a line says ``COLUMN: cell``; a head above
    another of them is a row like that one.
    """
    head: list[str] = []
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        found = _ROW.match(row)
        if found is None:
            head = []
            yield row
            continue
        cells = [cell.strip() for cell in found[1].split("|")]
        if _RULED.fullmatch(row):
            continue
        if _ROW.match(following) and _RULED.fullmatch(following):
            head = cells if any(plain(cell).upper() in columns for cell in cells) else []
            continue
        if head and plain(head[0]).lower() in _NAMES:
            yield from _of_names(head, cells, columns)
            continue
        if head and plain(head[0]).upper() not in columns:
            head = []
        if head and plain(cells[0]).upper() not in columns:
            said = zip(head, cells, strict=False)
            yield from (f"{plain(name).upper()}: {cell}" for name, cell in said if cell)
            continue
        if head:
            yield row_line(head)
            head = []
        yield row_line(cells)


def _of_names(head: list[str], cells: list[str], columns: Collection[str]) -> Iterator[str]:
    """Yield a row's cells below some columns as what is said of the name that it begins with."""
    for name, cell in zip(head[1:], cells[1:], strict=False):
        tag = plain(name).upper()
        if cell and tag in columns:
            is_number = plain(cell)[:1].isdigit()
            yield f"{tag} {plain(cells[0])}{':' * (not is_number)} {cell}"


def rows_of(rows: Sequence[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield lines, each with its table's head and its own cells; both are empty for other lines.

    Heads, and what rules them off, are left out.
    """
    head: list[str] = []
    for row, following in zip(rows, [*rows[1:], ""], strict=True):
        found = _ROW.match(row)
        cells = (
            [cell.strip().replace("\\|", "|") for cell in _CELLS.split(found[1])] if found else []
        )
        is_ruled = found is not None and bool(_RULED.fullmatch(row))
        if not cells:
            head = []
        elif _ROW.match(following) and _RULED.fullmatch(following):
            head = cells
            continue
        if not is_ruled:
            yield row, head, cells


def row_line(cells: Sequence[str]) -> str:
    """Return a row as ``first: others``, or ``1. others``."""
    first, *others = cells
    link = "" if not others else ". " if first.isdecimal() else ": "
    return f"{first}{link}{' '.join(others)}"


# --- Objects and lists ----------------------------------------------------------------------------


def _as_lines(found: dict[str, Any], columns: Collection[str] = ()) -> Iterator[str]:
    if _is_numbered(found):
        yield from _by_number(found)
        return
    for key, value in found.items():
        tag = str(key).upper()
        if _is_numbered(value):
            yield from _by_number(value)
            continue
        inside = _by_name(value)
        if inside is not None:
            for name, inner in inside.items():
                yield f"{tag} {name}{':' * isinstance(inner, str)} {inner}"
        elif isinstance(value, list) and tag in columns:
            yield from (f"{tag}: {_pair(item)}" for item in value)
        elif isinstance(value, list):
            if tag[-1:].isdigit():  # of several such fields each has a list of its own
                yield f"{tag}:"
            yield from _numbered(value)
        elif value is not None:
            yield f"{tag}: {value}"


def _is_numbered(value: object) -> bool:
    """Whether an object's fields are the numbers 1, 2, … of a list."""
    names = list(map(str, value)) if isinstance(value, dict) else []
    return bool(names) and names == [str(n) for n in range(1, len(names) + 1)]


def _by_number(value: dict[Any, Any]) -> Iterator[str]:
    yield from (f"{n}. {_inline(one).lstrip()}" for n, one in value.items())


def _by_name(value: object) -> dict[Any, Any] | None:
    """Return an object, or a list of what is said of names as one; None: it is neither."""
    if isinstance(value, list) and value and all(map(_is_named, value)):
        return dict(tuple(one.values()) for one in value)
    return value if isinstance(value, dict) else None


def _is_named(item: object) -> bool:
    """Whether an item of a list says something of somebody or something that it names first."""
    return isinstance(item, dict) and len(item) == 2 and str(next(iter(item))).lower() in _NAMES


def _numbered(items: list[Any]) -> Iterator[str]:
    for place, item in enumerate(items, start=1):
        number, rest = place, item
        if isinstance(item, dict) and len(item) > 1:
            (key, first), *more = item.items()
            if str(key).lower() in _NUMBERS and isinstance(first, int):
                number, rest = first, dict(more)
        yield f"{number}. {_inline(rest)}"


def _pair(item: object) -> str:
    """Return an item in one line, and of two fields the first as what the other is said of."""
    told = _meant(item) if isinstance(item, dict) else {}
    if len(told) != 2:
        return _inline(item)
    first, second = told.values()
    return f"{first}{':' * isinstance(second, str)} {second}"


def _array(text: str) -> list[Any] | None:
    """Return the list that an answer is, if it is nothing else."""
    blocks = fenced(text)
    bare = (blocks[0][1] if blocks else text).strip()
    if not bare.startswith("["):
        return None
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _inline(value: object) -> str:
    """Return an item in one line, without reasons and what is nothing, where it says more.

    Each thing that assigns something has a line of its own.
    """
    if not isinstance(value, dict):
        return str(value)
    told = _meant(value)
    notes = [key for key in told if str(key).lower() in _NOTES]
    notes = notes if len(notes) < len(told) else []
    said = [_assigned(str(key).upper(), told[key]) for key in told if key not in notes]
    return " ".join([*said, *(f"({told[key]})" for key in notes)])


def _meant(item: dict[Any, Any]) -> dict[Any, Any]:
    """Return an item's fields without reasons and what is nothing; all, where none is left."""
    nothing = [key for key, value in item.items() if value is None or _is_nothing(value)]
    kept = {k: v for k, v in item.items() if str(k).lower() not in _WHY and k not in nothing}
    return kept or item


def _is_nothing(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() in _NOTHING


def _assigned(key: str, value: object) -> str:
    if isinstance(value, dict):
        return "".join(f"\n{key} {name} = {inner}" for name, inner in value.items())
    text = str(value)
    return f"\n{key} {text}" if "=" in text and not text.upper().startswith(key) else text
