"""Notebooks run from top to bottom, on runs that they make themselves."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.conftest import LAUNCHER, ROOT
from voxpolis.analysis.notebooks import playing
from voxpolis.analysis.notebooks.playing import CommandError, run

NOTEBOOKS = Path(playing.__file__).parent
# Required output: a published number next to the measured one, or the outcome of the notebook's
# runs.
PUBLISHED = {
    "adasociety": "0.84",
    "coherence": "the model's rates: 0.90 announced",
    "cleanup": "0.66 ± 0.15",
    "commons": "86 % of the others' hits are on Pedro",
    "crafting_tree": "score 2986",
    "double_vein": "0.55 ± 0.14",
    "items": "published: 17 on average",
    "religion": "converted",
    "sentiment": "published: 0.373, r 0.81",
    "specialisation": "published: roles differ and last",
    "taxation": "about 20 before, about 9 after",
}
# Smaller than the runs that a reader makes; the tests do not depend on the size.
SMALLER = {"--runs 5": "--runs 2", "--runs 3": "--runs 2", "--agents 12": "--agents 5"}
SMALLER |= {"society_s=3600": "society_s=1200", "length_s=780": "length_s=300"}
SMALLER |= {"--agents 150": "--agents 80", "length_s=2400": "length_s=1200"}
SMALLER["scenarios.cleanup"] = "scenarios.cleanup --set time_limit_s=60"
SMALLER["scenarios.commons"] = "scenarios.commons --set rounds=20"
SMALLER["scenarios.items"] = "scenarios.items --set length_s=300"
SMALLER["for seed in (0, 1)"] = "for seed in (0,)"
# Runs before a notebook's cells in the shared kernel: clears all names, and starts commands in the
# way that other tests do.
START = """
get_ipython().run_line_magic("reset", "-f")
import os, sys, tempfile
from types import SimpleNamespace
os.chdir({folder!r})
tempfile.tempdir = {folder!r}
if {root!r} not in sys.path: sys.path.insert(0, {root!r})
from voxpolis.analysis.notebooks import playing
from tests.commands import Launcher
launcher = Launcher({launcher!r})
start = lambda command, **_: launcher.run(command[2:], dict(os.environ), 200)
playing.subprocess = SimpleNamespace(run=start)
"""


@pytest.fixture(scope="module")
def client():
    """One kernel for all notebooks, because importing takes longer than running most of them."""
    empty = nbformat.v4.new_notebook()
    client = NotebookClient(empty, timeout=240, startup_timeout=120)
    client.execute(cleanup_kc=False)
    yield client
    client.nb = empty
    client.execute()


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_notebook_runs_from_top_to_bottom(name, client, tmp_path):
    book = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    committed = shown(book)
    for cell in book.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
            for size, smaller in SMALLER.items():
                cell.source = cell.source.replace(size, smaller)
    start = START.format(root=str(ROOT), folder=str(tmp_path), launcher=LAUNCHER.path)
    book.cells.insert(0, nbformat.v4.new_code_cell(start))
    client.nb = book
    client.execute(cleanup_kc=False)
    text, pictures = shown(book)
    assert PUBLISHED[name] in text
    assert pictures == committed[1] > 0, "the notebook was committed without its pictures"


def shown(book):
    """Return the text of all outputs, and the number of images."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    data = [output["data"] for output in outputs if "data" in output]
    text = "".join(output.get("text", "") for output in outputs)
    text += "".join(part.get("text/plain", "") for part in data)
    return text, sum("image/png" in part for part in data)


def test_a_failing_command_reports_the_reason(tmp_path):
    with pytest.raises(CommandError, match="exit code 2"):
        run("scenarios.double_vein --world moon", out=tmp_path)
