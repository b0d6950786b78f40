"""The environment: ``python -m …`` finds what ``make server`` installed, or says what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv

import pytest

import environment
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """An interpreter without any of our packages, as a system's Python is."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    return str(folder / "bin" / "python")


@pytest.fixture
def project(tmp_path):
    """A checkout with one runnable package, nothing installed."""
    (tmp_path / "environment.py").write_text((ROOT / "environment.py").read_text())
    package = tmp_path / "scenarios"
    package.mkdir()
    (package / "__init__.py").write_text("import environment\n\nenvironment.ensure()\n")
    (package / "example.py").write_text("import sys\n\nprint(sys.prefix, sys.argv[1:])\n")
    return tmp_path


def run(python, project, *arguments):
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments],
        cwd=project,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def install_into(project, python):
    state = project / ".voxpolis" / "install.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"python": python}))


def test_another_interpreter_goes_on_in_the_one_that_was_installed(bare_python, project):
    install_into(project, sys.executable)
    done = run(bare_python, project, "-m", "scenarios.example", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{sys.prefix} ['--seed', '1']"


@pytest.mark.parametrize("state", [None, "/nonexistent/python"])
def test_without_an_install_it_says_what_to_do(bare_python, project, state):
    if state is not None:
        install_into(project, state)
    done = run(bare_python, project, "-m", "scenarios.example")
    assert done.returncode == 2
    assert done.stderr.strip() == "voxpolis: voxpolis is not installed yet; run: make server"


def test_a_broken_install_does_not_go_round_in_circles(bare_python, project):
    install_into(project, bare_python)
    done = run(bare_python, project, "-m", "scenarios.example")
    assert done.returncode == 2
    assert "make server" in done.stderr


def test_an_externally_managed_python_is_recognised(monkeypatch, tmp_path):
    monkeypatch.setattr(environment.sysconfig, "get_path", lambda _name: str(tmp_path))
    assert not environment._is_refused()
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    assert environment._is_refused()


def test_node_comes_from_the_package():
    version = subprocess.check_output([environment.node_executable(), "--version"], text=True)
    assert int(version[1:].split(".")[0]) >= 22


@pytest.mark.parametrize("present", [True, False])
def test_it_says_what_to_type(monkeypatch, present):
    found = "/usr/bin/python" if present else None
    monkeypatch.setattr(environment.shutil, "which", lambda _name: found)
    assert environment.how_to_call() == ("python" if present else "python3")


def test_make_help_lists_the_commands():
    shown = subprocess.check_output(["make", "help"], cwd=ROOT, text=True)
    for command in ("server", "stop", "test", "lint", "clean", "help"):
        assert f"make {command} " in shown
