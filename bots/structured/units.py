"""An answer in units: its lines, and objects and programs that go over several."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from bots.structured.blocks import places
from bots.structured.text import AnswerError, plain
from records.text import caseless

#: More words in a line are no answer in a form, and no thought before one.
_MOST_WORDS = 150
_HEADING = re.compile(
    r"^\s*(?:>\s*)*(?:#{1,6}\s|(?:[-*+]\s+)?(?:\*\*|__)[^*]+(?:\*\*|__):?\s*(?:\([^()]*\)\s*)?$)"
)
_PROGRAM = re.compile(
    r"^[ \t]*(```|~~~).*?^[ \t]*\1(?=[ \t]*(?P<behind>[^\s`~])?)", re.DOTALL | re.MULTILINE
)
ROW = re.compile(r"^\s*\|.*\|\s*$")
STOPS = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'*_)\]\s\u201d]*$")
#: Marks before an item that say something of it: boxes, crosses, ticks, changes and comments.
MARKED = re.compile(
    r"^\s*(?:>\s*)*(?:(?:[-*\u2022]|\d{1,2}[.)])\s+)?(?:[\[(][ xX\u2713\u2714\u2717\u2718-]?[\])]\s"
    r"|[\u2717\u2718\u274c\u274e\u2713\u2714\u2705\u2610-\u2612\u26d4\U0001f6ab\U0001f44e\U0001f44d]|~~"
    r"|;|//|\+\s)"
)
#: A mark and a word behind it that says what the mark says.
_AGREES = re.compile(
    r"(?:[\u2705\u2713\u2714\U0001f44d]\ufe0f?\s*(?=(?:\*\*)?(?i:yes|true)\b)"
    r"|[\u2717\u2718\u274c\u274e\U0001f44e]\ufe0f?\s*(?=(?:\*\*)?(?i:no|false)\b))"
)
_EMPHASISED = re.compile(r"(\*\*|__)[^*_\n]+\1[.!]?|\$*\\boxed\{[^\n]+\}\$*")
#: A sentence that introduces what follows it, without a colon.
INTRODUCES = caseless(r"(?:\b(?:this|these|those|following|below|next)|\bfollow(?:s|ing)?\b.*)\W*$")
SENTENCES = re.compile(r"(?<=[.!?\u2026\u3002\uff01])[\"'*)\]]*\s+|\n\s*\n")
_TOKEN = re.compile(r"\([^()\n]*\)|\[[^\[\]\n]*\]|\S+")


def split_words(line: str, same: Callable[[str], bool]) -> tuple[str, str]:
    """Return what stands in a line before and behind the words without which it says less.

    Args:
        line: of an answer.
        same: whether the answer is read as it is with something else for the line.

    Raises:
        AnswerError: the line has too many words.
    """
    tokens = [*_TOKEN.finditer(line)]
    if len(tokens) > _MOST_WORDS:
        raise AnswerError("a line of it is too long; write the answer alone")
    start, end = 0, len(line)
    for one in reversed(tokens[1:]):
        if same(line[one.start() :]):
            start = one.start()
            break
    for one in tokens[:-1]:
        if one.start() >= start and same(line[start : one.end()]):
            end = one.end()
            break
    return line[:start], line[end:]


def apart_from_blocks(text: str) -> str:
    """Return a text in which what stands right behind the end of a block is a line of its own."""
    return _PROGRAM.sub(lambda block: block[0] + "\n" * bool(block["behind"]), text)


def units_of(text: str, languages: Collection[str]) -> list[str]:
    """Return the lines of a text, those of an object together, and those of a program's block."""
    spans = [(start, end) for _, start, end in places(text)]
    spans += [one.span() for one in _PROGRAM.finditer(text)] if languages else []
    units: list[str] = []
    at, until = 0, -1
    for line in text.split("\n"):
        if at < until and units:
            units[-1] += f"\n{line}"
        else:
            units.append(line)
        end = at + len(line)
        until = max([until, *(last for start, last in spans if at <= start <= end)])
        at = end + 1
    return units


def without_agreeing_marks(text: str) -> str:
    """Return a text without ticks before a yes and crosses before a no, which say the same."""
    return _AGREES.sub("", text)


def is_emphasised(line: str) -> bool:
    """Whether a line is all bold, or in a box, as a last word is written."""
    return bool(_EMPHASISED.fullmatch(line.strip()))


def without_column(line: str, column: int) -> str:
    """Return a line of a table without one of its cells, and any other as it is."""
    if not ROW.match(line):
        return line
    cells = line.strip().strip("|").split("|")
    return f"|{'|'.join(cells[:column] + cells[column + 1 :])}|"


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or bold but for a bracket behind it, and no sentence."""
    is_bold = not line.lstrip(" >").startswith("#")
    return bool(_HEADING.match(line)) and not (is_bold and STOPS.search(line))


def is_label(line: str) -> bool:
    """Whether a line ends with a colon."""
    return plain(line).rstrip("*_ ").endswith((":", "\uff1a"))


def introduces(line: str) -> bool:
    """Whether the last sentence of a line introduces what follows it."""
    last = [one for one in SENTENCES.split(plain(line)) if one.strip()][-1:]
    return bool(last and INTRODUCES.search(last[0]))
