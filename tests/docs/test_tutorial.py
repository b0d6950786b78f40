"""The tutorial's code and commands work and print what it shows."""

from __future__ import annotations

import re
import subprocess
import sys

import pandas as pd

from tests.conftest import ROOT

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
# A code block, with the preceding comment if it is not to be run.
BLOCK = re.compile(r'(<!-- not run[^\n]*\n+)?```(\w+)(?: title="([\w.]+)")?\n(.*?)```', re.DOTALL)


def test_tutorial_works_from_start_to_end(tmp_path):
    typed, printed = 0, ""
    for unwanted, language, title, code in BLOCK.findall(TUTORIAL):
        if language == "python":
            (tmp_path / title).write_text(code)
        elif language == "text":
            rows = [line for line in code.splitlines() if line.startswith("│")]
            assert rows, "a shown table has rows"
            assert all(row.rstrip() in printed for row in rows), printed
        elif language == "sh" and not unwanted:
            printed = "".join(run(line, tmp_path) for line in code.splitlines())
            typed += 1
    assert typed >= 4
    assert (tmp_path / "figures" / "payoffs_by_round.png").exists()
    shown = run("python look.py", tmp_path)
    means = re.findall(r"^(\w*)\s+(Ada|Ben|Cora)\s+([\d.]+)$", shown, re.MULTILINE)
    assert [float(mean) for *_, mean in means[3:]] == [98.5, 116.5, 133.5]
    assert not pd.isna(float(means[0][2]))


def run(line, folder):
    """Return the output of a command; ``voxpolis`` is this checkout's."""
    first, *words = line.split(" #")[0].replace("'", "").split()
    command = [sys.executable] if first == "python" else [sys.executable, "-m", "voxpolis"]
    done = subprocess.run(
        [*command, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
