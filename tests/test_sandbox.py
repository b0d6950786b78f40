"""The sandbox: what ends agents' code, and what it may not do."""

from __future__ import annotations

import asyncio

import pytest

from tests.conftest import ROOT
from tests.heard import Heard
from voxpolis.records import events

# --- Ends (attacks are in test_attacks.py) -------------------------------------------------------

ENDLESS = """
await goTo(bot, new Vec3(0, 151, 2)); console.log('there'); await sendSignal(bot, 'Bert', 'there')
while (true) {}
"""
LIVELY = "await waitSignal(bot, null, 'Anna', 'there'); await bot.waitForTicks(10)"


async def test_code_that_does_not_stop_is_killed_and_stalls_nobody(world):
    endless = asyncio.create_task(world.bodies["Anna"].run(ENDLESS, 300))
    assert (await world.bodies["Bert"].run(LIVELY, 120)).status == "done"
    assert not endless.done(), "the other bot's program had to wait for the endless one"
    await world.bodies["Anna"].stop("enough")
    result = await endless
    assert result.status == "killed"
    walked, signalled = result.error.done
    assert (walked, signalled) == ("goTo(bot, (0, 151, 2))", 'sendSignal(bot, "Bert", "there")')
    assert result.logs == ["there"]
    assert (await world.bodies["Anna"].run("console.log('back')", 120)).logs == ["back"]


USUAL = """
const { pathfinder, Movements, goals } = require('mineflayer-pathfinder')
const { GoalNear, GoalBlock } = goals
const v = require('vec3')
const mcData = require('minecraft-data')(bot.version)
bot.loadPlugin(pathfinder)
const defaultMove = new Movements(bot, mcData)
defaultMove.canDig = false
defaultMove.scafoldingBlocks.push(mcData.itemsByName.dirt.id)
bot.pathfinder.setMovements(defaultMove)
await bot.pathfinder.goto(new GoalNear(4, 151, 4, 1))
const near = bot.entity.position.distanceTo(v(4, 151, 4))
await bot.pathfinder.goto(new GoalBlock(0, 151, 0))
console.log(near < 2.5, bot.entity.position.floored().equals(v([0, 151, 0])))
"""


async def test_the_lines_by_which_code_for_mineflayer_often_begins_work(anna):
    result = await anna.run(USUAL, 120)
    assert (result.status, result.logs) == ("done", ["true true"])


async def test_a_program_that_waits_too_long_times_out(anna):
    result = await anna.run("const a = 1\nawait waitSignal(bot)", 2)
    assert result.error.message.startswith("the time limit of 2 s was reached")
    assert result.status in ("timeout", "killed")  # by a machine that is too busy to let it stop
    if result.status == "timeout":
        assert (result.error.line, result.error.source) == (2, "await waitSignal(bot)")


@pytest.mark.parametrize(
    "code",
    [
        "setInterval(() => { bot.chat('still here') }, 120); await waitSignal(bot)",
        "bot.on('physicsTick', () => bot.chat('still here')); await waitSignal(bot)",
        "const wait = async () => { try { await bot.waitForTicks(1) } catch {} }\n"
        "const say = async () => { await wait(); bot.chat('still here'); say() }\n"
        "say()\nawait waitSignal(bot)",
        "try { await waitSignal(bot) } catch { bot.chat('still here') }",
    ],
    ids=["timer", "listener", "floating promise", "catch"],
)
async def test_a_stopped_program_makes_no_further_call(world, anna, code):
    async with Heard(world.bridge) as heard:
        running = asyncio.create_task(anna.run(code, 120))
        await world.bodies["Bert"].run("await bot.waitForTicks(10)", 120)
        await anna.stop("the episode is over")
        assert (await running).status in ("stopped", "killed")
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 120)
        said_by_then = len(heard.of(events.Chat, "Anna"))
        await world.bodies["Bert"].run("await bot.waitForTicks(40)", 120)
        assert len(heard.of(events.Chat, "Anna")) == said_by_then


async def test_a_stopped_walk_ends_where_it_is(world, anna):
    await world.edit("tp Anna -8.5 151 -8.5")
    running = asyncio.create_task(anna.run("await goTo(bot, new Vec3(8, 151, 8), 0)", 120))
    async with asyncio.timeout(120):
        while (await anna.observe()).position[0] < -7:
            await asyncio.sleep(0.05)
    await anna.stop("enough")
    await running
    await world.bodies["Bert"].run("await bot.waitForTicks(10)", 120)
    stood = (await anna.observe()).position
    await world.bodies["Bert"].run("await bot.waitForTicks(20)", 120)
    assert (await anna.observe()).position == stood


