"""All runs that are watched: a list of the runs, the progress of sweeps, and a view of two runs
side by side.
"""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import pandas as pd

from voxpolis.analysis.conditions import condition_of
from voxpolis.analysis.loading import Runs
from voxpolis.records import RunReader, find_runs, names_of
from voxpolis.records.files import open_of_run, read_text, unlinked
from voxpolis.records.interventions import silent_for
from voxpolis.records.process import is_running
from voxpolis.records.text import printable

# Maximum number of listed runs, newest first.
MOST_LISTED = 200
# A run without a result no longer counts as live if its record has not grown for this long, in
# seconds.
SILENT_S = 60.0
# Polling interval of the page of runs. Maximum length of a record's last line if it reports the end
# of the run.
LAST_BYTES = 4096
HEAD = ("", "run", "scenario", "condition", "seed", "state")


class Shelf:
    """The runs that paths or patterns name. Each access searches for runs again."""

    def __init__(self, where: str | Path | Iterable[str | Path]) -> None:
        self._where = [where] if isinstance(where, str | Path) else list(where)

    def runs(self) -> dict[str, Path]:
        """Return the folders of runs by name (``scenario/run``). The newest run comes first."""
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

    def page(self) -> str:
        shown = dict(list(self.runs().items())[:MOST_LISTED])
        facts = Runs(shown.values()).runs.to_dict("records")
        rows = [_row(*one, own) for one, own in zip(shown.items(), facts, strict=True)]
        head = "".join(f"<th scope='col'>{name}</th>" if name else "<td></td>" for name in HEAD)
        sweeps = "".join(
            f"<li>{html.escape(name)}: {done} of {total} "
            f"<progress max='{total}' value='{done}' aria-label='{html.escape(name)}'></progress>"
            for name, done, total in self.sweeps()
        )
        return _filled(
            "runs.html", {"__HEAD__": head, "__ROWS__": "".join(rows), "__SWEEPS__": sweeps}
        )

    @staticmethod
    def side_by_side() -> str:
        return _filled("side.html", {})

    @staticmethod
    def error_page(title: str, why: str) -> str:
        return _filled(
            "lost.html", {"__WHAT__": html.escape(title), "__WHY__": html.escape(printable(why))}
        )


def _filled(name: str, parts: Mapping[str, str]) -> str:
    text = (PAGE / name).read_text(encoding="utf-8")
    style = (PAGE / "style.css").read_text(encoding="utf-8")
    for mark, part in {"__STYLE__": style, **parts}.items():
        text = text.replace(mark, part)
    return text


def _row(name: str, folder: Path, facts: Mapping[Any, Any]) -> str:
    condition = condition_of(facts)
    link = f"<a href='/run/{quote(name)}/'>{html.escape(name)}</a>"
    value = html.escape(name)
    box = f"<input type='checkbox' name='run' value='{value}' aria-label='{value}'>"
    scenario = facts["scenario"]
    told = [scenario if isinstance(scenario, str) else "", condition, _seed(facts)]
    told.append(_state(folder, RunReader(folder).result()))
    cells = "".join(f"<td>{html.escape(one or '-')}</td>" for one in told)
    return f"<tr><td>{box}</td><th scope='row'>{link}</th>{cells}</tr>"


def _seed(facts: Mapping[Any, Any]) -> str:
    return "" if pd.isna(facts["seed"]) else f"{facts['seed']:.0f}"


def run_state(folder: Path) -> str:
    """Return the state of a run.

    - ``over``: the run has ended and has a result.
    - ``gone``: the process ended before the run did. If the run was interrupted, there is a result
      for the part that was played.
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
    """Return whether a result belongs to the events. If a run was resumed, its result may be older
    than its events.
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


def _state(folder: Path, result: Mapping[str, Any] | None) -> str:
    stands = run_state(folder)
    if stands == "over" and result is not None:
        return "failed" if "error" in result else "ended"
    if stands == "gone":
        return "ended without a result" if result is None else "interrupted"
    is_live = stands == "live" and (folder / "events.jsonl").exists()
    return "live" if is_live else "no result"


def _began(folder: Path) -> float:
    """Return when a run began, which is when its configuration was written. The time is 0 if the
    file is gone.
    """
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


# --- Assembly of the page: one HTML text with its modules and styles ------------------------------

PAGE = Path(__file__).parent / "page"


def page(source: Literal["packed", "live"], packed: str = "", token: str = "") -> str:
    """Return the page as HTML.

    ``packed`` contains the elements of the page that hold data. ``token`` allows a live page to
    intervene in its run.

    The JavaScript modules are in an import map, each as a ``data:`` address. The page is therefore
    a single file, while the modules stay separate files that are easy to read and check.
    """
    modules = {f"report/{path.name}": _address(path) for path in sorted(PAGE.glob("*.js"))}
    parts = {
        "__SOURCE__": source,
        "__TOKEN__": token,
        "__STYLE__": (PAGE / "style.css").read_text(encoding="utf-8"),
        "__MODULES__": json.dumps({"imports": modules}),
        "__PACKED__": packed,
    }
    text = (PAGE / "page.html").read_text(encoding="utf-8")
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text


def _address(path: Path) -> str:
    return "data:text/javascript;base64," + base64.b64encode(path.read_bytes()).decode()
