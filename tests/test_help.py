"""Help is plain text that fits, and needs nothing that is not installed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT, run_module

#: Commands that need an extra: module, what is hidden of it, what is typed, and what is said then.
EXTRAS = (
    ("grid.learn", "torch", [], "learning needs torch; run: pip install -e '.[rl]'"),
    ("grid.learn", "torch", ["evaluate", "policy.pt"], "learning needs torch; run: pip install"),
    ("grid.train", "stable_baselines3", [], "training needs stable-baselines3; run: pip install"),
)
#: Letters of boxes, and what stands for what was cut off.
BOXED = re.compile("[\u2500-\u257f\u2026]")


def without(package, module, *arguments):
    """Run a command where a package is not installed."""
    code = (f"import runpy, sys; sys.modules[{package!r}] = None; sys.argv = sys.argv[1:]; "
            "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)")  # fmt: skip
    return subprocess.run(
        [sys.executable, "-c", code, module, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("module", "package", "arguments", "says"), EXTRAS)
def test_help_needs_no_extra_and_the_command_says_what_to_install(
    module, package, arguments, says, tmp_path
):
    told = without(package, module, *arguments[:1], "--help")
    assert told.returncode == 0
    assert told.stdout.startswith("Usage:")
    refused = without(package, module, *arguments)
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"error: {says}")


@pytest.mark.parametrize("module", ["server up", "server", "bridge.bench"])
@pytest.mark.parametrize("columns", [40, 80])
def test_help_is_plain_and_nothing_of_it_is_cut_off(module, columns):
    name, *words = module.split()
    told = run_module(name, *words, "--help", COLUMNS=str(columns))
    assert told.returncode == 0
    assert told.stdout.startswith("Usage:")
    assert not BOXED.search(told.stdout)
    assert max(map(len, told.stdout.splitlines())) <= max(columns, 50)  # click's least
