"""The search for run folders."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path


def find_runs(where: str | Path | Iterable[str | Path]) -> list[Path]:
    """Find the run folders for one or several paths or patterns (such as ``runs/*/2026*``).

    The runs of one path or pattern are sorted. The runs of several paths are in the order of the
    paths.

    A folder that contains ``run.yaml`` is a run, even if this file is unreadable. If the path is
    not a run folder, all runs below it are found.

    The path itself may be a link. Links to folders below it are not followed, because in the folder
    of a stranger they could point to any folder of the user.
    """
    parts = [where] if isinstance(where, str | Path) else list(where)
    found: dict[Path, None] = {}
    for part in parts:
        names = glob.glob(str(part), recursive=True)
        below = {run for name in names for run in _below(name)}
        found |= dict.fromkeys(sorted(below))
    return list(found)


def left_out(where: Iterable[str]) -> list[Path]:
    """Return the folders that the user named but that contain no run, and the folders below them
    that contain events but no ``run.yaml``.
    """
    found: dict[Path, None] = {}
    for folder in (Path(name) for part in where for name in glob.glob(part, recursive=True)):
        below = sorted(Path(at) for at, _, files in os.walk(folder) if "events.jsonl" in files)
        found |= dict.fromkeys(one for one in below if not os.path.lexists(one / "run.yaml"))
        if folder.is_dir() and not below and not find_runs(folder):
            found[folder] = None
    return list(found)


def _below(folder: str) -> Iterator[Path]:
    for at, inside, _ in os.walk(folder):
        if os.path.lexists(Path(at, "run.yaml")):
            inside.clear()  # a run contains no other run
            yield Path(at)


def names_of(folders: Iterable[Path]) -> dict[str, Path]:
    """Name run folders ``scenario/run``. If two folders would get the same name, use more of their
    paths.
    """
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
