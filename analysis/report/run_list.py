"""All runs in some folders: their names and states, the progress of sweeps, and their pages."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Literal

from voxpolis.records import RunReader, find_runs, names_of
from voxpolis.records.files import open_of_run, read_text, unlinked
from voxpolis.records.interventions import silent_for
from voxpolis.records.process import is_running

# A run without a result no longer counts as live if its record has not grown for this long, in
# seconds.
SILENT_S = 60.0
# Maximum length of a record's last line if it reports the end of the run.
LAST_BYTES = 4096


class Shelf:
    """The runs and sweeps at some paths or patterns. Each method searches the disk again."""

    def __init__(self, where: str | Path | Iterable[str | Path]) -> None:
        self._where = [where] if isinstance(where, str | Path) else list(where)

    def runs(self) -> dict[str, Path]:
        """Return a dictionary from run names (``scenario/run``) to folders, newest runs first."""
        return names_of(sorted(find_runs(self._where), key=_began, reverse=True))

    def newest(self) -> Path:
        for folder in self.runs().values():
            return folder
        raise FileNotFoundError("there is no run")

    def sweeps(self) -> list[tuple[str, int, int]]:
        """Return the sweeps in the paths: name, number of finished jobs, and number of all jobs."""
        found = []
        for path in map(Path, self._where):
            for plan in sorted({*path.glob("plan.json"), *path.glob("*/plan.json")}):
                if (total := _jobs(plan)) is not None:
                    done = len(list(plan.parent.glob("results/*.json")))
                    found.append((plan.parent.name, done, total))
        return found


def run_state(folder: Path) -> str:
    """Return the state of a run.

    - ``over``: the run has ended and has a result.
    - ``gone``: the process ended before the run was finished. If the run was interrupted, there is
      a result for the part that was played.
    - ``live``: the process is alive. For a record from another machine, this is not known. The run
      then counts as live if it has written something in the last minute or waits for a person.
    - ``silent``: nothing is known.
    """
    events, result, is_alive = folder / "events.jsonl", folder / "result.json", is_running(folder)
    if is_alive is None and not events.exists():
        return "live"
    if result.exists() and (_has_ended(events) or _is_newer(result, events)):
        found = RunReader(folder).result()
        # otherwise another repetition of this run may begin
        if found is None or "unfinished" not in found:
            return "over"
    if is_alive is not None:
        return "live" if is_alive else "gone"
    return "live" if silent_for(folder) < SILENT_S else "silent"


def _is_newer(result: Path, events: Path) -> bool:
    """Return whether a result is at least as new as the events. An older result was written before
    the run was resumed.
    """
    return not events.exists() or result.stat().st_mtime >= events.stat().st_mtime


def _has_ended(events: Path) -> bool:
    try:
        with open_of_run(events) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            last = file.read().splitlines()[-1:]
    except OSError:
        return False
    return any(b'"kind":"run_ended"' in line for line in last)


def _began(folder: Path) -> float:
    """Return when a run began: as its name says or, if it was renamed, when its configuration was
    written. The time is 0 if the file is gone.
    """
    with suppress(ValueError):
        return datetime.strptime(f"{folder.name[:15]}Z", "%Y%m%dT%H%M%S%z").timestamp()
    try:
        return (folder / "run.yaml").stat().st_mtime
    except OSError:
        return 0.0


def _jobs(plan: Path) -> int | None:
    try:
        told = json.loads(read_text(plan, opener=unlinked))
        seeds = told["seeds"]
        return len(told["conditions"]) * (seeds if isinstance(seeds, int) else len(seeds))
    except (OSError, ValueError, LookupError, TypeError):
        return None


# --- Assembly of pages: one HTML text with its modules and styles ---------------------------------

PAGE = Path(__file__).parent / "page"
# Scenery of villages, which the page and the picture of a run show.
SCENERY = PAGE / "scenery.json"


def filled(name: str, parts: Mapping[str, str]) -> str:
    """Return the HTML template ``name``, with its marks replaced by the style and ``parts``."""
    text = (PAGE / name).read_text(encoding="utf-8")
    style = (PAGE / "style.css").read_text(encoding="utf-8")
    every = {"__STYLE__": style, **parts}  # replaced at once, because parts may contain marks
    return re.sub("|".join(every), lambda mark: every[mark[0]], text)


def page(
    source: Literal["packed", "live"], packed: str = "", token: str = "", home: str = "/"
) -> str:
    """Return the page as HTML.

    ``packed`` contains the elements of the page that hold data. ``token`` allows a live page to
    intervene in its run. ``home`` is the address of the index of runs.

    The JavaScript modules are in an import map, each as a ``data:`` address. The page is therefore
    a single file, while the modules stay separate files that are easy to read and check.
    """
    paths = [*sorted(PAGE.glob("*.js")), SCENERY]
    modules = {f"report/{path.name}": _address(path) for path in paths}
    parts = {
        "__SOURCE__": source,
        "__TOKEN__": token,
        "__HOME__": home,
        "__MODULES__": json.dumps({"imports": modules}),
        "__PACKED__": packed,
    }
    return filled("page.html", parts)


def _address(path: Path) -> str:
    data = b"export default " if path.suffix == ".json" else b""
    return "data:text/javascript;base64," + base64.b64encode(data + path.read_bytes()).decode()
