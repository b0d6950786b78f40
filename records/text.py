"""Cleaning of untrusted text before it is printed, stored or sent."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, TextIO

# Maximum length of an error message in characters, because names in it may be of any length.
LONGEST_ERROR = 2000
# Replaces characters that are not text, such as unpaired surrogates and control characters.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Values closer to zero than this are rounding errors of binary fractions.
NOISE = 1e-9
# Numbers between these limits are printed as integers with all their digits.
WHOLE_FROM, WHOLE_TO = 99.95, 999_999.5
# The Unicode categories of characters that are not text.
_NO_TEXT = frozenset({"Cc", "Cs"})
# The Unicode controls of the writing direction, which reorder the text around them.
_REORDERS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Return a text as one line. Line ends become spaces.

    Every Unicode line separator ends a line. Characters that control a terminal or reorder the text
    are replaced.
    """
    return " ".join(printable(line) for line in text.splitlines()).strip()


def say(text: object, file: TextIO | None = None) -> None:
    """Print one line for people.

    Names in the line that come from strangers cannot control the terminal.
    """
    print(one_line(str(text)), file=file, flush=True)


def say_error(error: object) -> None:
    """Print an error as one line on standard error.

    If the line is too long, its middle is left out.
    """
    said = one_line(str(error))
    if len(said) > LONGEST_ERROR:
        half = LONGEST_ERROR // 2
        said = f"{said[:half]} … {said[-half:]}"
    print(f"error: {said}", file=sys.stderr, flush=True)


def many(count: int, noun: str) -> str:
    """Return a number with a noun: ``1 call``, ``2 calls``, ``1,000 calls``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def suggestion(name: str, there: Collection[str], shown: int = 20) -> str:
    """Say which of the names ``there`` may be meant by a wrong ``name``, or list some of them."""
    if near := get_close_matches(name, there, n=1):
        return f"did you mean {near[0]}?"
    more = f", and {len(there) - shown} more" if len(there) > shown else ""
    return f"there are: {', '.join(list(there)[:shown])}{more}"


def counts(items: Mapping[str, int]) -> str:
    """Describe items and their counts in words."""
    return ", ".join(f"{count} {name}" for name, count in sorted(items.items())) or "nothing"


def in_digits(value: float) -> str:
    """Format a number for people, with three significant digits.

    A number from 100 to a million is rounded to an integer.

    Values closer to zero than :data:`NOISE` become 0. Numbers from a million on have an exponent.
    """
    if abs(value) < NOISE:
        return "0"
    is_whole = WHOLE_FROM <= abs(value) < WHOLE_TO
    return format(value, ".0f" if is_whole else ".3g")


def plain(value: Any) -> Any:
    """Convert a NumPy number to a Python number, as the ``default`` of :func:`json.dumps`.

    Raises:
        TypeError: JSON cannot represent the value.
    """
    if getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(
        f"the result contains {value!r:.60} ({type(value).__name__}), which JSON cannot represent"
    )


def printable(line: str) -> str:
    """Replace the tabs in a line with spaces, and replace characters that are not text."""
    spaced = line.replace("\t", "    ")
    if spaced.isprintable():  # almost no line contains a character to be replaced
        return spaced
    return "".join(c if _is_text(c) else REPLACEMENT for c in spaced)


def _is_text(character: str) -> bool:
    return unicodedata.category(character) not in _NO_TEXT and not _REORDERS.match(character)


def json_for_page(data: Any) -> bytes:
    """Return data as JSON. Characters that reorder the text around them are replaced."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return _REORDERS.sub(REPLACEMENT, text).encode(errors="replace")


def well_formed(value: Any) -> Any:
    """Replace the unpaired surrogates in all texts of JSON or YAML data.

    Escape sequences can produce unpaired surrogates, which cannot be written to files or sockets.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def caseless(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression that ignores case."""
    return re.compile(pattern, re.IGNORECASE)
