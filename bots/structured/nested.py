"""Objects in an answer's fields, however they are written: JSON behind a name, Markdown, tables.

A question may ask for a list of objects (``"Claims": [{"text": "…", "test": "…"}]``) or for an
object in a field. Models that answer in headings, bullets or bold write such a list as JSON behind
its name, as items with labels (``1. **Text:** …``, ``**Test:** …`` below it), or as a table. What
is torn, so that nobody knows what belongs together, is refused, and never an item by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bots.structured.blocks import values_in
from bots.structured.labels import Labels, Names, called, usual_names
from bots.structured.others import refuse_others
from bots.structured.text import AnswerError, plain
from bots.structured.values import is_nothing


@dataclass(frozen=True)
class Parts:
    """What a field holds that is an object or a list of objects.

    Attributes:
        names: the objects' fields. The first is what an item without any label says.
        many: it is a list of them; else one.
        by_place: the list is read by its items' places: the number that an item has or says must
            be its place. The second field is what says so.
        sees_others: whether the reader sees to fields that nobody asked for.
    """

    names: Names
    many: bool = True
    by_place: bool = False
    sees_others: bool = False


#: By field of an answer.
Inside = Mapping[str, Parts]

#: What stands for a value of JSON that was found, by its number.
TOKEN = re.compile("\ue000(\\d+)\ue001")
_ONLY_TOKENS = re.compile("[\\[\\](),;.\\s-]*(?:\ue000\\d+\ue001[\\[\\](),;.\\s]*)+")
#: What may lead to a list in its line, and how a line begins that is torn out of JSON.
_LEAD = re.compile("^[^\ue000\\[{]*:\\s*(?=[\\[\ue000])")
TORN = re.compile(r"[\[\s]*[\[{]\s*[\[{\"']")
_ITEM = re.compile(
    r"^\s*(?:#{1,6}\s+)?(?:\*\*)?(?P<mark>[-*+•\u2013\u2014·]|\(?\d{1,2}[.)])(?:\*\*)?\s+\S"
)
#: A heading that only counts what stands below it.
_COUNT = re.compile(r"\W*(?:[^\W\d]+\s)?#?(?P<number>\d{1,2})\W*")
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


def _refuse_disorder(marks: Iterable[str], name: str, parts: Parts) -> None:
    """Refuse items that stand in another order than their numbers.

    Where they are read by place each number is that place; all may be 1, as Markdown lets them.
    """
    numbers = [int(found[1]) for mark in marks if (found := _NUMBERED.match(mark))]
    places = [*range(1, len(numbers) + 1)]
    is_wrong = parts.by_place and numbers not in (places, [1] * len(numbers))
    if is_wrong or numbers != sorted(numbers):
        raise AnswerError(f'the items of "{name}" stand in another order than their numbers')


# --- Values ---------------------------------------------------------------------------------------


def shaped(
    fields: Mapping[str, Any], inside: Inside, *, sees_others: bool = False
) -> dict[str, Any]:
    """Return fields with their objects under the usual names, and lists as lists of items.

    An item is an object, or a text where it has no labels. ``sees_others``: see
    :func:`bots.structured.only_reading`.

    Raises:
        AnswerError: what a field holds cannot be told apart.
    """
    made = dict(fields)
    for name, parts in inside.items():
        if name in made:
            made[name] = _value(made[name], name, replace(parts, sees_others=sees_others))
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
        told = (_uncounted(item, place) for place, item in enumerate(value, start=1))
        return [one for item in told for one in _listed(_value(item, name, _one(parts)))]
    return value


def _uncounted(item: Any, place: int) -> Any:
    """Return an item of a list without its own number before it: ``["1. true", "2. false"]``."""
    if not isinstance(item, str):
        return item
    return re.sub(rf"^\s*{place}[.):]\s+(?=\S)", "", item, count=1)


def _one(parts: Parts) -> Parts:
    return replace(parts, many=False)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_object(value: Mapping[Any, Any], name: str, parts: Parts) -> Any:
    """Return an object under the usual names; a list's may be a box, or numbered items."""
    usual = usual_names(parts.names)
    named: dict[str, Any] = {}
    for key, inner in value.items():
        own = usual.get(called(str(key)), str(key))
        if named.setdefault(own, inner) != inner:
            raise AnswerError(f'an item of "{name}" says its "{own}" twice, and differently')
    if not parts.many or any(key in parts.names for key in named):
        refuse_others(named, parts.names, sees_others=parts.sees_others)
        return [named] if parts.many else named
    _refuse_disorder(map(str, value), name, parts)
    if parts.by_place and len(value) > 1:
        main, about, *_ = parts.names
        told = ((key, _value(one, name, _one(parts))) for key, one in value.items())
        return [{about: key} | (one if isinstance(one, dict) else {main: one}) for key, one in told]
    if len(value) > 1 and not all(map(_NUMBERED.match, map(str, value))):
        raise AnswerError(f'"{name}" is a list; write its items between [ and ]')
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
        self._delimits, self._is_guessed = False, False

    def look(self, lines: Iterable[Line]) -> None:
        """See whether marks say where items begin: some labels have one, the first among them.

        Where each label has a mark of its own, or none has, only a label that comes again begins
        another item.
        """
        level, begins = -1, []
        for line in lines:
            if line.mark and level < 0:
                level = line.indent
            for n, text in enumerate(self._labels.split(line.text)):
                if self._labels.begins(text) is not None:
                    begins.append(not n and bool(line.mark) and line.indent <= level)
        self._delimits = begins[:1] == [True] and not all(begins)

    def take(self, line: Line) -> None:
        """Read the next line."""
        if TOKEN.search(line.text) or TORN.match(line.text):
            self._take_values(_LEAD.sub("", line.text))
            return
        if line.mark == "#" and (count := _COUNT.fullmatch(line.text)):
            place = sum(isinstance(one, dict) for one in self.found) + 1
            if self._parts.by_place and int(count["number"]) != place:
                raise AnswerError(f'"{line.text}" stands in another order than its number')
            self._open = False
            return
        if line.mark and self._level < 0:
            self._level = line.indent
        for n, text in enumerate(self._labels.split(line.text)):
            label = self._labels.begins(text)
            is_new = not n and bool(line.mark) and line.indent <= self._level
            if label is not None:
                is_count = line.mark[-1:] in (".", ")") or self._delimits
                self._label(*label, is_new=is_new and is_count)
            elif is_new or not self._open:
                self._begin(text)
            else:
                self._go_on(text)

    def _begin(self, text: str) -> None:
        if text.strip(" ,;"):
            self.found.append(text.strip(" ,;"))
            self._open, self._field = True, ""

    def _label(self, name: str, text: str, number: str, *, is_new: bool) -> None:
        is_counted = bool(number) and self._parts.by_place
        if is_counted:  # ``Verdict 2: true`` and ``Hypothesis 2: true`` say the same
            name = self._main
        last = self.found[-1] if self.found and self._open else None
        if isinstance(last, str):
            self.found[-1] = last = {} if name == self._main else {self._main: last}
        if last is None or name in last or (is_new and last):
            self._is_guessed |= last is not None and not is_new
            last = {}
            self.found.append(last)
        last[name], self._field, self._open = _bare(text), name, True
        if is_counted:
            last.setdefault([*self._parts.names][1], number)

    def refuse_guesses(self) -> None:
        """Refuse items of which nobody knows where one begins.

        Only a label that came again said so, and not all have the same labels in the same order.

        Raises:
            AnswerError: so it is.
        """
        if self._is_guessed and len({tuple(one) for one in self.found}) > 1:
            raise AnswerError(
                f'the items of "{self._name}" have different fields, so that it is not clear where '
                "each begins; write them in JSON"
            )

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
    _refuse_disorder([line.mark for line in marked if line.indent == outer], name, parts)
    gathered = _Items(values, name, parts)
    gathered.look(lines)
    for line in lines:
        if line.text.strip() and not (line.text.endswith(":") and not gathered.found):
            gathered.take(line)
    gathered.refuse_guesses()
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