# --- What the record says ------------------------------------------------------------------------

FORGED = """
const real = bot.blockAt(new Vec3(2, 151, 0))
const fake = Object.assign(Object.create(real), { name: 'diamond_ore', displayName: 'x', type: 1 })
try { await bot.dig(fake, true) } catch {}
await bot.dig({ position: real.position, name: 'diamond_ore', digTime: () => 0 }, true)
"""


async def test_what_was_dug_is_what_the_server_had_there(world, anna):
    await world.edit("tp Anna 0.5 151 0.5")
    await world.edit("setblock 2 151 0 dirt")
    async with Heard(world.bridge) as heard:
        result = await anna.run(f"await bot.waitForTicks(5)\n{FORGED}", 120)
        (dug,) = await heard.wait(events.BlockDug, "Anna")
    assert result.status == "done", result
    assert (dug.block, dug.position) == ("dirt", (2, 151, 0))
    await world.edit("kill @e[type=item]")
    await world.edit("clear Anna")


async def test_a_block_that_the_server_keeps_was_not_dug(world, anna):
    await world.edit("tp Anna 0.5 151 0.5")
    await world.edit("setblock 2 151 0 dirt")
    await world.edit("gamemode adventure Anna")  # in which the server lets nobody break anything
    code = "await bot.waitForTicks(5); await bot.dig(bot.blockAt(new Vec3(2, 151, 0)), true)"
    async with Heard(world.bridge) as heard:
        assert (await anna.run(code, 120)).status == "done"  # as far as Mineflayer knows
        await anna.run("await bot.waitForTicks(20)", 120)
        dug = heard.of(events.BlockDug, "Anna")
    await world.edit("gamemode survival Anna")
    await world.edit("setblock 2 151 0 air")
    assert dug == []


async def test_a_block_that_two_dig_at_once_is_one_record(world, anna):
    await world.edit("tp Anna 0.5 151 0.5")
    await world.edit("tp Bert 1.5 151 0.5")
    await world.edit("setblock 1 151 2 dirt")
    code = "await bot.waitForTicks(5); await bot.dig(bot.blockAt(new Vec3(1, 151, 2)), true)"
    bodies = [anna, world.bodies["Bert"]]
    async with Heard(world.bridge) as heard:
        await asyncio.gather(*(body.run(code, 120) for body in bodies))
        await heard.wait(events.BlockDug)
        await asyncio.gather(*(body.run("await bot.waitForTicks(10)", 120) for body in bodies))
        dug = heard.of(events.BlockDug)
    await world.edit("kill @e[type=item]")
    await world.edit("clear @a")
    assert [(event.block, event.position) for event in dug] == [("dirt", (1, 151, 2))]


async def test_a_block_that_two_place_at_once_is_one_record(world, anna):
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("tp Bert 3.5 151 0.5")
    code = """
while (!bot.inventory.items().length) await bot.waitForTicks(1)
await bot.equip(bot.inventory.items()[0], 'hand')
await bot.waitForTicks(8)
await bot.placeBlock(bot.blockAt(new Vec3(2, 150, 2)), new Vec3(0, 1, 0)).catch(() => {})
"""
    bodies, kinds = [anna, world.bodies["Bert"]], {"Anna": "dirt", "Bert": "stone"}
    for _ in range(4):
        await world.edit("clear @a")
        await world.edit("setblock 2 151 2 air")
        for name, kind in kinds.items():
            await world.edit(f"give {name} {kind} 3")
        async with Heard(world.bridge) as heard:
            await asyncio.gather(*(body.run(code, 120) for body in bodies))
            await heard.wait(events.BlockPlaced)
            await asyncio.gather(*(b.run("await bot.waitForTicks(10)", 120) for b in bodies))
            placed = [(e.agent, e.block) for e in heard.of(events.BlockPlaced)]
        held = await world.inventories(["Anna", "Bert"])
        paid = [(name, kind) for name, kind in kinds.items() if held[name] == {kind: 2}]
        assert placed == paid
        assert len(placed) == 1
    await world.edit("setblock 2 151 2 air")
    await world.edit("clear @a")


