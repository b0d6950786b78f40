"""The base of games as data: strict models that are read from YAML, with clear error messages."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voxpolis.records.files import read_text
from voxpolis.records.yaml_text import read_yaml

# Whole numbers that fit the kernel's tables, from 1 on and from 0 on.
Whole = Annotated[int, Field(gt=0, lt=2**31)]
Count = Annotated[int, Field(ge=0, lt=2**31)]


# Maximum sight in cells, and limit on other distances: larger than any map here, but small enough
# for windows to fit into memory.
Reach = Annotated[int, Field(ge=0, le=255)]


class GameError(ValueError):
    """A rules file, the name of a game or a setting is invalid. The message says where and why."""


class Data(BaseModel):
    """The base class of all parts of a game's file. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T", bound=Data)


class UnknownNameError(ValueError):
    """A part of a file, such as ``("games", "corridor")``, uses a name that nothing has."""

    def __init__(self, place: tuple[str, str], kind: str, name: str) -> None:
        super().__init__(f"{place[0].removesuffix('s')} {place[1]}: there is no {kind} {name!r}")
        self.place, self.name = place, name


def read_data(path: Path, model: type[T]) -> T:
    """Read a YAML file into a model.

    Raises:
        GameError: the file cannot be read, is not YAML, or is invalid. The message names the line.
    """
    try:
        return model.model_validate(read_yaml(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = [str(part) for part in first["loc"] if isinstance(part, str | int)]
        field = ".".join(place) or model.__name__.lower()
        text, cause = read_text(path), (first.get("ctx") or {}).get("error")
        line = _line_of(text, place)
        if isinstance(cause, UnknownNameError):
            line = _line_of(text, cause.place)
            rest = text.splitlines()[line - 1 :]
            line += next((k for k, one in enumerate(rest) if cause.name in one), 0)
        message = f"{path} line {line}: {field}: {_own_message(first)}"
        raise GameError(message) from error
    except ValueError as error:
        raise GameError(str(error)) from error


def error_text(error: ValidationError, left_out: Container[str | int] = ()) -> str:
    """Return the first error in one line. The path to the invalid field is shown without the parts
    in ``left_out``.
    """
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in left_out)
    return ": ".join(part for part in (place, _own_message(first)) if part)


def text_of_rows(layout: object) -> object:
    """Join the rows of a layout if it is a list of rows. Return any other value unchanged."""
    if isinstance(layout, list | tuple) and all(isinstance(row, str) for row in layout):
        return "\n".join(layout)
    return layout


def lines_of(layout: str, legend: Container[str]) -> list[str]:
    """Split a layout into rows. Blanks are removed unless the legend gives them a meaning."""
    return layout.strip("\r\n").splitlines() if " " in legend else layout.split()


def check_map(lines: Sequence[str], layout: str, letters: str, legend: Container[str]) -> None:
    """Check that rows of letters form a map.

    Args:
        lines: the rows.
        layout: the text from which the rows were read.
        letters: letters with a fixed meaning.
        legend: further letters with a meaning.

    Raises:
        ValueError: there are no rows, letters are unknown, or rows differ in length.
    """
    if not lines or not lines[0]:
        raise ValueError("layout: the map is empty")
    lengths = [len(line) for line in lines]
    row = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
    unknown = sorted({repr(x) for x in "".join(lines) if x not in letters and x not in legend})
    if row and any(" " in line.strip() for line in layout.splitlines()) and " " not in legend:
        unknown.append("blanks")
    if unknown:
        told = f"{', '.join(unknown[:-1])} and {unknown[-1]}" if unknown[1:] else unknown[0]
        raise ValueError(
            f"layout: the legend does not explain {told}; letters with a fixed meaning: {letters}"
        )
    if row:
        told = f"row {row + 1} has {lengths[row]} cells, row 1 {lengths[0]}"
        raise ValueError(f"layout: rows differ in length: {told}")


def is_whole(value: object, least: int, below: int) -> bool:
    """Return True if ``value`` is a whole number (of Python or numpy, but not a bool), at least
    ``least`` and less than ``below``.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    return least <= int(value) < below


def _own_message(error: Mapping[str, Any]) -> str:
    """Return the message of an error. If the message is ours, remove the prefix that pydantic
    adds.
    """
    return str(error["msg"]).removeprefix("Value error, ")


def _line_of(text: str, path: Sequence[str]) -> int:
    """Return the line, counted from 1, of the deepest part of ``path`` that exists in a YAML
    text.
    """
    node = yaml.compose(text)
    line = 1
    for part in path:
        pair = None
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == part), None)
        elif isinstance(node, yaml.SequenceNode) and part.isdigit() and int(part) < len(node.value):
            pair = (node.value[int(part)], node.value[int(part)])
        if pair is None:
            break
        line, node = pair[0].start_mark.line + 1, pair[1]
    return line
