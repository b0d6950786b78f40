"""Programs that are one call of a primitive: run without an engine, with the same result."""

from __future__ import annotations

import asyncio
import math

import pytest

CHEST = (3, 151, 3)
#: What makes a program more than one call, and changes nothing of it.
ENGINE = "\n0"
PROGRAMS = [
    "await goTo(bot, new Vec3(4.5, 151, 0.5), 1)",
    "await goTo(bot, new Vec3(0.5, 400, 0.5))",
    "await goTo(bot, 'there')",
    "await goTo(bot)",
    f"await depositItemIntoChest(bot, new Vec3{CHEST}, {{stone: 1}})",
    f"await depositItemIntoChest(bot, new Vec3{CHEST}, {{stone: 500}})",
    f"await depositItemIntoChest(bot, new Vec3{CHEST}, {{no_such_thing: 1}})",
    "await checkItemInsideChest(bot, new Vec3(0, 150, 0));",
    f"await getItemFromChest(bot, new Vec3{CHEST}, {{stone: 1, dirt: 2}})",
    "await mineBlock(bot, 'diamond_ore', 1)",
    "await sendSignal(bot, 'Nobody', 'done')",
    "await sendSignal(bot, null, 'done')",
]


@pytest.fixture
async def equipped(world):
    await world.edit(f"setblock {CHEST[0]} {CHEST[1]} {CHEST[2]} chest")
    await world.edit("clear Anna")
    await world.edit("give Anna stone 3")
    await world.edit("tp Anna 0.5 151 0.5")


def told(result):
    return result.model_dump(exclude={"seconds"})


@pytest.mark.parametrize("code", PROGRAMS)
async def test_a_call_alone_ends_as_it_does_in_an_engine(world, anna, equipped, code):
    alone = told(await anna.run(code, 20))
    await world.edit(f"data modify block {CHEST[0]} {CHEST[1]} {CHEST[2]} Items set value []")
    await world.edit("clear Anna")
    await world.edit("give Anna stone 3")
    await world.edit("tp Anna 0.5 151 0.5")
    assert told(await anna.run(code + ENGINE, 20)) == alone


async def standing(world):
    """Where Anna stands once she has slid to rest, which takes some ticks."""
    where = None
    async with asyncio.timeout(60):
        while (now := await world.position("Anna")) != where:
            where = now
            await asyncio.sleep(0.5)
    return where


@pytest.mark.parametrize("how", ["stopped", "timeout"])
async def test_it_stops_at_once_and_the_next_program_runs(world, anna, equipped, how):
    far = "await goTo(bot, new Vec3(9.5, 151, 9.5), 0)"
    ends = []
    for code in (far, far + ENGINE):
        await world.edit("tp Anna -9.5 151 -9.5")
        running = asyncio.create_task(anna.run(code, 20 if how == "stopped" else 0.5))
        await asyncio.sleep(0.3)
        if how == "stopped":
            await anna.stop("changed its mind")
        ends.append(told(await running))
    assert ends[0] == ends[1]
    assert ends[0]["status"] == how
    assert math.dist(await standing(world), (9.5, 151, 9.5)) > 9  # it is not on its way any more
    assert (await anna.run("await goTo(bot, new Vec3(0.5, 151, 0.5), 0)", 20)).status == "done"
