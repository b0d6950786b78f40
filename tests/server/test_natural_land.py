"""Natural land: herds reappear if the game rules allow it, and bots can walk into and out of
caves."""

from __future__ import annotations

import re

from tests.conftest import entered

SERVER_OPTIONS = ["--speed", "6", "--terrain", "natural", "--seed", "1"]
# In seed 1: in the open next to an entrance, and in the cave next to iron ore, 36 blocks deeper.
OPEN = "37 66 77"
BELOW = (30, 30, 66)


async def test_a_bot_walks_to_ore_in_a_cave_and_out_again_without_digging(server):
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


# Two spawning periods, in ticks.
TURNS = 820
NAMES = ("cow", "sheep", "pig", "chicken")


async def count(world):
    answers = [await world.ask(f"execute if entity @e[type={name}]") for name in NAMES]
    return sum(int(number) for one in answers for number in re.findall(r"count: (\d+)", one))


async def test_herds_reappear_if_the_game_rule_allows_it(server):
    wait = f"await bot.waitForTicks({TURNS})"
    async with entered(server, "Ada") as world:
        await world.reset(["gamemode creative Ada", "gamerule doMobSpawning false"])
        assert await count(world) > 0  # these animals appeared with the land
        await world.reset([f"kill @e[type={name}]" for name in NAMES])
        assert (await world.bodies["Ada"].run(wait, timeout_s=200)).status == "done"
        assert await count(world) == 0
        await world.reset(["gamerule doMobSpawning true"])
        assert (await world.bodies["Ada"].run(wait, timeout_s=200)).status == "done"
        back = await count(world)
        assert 0 < back <= 10 * 169 // 289  # in the columns that one player sees
        near = [f"execute at Ada if entity @e[type={one},distance=..8]" for one in NAMES]
        assert not [answer for line in near if "passed" in (answer := await world.ask(line))]