OPEN = "const open = (x) => bot.openChest(bot.blockAt(new Vec3(x, 151, 2)))\n"


@pytest.mark.parametrize(
    ("code", "moved"),
    [
        (
            "const first = await open(1); await first.deposit(diamond, null, 2)\n"
            "const second = await open(3); await second.close()",
            [-2],
        ),
        ("const chest = await open(1); await bot.toss(diamond, null, 5); await chest.close()", []),
        (
            "const chest = await open(1); await chest.deposit(diamond, null, 3)\n"
            "await bot.toss(diamond, null, 1); await chest.close()",
            [-3],
        ),
        (
            "const chest = await open(1); chest.deposit(diamond, null, 2).catch(() => {})\n"
            "bot.closeWindow(chest); await bot.waitForTicks(5)",
            None,
        ),
    ],
    ids=["another opened", "thrown away", "some thrown away", "closed at once"],
)
async def test_what_was_moved_is_what_the_containers_hold(world, anna, code, moved):
    await world.edit("clear Anna")
    for x in (1, 3):
        await world.edit(f"setblock {x} 151 2 air")
        await world.edit(f"setblock {x} 151 2 chest")
    await world.edit("tp Anna 2.5 151 0.5 180 0")  # what it throws flies away from the chests
    await world.edit("give Anna diamond 5")
    has = "while (!bot.inventory.items().length) await bot.waitForTicks(1)\n"
    names = "const diamond = mcData.itemsByName.diamond.id\n"
    async with Heard(world.bridge) as heard:
        result = await anna.run(has + names + OPEN + code, 120)
        assert result.status == "done", result
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 120)
        counts = [event.count for event in heard.of(events.ContainerMoved, "Anna")]
    held = [await world.container((x, 151, 2)) for x in (1, 3)]
    assert -sum(counts) == sum(chest.get("diamond", 0) for chest in held)
    assert moved is None or counts == moved
    await world.edit("kill @e[type=item]")
    await world.edit("clear Anna")


@pytest.mark.parametrize("waits", ["", "await "], ids=["at once", "after it"])
async def test_what_two_take_at_once_is_the_ones_who_got_it(world, anna, waits):
    """Mineflayer takes each click for granted; the record has what the server says."""
    bodies = [anna, world.bodies["Bert"]]
    take = f"{waits}chest.withdraw(diamond, null, 1).catch(() => {{}}); bot.closeWindow(chest)"
    code = (
        "await bot.waitForTicks(5)\nconst diamond = mcData.itemsByName.diamond.id\n"
        f"{OPEN}const chest = await open(2); await bot.waitForTicks(4)\n{take}"
    )
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("tp Bert 3.5 151 0.5")
    for _ in range(4):
        await world.edit("clear @a")
        await world.edit("setblock 2 151 2 air")
        await world.edit("setblock 2 151 2 chest")
        await world.edit("item replace block 2 151 2 container.0 with diamond 1")
        async with Heard(world.bridge) as heard:
            await asyncio.gather(*(body.run(code, 120) for body in bodies))
            (moved,) = await heard.wait(events.ContainerMoved)
            await asyncio.gather(*(b.run("await bot.waitForTicks(5)", 120) for b in bodies))
            assert heard.of(events.ContainerMoved) == [moved]
        held = await world.inventories(["Anna", "Bert"])
        assert held[moved.agent] == {"diamond": 1}
        for body in bodies:
            assert (await body.observe()).inventory == held[body.name]
    await world.edit("setblock 2 151 2 air")
    await world.edit("clear @a")


PLACES = {
    "a block, by a click": ("dirt 3", "await bot.activateBlock(below)", "dirt"),
    "water, by a click": ("water_bucket", "await bot.activateBlock(below)", "water"),
    "water, by a look": (
        "water_bucket",
        "await bot.lookAt(new Vec3(2.5, 151, 2.5), true); bot.activateItem()",
        "water",
    ),
}


