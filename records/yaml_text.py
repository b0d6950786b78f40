"""Parsing of untrusted YAML, with limits.

A small YAML text can become very large, because an alias repeats everything that its anchor names,
including other aliases. Documents that are too large are rejected before any value is created.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from voxpolis.records.files import read_text
from voxpolis.records.text import one_line, well_formed

try:
    _Base: Any = yaml.CSafeLoader
except AttributeError:  # PyYAML without its C extension
    _Base = yaml.SafeLoader

MAX_CHARACTERS = 2_000_000
# Maximum number of values in a document, where each alias counts as what it repeats.
MAX_VALUES = 30_000
MAX_DEPTH = 64
# Maximum number of digits of a number. Longer numbers cannot be printed, or take long to parse.
MAX_DIGITS = 1000
# The key that merges the fields of another mapping. A mapping may have it several times.
MERGE = "<<"


class YamlError(yaml.YAMLError):
    """A text is not YAML, or becomes too large. The message is one line."""


def load_yaml(text: str) -> Any:
    """Parse a YAML text into plain data. Unpaired surrogates in texts are replaced.

    Raises:
        YamlError: the text is not YAML, is too long, is nested too deeply or becomes too large, or
            a mapping has the same field twice.
    """
    if len(text) > MAX_CHARACTERS:
        raise YamlError(f"is longer than {MAX_CHARACTERS:,} characters")
    try:
        _check(text)
        return well_formed(yaml.load(text, Loader=_Loader))
    except YamlError:
        raise
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark or error.context_mark
        place = f"line {where.line + 1}: " if where is not None else ""
        raise YamlError(place + one_line(error.problem or error.context or "not YAML")) from error
    except (
        *(yaml.YAMLError, ValueError, LookupError, TypeError),
        # PyYAML's constructors raise these errors
        *(AttributeError, ArithmeticError, RecursionError),
    ) as error:
        raise YamlError(one_line(str(error)) or "not YAML") from error


def read_yaml(path: Path) -> Any:
    """Parse a YAML file; see :func:`load_yaml`.

    Raises:
        ValueError: the file cannot be read or is not YAML. The message is one line and names the
            file.
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
    """PyYAML's loader, with a correction for merged mappings (yaml.org/type/merge.html).

    A mapping's own fields take precedence over merged fields. If several mappings are merged,
    earlier ones take precedence. PyYAML 6.0.4 confuses the number 1 and the text "1" when it
    merges.
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


@dataclass
class _Collection:
    """A list or a mapping whose end has not been reached.

    ``before`` is the number of values in the text before the collection.
    """

    anchor: str | None
    before: int
    # The fields of a mapping so far; None for a list.
    names: set[tuple[str, bool]] | None
    is_field: bool = True  # in a mapping: the next event is a field and not a value


def _check(text: str) -> None:
    """Count the values of a text from the parser's events, before any value is created.

    A field that a mapping has twice is rejected. YAML does not allow this, but PyYAML silently uses
    the last value.
    """
    # The number of values below each anchor, where aliases count as what they repeat.
    sizes: dict[str, int] = {}
    around: list[_Collection] = []
    count = 0
    parsed: Any = yaml.parse(text, Loader=_Loader)
    for event in parsed:
        if isinstance(event, yaml.CollectionEndEvent):
            ended = around.pop()
            if ended.anchor is not None:
                sizes[ended.anchor] = count - ended.before
        if not isinstance(event, yaml.NodeEvent):
            continue
        node: Any = event
        is_scalar = isinstance(node, yaml.ScalarEvent)
        if around and (mapping := around[-1]).names is not None:
            if mapping.is_field and is_scalar and node.value != MERGE:
                # This distinguishes the number 1 and the text "1".
                name = (node.value, node.implicit[0])
                if name in mapping.names:
                    place = f"line {node.start_mark.line + 1}: " if node.start_mark else ""
                    raise YamlError(f"{place}{one_line(node.value)} is given twice")
                mapping.names.add(name)
            mapping.is_field = not mapping.is_field
        if is_scalar:
            is_plain = not node.style and node.value[:1] in "+-.0123456789"
            if (is_plain or node.tag) and len(node.value) > MAX_DIGITS:
                raise YamlError(f"a number has more than {MAX_DIGITS} digits")
        if isinstance(node, yaml.CollectionStartEvent):
            names = set[tuple[str, bool]]() if isinstance(node, yaml.MappingStartEvent) else None
            around.append(_Collection(node.anchor, count, names))
            if len(around) > MAX_DEPTH:
                raise YamlError(f"is nested more than {MAX_DEPTH} levels deep")
        if isinstance(node, yaml.AliasEvent):
            if node.anchor not in sizes:
                raise YamlError(f"*{one_line(str(node.anchor))} refers to an unknown anchor")
            count += sizes[node.anchor]
        else:
            count += 1
        if is_scalar and node.anchor is not None:
            sizes[node.anchor] = 1
        if count > MAX_VALUES:
            raise YamlError(f"expands to more than {MAX_VALUES:,} values")
