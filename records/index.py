"""Finding run folders."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path


def find_runs(where: str | Path | Iterable[str | Path]) -> list[Path]:
    """All run folders that a path, a pattern (``runs/**``), or several of them name, sorted.

    A folder is a run's if it holds ``run.yaml`` or ``events.jsonl``; folders are searched to the
    bottom.
    """
    parts = [where] if isinstance(where, str | Path) else list(where)
    found: set[Path] = set()
    for part in parts:
        for name in glob.glob(str(part), recursive=True):
            found |= _below(Path(name))
    return sorted(found)


def _below(path: Path) -> set[Path]:
    if not path.is_dir():
        return set()
    if (path / "run.yaml").exists() or (path / "events.jsonl").exists():
        return {path}
    files = (*path.rglob("run.yaml"), *path.rglob("events.jsonl"))
    return {file.parent for file in files}
