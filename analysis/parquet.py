"""Events as Parquet files, for other tools."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

#: Rows that are held before they are written.
CHUNK = 200_000
#: What 64 bits hold; whole numbers beyond are written as JSON, too.
MAX_INT = 2**63 - 1


class ParquetWriter:
    """Writes one file a kind of event, or several, a chunk at a time.

    Fields that are lists, objects, or of several types are written as JSON.
    """

    def __init__(self, folder: Path) -> None:
        """Write into ``folder``, which exists."""
        self._folder = folder
        self._rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._parts: dict[str, int] = defaultdict(int)
        self._held = 0
        self._files: list[Path] = []

    def add(self, event: dict[str, Any]) -> None:
        """Add an event, of which ``run`` is the run."""
        self._rows[event.pop("kind")].append(event)
        self._held += 1
        if self._held >= CHUNK:
            self._flush()

    def close(self) -> list[Path]:
        """Write the rest, and return all files."""
        self._flush()
        return self._files

    def _flush(self) -> None:
        for kind, rows in self._rows.items():
            path = self._folder / f"{kind}-{self._parts[kind]:04}.parquet"
            write(rows, path)
            self._parts[kind] += 1
            self._files.append(path)
        self._rows.clear()
        self._held = 0


def write(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows as one file; a column of lists, objects or several types is written as JSON.

    Raises:
        OSError: the file cannot be written.
    """
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _uniform([row.get(name) for row in rows]) for name in names}
    pd.DataFrame(columns).to_parquet(path)


def _uniform(values: list[Any]) -> list[Any]:
    """Values that are all numbers, all truth values, or all texts, but for those missing."""
    types = {type(value) for value in values if value is not None}
    if types <= {bool} or types <= {str}:
        return values
    if types <= {int, float} and all(v is None or abs(v) <= MAX_INT for v in values):
        return values
    return [v if v is None or isinstance(v, str) else json.dumps(v, default=str) for v in values]
