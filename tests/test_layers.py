"""Layers of the code base: which imports are allowed, and that there are no cycles."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

from tests.conftest import ROOT

FLOORS = {
    "records": 1,
    "bridge": 2,
    "grid": 2,
    "server": 2,
    "bots": 3,
    "judge": 4,
    "worlds": 5,
    "analysis": 5,
    "experiments": 6,
    "scenarios": 7,
}
# Third-party packages that only one package of ours may import.
RESERVED = {
    "javascript": "bridge",
    "openai": "bots/models",
    "numba": "grid",
    "torch": "grid/learn",
    "docker": "server",
}
# Packages with stricter limits: analysis only reads records, and agents know observations and
# actions but not a game's rules or tables.
ONLY = {
    "analysis": {"records"},
    "bridge": {"records"},
    "bots": {"records"},
    "server": {"records"},
}
MODULES = sorted(path for room in FLOORS for path in (ROOT / room).rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a syntax tree imports; ours begin with the name of their package."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        yield from (name.removeprefix("voxpolis.") for name in names)


def violations(path: str, source: str) -> list[str]:
    room, found = path.split("/", maxsplit=1)[0], []
    for whole in imports(ast.parse(source)):
        name = whole.split(".")[0]
        if name in RESERVED and not path.startswith(RESERVED[name]):
            found.append(f"{path} imports {name}")
        if name not in FLOORS or name == room:
            continue
        if FLOORS[name] >= FLOORS[room] or name not in ONLY.get(room, FLOORS):
            found.append(f"{path} imports {name}, which is not below it")
    return found


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_packages_import_only_lower_layers():
    assert [v for path in MODULES for v in violations(named(path), path.read_text())] == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("records", "import bridge"),
        ("bots", "from judge.contract import Contract"),
        ("bots", "from voxpolis.grid.adasociety import rules"),
        ("analysis", "import bots"),
        ("judge", "import openai"),
        ("experiments", "import scenarios.double_vein"),
        ("scenarios", "from docker import errors"),
    ],
)
def test_a_wrong_import_is_detected(room, source):
    assert violations(f"{room}/example.py", source)


def test_no_scenario_imports_another():
    folders = {path.parent.name for path in (ROOT / "scenarios").glob("*/__init__.py")}
    for path in (ROOT / "scenarios").glob("*/**/*.py"):
        own = path.relative_to(ROOT).parts[1]
        parts = (name.split(".") for name in imports(ast.parse(path.read_text())))
        others = {p[1] for p in parts if p[0] == "scenarios" and len(p) > 1 and p[1] in folders}
        assert others <= {own}, named(path)


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_printed_text_is_never_interpreted_as_markup():
    """A plain rich console interprets ``[ready]`` and file names as tags and drops them."""
    makers = [
        named(path) for path in MODULES if re.search(r"\b(Plain)?Console\(", path.read_text())
    ]
    assert makers == ["records/console.py"]


def test_imports_have_no_cycles():
    """Excludes the packages' ``__init__`` files, which import the packages' contents."""
    modules = {module_of(path): path for path in MODULES}
    graph = nx.DiGraph()
    for name, path in modules.items():
        if path.name == "__init__.py":
            continue
        top = ast.parse(path.read_text())
        top.body = [node for node in top.body if isinstance(node, ast.Import | ast.ImportFrom)]
        graph.add_edges_from((name, other) for other in imports(top) if other in modules)
    assert [
        sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1
    ] == []


# Frequent commands that do not need the grid until a game is played.
WITHOUT_COMPILER = (
    "analysis",
    "bots.models",
    "experiments",
    "scenarios.cleanup",
    "scenarios.crafting_tree",
    "scenarios.double_vein",
    "scenarios.harvest",
    "scenarios.matrix",
    "scenarios.religion",
    "scenarios.taxation",
    "server",
)


def test_the_compiler_is_loaded_only_to_play_on_a_grid():
    """The compiler takes half of a command's start time.

    The test imports modules one by one, to name the first that loads the compiler.
    """
    program = (
        "import importlib, sys\n"
        "for command in sys.argv[1:]:\n"
        "    importlib.import_module(f'voxpolis.{command}')\n"
        "    assert 'numba' not in sys.modules, command\n"
    )
    words = [sys.executable, "-c", program, *WITHOUT_COMPILER]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Modules that listings, help and usage errors do not need, by command.
SLOW = "numba llvmlite openai pandas scipy matplotlib networkx docker javascript pyarrow torch ray"
PLAYING = f"{SLOW} numpy rich psutil"
UNUSED = {
    "scenarios": f"{PLAYING} pydantic click yaml bots experiments records",
    "scenarios.double_vein --help": PLAYING,
    "scenarios.double_vein --contrat 1": PLAYING,
    "scenarios.taxation --set no_such=1": SLOW,
    "scenarios.adasociety --condition no-such": SLOW,
    "experiments compare no_such": SLOW,
}


@pytest.mark.parametrize("command", UNUSED)
def test_a_command_that_plays_nothing_imports_little(command):
    """Start-up time is part of the interface; imports do not depend on the load of the machine."""
    program = (
        "import runpy, sys\n"
        "sys.argv = sys.argv[1:]\n"
        "try:\n"
        "    runpy.run_module(sys.argv[0], run_name='__main__')\n"
        "except SystemExit:\n"
        "    pass\n"
        f"print(*sorted(set({UNUSED[command].split()}) & set(sys.modules)), file=sys.stderr)"
    )
    words = [sys.executable, "-c", program, *command.split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == ""


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("scenarios.double_vien", "there is no scenarios.double_vien; did you mean double_vein?"),
        ("scenarios.chess", "there is no scenarios.chess; there are: adasociety, cleanup,"),
        ("grid.bnch", "there is no grid.bnch; did you mean bench?"),
    ],
)
def test_an_unknown_command_is_reported_in_one_line(module, says):
    words = [sys.executable, "-m", module]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert says in done.stderr
