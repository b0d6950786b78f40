"""Outlines: answers in headings, bullets, bold or tables, whose fields may hold objects."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import Any

from bots.structured.framing import answer_part, bare, takes_leave
from bots.structured.labels import Labels, Names, called
from bots.structured.nested import TOKEN, TORN, Inside, Line, held, items_in, tokens_of
from bots.structured.reading import is_frame, is_remark, without_explanations, without_leave
from bots.structured.text import AnswerError, plain, spoken
from bots.structured.unboxing import row_line, rows_of, without_elements
from bots.structured.values import is_nothing

_NUMBER = re.compile(r"\d*\.?\d+\s*%?")
_HEADING = re.compile(r"^\s*#{1,6}\s")
#: Fields that say why, beside what is asked for.
_BESIDE = frozenset(("reasoning", "why"))


#: How far a line is indented, and whether it has a mark, which makes it an item of the one above.
_Depth = tuple[int, bool]
#: What is deeper than nothing at all.
_OUTSIDE: _Depth = (-1, False)


def _depth(line: Line) -> _Depth:
    return line.indent, bool(line.mark)


@dataclass
class _Section:
    """The lines of a field of an answer.

    Attributes:
        name: the field's.
        depth: of the line that began it; :data:`_OUTSIDE`: none did, but the first of its objects.
        lines: what stands in it.
        has: which of its objects' fields the last object has.
        is_flat: whether its objects stand no deeper than itself.
        is_open: whether lines go on with it.
    """

    name: str
    depth: _Depth
    lines: list[Line] = field(default_factory=list)
    has: set[str] = field(default_factory=set)
    is_flat: bool = True
    is_open: bool = True


class Outline:
    """An answer in lines: which lines belong to which field.

    Attributes:
        values: of JSON that stand in it, by number.
        sections: in their order; a field may have several.
    """

    def __init__(
        self, answer: str, names: Names, inside: Inside, whole: Collection[str] = ()
    ) -> None:
        """Read an answer; see :func:`bots.structured.fields.only_reading` for the arguments."""
        text = spoken(answer)
        text = without_elements(text) if "<" in text else text
        text, self.values, self._stood = tokens_of(text)
        self._names, self._inside, self._top = names, inside, Labels.of(names)
        self._whole = whole
        self._inner = {name: Labels.of(parts.names) for name, parts in inside.items()}
        self._only = self._only_list()
        self.sections: list[_Section] = []
        self.beside: list[Line] = []
        told = [*self._rows(text)]
        is_named = any(map(self._names_field, told))
        if not is_named:  # else it may be asked for its answer
            told = [*self._rows(answer_part(text))]
        labels = (self._top, *self._inner.values())
        if not (is_named and any(_BESIDE & one.usual.keys() for one in labels)):
            kept = without_explanations(told)
            lost = (line for line in told if line not in kept)
            told = told if any(map(self._names_inner, lost)) else kept
        raw = [line for line in told if bare(line) and not is_frame(line)]
        last = len(raw) if whole else len(without_leave([plain(line) for line in raw]))
        while whole and last and takes_leave(bare(raw[last - 1])):
            last -= 1
        for line in raw[:last]:
            if not line.lstrip().startswith(">"):
                self._take(Line.of(line), is_heading=bool(_HEADING.match(line)))
            elif self.sections and self._is_whole(self.sections[-1]):
                self.sections[-1].lines.append(Line.of(line))

    def _only_list(self) -> str:
        """Return the one list that is asked for, whose name goes without saying; empty: none is."""
        asked = {name for name in self._names if name not in _BESIDE}
        lists = [name for name in asked if name in self._inside and self._inside[name].many]
        return lists[0] if len(lists) == 1 and self._inside.keys() >= asked else ""

    def _is_whole(self, section: _Section) -> bool:
        """Whether all that follows belongs to a section: it could limit what stands there."""
        return section.is_open and section.name in self._whole

    def _names_inner(self, line: str) -> bool:
        """Whether a line begins a field of an object of a list, and not only why."""
        found = (labels.begins(plain(line)) for labels in self._inner.values())
        return any(one is not None and one[0] not in _BESIDE for one in found)

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
            elif not head or sum(known) < min(2, len(head)):
                yield row_line(cells)
            else:
                told = zip(head, cells, known, strict=False)
                said = [
                    f"{plain(one)}: {cell}" for one, cell, is_known in told if is_known and cell
                ]
                blank = line[: len(line) - len(line.lstrip())]
                yield from (f"{blank}{'  ' if n else '- '}{one}" for n, one in enumerate(said))

    def _take(self, line: Line, *, is_heading: bool) -> None:
        is_other = is_heading or is_remark(line.text)
        for n, text in enumerate(self._top.split(line.text)):
            part = Line(line.indent + bool(n and line.mark), "" if n else line.mark, text)
            self._take_part(part, is_other=is_other)

    def _take_part(self, line: Line, *, is_other: bool) -> None:
        last = self.sections[-1] if self.sections else self._implied(line)
        begins = self._top.begins(line.text)
        inner = (
            self._inner[last.name].begins(line.text) if last and last.name in self._inner else None
        )
        if last and inner and (begins is None or self._is_inner(last, line, begins, inner)):
            if not last.has:
                last.is_flat = _depth(line) <= last.depth
            last.has = {inner[0]} if inner[0] in last.has else {*last.has, inner[0]}
            last.is_open = True
            last.lines.append(line)
        elif begins is not None and not (last and self._is_counted(last, begins)):
            name, said, _ = begins
            self.sections.append(_Section(name, _depth(line), [Line.of(said)] if said else []))
        elif last is not None and self._is_whole(last):
            last.lines.append(line)
        elif is_other and (last is None or last.name not in self._inner or line.mark == ""):
            if last is not None:
                last.is_open = False
        elif last is not None and last.is_open:
            last.lines.append(line)
        else:
            self.beside.append(line)

    def _implied(self, line: Line) -> _Section | None:
        """Return the section of the only list, where a line begins an object that nothing names.

        No order of its fields is another one: ``Test: …`` may stand above ``Hypothesis: …``.
        """
        inner = self._inner[self._only].begins(line.text) if self._only else None
        begins = self._top.begins(line.text)
        if inner is None or (begins is not None and not self._is_own(self._only, begins)):
            return None
        above = self.beside[-1:]  # an item in words, with labels below it
        is_item = any(one.mark and one.indent < line.indent for one in above)
        section = _Section(self._only, _OUTSIDE, above if is_item else [])
        self.sections.append(section)
        return section

    def _is_own(self, name: str, begins: tuple[str, str, str], is_begun: bool = False) -> bool:
        """Whether a list's name, for one of its items, is the name of that item's field here.

        So is ``Hypothesis: grass dies``, and not a heading ``Hypothesis 2`` or what stands before
        an object. Of items that are read by their places only what is numbered is, or what follows
        another field of the same item (``is_begun``).
        """
        called_, said, number = begins
        is_said = bool(said) and not (TOKEN.search(said) or TORN.match(said) or is_nothing(said))
        return (
            called_ == name
            and is_said
            and (bool(number) or is_begun or not self._inside[name].by_place)
        )

    def _is_counted(self, last: _Section, begins: tuple[str, str, str]) -> bool:
        """Whether a line is a number for an item of another list: ``Claim 1: 0.5``."""
        name, said, number = begins
        is_other = last.name != name and name in self._inside and last.name not in self._inside
        return bool(number) and is_other and bool(_NUMBER.fullmatch(said))

    def _is_inner(
        self,
        last: _Section,
        line: Line,
        begins: tuple[str, str, str],
        inner: tuple[str, str, str],
    ) -> bool:
        """Whether a name that is an answer's field and an object's is the object's here."""
        if inner[2] and not begins[2]:  # the number belongs to the answer's field
            return False
        if begins[0] == last.name:
            return self._is_own(last.name, begins, bool(last.has - {inner[0]}))
        if _depth(line) > last.depth:
            return bool(last.has) or not last.lines
        is_begun = bool(last.has) or not self._inside[last.name].many
        return is_begun and last.is_flat and inner[0] not in last.has

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
        items = []
        for one in own:
            found = items_in(one.lines, self.values, name, parts)
            items += [item for item in found if one.depth > _OUTSIDE or not _is_beside(item)]
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
        if self._only and not (found.keys() - _BESIDE):
            items = self._unnamed(self._only)
            found |= {self._only: items} if items else {}
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

    def is_item(self, found: Mapping[str, Any]) -> bool:
        """Whether an object is an item of the only list that is asked for, and no whole answer."""
        if not self._only:
            return False
        named = {called(str(key)) for key in found}
        of_item = {self._inner[self._only].usual.get(name) for name in named} - {None}
        others = {self._top.usual.get(name) for name in named} - {None, self._only, *_BESIDE}
        return len(of_item) > 1 and called(self._only) not in named - of_item and not others

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


def _is_beside(item: object) -> bool:
    """Whether an item only says why: it is what stands before a list that nothing names."""
    return isinstance(item, dict) and not item.keys() - _BESIDE
