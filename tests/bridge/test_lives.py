"""Programs that farm, breed animals, live in a house and fight; the server confirms that they
succeed."""

from __future__ import annotations

import math

import pytest
import pytest_asyncio

from tests.conftest import entered
from tests.heard import Heard
from voxpolis.records import events

SERVER_OPTIONS = ["--speed", "8"]
START = ["clear Ada", "gamemode survival Ada", "effect give Ada instant_health 1 5"]
START += ["tp Ada 0.5 151 0.5"]


FLAT = ["fill -6 150 -6 6 150 6 grass_block", "fill -6 151 -6 6 156 6 air", "kill @e[type=!player]"]
FLAT += ["time set noon", "difficulty easy", "gamerule doMobSpawning false"]
LIVES = {}

LIVES["farm wheat, and bake bread"] = (
    [
        "fill 2 150 1 2 150 3 dirt",
        "setblock 3 150 2 water",
        "setblock -2 151 0 crafting_table",
        "give Ada stone_hoe",
        "give Ada wheat_seeds 3",
        "give Ada bone_meal 40",
    ],
    """
const soil = [1, 2, 3].map((z) => new Vec3(2, 150, z))
const crop = (place) => bot.blockAt(place.offset(0, 1, 0))
const take = (name) => bot.equip(bot.inventory.items().find((item) => item.name === name), 'hand')
await goTo(bot, new Vec3(1, 151, 2), 0)
await take('stone_hoe')
for (const place of soil) await bot.activateBlock(bot.blockAt(place))
while (soil.some((place) => bot.blockAt(place).name !== 'farmland')) await bot.waitForTicks(1)
for (const place of soil) await placeItem(bot, 'wheat_seeds', place.offset(0, 1, 0))
await goTo(bot, new Vec3(1, 151, 2), 0)
await take('bone_meal')
for (const place of soil) {
  while (Number(crop(place).getProperties().age) < 7) {
    await bot.activateBlock(crop(place))
    await bot.waitForTicks(2)
  }
}
await mineBlock(bot, 'wheat', 3)
await craftItem(bot, 'bread')
""",
)

LIVES["breed cows"] = (
    [
        "fill -6 151 -6 6 151 6 oak_fence",
        "fill -5 151 -5 5 151 5 air",
        "summon cow 2 151 2",
        "summon cow 3 151 -2",
        "give Ada wheat 2",
    ],
    """
const cows = () => Object.values(bot.entities).filter((one) => one.name === 'cow')
while (cows().length < 2) await bot.waitForTicks(1)
await bot.equip(bot.inventory.items()[0], 'hand')
for (const cow of cows()) {
  await goTo(bot, cow.position, 2)
  await bot.useOn(cow)
  await bot.waitForTicks(10)
}
while (cows().length < 3) await bot.waitForTicks(10)
""",
)

LIVES["live in a house with a door, a bed and a sign"] = (
    [
        "fill -3 151 1 3 154 6 oak_planks",
        "fill -2 151 2 2 153 5 air",
        "setblock 0 152 1 air",
        "setblock 0 151 1 oak_door[half=lower,facing=north]",
        "setblock 0 152 1 oak_door[half=upper,facing=north]",
        "time set midnight",
        "give Ada red_bed",
        "give Ada oak_sign",
        "give Ada dirt",
    ],
    """
const door = () => bot.blockAt(new Vec3(0, 151, 1))
await goTo(bot, new Vec3(0, 151, 3), 0) // opens the door on its way
await bot.activateBlock(door())
while (door().getProperties().open) await bot.waitForTicks(1)
await placeItem(bot, 'oak_sign', new Vec3(2, 151, 2))
bot.updateSign(bot.blockAt(new Vec3(2, 151, 2)), "Ada lives here")
await placeItem(bot, 'red_bed', new Vec3(-1, 151, 3))
const isBed = (block) => block.name === 'red_bed'
await bot.sleep(bot.findBlock({ matching: isBed, maxDistance: 5 }))
while (bot.isSleeping) await bot.waitForTicks(5)
""",
)

LIVES["fight a zombie in armour"] = (
    [
        "summon zombie 5 151 5",
        "item replace entity Ada armor.head with iron_helmet",
        "item replace entity Ada armor.chest with iron_chestplate",
        "give Ada iron_sword",
    ],
    """
const zombie = () => bot.nearestEntity((one) => one.name === 'zombie')
while (!zombie()) await bot.waitForTicks(1)
await bot.equip(bot.inventory.items().find((item) => item.name === 'iron_sword'), 'hand')
while (zombie()) {
  const near = zombie().position.distanceTo(bot.entity.position) < 3
  if (near) bot.attack(zombie())
  await bot.waitForTicks(near ? 13 : 2) // a blow is whole again after 12.5 ticks
}
console.log(bot.health)
""",
)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(server):
    async with entered(server, "Ada") as here:
        yield here


async def bread(world, _result):
    assert (await world.inventory("Ada")).get("bread") == 1


