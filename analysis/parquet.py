"""Events as Parquet files, for other tools."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd

#: Rows that are held before they are written.
CHUNK = 200_000


class ParquetWriter:
    """Writes one file a kind of event, or several, a chunk at a time.

    Fields that are lists or objects are written as JSON.
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
        kind = str(event.pop("kind"))
        row = {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in event.items()}
        self._rows[kind].append(row)
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
            pd.DataFrame(rows).to_parquet(path)
            self._parts[kind] += 1
            self._files.append(path)
        self._rows.clear()
        self._held = 0