@pytest.mark.parametrize("way", PLACES)
async def test_what_is_placed_is_recorded_by_whichever_call(world, anna, way):
    given, call, block = PLACES[way]
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("clear Anna")
    await world.edit(f"give Anna {given}")
    has = "while (!bot.inventory.items().length) await bot.waitForTicks(1)\n"
    holds = "await bot.equip(bot.inventory.items()[0], 'hand'); await bot.waitForTicks(2)\n"
    below = "const below = bot.blockAt(new Vec3(2, 150, 2))\n"
    async with Heard(world.bridge) as heard:
        result = await anna.run(f"{has}{holds}{below}{call}; await bot.waitForTicks(10)", 120)
        assert result.status == "done", result
        (placed,) = await heard.wait(events.BlockPlaced)
    assert (placed.agent, placed.block, placed.position) == ("Anna", block, (2, 151, 2))
    await world.edit("fill -10 151 -10 10 151 10 air")
    await world.edit("clear Anna")


async def test_a_click_that_places_nothing_gets_no_credit_for_what_others_place(world, anna):
    """What is held becomes less by throwing it away, too, and that pays for no block."""
    await world.edit("tp Anna -8.5 151 0.5")
    await world.edit("clear Anna")
    await world.edit("give Anna dirt 3")
    code = (
        "const { id } = mcData.itemsByName.dirt\n"
        "while (!bot.inventory.count(id)) await bot.waitForTicks(1)\n"
        "await bot.equip(id, 'hand')\n"
        "await bot.activateBlock(bot.blockAt(new Vec3(2, 150, 2))) // too far away\n"
        "await bot.toss(id, null, 1); bot.chat('now'); await bot.waitForTicks(40)"
    )
    async with Heard(world.bridge) as heard:
        running = asyncio.create_task(anna.run(code, 120))
        await heard.wait(events.Chat)
        await world.edit("setblock 2 151 2 dirt")
        assert (await running).status == "done"
        assert not heard.of(events.BlockPlaced)
    await world.edit("setblock 2 151 2 air")
    await world.edit("kill @e[type=item]")
    await world.edit("clear Anna")


async def test_what_is_placed_beside_an_open_chest_hides_no_move_and_forges_none(world, anna):
    """The server answers nothing of the bot's own window while another is open."""
    await world.edit("tp Anna 1.5 151 0.5")
    for line in ("clear Anna", "setblock 2 151 2 chest", "give Anna dirt 3"):
        await world.edit(line)
    await world.edit("item replace block 2 151 2 container.0 with diamond 3")
    code = (
        "const { dirt, diamond } = mcData.itemsByName\n"
        "while (!bot.inventory.count(dirt.id)) await bot.waitForTicks(1)\n"
        "await bot.equip(dirt.id, 'hand')\n"
        f"{OPEN}const chest = await open(2)\n"
        "await bot.placeBlock(bot.blockAt(new Vec3(0, 150, 2)), new Vec3(0, 1, 0))\n"
        "await bot.activateBlock(bot.blockAt(new Vec3(-1, 150, 2))); await bot.waitForTicks(4)\n"
        "await chest.withdraw(diamond.id, null, 2); bot.closeWindow(chest)\n"
        "await bot.waitForTicks(5)\n"
        "const again = await open(2); await again.deposit(diamond.id, null, 1)\n"
        "bot.closeWindow(again); await bot.waitForTicks(5)"
    )
    async with Heard(world.bridge) as heard:
        result = await anna.run(code, 120)
        assert result.status == "done", result
        async with asyncio.timeout(120):
            while len(heard.of(events.ContainerMoved)) < 2:
                await asyncio.sleep(0.05)
        moved = [(one.item, one.count) for one in heard.of(events.ContainerMoved)]
        assert moved == [("diamond", 2), ("diamond", -1)]
        assert [one.block for one in heard.of(events.BlockPlaced)] == ["dirt", "dirt"]
    for line in ("setblock 2 151 2 air", "fill -1 151 2 0 151 2 air", "clear Anna"):
        await world.edit(line)


USED_BESIDE = {
    "poured": (["give Anna water_bucket"], "water_bucket", "bot.activateItem()"),
    "broken": (
        ["give Anna wooden_pickaxe{Damage:58}", "fill 1 151 1 1 152 1 stone"],
        "wooden_pickaxe",
        "for (const y of [151, 152]) await bot.dig(bot.blockAt(new Vec3(1, y, 1)), true)",
    ),
    "milked": (
        ["give Anna bucket", "summon cow -0.5 151 1.5 {NoAI:1b}"],
        "bucket",
        "bot.useOn(bot.nearestEntity((one) => one.name === 'cow'))",
    ),
}


