"""x"""
from __future__ import annotations
import asyncio
import json
from tests.conftest import ask, run_module, up

#: A floor of a cave of seed 1, and what is there without caves.
CAVE = "30 30 66"


def start(folder, *options):
    done = up(folder, *options)
    assert done.returncode == 0, done.stderr


def is_hollow():
    asked = f"execute if block {CAVE} air"
    _, answer = asyncio.run(ask("forceload add 30 66", asked))
    assert answer in ("Test passed", "Test failed")
    return answer == "Test passed"


def test_a_kept_world_keeps_the_caves_that_it_began_with(world_folder):
    start(world_folder, "--terrain", "natural", "--seed", "1")
    assert is_hollow()
    assert run_module("server", "down").returncode == 0
    start(world_folder)
    assert is_hollow()
    assert run_module("server", "down").returncode == 0
    manifest = json.loads((world_folder / "world.json").read_text())
    assert manifest.pop("caves") is True
    # as servers without caves wrote it
    (world_folder / "world.json").write_text(json.dumps(manifest))
    for _ in range(2):
        start(world_folder)
        assert not is_hollow()
        assert run_module("server", "down").returncode == 0
