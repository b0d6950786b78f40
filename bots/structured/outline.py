"""Outlines: answers in headings, bullets, bold or tables, whose fields may hold objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Any

from bots.structured.framing import answer_part, bare
from bots.structured.labels import Labels, Names, called
from bots.structured.nested import TOKEN, Inside, Line, held, items_in, tokens_of
from bots.structured.reading import is_frame, is_remark, without_explanations, without_leave
from bots.structured.text import AnswerError, plain, spoken
from bots.structured.unboxing import row_line, rows_of, without_elements

_NUMBER = re.compile(r"\d*\.?\d+\s*%?")
_HEADING = re.compile(r"^\s*#{1,6}\s")
#: Fields that say why, beside what is asked for.
_BESIDE = frozenset(("reasoning", "why"))


@dataclass
class _Section:
    """The lines of a field of an answer, and which of its objects' fields the last object has."""

    name: str
    indent: int
    lines: list[Line] = field(default_factory=list)
    has: set[str] = field(default_factory=set)
    is_open: bool = True


class Outline:
    """An answer in lines: which lines belong to which field.

    Attributes:
        values: of JSON that stand in it, by number.
        sections: in their order; a field may have several.
    """

    def __init__(self, answer: str, names: Names, inside: Inside) -> None:
        text = spoken(answer)
        text = without_elements(text) if "<" in text else text
        text, self.values, self._stood = tokens_of(text)
        self._names, self._inside, self._top = names, inside, Labels.of(names)
        self._inner = {name: Labels.of(parts.names) for name, parts in inside.items()}
        self.sections: list[_Section] = []
        self.beside: list[Line] = []
        told = [*self._rows(text)]
        is_named = any(map(self._names_field, told))
        if not is_named:  # else it may be asked for its answer
            told = [*self._rows(answer_part(text))]
        labels = (self._top, *self._inner.values())
        if not (is_named and any(_BESIDE & one.usual.keys() for one in labels)):
            told = without_explanations(told)
        raw = [line for line in told if bare(line) and not is_frame(line)]
        raw = [line for line in raw if not line.lstrip().startswith(">")]
        kept = len(without_leave([plain(line) for line in raw]))
        for line in raw[:kept]:
            self._take(Line.of(line), is_heading=bool(_HEADING.match(line)))

    def _names_field(self, line: str) -> bool:
        """Whether a line begins a field that is asked for, and not only why."""
        begins = self._top.begins(plain(line))
        return begins is not None and begins[0] not in _BESIDE

    def _rows(self, text: str) -> Iterator[str]:
        """Yield lines; of a table with objects' fields above it one for each of its cells."""
        if "|" not in text:
            yield from text.split("\n")
            return
        usual = {key: n for labels in self._inner.values() for key, n in labels.usual.items()}
        for line, head, cells in rows_of(text.split("\n")):
            known = [called(plain(one)) in usual for one in head]
            if not cells:
                yield line
            elif sum(known) < min(2, len(head)):
                yield row_line(cells)
            else:
                told = zip(head, cells, known, strict=False)
                said = [
                    f"{plain(one)}: {cell}" for one, cell, is_known in told if is_known and cell
                ]
                yield from (f"{'  ' if n else '- '}{one}" for n, one in enumerate(said))

    def _take(self, line: Line, *, is_heading: bool) -> None:
        is_other = is_heading or is_remark(line.text)
        for n, text in enumerate(self._top.split(line.text)):
            part = Line(line.indent, "" if n else line.mark, text)
            self._take_part(part, is_other=is_other)

    def _take_part(self, line: Line, *, is_other: bool) -> None:
        last = self.sections[-1] if self.sections else None
        begins = self._top.begins(line.text)
        inner = (
            self._inner[last.name].begins(line.text) if last and last.name in self._inner else None
        )
        if last and inner and (begins is None or self._is_inner(last, line, begins, inner)):
            last.has = {inner[0]} if inner[0] in last.has else {*last.has, inner[0]}
            last.is_open = True
            last.lines.append(line)
        elif begins is not None and not (last and self._is_counted(last, begins)):
            name, said, _ = begins
            self.sections.append(_Section(name, line.indent, [Line.of(said)] if said else []))
        elif is_other and (last is None or last.name not in self._inner or line.mark == ""):
            if last is not None:
                last.is_open = False
        elif last is not None and last.is_open:
            last.lines.append(line)
        else:
            self.beside.append(line)

    def _is_counted(self, last: _Section, begins: tuple[str, str, bool]) -> bool:
        """Whether a line is a number for an item of another list: ``Claim 1: 0.5``."""
        name, said, is_numbered = begins
        is_other = last.name != name and name in self._inside and last.name not in self._inside
        return is_numbered and is_other and bool(_NUMBER.fullmatch(said))

    def _is_inner(
        self,
        last: _Section,
        line: Line,
        begins: tuple[str, str, bool],
        inner: tuple[str, str, bool],
    ) -> bool:
        """Whether a name that is an answer's field and an object's is the object's here."""
        if inner[2] and not begins[2]:  # the number belongs to the answer's field
            return False
        if line.indent > last.indent:
            return True
        is_begun = bool(last.has) or not self._inside[last.name].many
        return is_begun and inner[0] not in last.has

    # --- What is said of fields -------------------------------------------------------------------

    def fields(self) -> dict[str, Any]:
        """Return the fields: a text each, and an object or a list of items where it holds these.

        Raises:
            AnswerError: one is said twice in different words, or cannot be told apart.
        """
        found: dict[str, Any] = {}
        for name in dict.fromkeys(section.name for section in self.sections):
            own = [section for section in self.sections if section.name == name]
            if name in self._inside:
                found[name] = self._held(own, name)
                continue
            texts = {said.casefold(): said for one in own if (said := self._text(one.lines))}
            if len(texts) > 1:
                raise AnswerError(f'the answer says "{name}" twice, and differently; say it once')
            found[name] = next(iter(texts.values()), "")
        return found

    def _held(self, own: Sequence[_Section], name: str) -> Any:
        parts = self._inside[name]
        items = [item for one in own for item in items_in(one.lines, self.values, name, parts)]
        if any(isinstance(one, dict) for one in items) or (parts.many and items[1:]):
            return held(items, name, parts)
        return self._text([line for one in own for line in one.lines])

    def _text(self, lines: Sequence[Line]) -> str:
        text = "\n".join(line.text for line in lines if line.text).strip(" \t\n,;|")
        text = TOKEN.sub(lambda found: self._stood[int(found[1])], text)
        return text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text

    def whole(self) -> dict[str, Any]:
        """Return the fields; the one list that is asked for needs no name where it is all there is.

        Raises:
            AnswerError: there is none, or see :meth:`fields`.
        """
        found = self.fields()
        asked = [name for name in self._names if name not in _BESIDE]
        lists = [name for name in asked if name in self._inside and self._inside[name].many]
        if len(lists) == 1 and not (found.keys() - _BESIDE) and self._inside.keys() >= {*asked}:
            items = self._unnamed(lists[0])
            found |= {lists[0]: items} if items else {}
        if not found:
            raise AnswerError("the answer is not a JSON object")
        return found

    def _unnamed(self, name: str) -> list[Any]:
        beside = [*dropwhile(lambda line: not line.mark, self.beside)] or self.beside
        text = self._text(self.beside)
        with suppress(ValueError, RecursionError):
            bare = json.loads(text)
            if isinstance(bare, list):
                return bare
        items = items_in(beside, self.values, name, self._inside[name])
        is_list = all(line.mark for line in beside)
        return items if is_list else [one for one in items if isinstance(one, dict)]

    def objects(self) -> list[dict[str, Any]]:
        """Return the objects that stand in no other, in no list and behind no field for them."""
        named = {
            int(number)
            for one in self.sections
            if one.name in self._inside
            for line in one.lines
            for number in TOKEN.findall(line.text)
        }
        found = enumerate(self.values)
        return [one for n, one in found if n not in named and isinstance(one, dict)]
