"""Caves of natural land: a bot walks in and out again; worlds that had none keep their land."""

from __future__ import annotations

import asyncio
import json

from tests.conftest import ask, entered, run_module, up

SERVER_OPTIONS = ["--speed", "6", "--terrain", "natural", "--seed", "1"]
#: Of seed 1: in the open beside a way in, and in the cave beside iron ore, 36 blocks deeper.
OPEN = "37 66 77"
BELOW = (30, 30, 66)
#: A floor of that cave, and what is there without caves.
FLOOR = "30 30 66"


async def test_a_bot_walks_down_a_cave_to_ore_and_out_without_digging(server):
    async with entered(server, "Ada") as world:
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


def start(folder, *options):
    done = up(folder, *options)
    assert done.returncode == 0, done.stderr


def is_hollow():
    asked = f"execute if block {FLOOR} air"
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
