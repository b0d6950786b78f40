"""Objects in an answer's fields, however they are written: JSON behind a name, Markdown, tables.

A question may ask for a list of objects (``"Claims": [{"text": "…", "test": "…"}]``) or for an
object in a field. Models that answer in headings, bullets or bold write such a list as JSON behind
its name, as items with labels (``1. **Text:** …``, ``**Test:** …`` below it), or as a table. What
is torn, so that nobody knows what belongs together, is refused, and never an item by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bots.structured.blocks import values_in
from bots.structured.labels import Labels, Names, called, usual_names
from bots.structured.text import AnswerError, plain
from bots.structured.values import is_nothing


@dataclass(frozen=True)
class Parts:
    """What a field holds that is an object or a list of objects.

    Attributes:
        names: the objects' fields. The first is what an item without any label says.
        many: it is a list of them; else one.
    """

    names: Names
    many: bool = True


#: By field of an answer.
Inside = Mapping[str, Parts]

#: What stands for a value of JSON that was found, by its number.
TOKEN = re.compile("\ue000(\\d+)\ue001")
_ONLY_TOKENS = re.compile("[\\[\\](),;.\\s-]*(?:\ue000\\d+\ue001[\\[\\](),;.\\s]*)+")
#: What may lead to a list in its line, and how a line begins that is torn out of JSON.
_LEAD = re.compile("^[^\ue000\\[{]*:\\s*(?=[\\[\ue000])")
_TORN = re.compile(r"[\[\s]*[\[{]\s*[\[{\"']")
_ITEM = re.compile(
    r"^\s*(?:#{1,6}\s+)?(?:\*\*)?(?P<mark>[-*+•\u2013\u2014·]|\(?\d{1,2}[.)])(?:\*\*)?\s+\S"
)
_HEADING = re.compile(r"^\s*#{1,6}\s")
_INDENT = re.compile(r"\s*")
#: What stands in a line between the fields of one object.
_BETWEEN = r"(?<=[.;,])\s+|\s*[(\[|/\u2013\u2014]\s*|\s-+\s"


def refuse_torn(text: str, names: Names) -> None:
    """Refuse a text that is a piece of an object: it begins with the name of one of its fields.

    Raises:
        AnswerError: it does.
    """
    either = "|".join(re.escape(one) for name, more in names.items() for one in (name, *more))
    if re.match(rf"\W*(?:{either})\W?\s*[:=]", text, re.IGNORECASE):
        raise AnswerError(f"{text[:40]!r} is a piece of an object; write the whole object")


#: The number of an item, behind its name: ``2.``, ``Hypothesis_2``.
_NUMBERED = re.compile(r".*?(\d{1,2})\W*$")


def _refuse_disorder(marks: Iterable[str], name: str) -> None:
    """Refuse items that stand in another order than their numbers: they are read by place."""
    numbers = [int(found[1]) for mark in marks if (found := _NUMBERED.match(mark))]
    if numbers != sorted(numbers):
        raise AnswerError(f'the items of "{name}" stand in another order than their numbers')


# --- Values ---------------------------------------------------------------------------------------


def shaped(fields: Mapping[str, Any], inside: Inside) -> dict[str, Any]:
    """Return fields with their objects under the usual names, and lists as lists of items.

    An item is an object, or a text where it has no labels.

    Raises:
        AnswerError: what a field holds cannot be told apart.
    """
    made = dict(fields)
    for name, parts in inside.items():
        if name in made:
            made[name] = _value(made[name], name, parts)
    return made


def _value(value: Any, name: str, parts: Parts) -> Any:
    if isinstance(value, str):
        text, found, _ = tokens_of(value)
        items = items_in([Line.of(line) for line in text.splitlines()], found, name, parts)
        if not any(isinstance(one, dict) for one in items) and not (parts.many and items[1:]):
            return value
        return held(items, name, parts)
    if isinstance(value, Mapping):
        return _of_object(value, name, parts)
    if isinstance(value, list) and parts.many:
        return [one for item in value for one in _listed(_value(item, name, _one(parts)))]
    return value


def _one(parts: Parts) -> Parts:
    return Parts(parts.names, many=False)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_object(value: Mapping[Any, Any], name: str, parts: Parts) -> Any:
    """Return an object under the usual names; a list's may be a box, or numbered items."""
    usual = usual_names(parts.names)
    named = {usual.get(called(str(key)), str(key)): inner for key, inner in value.items()}
    if not parts.many or any(key in parts.names for key in named):
        return [named] if parts.many else named
    _refuse_disorder(map(str, value), name)
    inner = (one for boxed in value.values() for one in _listed(boxed))
    return [_value(one, name, _one(parts)) for one in inner]


