"""Makes new runs for notebooks, and compares their conditions. Each run is a command that is
executed in a separate process.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from voxpolis.analysis.comparing import Interval, bootstrap, differences, note_on_comparisons
from voxpolis.analysis.loading import Runs

ROOT = Path(__file__).resolve().parents[2]
# Number of final output lines shown when a command fails.
TAIL = 20


class CommandError(RuntimeError):
    """A command failed. The message is the end of its output."""


def new_folder() -> Path:
    """Create an empty folder for a notebook's runs."""
    return Path(tempfile.mkdtemp(prefix="voxpolis-"))


def run(command: str, out: Path | None = None) -> None:
    """Run ``python -m <command>``. If a folder is given, ``--out`` is added.

    Raises:
        CommandError: the command failed.
    """
    print(f"$ python -m {command}")
    arguments = shlex.split(command) + (["--out", str(out)] if out else [])
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stdout + done.stderr).splitlines()[-TAIL:]
        raise CommandError("\n".join([f"exit code {done.returncode}", *last]))


def compare(
    runs: Runs | Mapping[str, Mapping[str, Mapping[str, float]]], number: str = ".2f"
) -> pd.DataFrame:
    """Return the measures of each condition, and the differences between each condition and the
    first, computed seed by seed. Means and differences have 95 % intervals.

    ``runs`` are runs with one condition each, or dictionaries: condition → measure → seed → value.
    ``number`` is the format of numbers.
    """
    if isinstance(runs, Runs):
        runs = {n: found for _, result in runs.results() for n, found in result["by_seed"].items()}
    found = differences(runs)
    beside = {(one["measure"], one["condition"]): one for one in found}
    rows = {}
    for name, measures in runs.items():
        for measure, values in measures.items():
            known = [value for value in values.values() if value is not None]
            mean = f"{bootstrap(known):{number}}" if known else "missing"
            row = {"n": str(len(known)), "mean": mean}
            if one := beside.get((measure, name)):
                row[f"difference from {one['baseline']}"] = (
                    f"{Interval(**one['difference']):{number}}"
                )
                for key in ("effect", "detectable"):
                    row[key] = "n/a" if one[key] is None else f"{one[key]:{number}}"
            rows[measure.rpartition("mean.")[2].removeprefix("runs.0."), name] = row
    if note := note_on_comparisons(len(found)):
        print(note)
    table = pd.DataFrame.from_dict(rows, orient="index").fillna("")
    return table.sort_index(level=0, sort_remaining=False)
