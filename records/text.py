"""Text that others wrote, as text that can be printed, stored and sent."""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any, TextIO

# Characters of a message about an error, at most: names in it may be anybody's.
LONGEST_ERROR = 2000
# What stands for a character that is no text: half a pair of surrogates, a control character.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# What is nearer to zero comes of adding fractions in binary.
NOISE = 1e-9
# Numbers from the one to the other have no digits behind the point, and all before it.
WHOLE_FROM, WHOLE_TO = 99.95, 999_999.5
# Unicode's categories of such.
_NO_TEXT = frozenset({"Cc", "Cs"})
# Unicode's directions that reorder what stands beside them.
_REORDERS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def one_line(text: str) -> str:
    """Return a text as one line: its lines joined with spaces, what is no text replaced.

    Whatever Unicode takes for the end of a line ends one. Characters that control a terminal or
    reorder a line are no text.
    """
    return " ".join(printable(line) for line in text.splitlines()).strip()


def say(text: object, file: TextIO | None = None) -> None:
    """Print one line for people: names in it may be a stranger's, and control no terminal."""
    print(one_line(str(text)), file=file, flush=True)


def say_error(error: object) -> None:
    """Tell a person on standard error what is wrong: one line, of too many characters the ends."""
    said = one_line(str(error))
    if len(said) > LONGEST_ERROR:
        half = LONGEST_ERROR // 2
        said = f"{said[:half]} … {said[-half:]}"
    print(f"error: {said}", file=sys.stderr, flush=True)


def many(count: int, noun: str) -> str:
    """Return a number with what it counts: ``1 call``, ``2 calls``, ``1,000 calls``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def in_digits(value: float) -> str:
    """Return a number for people: in three digits, from 100 to a million whole, never rounder.

    What is nearer to zero than :data:`NOISE` is 0. From a million on it has an exponent.
    """
    if abs(value) < NOISE:
        return "0"
    is_whole = WHOLE_FROM <= abs(value) < WHOLE_TO
    return format(value, ".0f" if is_whole else ".3g")


def plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's, which JSON has.

    Raises:
        TypeError: it is something else that JSON has not.
    """
    if getattr(value, "ndim", None) == 0:
        return value.item()
    raise TypeError(f"the result has {value!r:.60} ({type(value).__name__}), which JSON has not")


def printable(line: str) -> str:
    """Return a line with what is no text replaced, and spaces for tabs."""
    spaced = line.replace("\t", "    ")
    if spaced.isprintable():  # as nearly all lines are: no character of a kind named above is
        return spaced
    return "".join(c if _is_text(c) else REPLACEMENT for c in spaced)


def _is_text(character: str) -> bool:
    return (
        unicodedata.category(character) not in _NO_TEXT
        and unicodedata.bidirectional(character) not in _REORDERS
    )


def well_formed(value: Any) -> Any:
    """Return data of JSON or YAML with halves of surrogate pairs replaced in all its texts.

    Such halves come in through escapes, and no file or socket takes them.
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [well_formed(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    return value


def caseless(pattern: str) -> re.Pattern[str]:
    """Compile a pattern to which small letters are as good as capitals."""
    return re.compile(pattern, re.IGNORECASE)