async def young(world, _result):
    assert (await world.ask("execute if entity @e[type=cow]")).endswith("count: 3")
    assert "wheat" not in await world.inventory("Ada")


async def housed(world, _result):
    assert "Ada lives here" in await world.ask("data get block 2 151 2")
    assert await world.ask("execute if block 0 151 1 oak_door[open=false]") == "Test passed"
    assert int((await world.ask("time query daytime")).split()[-1]) < 2000  # it is morning


async def victorious(world, result):
    assert (await world.ask("execute if entity @e[type=zombie]")) == "Test failed"
    (health,) = result.logs
    assert 0 < float(health) <= 20


OUTCOMES = {
    "farm wheat, and bake bread": bread,
    "breed cows": young,
    "live in a house with a door, a bed and a sign": housed,
    "fight a zombie in armour": victorious,
}


@pytest.mark.parametrize("name", LIVES)
async def test_program_achieves_its_goal(world, name):
    land, program = LIVES[name]
    await world.reset([*START[:1], *FLAT, *START[1:], *land])
    result = await world.bodies["Ada"].run(program, timeout_s=600)
    assert result.status == "done", result
    await OUTCOMES[name](world, result)


async def test_a_zombie_can_be_fought_from_any_side_and_disappears_in_peaceful_mode(world):
    await world.reset([*START[:1], *FLAT, *START[1:], "tp Ada 5.5 151 0.5"])
    await world.edit("summon zombie 0.5 151 0.5")  # straight to the west
    wait = "await new Promise((resolve) => bot.once('health', resolve))"
    assert (await world.bodies["Ada"].run(wait, timeout_s=60)).status == "done"
    await world.reset(["kill @e[type=zombie]", *START, "difficulty peaceful"])
    for _ in range(5):
        await world.edit("summon zombie 0.5 151 1.2")  # it disappears at the end of the tick
    assert (await world.bodies["Ada"].run("await bot.waitForTicks(5)", 60)).status == "done"
    assert (await world.observe("Ada")).health == 20
    await world.edit("difficulty easy")


HOUSE, _ = LIVES["live in a house with a door, a bed and a sign"]
IN_AND_OUT = """
await bot.waitForTicks(10)
for (const place of [new Vec3(0, 151, 4), new Vec3(-4, 151, 4)]) await goTo(bot, place, 0)
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module", params=["free"])
async def bo(server, request):
    async with entered(server, "Bo", movement=request.param) as here:
        yield here


@pytest.mark.parametrize("wall", ["north", "west"])
async def test_doors_are_passable_in_both_directions(bo, wall):
    """The door may face any way; a body that may dig also goes through the door instead of
    digging."""
    x, z = (0, 1) if wall == "north" else (-3, 3)
    door = f"oak_door[facing={wall},open=false,half="
    house = [one for one in HOUSE if "door" not in one]
    house += ["setblock 0 152 1 oak_planks", f"setblock {x} 152 {z} air"]
    house += [f"setblock {x} 151 {z} {door}lower]", f"setblock {x} 152 {z} {door}upper]"]
    start = [line.replace("Ada", "Bo") for line in START]
    await bo.reset([*FLAT, *start, *house])
    result = await bo.bodies["Bo"].run(IN_AND_OUT, timeout_s=120)
    assert result.status == "done", result
    place = (await bo.observe("Bo")).position
    assert math.dist(place, (-3.5, 151, 4.5)) < 1
    opened = f"execute if block {x} 151 {z} oak_door[open=true]"
    assert await bo.ask(opened) == "Test passed"
    assert await bo.ask("execute if block 3 152 3 oak_planks") == "Test passed"


async def test_a_closed_iron_door_is_impassable(world):
    house = [one.replace("oak_door", "iron_door") for one in HOUSE]
    await world.reset([*START[:1], *FLAT, *START[1:], *house])
    inside = "await bot.waitForTicks(10)\nawait goTo(bot, new Vec3(0, 151, 4), 0)"
    result = await world.bodies["Ada"].run(inside, timeout_s=120)
    assert result.error is not None
    assert "cannot reach (0, 151, 4)" in result.error.message


async def test_text_written_on_a_sign_is_recorded(world):
    land = ["setblock 2 151 0 oak_sign", "setblock 4 151 0 oak_sign"]
    await world.reset([*START[:1], *FLAT, *START[1:], *land])
    code = (
        "await bot.waitForTicks(10)\nconst at = (x) => bot.blockAt(new Vec3(x, 151, 0))\n"
        "await bot.activateBlock(at(2)); bot.updateSign(at(4), 'not opened')\n"
        "await bot.activateBlock(at(2)); bot.updateSign(at(2), 'who digs\\nshares')\n"
        "await bot.waitForTicks(20)"
    )
    async with Heard(world.bridge) as heard:
        assert (await world.bodies["Ada"].run(code, timeout_s=60)).status == "done"
        (written,) = await heard.wait(events.SignWritten)
    assert (written.agent, written.text, written.position) == (
        "Ada",
        "who digs\nshares",
        (2, 151, 0),
    )
