"""Sanitising of untrusted text for printing, storing and sending."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any, TextIO

# Maximum length of an error message; names in it may be arbitrary.
LONGEST_ERROR = 2000
# Replacement for characters that are not text: unpaired surrogates, control characters.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Values closer to zero than this are rounding errors of binary fractions.
NOISE = 1e-9
# Numbers in this range are printed as integers with all digits.
WHOLE_FROM, WHOLE_TO = 99.95, 999_999.5
# Unicode categories of non-text characters.
_NO_TEXT = frozenset({"Cc", "Cs"})
# Unicode bidirectional controls, which reorder the text around them.
_REORDERS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def one_line(text: str) -> str:
    """Return text as one line: join its lines with spaces, and replace non-text characters.

    Every Unicode line separator ends a line. Characters that control a terminal or reorder a line
    are replaced.
    """
    return " ".join(printable(line) for line in text.splitlines()).strip()


def say(text: object, file: TextIO | None = None) -> None:
    """Print one line for people; strangers' names in it cannot control the terminal."""
    print(one_line(str(text)), file=file, flush=True)


def say_error(error: object) -> None:
    """Print an error on standard error as one line, shortened in the middle if too long."""
    said = one_line(str(error))
    if len(said) > LONGEST_ERROR:
        half = LONGEST_ERROR // 2
        said = f"{said[:half]} … {said[-half:]}"
    print(f"error: {said}", file=sys.stderr, flush=True)


def many(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 call``, ``2 calls``, ``1,000 calls``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def in_digits(value: float) -> str:
    """Format a number for people: three digits, and as an integer from 100 to a million.

    Values closer to zero than :data:`NOISE` are 0. Numbers from a million on have an exponent.
    """
    if abs(value) < NOISE:
        return "0"
    is_whole = WHOLE_FROM <= abs(value) < WHOLE_TO
    return format(value, ".0f" if is_whole else ".3g")


def plain(value: Any) -> Any:
    """Convert a NumPy number to a Python number, for JSON.

    Raises:
        TypeError: JSON has no representation for the value.
    """
    if getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(
        f"the result contains {value!r:.60} ({type(value).__name__}), which JSON cannot represent"
    )


def printable(line: str) -> str:
    """Return a line with non-text characters replaced, and tabs expanded to spaces."""
    spaced = line.replace("\t", "    ")
    if spaced.isprintable():  # fast path: nearly all lines contain no character of these categories
        return spaced
    return "".join(c if _is_text(c) else REPLACEMENT for c in spaced)


def _is_text(character: str) -> bool:
    return (
        unicodedata.category(character) not in _NO_TEXT
        and unicodedata.bidirectional(character) not in _REORDERS
    )


def well_formed(value: Any) -> Any:
    """Return JSON or YAML data with unpaired surrogates in all texts replaced.

    Escape sequences can produce surrogates, but files and sockets cannot encode them.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def caseless(pattern: str) -> re.Pattern[str]:
    """Compile a case-insensitive pattern."""
    return re.compile(pattern, re.IGNORECASE)
