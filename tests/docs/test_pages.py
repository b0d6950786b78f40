"""Everything that a page says to write and to type works, and prints what the page shows.

README and tutorial are followed in each run of the tests, all other pages by ``make test-docs``. A
block after ``<!-- not run: why -->`` is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pandas as pd
import pytest

from tests.conftest import ROOT
from voxpolis.analysis.model_table import markdown, read_rows
from voxpolis.records.vanilla import EMBEDDED_ONLY

SERVER_OPTIONS = ["--speed", "10", "--terrain", "natural"]
DOCS = sorted((ROOT / "docs").glob("**/*.md"))
ALL = [str(page.relative_to(ROOT)) for page in DOCS if "<!-- page not run" not in page.read_text()]
PAGES = ["README.md", "docs/tutorial.md", *(ALL if os.environ.get("VOXPOLIS_TEST_DOCS") else [])]
BLOCK = re.compile(
    r'(<!-- not run[^\n]*\n+)?^( *)```(\w*)(?: title="([\w.]+)")?\n(.*?)^ *```$', re.DOTALL | re.M
)


@pytest.mark.parametrize("page", dict.fromkeys(PAGES))
@pytest.mark.timeout(900)
def test_a_reader_can_follow_the_page(page, server, tmp_path):
    printed = ""
    for unwanted, _, language, title, code in BLOCK.findall((ROOT / page).read_text()):
        if unwanted:
            continue
        if title:
            (tmp_path / title).write_text(code)
        elif language == "python":
            run([sys.executable, "-c", code], tmp_path)
        elif language == "text" and printed:
            rows = [line for line in code.splitlines() if line.startswith("│")]
            assert all(row.rstrip() in printed for row in rows), printed
        elif language == "sh":
            lines = code.replace("\\\n", " ").splitlines()
            printed = "".join(type_in(line, tmp_path) for line in lines if line.strip())
    if page == "docs/tutorial.md":
        shown = type_in("python look.py", tmp_path)
        means = re.findall(r"^(\w*)\s+(Ada|Ben|Cora)\s+([\d.]+)$", shown, re.MULTILINE)
        assert [float(mean) for *_, mean in means[3:]] == [98.5, 116.5, 133.5]
        assert not pd.isna(float(means[0][2]))
        assert (tmp_path / "figures" / "payoffs_by_round.png").exists()


def type_in(line, folder):
    """Return what a command prints, with this checkout's voxpolis."""
    first, *words = line.split(" #")[0].replace("'", "").split()
    assert first in ("python", "voxpolis"), f"mark the block as not run: {line}"
    if first == "voxpolis":
        words = ["-m", "voxpolis", *words]
    elif words[0] == "-m":
        words = ["-m", f"voxpolis.{words[1]}", *words[2:]]
    return run([sys.executable, *words], folder)


def run(command, folder):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_table_of_models_is_made_from_the_measured_rows(page):
    table = markdown(read_rows([ROOT / "docs" / "measured" / "models"]))
    shown = (ROOT / page).read_text().partition("<!-- table -->")[2].partition("<!-- end -->")[0]
    assert shown.strip() == (table if "docs" in page else table.partition("\n\n")[0]).strip()


def test_table_of_what_only_the_embedded_server_offers_is_that_of_the_refusals():
    page = (ROOT / "docs" / "howto" / "servers.md").read_text()
    shown = page.partition("| only the embedded server offers | |\n|---|---|\n")[2]
    rows = [f"| `{feature}` | {what} |" for feature, what in EMBEDDED_ONLY.items()]
    assert shown.partition("\n\n")[0].splitlines() == rows