@pytest.mark.parametrize("way", USED_BESIDE)
async def test_what_comes_of_use_beside_an_open_chest_is_not_moved(world, anna, way):
    given, held, use = USED_BESIDE[way]
    for line in ("clear Anna", "tp Anna 0.5 151 0.5 0 0", "setblock 0 151 2 chest", *given):
        await world.edit(line)
    code = (
        f"const {{ {held} }} = mcData.itemsByName\n"
        f"while (!bot.inventory.count({held}.id)) await bot.waitForTicks(1)\n"
        f"await bot.equip({held}.id, 'hand'); await bot.look(0, -0.5, true)\n"
        "const chest = await bot.openChest(bot.blockAt(new Vec3(0, 151, 2)))\n"
        f"{use}\n"
        "await bot.waitForTicks(10); bot.closeWindow(chest); await bot.waitForTicks(10)"
    )
    async with Heard(world.bridge) as heard:
        result = await anna.run(code, 120)
        assert result.status == "done", result
        after = await world.inventory("Anna")
        assert not heard.of(events.ContainerMoved)
    if way in ("poured", "milked"):  # so that it was used at all
        assert after == {"bucket" if way == "poured" else "milk_bucket": 1}
    else:
        assert "wooden_pickaxe" not in after
    for line in (
        *("fill -10 151 -10 10 155 10 air", "clear Anna"),
        *("kill @e[type=item]", "kill @e[type=cow]", "kill @e[type=arrow]"),
    ):
        await world.edit(line)


async def test_a_sign_s_text_is_whose_editor_was_open(world, anna):
    bert = world.bodies["Bert"]
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("tp Bert 3.5 151 0.5")
    await world.edit("setblock 2 151 2 oak_sign")
    sign = "const sign = bot.blockAt(new Vec3(2, 151, 2))\n"
    claims = "bot.updateSign(sign, 'pay'); bot.updateSign(sign, ''); await bot.waitForTicks(40)"
    writes = "await bot.activateBlock(sign); await bot.waitForTicks(4)\n"
    writes += "bot.updateSign(sign, 'I will pay'); await bot.waitForTicks(10)"
    wait = "await bot.waitForTicks({})\n"
    async with Heard(world.bridge) as heard:
        await asyncio.gather(
            anna.run(f"{wait.format(5)}{sign}{claims}", 120),
            bert.run(f"{wait.format(12)}{sign}{writes}", 120),
        )
        written = await heard.wait(events.SignWritten)
        assert [(one.agent, one.text) for one in written] == [("Bert", "I will pay")]
    await world.edit("setblock 2 151 2 air")


async def test_a_line_that_is_cast_and_left_is_gone_for_the_next_program(world, anna):
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("clear Anna")
    await world.edit("give Anna fishing_rod")
    lines = "Object.values(bot.entities).filter((one) => one.name === 'fishing_bobber').length"
    cast = (
        "const { id } = mcData.itemsByName.fishing_rod\n"
        "while (!bot.inventory.count(id)) await bot.waitForTicks(1)\n"
        "await bot.equip(id, 'hand'); bot.activateItem()\n"
        f"while (!{lines}) await bot.waitForTicks(1)\nconsole.log({lines})"
    )
    assert (await anna.run(cast, 60)).logs == ["1"]
    assert (await anna.run(f"console.log({lines})", 60)).logs == ["0"]
    await world.edit("clear Anna")


# --- What agents may not do --------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    [
        f"require('fs').readFileSync({str(ROOT / 'pyproject.toml')!r})",
        "require('fs').writeFileSync('written', '')",
        "require('child_process').execSync('true')",
    ],
)
def test_node_itself_has_no_rights(world, script):
    """Should a program get out of its sandbox, it is in a process that may do next to nothing."""
    from javascript import config  # noqa: PLC0415 - starts Node, which the fixture has done

    with pytest.raises(Exception, match="Access to this API has been restricted"):
        config.global_jsi.evaluateWithContext(f"return {script}", {}, forceRefs=True)


async def test_server_commands_are_refused_and_recorded(world, anna):
    async with Heard(world.bridge) as heard:
        result = await anna.run("bot.chat(' /give Anna diamond 64')", 120)
        (refused,) = await heard.wait(events.CommandRefused)
    assert result.status == "error"
    assert refused.agent == "Anna"
    assert await world.inventory("Anna") == {}
