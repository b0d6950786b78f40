"""A scenario that cannot be loaded is a line, of whoever types its command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def x(:", "the scenario mine: SyntaxError in __init__.py, line 1: invalid syntax"),
        ("{}['iron']", "the scenario mine: KeyError in __init__.py, line 1: 'iron'"),
        ("import no_such_module", "ModuleNotFoundError in __init__.py, line 1: No module named"),
        ("EXPERIMNT = 1", "ImportError in __main__.py, line 1: cannot import name 'EXPERIMENT'"),
    ],
)
@pytest.mark.parametrize("is_debugged", [False, True])
def test_a_scenario_that_cannot_be_loaded_is_a_line(source, said, is_debugged, tmp_path):
    for name in ("environment.py", "voxpolis.py", "pyproject.toml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    folder = tmp_path / "scenarios" / "mine"
    folder.mkdir(parents=True)
    room = (ROOT / "scenarios" / "__init__.py").read_text()
    (tmp_path / "scenarios" / "__init__.py").write_text(room)
    (folder / "__init__.py").write_text(source)
    (folder / "__main__.py").write_text("from scenarios.mine import EXPERIMENT\n")
    done = subprocess.run(
        [sys.executable, "-m", "scenarios.mine", *["--debug"] * is_debugged],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if is_debugged:
        assert "Traceback" in done.stderr
        return
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: "), done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
