"""Labels: the names of fields at the start of a line, or behind a mark within it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from records.text import caseless

#: The names of the fields that are asked for, each with what models call it instead.
Names = Mapping[str, Sequence[str]]

#: What may stand before a field's name and behind it.
_BEFORE = r"(?:(?:my|the|your|final|overall|next|proposed|was it an?|was the|is it an?)\s+)*"
_BEHIND = r"(?:[\s_]*\(?#?\d{1,2}\)?)?(?:\s*\([^)]*\))?"
#: What stands in a line before another field of an answer.
BETWEEN = r"(?<=[.;,|])\s+"


def called(name: str) -> str:
    """Return a field's name as it is compared: in small letters, its words joined by _."""
    return "_".join(name.lower().split())


def usual_names(names: Names) -> dict[str, str]:
    """Return by each name of a field, as it is compared, the usual one."""
    return {called(one): name for name, more in names.items() for one in (name, *more)}


class Labels:
    """Finds the names of some fields.

    Attributes:
        usual: by each name, as it is compared, the usual one.
    """

    def __init__(self, usual: Mapping[str, str], between: str) -> None:
        self.usual = usual
        longest_first = sorted(usual, key=len, reverse=True)
        either = "|".join(re.escape(name).replace("_", "[ _]") for name in longest_first)
        self._field = caseless(
            rf"\W*(?:{_BEFORE})(?P<name>{either})(?P<number>[\"'*]*{_BEHIND})[\"'*]*\s*"
            rf"(?:(?:[:=?]+|[\u2013\u2014]|(?<=\s)-+>?\s)\s*(?P<text>.*)|(?P<alone>[*:\"'\s]*))"
        )
        self._within = caseless(rf"(?:{between})(?=[\"'*]*(?:{either})[\"'*]*\s*[:=])")

    @staticmethod
    def of(names: Names, between: str = BETWEEN) -> Labels:
        """Return what finds some fields; ``between``: what stands before another in a line."""
        return _labels(tuple(usual_names(names).items()), between)

    def begins(self, text: str) -> tuple[str, str, str] | None:
        """Return which field a line names, what it says of it, and its number (empty: none)."""
        found = self._field.fullmatch(text)
        if found is None:
            return None
        number = "".join(letter for letter in found["number"] if letter.isdecimal())
        return self.usual[called(found["name"])], found["text"] or "", number

    def split(self, text: str) -> list[str]:
        """Return a line's parts that each begin with a field, after what stands before them."""
        return self._within.split(text)


@cache
def _labels(usual: tuple[tuple[str, str], ...], between: str) -> Labels:
    return Labels(dict(usual), between)
