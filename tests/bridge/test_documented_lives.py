"""The programs of docs/bridge.md do what they say, according to the server."""

from __future__ import annotations

import math
from typing import Any

import pytest
import pytest_asyncio

from tests.conftest import ROOT, entered
from tests.heard import Heard
from voxpolis.records import events

SERVER_OPTIONS = ["--speed", "8"]
START = ["clear Ada", "gamemode survival Ada", "effect give Ada instant_health 1 5"]
START += ["tp Ada 0.5 151 0.5"]


def documented() -> dict[str, Any]:
    """Return the definitions of the page's last program."""
    script = (ROOT / "docs" / "bridge.md").read_text().split("```python\n")[-1].split("```")[0]
    found: dict[str, Any] = {}
    exec(script, found)  # the page is our own
    return found


PAGE = documented()


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


@pytest.mark.parametrize("name", PAGE["LIVES"])
async def test_documented_programs_work(world, name):
    land, program = PAGE["LIVES"][name]
    await world.reset([*START[:1], *PAGE["FLAT"], *START[1:], *land])
    result = await world.bodies["Ada"].run(program, timeout_s=600)
    assert result.status == "done", result
    await OUTCOMES[name](world, result)


async def test_a_zombie_is_fought_in_any_direction_and_harmless_in_peace(world):
    await world.reset([*START[:1], *PAGE["FLAT"], *START[1:], "tp Ada 5.5 151 0.5"])
    await world.edit("summon zombie 0.5 151 0.5")  # straight to the west
    wait = "await new Promise((resolve) => bot.once('health', resolve))"
    assert (await world.bodies["Ada"].run(wait, timeout_s=60)).status == "done"
    await world.reset(["kill @e[type=zombie]", *START, "difficulty peaceful"])
    for _ in range(5):
        await world.edit("summon zombie 0.5 151 1.2")  # it disappears at the end of the tick
    assert (await world.bodies["Ada"].run("await bot.waitForTicks(5)", 60)).status == "done"
    assert (await world.observe("Ada")).health == 20
    await world.edit("difficulty easy")


HOUSE, _ = PAGE["LIVES"]["live in a house with a door, a bed and a sign"]
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
    """The door may face any way; a body that may dig uses it, too, rather than digging."""
    x, z = (0, 1) if wall == "north" else (-3, 3)
    door = f"oak_door[facing={wall},open=false,half="
    house = [one for one in HOUSE if "door" not in one]
    house += ["setblock 0 152 1 oak_planks", f"setblock {x} 152 {z} air"]
    house += [f"setblock {x} 151 {z} {door}lower]", f"setblock {x} 152 {z} {door}upper]"]
    start = [line.replace("Ada", "Bo") for line in START]
    await bo.reset([*PAGE["FLAT"], *start, *house])
    result = await bo.bodies["Bo"].run(IN_AND_OUT, timeout_s=120)
    assert result.status == "done", result
    place = (await bo.observe("Bo")).position
    assert math.dist(place, (-3.5, 151, 4.5)) < 1
    opened = f"execute if block {x} 151 {z} oak_door[open=true]"
    assert await bo.ask(opened) == "Test passed"
    assert await bo.ask("execute if block 3 152 3 oak_planks") == "Test passed"


async def test_a_closed_iron_door_is_impassable(world):
    house = [one.replace("oak_door", "iron_door") for one in HOUSE]
    await world.reset([*START[:1], *PAGE["FLAT"], *START[1:], *house])
    inside = "await bot.waitForTicks(10)\nawait goTo(bot, new Vec3(0, 151, 4), 0)"
    result = await world.bodies["Ada"].run(inside, timeout_s=120)
    assert result.error is not None
    assert "cannot reach (0, 151, 4)" in result.error.message


async def test_text_written_on_a_sign_is_recorded(world):
    land = ["setblock 2 151 0 oak_sign", "setblock 4 151 0 oak_sign"]
    await world.reset([*START[:1], *PAGE["FLAT"], *START[1:], *land])
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