def held(items: list[Any], name: str, parts: Parts) -> Any:
    """Return the items of a field: a list, or the only one.

    Raises:
        AnswerError: there are several where one is asked for.
    """
    if parts.many:
        return items
    if len(items) != 1:
        raise AnswerError(f'the answer says several things for "{name}"; say it once')
    return items[0]


# --- Lines ----------------------------------------------------------------------------------------


def tokens_of(text: str) -> tuple[str, list[Any], list[str]]:
    """Return a text with a mark for each object or list of objects, these, and how each stood."""
    parts, last = [], 0
    found: list[Any] = []
    stood: list[str] = []
    clean = text.replace("\ue000", "").replace("\ue001", "")
    for value, start, end in values_in(clean):
        parts += [clean[last:start], f"\ue000{len(found)}\ue001"]
        found.append(value)
        stood.append(clean[start:end])
        last = end
    return "".join([*parts, clean[last:]]), found, stood


@dataclass(frozen=True)
class Line:
    """A line of an answer: how far it is indented, its mark (``-``, a number, none), its words."""

    indent: int
    mark: str
    text: str

    @classmethod
    def of(cls, raw: str) -> Line:
        """Return a line as it stands in an answer."""
        item, blank = _ITEM.match(raw), _INDENT.match(raw)
        mark = item["mark"] if item else "#" if _HEADING.match(raw) else ""
        return cls(len(blank[0]) if blank else 0, mark, plain(raw))


class _Items:
    """Gathers a list's items from its lines, one after the other."""

    def __init__(self, values: Sequence[Any], name: str, parts: Parts) -> None:
        self.found: list[Any] = []
        self._values, self._name, self._parts = values, name, parts
        self._labels, self._main = Labels.of(parts.names, _BETWEEN), next(iter(parts.names))
        self._open, self._field, self._level = False, "", -1

    def take(self, line: Line) -> None:
        """Read the next line."""
        if TOKEN.search(line.text) or _TORN.match(line.text):
            self._take_values(_LEAD.sub("", line.text))
            return
        if line.mark and self._level < 0:
            self._level = line.indent
        for n, text in enumerate(self._labels.split(line.text)):
            label = self._labels.begins(text)
            is_new = not n and bool(line.mark) and line.indent <= self._level
            if label is not None:
                is_count = not n and line.mark[-1:] in (".", ")")
                self._label(*label[:2], is_new=is_new and is_count)
            elif is_new or not self._open:
                self._begin(text)
            else:
                self._go_on(text)

    def _begin(self, text: str) -> None:
        if text.strip(" ,;"):
            self.found.append(text.strip(" ,;"))
            self._open, self._field = True, ""

    def _label(self, name: str, text: str, *, is_new: bool) -> None:
        last = self.found[-1] if self.found and self._open else None
        if isinstance(last, str):
            self.found[-1] = last = {} if name == self._main else {self._main: last}
        if last is None or name in last or (is_new and last):
            last = {}
            self.found.append(last)
        last[name], self._field, self._open = _bare(text), name, True

    def _go_on(self, text: str) -> None:
        last = self.found[-1]
        if isinstance(last, str):
            self.found[-1] = f"{last} {text}"
        else:
            last[self._field] = f"{last[self._field]} {_bare(text)}".strip()

    def _take_values(self, text: str) -> None:
        """Take the objects of a line.

        Raises:
            AnswerError: it says more, or less, than these.
        """
        only = _ONLY_TOKENS.fullmatch(text)
        if only is None or text.count("[") != text.count("]"):
            raise AnswerError(f'"{self._name}" cannot be read; write it in JSON, and no more')
        for number in TOKEN.findall(text):
            one = _value(self._values[int(number)], self._name, self._parts)
            self.found += _listed(one)
        self._open = False


def items_in(lines: Sequence[Line], values: Sequence[Any], name: str, parts: Parts) -> list[Any]:
    """Return what a list's lines hold: objects, and texts where an item has no labels.

    Raises:
        AnswerError: they hold something beside objects, or stand in another order than their
            numbers.
    """
    marked = [line for line in lines if _NUMBERED.match(line.mark)]
    outer = min((line.indent for line in marked), default=0)
    _refuse_disorder([line.mark for line in marked if line.indent == outer], name)
    gathered = _Items(values, name, parts)
    for line in lines:
        if line.text.strip() and not (line.text.endswith(":") and not gathered.found):
            gathered.take(line)
    found = gathered.found
    return [] if len(found) == 1 and isinstance(found[0], str) and is_nothing(found[0]) else found


def _bare(text: str) -> str:
    """Return a value without the quotation marks, stops of a list and brackets around it."""
    bare = text.strip(" \t,;|")
    if bare.endswith((")", "]")) and bare.count(")") + bare.count("]") > bare.count(
        "("
    ) + bare.count("["):
        bare = bare[:-1].rstrip()
    return bare[1:-1] if bare[:1] == bare[-1:] and bare[:1] in "\"'" and len(bare) > 1 else bare
