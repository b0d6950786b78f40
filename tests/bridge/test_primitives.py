"""Primitives in natural land: effects, failures, and stopping."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from tests.conftest import entered
from tests.heard import Heard
from voxpolis.records import events

SERVER_OPTIONS = ["--speed", "4"]
GROUND = 151


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def land(server):
    """Yield a world with one bot that may dig, on a thick platform of stone."""
    async with entered(server, "Ada", movement="free") as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def ada(land):
    await land.reset(
        [
            "gamemode survival Ada",
            "kill @e[type=item]",
            "kill @e[type=cow]",
            f"fill -20 {GROUND - 6} -20 20 {GROUND - 1} 20 stone",
            f"fill -20 {GROUND} -20 20 {GROUND + 6} 20 air",
            "clear Ada",
            f"tp Ada 0.5 {GROUND} 0.5",
        ]
    )
    return land.bodies["Ada"]


async def run(body, code, limit_s=120):
    result = await body.run(code, limit_s)
    assert result.status == "done", result
    return result


async def test_a_refused_placement_is_reported_immediately(land, ada):
    await land.reset(["give Ada dirt"])
    result = await ada.run(
        "while (!bot.inventory.items().length) await bot.waitForTicks(1)\n"
        "await bot.equip(bot.inventory.items()[0], 'hand')\n"
        "const below = bot.blockAt(bot.entity.position.offset(0, -1, 0))\n"
        "await bot.placeBlock(below, new Vec3(0, 1, 0))",
        60,
    )
    assert result.status == "error"
    assert "Server refused to place dirt" in result.error.message


async def test_a_block_cannot_be_placed_in_mid_air(land, ada):
    await land.edit("give Ada dirt")
    result = await ada.run(
        "while (!bot.inventory.items().length) await bot.waitForTicks(1)\n"
        "await placeItem(bot, 'dirt', bot.entity.position.offset(2, 4, 0))",
        60,
    )
    assert "to place dirt against" in result.error.message
    assert result.seconds < 5, "it did not look for a way first"


async def test_buried_ore_is_dug_out(land, ada):
    await land.edit("give Ada stone_pickaxe")
    await land.edit(f"setblock 6 {GROUND - 4} 3 iron_ore")
    await run(ada, "await bot.waitForTicks(10); await mineBlock(bot, 'iron_ore')")
    assert (await land.inventory("Ada"))["raw_iron"] == 1


async def test_a_distant_block_is_reported_with_its_position(land, ada):
    await land.edit("give Ada stone_pickaxe")
    await land.edit(f"setblock 45 {GROUND} 0 iron_ore")
    result = await ada.run("await bot.waitForTicks(10)\nawait mineBlock(bot, 'iron_ore')", 120)
    assert f"nearest seen is at (45, {GROUND}, 0)" in result.error.message
    assert (result.error.line, result.error.source) == (2, "await mineBlock(bot, 'iron_ore')")
    result = await ada.run("await mineBlock(bot, 'sponge')", 120)
    assert result.error.message == "no sponge within 32 blocks; none is in sight; explore"


async def test_a_mob_is_hunted_and_its_drops_collected(land, ada):
    await land.edit("give Ada iron_sword")
    await land.edit(f"summon cow 6 {GROUND} 6")
    await run(ada, "await bot.waitForTicks(20); await killMob(bot, 'cow')")
    assert (await land.inventory("Ada")).get("beef", 0) >= 1
    result = await ada.run("await killMob(bot, 'cow')", 120)
    assert "no cow within 48 blocks" in result.error.message


async def test_exploring_ends_when_something_is_found_or_the_time_is_up(land, ada):
    await land.edit(f"setblock 18 {GROUND} 18 gold_block")
    code = """
    const matching = mcData.blocksByName.gold_block.id
    const look = () => bot.findBlock({ matching, maxDistance: 8 })
    const found = await exploreUntil(bot, new Vec3(1, 0, 1), 60, look)
    console.log(found.position.x, found.position.z, bot.pathfinder.isMoving())
    console.log(await exploreUntil(bot, new Vec3(-1, 0, 0), 2, () => null))
    """
    assert (await run(ada, code)).logs == ["18 18 false", "null"]


@pytest.mark.parametrize(
    ("before", "place"),
    [
        (["tp Ada 2.2 {y} 0.2"], (2, 0)),  # the bot itself stands there
        # its side is in the cell
        (
            ["setblock 2 {y} 0 air", "setblock 2 {g} 0 grass_block", "setblock 2 {y} 0 poppy"],
            (2, 0),
        ),
        (["setblock 3 {y} 0 chest"], (2, 0)),
    ],
    ids=["in its own way", "a flower", "beside a chest"],
)
async def test_placing_a_block_first_clears_its_cell(land, ada, before, place):
    for line in before:
        await land.edit(line.format(y=GROUND, g=GROUND - 1))
    await land.edit("give Ada cobblestone 1")
    x, z = place
    result = await run(
        ada,
        f"await bot.waitForTicks(10)\nconst at = new Vec3({x}, {GROUND}, {z})\n"
        "await placeItem(bot, 'cobblestone', at)\nconsole.log(bot.blockAt(at).name)",
    )
    assert result.logs == ["cobblestone"]


LONG = {
    "mineBlock": "await mineBlock(bot, 'obsidian', 3)",
    "smeltItem": "await smeltItem(bot, 'raw_iron', 'coal', 8)",
    "exploreUntil": "await exploreUntil(bot, new Vec3(1, 0, 0), 60, () => null)",
    "getItemFromChest": "for (;;) await getItemFromChest(bot, new Vec3(3, 151, 3), {dirt: 1})",
    "goTo": "await goTo(bot, new Vec3(18, 151, 18))",
}


@pytest.mark.parametrize("code", LONG.values(), ids=LONG)
async def test_a_stopped_primitive_leaves_the_bot_at_rest(land, ada, code):
    for command in (
        "give Ada diamond_pickaxe",
        "give Ada raw_iron 8",
        "give Ada coal 8",
        f"setblock 2 {GROUND} 0 obsidian",
        f"setblock 3 {GROUND} 3 chest",
        f"item replace block 3 {GROUND} 3 container.0 with dirt 64",
        f"setblock -2 {GROUND} 2 furnace",
        f"summon cow 17 {GROUND} 17",
    ):
        await land.edit(command)
    # Stop the primitive in the middle of its work, wherever that is.
    code = f"await (async () => {{ {code} }})().catch(() => {{}})\nawait bot.waitForTicks(100000)"
    running = asyncio.create_task(ada.run(f"await bot.waitForTicks(10)\n{code}", 100_000))
    await asyncio.sleep(0.25)  # wherever the program is, it must not do anything more
    await ada.stop("enough")
    assert (await running).status in ("stopped", "killed")
    rest = await run(
        ada,
        "await bot.waitForTicks(20)\n"  # a sprint takes a while to die away
        "const before = bot.entity.position\nawait bot.waitForTicks(10)\n"
        "console.log(bot.pathfinder.isMoving(), bot.targetDigBlock, "
        "bot.entity.position.distanceTo(before) < 0.2)",
    )
    assert rest.logs == ["false null true"]
    # A bot that is left in a window could not use its inventory's crafting grid.
    await land.edit("give Ada oak_log")
    await run(ada, "await bot.waitForTicks(10); await craftItem(bot, 'oak_planks')")


async def test_skills_can_call_each_other_and_their_errors_name_the_line(ada):
    skills = {
        "greet": "// a comment\nasync function greet(bot) {\n  console.log(await name(bot))\n}",
        "name": "async function name(bot) { return bot.username }",
        "fail": "async function fail(bot) {\n  throw new Error('nothing to do')\n}",
        "broken": "async function broken(bot) {",
        "misnamed": "async function other(bot) {}",
    }
    result = await ada.run("await greet(bot)\nawait fail(bot)", 30, skills=skills)
    assert result.error.message == (
        "nothing to do (in the skill fail, line 2: throw new Error('nothing to do'))"
    )
    assert (result.error.line, result.error.source) == (2, "await fail(bot)")
    assert result.logs[-1] == "Ada"
    assert "the skill broken cannot be used" in result.logs[0]
    assert "the skill misnamed cannot be used" in result.logs[1]


async def test_voyager_primitives_report_failures_and_the_program_continues(land, ada):
    """After the program, a table is taken back; a furnace is not, without a pickaxe."""
    await land.enter(["Vera"], movement="free", primitives="voyager")
    await land.edit("gamemode survival Vera")
    await land.edit(f"tp Vera 0.5 {GROUND} 8.5")
    for item in ("crafting_table", "furnace", "oak_log 2", "stick 2", "oak_planks 8"):
        await land.edit(f"give Vera {item}")
    body = land.bodies["Vera"]
    result = await run(
        body,
        "while (bot.inventory.count(mcData.itemsByName.oak_planks.id) < 8)\n"
        "  await bot.waitForTicks(1)\n"
        "await mineBlock(bot, 'gold_ore')\n"
        "await craftItem(bot, 'oak_planks', 5)\n"
        "await placeItem(bot, 'furnace', bot.entity.position.offset(2, 0, 0))\n"
        "await placeItem(bot, 'crafting_table', bot.entity.position.offset(1, 0, 0))\n"
        "await craftItem(bot, 'wooden_sword')\n"
        "await craftItem(bot, 'diamond_sword')\n"
        "console.log('went on')",
    )
    assert result.logs[0].startswith("[mineBlock] no gold_ore within 32 blocks")
    assert result.logs[1].startswith("[craftItem] you cannot craft 1 ")
    assert result.logs[2:] == ["went on"]
    seen = await body.observe()
    assert seen.inventory == {"crafting_table": 1, "stick": 1, "oak_planks": 14, "wooden_sword": 1}
    assert "furnace" in str(seen.nearby_blocks), "it would have been lost"
    await body.quit()


async def test_voyager_takes_a_table_back_after_a_later_program(land):
    await land.enter(["Vito"], movement="free", primitives="voyager")
    await land.edit("gamemode survival Vito")
    await land.edit(f"tp Vito -18.5 {GROUND} 8.5")
    await land.edit("give Vito crafting_table")
    body = land.bodies["Vito"]
    waits = "while (!bot.inventory.items().length) await bot.waitForTicks(1)\n"
    places = f"await placeItem(bot, 'crafting_table', new Vec3(-19, {GROUND}, 10))\n"
    await run(body, waits + places + f"await goTo(bot, new Vec3(18, {GROUND}, 8))")
    assert (await body.observe()).inventory == {}, "it is too far away"
    await run(body, f"await goTo(bot, new Vec3(-10, {GROUND}, 8))")
    assert (await body.observe()).inventory == {"crafting_table": 1}
    await body.quit()


@pytest.mark.parametrize("manner", ["strict", "voyager"])
async def test_talking_does_not_end_a_program(land, manner):
    """Lines over the limit are dropped; failures of Voyager's primitives have their own limit."""
    name = f"Tess_{manner}"
    await land.enter([name], primitives=manner)
    async with Heard(land.bridge) as heard:
        result = await run(
            land.bodies[name],
            "for (let i = 0; i < 6; i++) {\n"
            "  bot.chat('trying ' + i)\n"
            "  await craftItem(bot, 'stone_pickaxe').catch((error) => console.log('failed'))\n"
            "}\n"
            "for (let i = 0; i < 300; i++) bot.chat('line ' + i)\n"
            "console.log('went on')",
        )
        async with asyncio.timeout(60):
            while not (said := heard.of(events.Chat, name)) or "line" not in said[-1].text:
                await asyncio.sleep(0.05)
        lines = [line.text for line in said]
    assert [line for line in lines if "trying" in line] == [f"trying {i}" for i in range(6)]
    complaints = [line for line in lines if line.startswith("[craftItem]")]
    assert len(complaints) == (6 if manner == "voyager" else 0)
    assert len([line for line in lines if line.startswith("line ")]) < 20
    told = [line for line in result.logs if line.startswith("[chat]")]
    assert told == ["[chat] too many lines at once: those that follow are dropped until you wait"]
    assert result.logs[-1] == "went on"
    await land.bodies[name].quit()
