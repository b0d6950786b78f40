"""What is attached to an answer: a closed vocabulary; whatever else is there is free words.

A reader finds an answer among the words of a chat model. What it did not need is found by leaving
it out: each line, word and field without which the same is read. What of these has words that are
not in :mod:`bots.structured.neutral` is free words (:attr:`Attached.prose`), as nobody can list
what limits or denies an answer:

- above it a label, a heading, or what introduces what follows; the same holds of a label in its
  line, of a key of an object, of a table's heads and a block's language;
- behind it what does more than take leave, repeat it, or say how sure or how it was;
- inside fields and notes that nobody asked for.

Prose in a paragraph of its own above an answer is a thought and may say anything, but not before a
bare word, nor above what binds. Reasons under such a label are thoughts, too. Beside what binds
there are no free words but in paragraphs of their own, and beside a law not even these; and what
may be another answer, such as a second program or a box that is crossed, is refused in any role.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bots.structured.attached_objects import Asked, Objects
from bots.structured.blocks import places
from bots.structured.framing import takes_leave
from bots.structured.leading import leads_to_own
from bots.structured.neutral import closes, is_harmless, is_neutral, is_why, leads, says_why
from bots.structured.reading import is_frame
from bots.structured.text import AnswerError, plain
from bots.structured.unboxing import rows_of
from bots.structured.units import (
    INTRODUCES,
    MARKED,
    ROW,
    SENTENCES,
    STOPS,
    introduces,
    is_emphasised,
    is_heading,
    is_label,
    split_words,
    units_of,
    without_column,
)
from records.text import caseless

T = TypeVar("T")
Same = Callable[[str], bool]

#: What an answer says of itself behind it, in words that say nothing more.
_OF_ITSELF = caseless(
    r"\W*(?:note[:,]? )?(?:(?:this|the above|my)(?: [\w-]+)? ?(?:answer|response|reply|output"
    r"|choice|decision|list|plan|program)?"
    r" (?:is|reflects?|follows?|fits?|keeps? to|uses|respects|meets|matches|is in|is based on)"
    r"|i(?: have|'ve)? (?:based|made|given|formed|chosen|picked|kept to|followed|used|considered)"
    r" (?:my|this|the)(?: \w+)?)"
    r"(?: (?:my|the|what|i|know|aims?|goals?|needs?|interests?|situation|personality"
    r"|character|rules?|happened|requested|required|instructions?|format|form|forms|of|and|in|role|traits|prompt"
    r"|question|constraints|current|with|to|on|given|available|provided|information|above"
    r"|observations?|context|data|record))*\W*"
)
#: What is set apart from what is before it.
_APART = re.compile(r"\s*[^\w\s/]|\s*$")
#: More lines are no answer in a form, and no thought before one.
_MOST_LINES = 400
_FENCE = re.compile(r"^\s*(?:```|~~~)[ \t]*([\w+.-]*)")
_LANGUAGES = frozenset(
    ("", "text", "txt", "plain", "plaintext", "markdown", "md", "json", "json5", "jsonc", "yaml")
)
#: Languages of programs.
SCRIPTS = frozenset(("javascript", "js", "jsx", "mjs", "node", "typescript", "ts"))
#: Languages of commands, which stand beside a program and are none.
_SHELLS = frozenset(("bash", "sh", "shell", "console", "zsh", "powershell"))


@dataclass(frozen=True)
class Known:
    """What a role lets stand beside its answer; see :func:`alone`."""

    own: frozenset[str]
    is_bare: bool
    is_free: bool
    beside: re.Pattern[str] | None
    languages: frozenset[str]
    binds: bool
    is_law: bool
    asked: Asked | None

    def is_mere(self, part: str) -> bool:
        """Whether words beside an answer say nothing of their own.

        The role's words do not, where they go on with it: ``yes on both``, but not ``yes (both)``.
        """
        said = plain(part)
        return (
            is_neutral(part, () if self.is_bare and _APART.match(part) else self.own)
            or is_harmless(part)
            or takes_leave(said)
            or closes(part)
            or (says_why(said) and not self.binds)
            or bool(_OF_ITSELF.fullmatch(said))
            or (self.beside is not None and bool(self.beside.fullmatch(part.strip())))
        )


class Attached:
    """An answer in units: lines, and objects and programs that go over several."""

    def __init__(self, text: str, same: Same, known: Known) -> None:
        self._same, self._known, self._own = same, known, known.own
        self._bare, self._free = known.is_bare, known.is_free
        self._units = [*units_of(text, known.languages)]
        if len(self._units) > _MOST_LINES:
            raise AnswerError("it is too long; write the answer alone")
        self._is_said = [bool(re.search(r"\w|[^\x00-\x7f]", one)) for one in self._units]
        self._is_kept = [True] * len(self._units)
        #: What its lines say that are needed.
        self._said_once: set[str] = set()
        #: Free words beside the answer.
        self.prose: list[str] = []
        self._why = self._below_why()

    def _text(self) -> str:
        return "\n".join(one for one, kept in zip(self._units, self._is_kept, strict=True) if kept)

    def _below_why(self) -> set[int]:
        """Return which units stand below a heading or a label that announces reasons."""
        found: set[int] = set()
        mode = ""
        for n, line in enumerate(self._units):
            label = plain(line).strip()
            if is_heading(line) or label.endswith(":"):
                is_label = not is_heading(line)
                mode = ("label" if is_label else "heading") if is_why(label) else ""
                if mode:
                    found.add(n)
                continue
            if not line.strip():
                mode = "" if mode == "label" and n - 1 in found and found else mode
                mode = mode if mode != "label" else ""
                continue
            if mode:
                found.add(n)
        return found

    def check(self) -> None:
        """Look at all that the reader did not need.

        Raises:
            AnswerError: something of it may say something else.
        """
        self._drop()
        kept = [n for n in range(len(self._units)) if self._is_kept[n] and self._counts(n)]
        if not kept:
            return
        self._said_once = {plain(self._units[n]) for n in kept}
        first, last = self._top(kept[0]), kept[-1]
        for n in range(first, kept[0]):
            self._refuse_mark(self._units[n])
        left = [n for n in range(len(self._units)) if not self._is_kept[n] and self._is_said[n]]
        self._check_fences(first, last)
        is_labelled = self._check_above([n for n in left if n < first], first)
        for n in left:
            if n < first or self._changes_nothing(n, behind=True):
                continue
            where = "beside" if n < last else "behind"
            if self._is_program(n):
                raise _refusal(self._units[n], where)
            self._take(self._units[n], where, is_apart=self._is_apart(n, last))
        thoughts = [n for n in left if n < first and not self._changes_nothing(n)]
        self._check_kept(kept, is_labelled, [self._units[n] for n in thoughts])

    def _top(self, n: int) -> int:
        """Return the first row of the table in which a line stands; else it."""
        while n and "|" in self._units[n] and "|" in self._units[n - 1]:
            n -= 1
        return n

    def _refuse_mark(self, line: str) -> None:
        if MARKED.match(line) and not self._known.languages:
            raise _refusal(line, "as a mark in")

    def _counts(self, n: int) -> bool:
        return self._is_said[n] and not is_frame(self._units[n])

    def _drop(self) -> None:
        """Leave out what is not needed, in ever smaller pieces."""
        tried = [n for n in range(len(self._units)) if not is_frame(self._units[n])]
        size = len(tried)
        while size:
            for at in range(0, len(tried), size):
                piece = [n for n in tried[at : at + size] if self._is_kept[n]]
                if not piece or len(piece) == sum(self._is_kept):
                    continue
                if not any(self._is_said[n] for n in piece):
                    continue
                for n in piece:
                    self._is_kept[n] = False
                if not self._same(self._text()):
                    for n in piece:
                        self._is_kept[n] = True
            size //= 2

    def _changes_nothing(self, n: int, *, behind: bool = False) -> bool:
        """Whether a unit says nothing of its own; ``behind``: the answer, or beside it."""
        line = self._units[n]
        said = plain(line)
        is_reason = n in self._why or self._is_row_of_why(line) or says_why(said)
        return (
            (is_reason and not (behind and self._known.binds))
            or self._is_own(line)
            or is_frame(line)
            or is_neutral(line, self._own)
            or (leads(line) and not behind)
            or (self._known.is_mere(said) and not self._announces(n))
            or self._repeats(line)
        )

    def _is_apart(self, n: int, last: int) -> bool:
        """Whether a unit behind the answer is a paragraph of its own, without any label."""
        is_apart = n > last and any(not one.strip() for one in self._units[last + 1 : n])
        return is_apart and not is_heading(self._units[n]) and ":" not in self._units[n]

    def _take(self, words: str, where: str, *, is_apart: bool = False) -> None:
        """Take words for free ones; ``is_apart``: they are a paragraph behind the answer.

        Raises:
            AnswerError: there are none beside what binds.
        """
        if self._known.binds and (self._known.is_law or not is_apart):
            raise _refusal(words, where)
        self.prose.append(words)

    def _announces(self, n: int) -> bool:
        """Whether a line says what stands below it."""
        line = self._units[n]
        return (
            is_heading(line)
            or is_label(line)
            or (introduces(line) and n < self._is_kept.index(True))
        )

    def _is_program(self, n: int) -> bool:
        """Whether a unit is a block that may be another program, which explains none."""
        fence = _FENCE.match(self._units[n])
        return "\n" in self._units[n] and fence is not None and fence[1].lower() not in _SHELLS

    def _is_row_of_why(self, line: str) -> bool:
        """Whether a table's row has no more than a reason."""
        return bool(ROW.match(line)) and is_why(line.strip(" |").split("|")[0])

    def _repeats(self, line: str) -> bool:
        """Whether a line says the same once more, perhaps behind a neutral label."""
        if plain(line) in self._said_once:
            return True
        label, _, rest = line.partition(":")
        return self._same(line) or (is_neutral(label, self._own) and self._same(rest))

    def _check_above(self, above: Sequence[int], first: int) -> bool:
        """Look at what stands above the answer; return whether it has a label that is neutral.

        Raises:
            AnswerError: a label is above what binds that is not.
        """
        if above and self._same("\n".join(self._units[: above[-1] + 1])):
            above = []  # it is said twice
        labels = [n for n in above if is_heading(self._units[n]) or is_label(self._units[n])]
        is_labelled = bool(
            above and above[-1] in labels and is_neutral(self._units[above[-1]], self._own)
        )
        if self._free and not self._known.binds:
            above = [n for n in above if not self._leads_to_own(n)]
        said = [n for n in above if not self._changes_nothing(n)]
        headings = [n for n in labels if is_heading(self._units[n])]
        for n in dict.fromkeys((*said[-1:], *headings[-1:])):
            if not self._is_thought(n, first, is_label=n in labels):
                if not self._changes_nothing(n):
                    self._take(self._units[n], "above")
            elif self._known.binds and not is_labelled:
                self.prose.append(self._units[n])  # it is asked about once, as is a label elsewhere
        return is_labelled or bool(headings and is_neutral(self._units[headings[-1]], self._own))

    def _leads_to_own(self, n: int) -> bool:
        line = self._units[n]
        return (is_label(line) or introduces(line)) and leads_to_own(line)

    def _is_thought(self, n: int, first: int, *, is_label: bool) -> bool:
        """Whether a line above an answer is prose that does not introduce it.

        Only lines that say nothing stand between the two.
        """
        line = self._units[n]
        is_apart = any(not one.strip() for one in self._units[n + 1 : first])
        return not is_label and not introduces(line) and bool(STOPS.search(line) or is_apart)

    def _check_fences(self, first: int, last: int) -> None:
        for n, line in enumerate(self._units):
            fence = _FENCE.match(line)
            if not fence or not first <= n + 1 <= last + 1:
                continue
            if fence[1].lower() not in (*_LANGUAGES, *self._known.languages, *self._own):
                raise _refusal(line, "around")

    def _check_kept(self, kept: Sequence[int], is_labelled: bool, thoughts: Sequence[str]) -> None:
        head = self._check_table() if any(map(ROW.match, self._units)) and not self._free else []
        is_labelled = is_labelled or bool(head)
        for n in kept:
            line = self._units[n]
            self._refuse_mark(line)
            objects = [*places(line)]
            if objects:
                is_labelled = True
                known = (self._free, self._known.asked, not self._known.binds)
                inside = Objects(line, self._own, self._without(n), *known)
                inside.check()
                self.prose += inside.notes
                self._check_behind_object(line[objects[-1][2] :])
            elif not self._free and not ROW.match(line):
                is_labelled |= self._check_words(n)
        is_last_word = all(is_emphasised(self._units[n]) for n in kept)
        is_bare = self._bare and not (is_labelled or is_last_word)
        if is_bare and thoughts:
            self._take(thoughts[-1], "above")

    def _check_behind_object(self, rest: str) -> None:
        for part in SENTENCES.split(rest) if not self._free else ():
            if not self._known.is_mere(part):
                self._take(part, "behind")

    def _check_table(self) -> list[str]:
        """Look at the columns of a table; return its head, empty: it has none.

        Raises:
            AnswerError: what binds has one of another name, or one that is not needed.
        """
        rows = [line for line in self._units if ROW.match(line)]
        table = [(head, cells) for _, head, cells in rows_of(rows) if head]
        head = table[0][0] if table else []
        for column, name in enumerate(head):
            if is_why(name) or not name.strip(" -#"):
                continue
            if not is_neutral(name, self._own):
                self._take(name, "above")
            told = [cells[column] for _, cells in table if column < len(cells)]
            is_said = not all(
                is_harmless(one, self._own) or one.strip("*. ").isdigit() for one in told
            )
            if is_said and self._same(
                "\n".join(without_column(one, column) for one in self._units)
            ):
                self._take(name, "above")
        return head

    def _without(self, n: int) -> Same:
        """Return whether the same is read with something else for a unit."""
        before = [one for m, one in enumerate(self._units) if self._is_kept[m] and m < n]
        behind = [one for m, one in enumerate(self._units) if self._is_kept[m] and m > n]
        return lambda line: self._same("\n".join([*before, line, *behind]))

    def _is_own(self, line: str) -> bool:
        """Whether a line is one of the role's forms that say nothing."""
        form = self._known.beside
        said = (line.strip(), plain(line))
        return form is not None and any(map(form.fullmatch, said))

    def _check_words(self, n: int) -> bool:
        """Look at the words of a line that are not needed; return whether a label is there."""
        before, rest = split_words(self._units[n], self._without(n))
        said = before.strip()
        is_why_too = is_why(said)
        is_thought = not self._bare and bool(STOPS.search(said)) and not INTRODUCES.search(said)
        if said and not (
            self._is_own(self._units[n])
            or is_neutral(before, self._own)
            or leads(before)
            or is_thought
            or is_why_too
        ):
            self._take(before, "before")
        needed = self._units[n][len(before) : len(self._units[n]) - len(rest)]
        for part in SENTENCES.split(rest) if not is_why(needed) else ():  # a field of reasons
            if not (self._known.is_mere(part) or self._same(part)):
                self._take(part, "behind")
        return bool(re.search(r"[:=]\W*$", before)) and not is_thought


def _refusal(words: str, where: str) -> AnswerError:
    said = " ".join(words.split())[:60]
    return AnswerError(f"leave out {said!r} {where} your answer: it may say something else")
