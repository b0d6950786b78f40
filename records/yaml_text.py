"""YAML that others wrote: read within bounds, whatever it holds.

YAML can say a thousand times more than it is long: an alias stands for all that its anchor names,
and that may hold aliases, too. What would be too much is refused before anything is made of it.
"""

from __future__ import annotations

from typing import Any

import yaml

from records.text import one_line, well_formed

try:
    _Loader: Any = yaml.CSafeLoader
except AttributeError:  # PyYAML without its C part
    _Loader = yaml.SafeLoader

MAX_CHARACTERS = 2_000_000
#: Values that a document can come to, with its aliases written out.
MAX_VALUES = 30_000
MAX_DEPTH = 64
#: Of a number; longer ones cannot be printed, or take long to be read.
MAX_DIGITS = 1000


class YamlError(yaml.YAMLError):
    """A text is no YAML, or comes to too much; the message is one line."""


def load_yaml(text: str) -> Any:
    """Return what a YAML text says: plain data, whose texts are well-formed.

    Raises:
        YamlError: it is no YAML, too long, nested too deeply, or its aliases come to too much.
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


class _Bounds:
    """Counts what a text comes to while its events pass by, before any value is made of them."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}  # by anchor, with aliases written out
        self._open: list[tuple[str | None, int]] = []  # each with the count at its beginning
        self._count = 0

    def check(self, text: str) -> None:
        """Go through a text.

        Raises:
            YamlError: it comes to too much, or an alias names what is not there.
            yaml.YAMLError: it is no YAML.
        """
        for event in yaml.parse(text, Loader=_Loader):
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
