"""Caves of natural land: a bot walks in and out again; worlds that had none keep their land."""

from __future__ import annotations

import asyncio
import json

import pytest

from bridge import Bridge, MinecraftWorld
from server import Rcon, read_state
from server.state import read_password
from tests.conftest import UP, run_module

SERVER_OPTIONS = ["--speed", "6", "--terrain", "natural", "--seed", "1"]
#: Of seed 1: in the open beside a way in, and in the cave beside iron ore, 36 blocks deeper.
OPEN = "37 66 77"
BELOW = (30, 30, 66)
#: A floor of that cave, and what is there without caves.
FLOOR = "30 30 66"


async def test_a_bot_walks_down_a_cave_to_ore_and_out_without_digging(server):
    rcon = Rcon(server.host, server.rcon_port, read_password())
    async with rcon, Bridge(server.clock()) as bridge:
        world = MinecraftWorld(rcon, bridge, server.host, server.port)
        await world.enter(["Ada"])
        await world.reset(["difficulty peaceful", f"tp Ada {OPEN}"])
        x, y, z = BELOW
        code = f"""
        const isIron = {{ matching: mcData.blocksByName.iron_ore.id, maxDistance: 3, count: 50 }}
        const [open, below] = [bot.entity.position.clone(), new Vec3({x}, {y}, {z})]
        await goTo(bot, below, 1)
        const reaches = (place) => bot.canDigBlock(bot.blockAt(place))
        if (!bot.findBlocks(isIron).some(reaches)) throw new Error('no iron in reach')
        await goTo(bot, open, 2)
        """
        result = await world.bodies["Ada"].run(code, timeout_s=400)
        assert result.status == "done", result


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    yield tmp_path / "world"
    run_module("server", "down")


def up(folder, *options):
    done = run_module("server", *UP, "--world", str(folder), *options)
    assert done.returncode == 0, done.stderr


async def ask(*lines):
    state = read_state()
    async with Rcon(state.host, state.rcon_port, read_password()) as rcon:
        return [await rcon.command(line) for line in lines]


def is_hollow():
    asked = f"execute if block {FLOOR} air"
    _, answer = asyncio.run(ask("forceload add 30 66", asked))
    assert answer in ("Test passed", "Test failed")
    return answer == "Test passed"


def test_a_kept_world_keeps_the_caves_that_it_began_with(folder):
    up(folder, "--terrain", "natural", "--seed", "1")
    assert is_hollow()
    assert run_module("server", "down").returncode == 0
    up(folder)
    assert is_hollow()
    assert run_module("server", "down").returncode == 0
    manifest = json.loads((folder / "world.json").read_text())
    assert manifest.pop("caves") is True
    (folder / "world.json").write_text(json.dumps(manifest))  # as servers without caves wrote it
    for _ in range(2):
        up(folder)
        assert not is_hollow()
        assert run_module("server", "down").returncode == 0
