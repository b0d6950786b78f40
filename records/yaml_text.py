"""YAML that others wrote: read within bounds, whatever it holds.

YAML can say a thousand times more than it is long: an alias stands for all that its anchor names,
and that may hold aliases, too. What would be too much is refused before anything is made of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from voxpolis.records.files import read_text
from voxpolis.records.text import one_line, well_formed

try:
    _Base: Any = yaml.CSafeLoader
except AttributeError:  # PyYAML without its C part
    _Base = yaml.SafeLoader

MAX_CHARACTERS = 2_000_000
#: Values that a document can come to, with its aliases written out.
MAX_VALUES = 30_000
MAX_DEPTH = 64
#: Of a number; longer ones cannot be printed, or take long to be read.
MAX_DIGITS = 1000
#: Takes another mapping's fields; several may.
MERGE = "<<"


class YamlError(yaml.YAMLError):
    """A text is no YAML, or comes to too much; the message is one line."""


def load_yaml(text: str) -> Any:
    """Return what a YAML text says: plain data, whose texts are well-formed.

    Raises:
        YamlError: it is no YAML, too long, nested too deeply, its aliases come to too much, or a
            mapping names a field twice.
    """
    if len(text) > MAX_CHARACTERS:
        raise YamlError(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        _Bounds().check(text)
        return well_formed(yaml.load(text, Loader=_Loader))
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark or error.context_mark
        place = f"line {where.line + 1}: " if where is not None else ""
        raise YamlError(place + one_line(error.problem or error.context or "no YAML")) from error
    except (
        *(yaml.YAMLError, ValueError, LookupError, TypeError),
        *(AttributeError, ArithmeticError, RecursionError),  # of PyYAML's constructors
    ) as error:
        raise YamlError(one_line(str(error)) or "no YAML") from error


def read_yaml(path: Path) -> Any:
    """Return what a file of YAML says; see :func:`load_yaml`.

    Raises:
        ValueError: it cannot be read, or is no YAML; the message is one line and names the file.
    """
    try:
        return load_yaml(read_text(path))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}") from error
    except (YamlError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not YAML: {error}") from error


_MERGE_TAG, _VALUE_TAG, _TEXT_TAG = (
    f"tag:yaml.org,2002:{name}" for name in ("merge", "value", "str")
)


class _Loader(_Base):  # type: ignore[misc]  # a class that is chosen above
    """PyYAML's, but for mappings that take in others' fields (yaml.org/type/merge.html).

    Of two mappings taken in the first counts, and a mapping's own fields before both. PyYAML 6.0.4
    takes the number 1 and the text "1" for one field there.
    """

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        own: list[tuple[yaml.Node, yaml.Node]] = []
        taken: list[yaml.Node] = []
        for key, value in node.value:
            if key.tag == _MERGE_TAG:
                taken += value.value if isinstance(value, yaml.SequenceNode) else [value]
                continue
            key.tag = _TEXT_TAG if key.tag == _VALUE_TAG else key.tag
            own.append((key, value))
        for mapping in taken:
            if not isinstance(mapping, yaml.MappingNode):
                raise yaml.constructor.ConstructorError(
                    "while constructing a mapping",
                    node.start_mark,
                    f"expected a mapping for merging, but found {mapping.tag}",
                    mapping.start_mark,
                )
            self.flatten_mapping(mapping)
        node.value = [pair for mapping in reversed(taken) for pair in mapping.value] + own


class _Fields:
    """Sees that no mapping names a field twice: YAML forbids it, and PyYAML takes the last one."""

    def __init__(self) -> None:
        self._open: list[_Mapping | None] = []  # None: a list

    def see(self, event: Any) -> None:
        if isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            return
        if not isinstance(event, yaml.NodeEvent):
            return
        if self._open and (around := self._open[-1]) is not None:
            around.take(event)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append(_Mapping() if isinstance(event, yaml.MappingStartEvent) else None)


class _Mapping:
    def __init__(self) -> None:
        self._names: set[tuple[str, bool]] = set()
        self._is_field = True

    def take(self, event: Any) -> None:
        if self._is_field and isinstance(event, yaml.ScalarEvent) and event.value != MERGE:
            name = (event.value, event.implicit[0])  # the number 1 is not the text "1"
            if name in self._names:
                place = f"line {event.start_mark.line + 1}: " if event.start_mark else ""
                raise YamlError(f"{place}{one_line(event.value)} is given twice")
            self._names.add(name)
        self._is_field = not self._is_field


class _Bounds:
    """Counts what a text comes to while its events pass by, before any value is made of them."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}  # by anchor, with aliases written out
        self._open: list[tuple[str | None, int]] = []  # each with the count at its beginning
        self._count = 0

    def check(self, text: str) -> None:
        fields = _Fields()
        for event in yaml.parse(text, Loader=_Loader):
            fields.see(event)
            if isinstance(event, yaml.CollectionStartEvent):
                self._open.append((event.anchor, self._count))
                self._add(1)
                if len(self._open) > MAX_DEPTH:
                    raise YamlError(f"is nested more than {MAX_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                anchor, before = self._open.pop()
                self._keep(anchor, self._count - before)
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._sizes:
                    raise YamlError(f"*{one_line(str(event.anchor))} names nothing before it")
                self._add(self._sizes[event.anchor])

    def _scalar(self, event: Any) -> None:
        is_plain = not event.style and event.value[:1] in "+-.0123456789"
        if (is_plain or event.tag) and len(event.value) > MAX_DIGITS:
            raise YamlError(f"a number has more than {MAX_DIGITS} digits")
        self._add(1)
        self._keep(event.anchor, 1)

    def _add(self, values: int) -> None:
        self._count += values
        if self._count > MAX_VALUES:
            raise YamlError(f"comes to more than {MAX_VALUES:,} values, aliases written out")

    def _keep(self, anchor: str | None, size: int) -> None:
        if anchor is not None:
            self._sizes[anchor] = size
