"""Discovery of run folders."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

# Search depth below a folder: ``runs/<scenario>/<run>``. Below a sweep's folder, which contains a
# plan: ``runs/<job>/<scenario>/<run>``.
DEEPEST = 2
DEEPEST_OF_A_SWEEP = 4
PLAN = "plan.json"


def find_runs(where: str | Path | Iterable[str | Path]) -> list[Path]:
    """Return the run folders that a path, a pattern (``runs/*/2026*``), or several of them name.

    The runs found by one path or pattern are sorted; several paths keep their order.

    A folder with ``run.yaml`` is a run; an unreadable ``run.yaml`` becomes a problem of that run. A
    path names the run folder itself, or else the runs one and two levels below it
    (``runs/<scenario>/<run>``). A sweep's folder names all of its runs.

    The path or pattern itself may name a link. Links to folders below it are not followed: in a
    stranger's folder they could point to any other folder of the user.
    """
    parts = [where] if isinstance(where, str | Path) else list(where)
    found: dict[Path, None] = {}
    for part in parts:
        names = glob.glob(str(part), recursive=True)
        below = {run for name in names for run in _below(Path(name), DEEPEST)}
        found |= dict.fromkeys(sorted(below))
    return list(found)


def _below(folder: Path, levels: int) -> set[Path]:
    if os.path.lexists(folder / "run.yaml"):
        return {folder}
    if (folder / PLAN).is_file():
        levels = DEEPEST_OF_A_SWEEP
    elif (folder.parent / PLAN).is_file():
        levels = max(levels, DEEPEST_OF_A_SWEEP - 1)
    if not levels or not folder.is_dir():
        return set()
    inside = (below for below in folder.iterdir() if not below.is_symlink())
    return {run for below in inside for run in _below(below, levels - 1)}


def names_of(folders: Iterable[Path]) -> dict[str, Path]:
    """Return run folders by name: ``scenario/run``, or more of the path if that is ambiguous."""
    paths = {folder: folder.resolve().parts for folder in folders}
    lengths = dict.fromkeys(paths, 2)
    while True:
        names = {folder: "/".join(parts[-lengths[folder] :]) for folder, parts in paths.items()}
        counts = Counter(names.values())
        alike = [folder for folder, name in names.items() if counts[name] > 1]
        longer = [folder for folder in alike if lengths[folder] < len(paths[folder])]
        if not longer:
            return {name: folder for folder, name in names.items()}
        for folder in longer:
            lengths[folder] += 1
