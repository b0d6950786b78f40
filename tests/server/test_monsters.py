"""Monsters spawn in the dark if the rules allow it, and the rules of scenarios forbid it."""

from __future__ import annotations

import asyncio

import pytest_asyncio

from tests.conftest import entered
from voxpolis.worlds.minecraft.session import HOUSE_RULES

SERVER_OPTIONS = ["--speed", "8"]
KINDS = ["zombie", "zombie_villager", "skeleton", "spider"]
# Much longer than it takes until the first monster spawns.
LONG_S = 60
TICKS = 200


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(server):
    async with entered(server, "Ada") as here:
        yield here


async def count(world, where=""):
    found = 0
    for kind in KINDS:
        answer = await world.ask(f"execute at Ada if entity @e[type={kind}{where}]")
        found += int(answer.split("count: ")[-1]) if "count" in answer else 0
    return found


async def until(world, is_so):
    async with asyncio.timeout(LONG_S):
        while not is_so(await count(world)):
            await asyncio.sleep(0.1)


async def ticks(world):
    answer = await world.ask("tick query 20")
    return int(answer.split("Ticks: ")[-1].split(",")[0])


async def wait(world, number):
    end = await ticks(world) + number
    async with asyncio.timeout(LONG_S):
        while await ticks(world) < end:
            await asyncio.sleep(0.1)


async def test_monsters_spawn_at_night_and_despawn_by_day_or_game_rule(world):
    # A player in creative mode is not hunted, but monsters spawn around her.
    for line in ["gamemode creative Ada", "gamerule doDaylightCycle false", "difficulty normal"]:
        await world.edit(line)
    await world.edit("tp Ada 1000.5 -60 1000.5")
    await world.edit("time set noon")
    await wait(world, TICKS)
    assert await count(world) == 0, "by day none spawn on open land"

    await world.edit("time set midnight")
    await until(world, lambda found: found > 0)
    assert await count(world, ",distance=..16") == 0
    await until(world, lambda found: found > 8)

    await world.edit("gamerule doMobSpawning false")
    for kind in KINDS:
        await world.ask(f"kill @e[type={kind}]")
    await wait(world, TICKS)
    assert await count(world) == 0, "the rule prevents them"

    await world.edit("gamerule doMobSpawning true")
    await until(world, lambda found: found > 0)
    await world.edit("tp Ada 2000.5 -60 1000.5")
    await world.edit("time set noon")
    await until(world, lambda found: found == 0)


async def test_the_game_rules_of_scenarios_prevent_monsters(world):
    await world.edit("tp Ada 3000.5 -60 1000.5")
    await world.edit("time set midnight")
    await until(world, lambda found: found > 0)
    for line in HOUSE_RULES:
        await world.edit(line)
    await until(world, lambda found: found == 0)
    await world.edit("time set midnight")
    await wait(world, TICKS)
    assert await count(world) == 0
