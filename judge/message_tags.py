"""The tags of a negotiator's message, and the one scanner that finds them in lines.

A line is looked at as a whole: which tag it begins with, how it is marked (a bullet, a number,
code, an indentation), and whether it stands in a quotation, in a block that was fenced after other
text, or in a remark of HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bots.structured import is_frame, plain
from records.text import caseless

THINKING, MESSAGE, CONTRACT, CLAUSES = "thinking", "message", "contract", "clauses"
ACCEPT = "accept"
#: The names of a thought, and of terms, as parts of patterns.
THOUGHT_NAMES = "thinking|thoughts?|think"
TERM_NAMES = f"{CONTRACT}|{CLAUSES}"
#: All names, and what before and behind one says that its part ends.
NAMES = f"{THOUGHT_NAMES}|{MESSAGE}|{TERM_NAMES}|{ACCEPT}"
ENDS_BEFORE, ENDS_BEHIND = r"/|end[ _](?:of[ _])?", r"[ _]end"
#: What all players see.
PUBLIC = (MESSAGE, CONTRACT, f"{CONTRACT} end", f"{CLAUSES} end")

TAG = caseless(
    rf"\[\s*+(?P<before>{ENDS_BEFORE})?+(?P<name>{NAMES})(?P<after>{ENDS_BEHIND})?+\s*+\]"
)
_THOUGHT = caseless(THOUGHT_NAMES)
#: An acceptance in a line of words, as a tag or as an element, or the end of one.
_ACCEPTANCE = caseless(
    rf"\[\s*+(?P<end>{ENDS_BEFORE})?+\s*+{ACCEPT}\s*+\]|</?+\s*+{ACCEPT}\s*+/?+>"
)
#: What may stand behind an acceptance in its line, emphasis and code aside.
_STOP = re.compile(r"[ \t]*[.!]?[ \t]*")
#: A fence, as it is or as an item of a list; what stands behind backticks holds none (CommonMark).
_FENCE = re.compile(
    r"[ \t>]*(?:(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+)*"
    r"(?P<marks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)"
)
#: What may be said behind a fence that begins; all else are words.
_LANGUAGES = ("", "text", "txt", "plain", "plaintext", "markdown", "md", "json", "xml", "html")
#: How a line is marked; emphasis and headings are no mark that sets lines apart.
_MARKED = re.compile(
    r"(?P<indent>[ \t]*)(?P<item>(?:[-*+\u2022]|\(?\d{1,2}[.)])[ \t]+)?(?:#{1,6}[ \t]+)?[*_]*"
    r"(?P<code>`*)"
)
#: Columns from which on an indentation makes a block of code.
_INDENTED = 4


@dataclass(frozen=True)
class Line:
    """A line of a message.

    Attributes:
        text: as it was said.
        tag: the tag that it begins with by its usual name, with ``end`` where a part ends; None:
            it is text.
        rest: what stands behind the tag; of text, all of it.
        marks: how it is marked: ``indented``, ``item``, ``code``.
        is_quoted: whether it stands in a quotation or in a block that quotes.
    """

    text: str
    tag: str | None
    rest: str
    marks: frozenset[str]
    is_quoted: bool

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return not self.text.strip()


def scan(text: str, split: Callable[[str], Sequence[str]]) -> list[Line]:
    """Return the lines of a message that say something or are empty: no fences and no rules.

    A fence that opens after other text quotes; one around all or the first part does not.

    Args:
        text: the message, with the tags that are asked for.
        split: returns a line as several where parts begin or end within it.
    """
    return [
        _line(part, is_quoted=is_quoted)
        for line, is_quoted in _unfenced(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        for part in split(line)
    ]


def _unfenced(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines, each with whether it is quoted."""
    fence, is_within, is_text_before, is_remark = "", False, False, False
    for line in lines:
        found = _FENCE.fullmatch(line)
        if found is not None and not fence:
            fence, is_within = found["marks"], is_text_before
            if found["info"].strip().lower() not in _LANGUAGES:
                yield found["info"], True
            continue
        if found is not None and _closes(found, fence):
            fence, is_text_before = "", True
            continue
        is_remark = is_remark or "<!--" in line
        if not is_frame(line):
            yield line, is_remark or bool(fence and is_within) or line.lstrip().startswith(">")
        is_remark = is_remark and "-->" not in line
        is_text_before = is_text_before or bool(line.strip() and not fence)


def _closes(found: re.Match[str], fence: str) -> bool:
    """Whether a fence closes the one that is open: the same sign, as often, and nothing behind."""
    return found["marks"].startswith(fence) and not found["info"].strip()


def _line(text: str, *, is_quoted: bool) -> Line:
    told = plain(text)
    found = TAG.match(told)
    if found is None:
        return Line(text, None, text, _marks(text), is_quoted)
    rest = told[found.end() :]
    name = THINKING if _THOUGHT.fullmatch(found["name"]) else found["name"].lower()
    is_end = bool(found["before"] or found["after"])
    if name == ACCEPT and (is_end or is_quoted or not _STOP.fullmatch(rest)):
        return Line(text, None, text, _marks(text), is_quoted)
    tag = f"{name} end" if is_end else name
    return Line(text, tag, rest.lstrip(" :"), _marks(text), is_quoted)


def _marks(text: str) -> frozenset[str]:
    found = _MARKED.match(text)
    assert found is not None
    is_indented = len(found["indent"].expandtabs(_INDENTED)) >= _INDENTED
    marks = {"indented": is_indented, "item": found["item"], "code": found["code"]}
    return frozenset(name for name, is_there in marks.items() if is_there)


def hides_acceptance(line: Line) -> bool:
    """Whether a line holds an acceptance that does not count, and is no sentence about it.

    It is quoted, ends or begins the line's words, closes as an element's end does, or stands among
    signs.
    """
    if line.tag == ACCEPT:
        return False
    found = list(_ACCEPTANCE.finditer(line.rest))
    if not found:
        return False
    before, behind = line.rest[: found[0].start()], line.rest[found[-1].end() :]
    is_about = re.search(r"\w", before) and re.search(r"\w", behind)
    return line.is_quoted or not is_about or any(one["end"] for one in found)
