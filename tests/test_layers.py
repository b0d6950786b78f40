"""The floors of the house: a package imports only from floors below its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.conftest import ROOT

FLOORS = {
    "records": 1,
    "bridge": 2,
    "grid": 2,
    "server": 2,
    "bots": 3,
    "judge": 4,
    "scenarios": 5,
    "analysis": 5,
}
#: Packages of others that only one room may import.
RESERVED = {
    "javascript": "bridge",
    "openai": "bots/models",
    "numba": "grid",
    "docker": "server",
}
#: What a room may import of ours beyond the rule of floors: analysis reads records only.
ONLY = {"analysis": {"records", "analysis"}}
MODULES = sorted(path for room in FLOORS for path in (ROOT / room).rglob("*.py"))


def imports(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.split(".")[0]


def violations(room: str, path: str, source: str) -> list[str]:
    found = []
    for name in imports(source):
        if name in RESERVED and not path.startswith(RESERVED[name]):
            found.append(f"{path} imports {name}")
        if name not in FLOORS or name == room:
            continue
        if FLOORS[name] >= FLOORS[room] or name not in ONLY.get(room, FLOORS):
            found.append(f"{path} imports {name}, which is not below it")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down_only(path):
    relative = path.relative_to(ROOT)
    assert violations(relative.parts[0], relative.as_posix(), path.read_text()) == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("records", "import bridge"),
        ("bridge", "from server import Rcon"),
        ("bots", "from judge.contract import Contract"),
        ("analysis", "import bots"),
        ("judge", "import openai"),
        ("scenarios", "from docker import errors"),
    ],
)
def test_a_wrong_import_is_seen(room, source):
    assert violations(room, f"{room}/example.py", source)
