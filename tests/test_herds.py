"""Herds of natural land: they come back where few are left, and not where a rule says no."""

from __future__ import annotations

import re

from tests.conftest import entered

SERVER_OPTIONS = ["--speed", "10", "--terrain", "natural", "--seed", "7"]
#: Two turns of what brings them, in ticks.
TURNS = 820
NAMES = ("cow", "sheep", "pig", "chicken")


async def count(world):
    answers = [await world.ask(f"execute if entity @e[type={name}]") for name in NAMES]
    return sum(int(number) for one in answers for number in re.findall(r"count: (\d+)", one))


async def test_herds_come_back_as_game_rules_let_them(server):
    wait = f"await bot.waitForTicks({TURNS})"
    async with entered(server, "Ada") as world:
        await world.reset(["gamemode creative Ada", "gamerule doMobSpawning false"])
        assert await count(world) > 0  # they came with the land
        await world.reset([f"kill @e[type={name}]" for name in NAMES])
        assert (await world.bodies["Ada"].run(wait, timeout_s=200)).status == "done"
        assert await count(world) == 0
        await world.reset(["gamerule doMobSpawning true"])
        assert (await world.bodies["Ada"].run(wait, timeout_s=200)).status == "done"
        back = await count(world)
        assert 0 < back <= 10 * 169 // 289  # of the columns that one player sees
        near = [f"execute at Ada if entity @e[type={one},distance=..8]" for one in NAMES]
        assert not [answer for line in near if "passed" in (answer := await world.ask(line))]
        assert (await world.bodies["Ada"].run(wait, timeout_s=200)).status == "done"
        assert await count(world) <= 10 * 169 // 289
