"""Places in words: one form is asked for, and all usual notations of the same place are read.

A place is read as that place or not at all: a coordinate more or less, or a name that belongs to
another kind of map, is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from bots.structured import AnswerError
from records.text import caseless

#: What the two coordinates of a cell are called: on a map of cells, and on the ground of a world
#: of blocks, where a place may be told with its height (y).
MAP, GROUND = ("row", "column"), ("x", "z")
HEIGHT = "y"
_USUAL: Mapping[str, str] = {"r": "row", "col": "column", "c": "column"}

_NUMBER = r"-?\d+(?:\.\d+)?(?![\d.]*\w)"
_NAME = r"(?:row|column|col|[rcxyz])\s*(?:[:=]|is\b)?\s*"
_NEXT = r"\s*(?:,|;|/|\band\b|\s)\s*(?:and\s+)?"
_PLACE = caseless(
    r"(?P<before>(?:[a-z][\w'-]*\s+|:\s*){0,6}?)(?:(?:new\s+)?(?:vec3|vec2|blockpos)\s*)?"
    rf"(?P<opens>[(\[{{<]*)\s*(?P<first_name>{_NAME})?(?P<first>{_NUMBER})"
    rf"(?P<comma>{_NEXT})(?P<second_name>{_NAME})?(?P<second>{_NUMBER})"
    rf"(?:(?P<comma_too>{_NEXT})(?P<third_name>{_NAME})?(?P<third>{_NUMBER}))?"
    rf"(?P<more>{_NEXT}{_NUMBER})?\s*(?P<closes>[)\]}}>]*)"
)
#: Words before a place after which it is not the one that is meant.
_ELSEWHERE = caseless(
    r"\b(?:not|or|and|near|from|beside|next|left|right|north|south|east|west|before|past|except|away"
    r"|between|behind|above|below|around|opposite|of|row|column|col|[rcxyz])\b"
)
_MINUS = re.compile(r"(?<![\w.)])[\u2212\u2013\u2014\u2010\u2011](?=\s?\d)\s?")


def place_text(place: Sequence[int]) -> str:
    """Return a place in the one form that is asked for."""
    return f"({place[0]}, {place[1]})"


def read_place(text: str, axes: tuple[str, str] = MAP) -> tuple[tuple[int, int], str]:
    """Return the place at the beginning of a text, and what follows it.

    Args:
        text: ``(3, -4)``, ``x=3, y=64, z=-4``, ``[3,-4]``, ``the plate at (3, 64, -4)``.
        axes: what coordinates are called here (:data:`MAP` or :data:`GROUND`).

    Raises:
        AnswerError: there is no place, or it can be understood in several ways.
    """
    wanted = f"a place is ({axes[0]}, {axes[1]}), such as (3, 4)"
    said = _MINUS.sub("-", text).lstrip()
    found = _PLACE.match(said)
    if found is None or found["more"] or _ELSEWHERE.search(found["before"]):
        raise AnswerError(f"{text.strip()[:40]!r} is no place here; {wanted}")
    is_even = found["third"] is None or found["comma"].strip() == found["comma_too"].strip()
    if len(found["opens"]) != len(found["closes"]) or not is_even:
        raise AnswerError(f"{text.strip()[:40]!r} is no place here; {wanted}")
    given = [part for part in ("first", "second", "third") if found[part]]
    names = [_called(found[f"{part}_name"] or "") for part in given]
    if not any(names):
        names = [axes[0], HEIGHT, axes[1]] if len(given) == 3 else list(axes)
    height = {HEIGHT} if axes == GROUND else set()
    values = dict(zip(names, map(found.__getitem__, given), strict=True))
    if len(values) != len(given) or {*values} - height != {*axes}:
        raise AnswerError(f"{found[0].strip()[:40]!r} is no place here; {wanted}")
    place = tuple(_cell(values[axis], axes, wanted) for axis in axes)
    return (place[0], place[1]), said[found.end() :]


def _called(name: str) -> str:
    """Return the axis that a name with its sign means."""
    letters = "".join(filter(str.isalpha, name.lower().removesuffix("is")))
    return _USUAL.get(letters, letters)


def _cell(number: str, axes: tuple[str, str], wanted: str) -> int:
    """Return the cell that a coordinate lies in; within a block any point of it is that block."""
    value = float(number)
    if axes == MAP and value != int(value):
        raise AnswerError(f"{number} is no cell; {wanted}")
    return math.floor(value)
