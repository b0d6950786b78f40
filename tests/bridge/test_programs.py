"""Programs of bots: errors and how programs end, signals, events, and restrictions."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap

import psutil
import pytest

from tests.conftest import ROOT
from tests.heard import Heard
from voxpolis.bridge import Bot, Bridge, BridgeError
from voxpolis.bridge.connection import Connection
from voxpolis.records import events

# On a busy machine, a program's engine may not answer within its second.
STOPPED = ("stopped", "killed")

# --- Programs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("const a = 1\nconst b = ;", 2, "SyntaxError"),
        ("const a = 1\n\nmissing.field", 3, "'missing' is not defined"),
        (
            "async function main(bot) {\n  await go()\n}\nasync function go() {\n  null.x\n}",
            5,
            "null",
        ),
        ("await bot.dig(bot.blockAt(new Vec3(0, 150, 0)))", 1, "bedrock"),
        ("let a\nawait mineBlock(bot, 'gold_block')", 2, "no gold_block within 32 blocks"),
        ("await goTo(bot, {x: 1e9, y: 151, z: 0})", 1, "needs a position in the world"),
    ],
)
async def test_errors_refer_to_the_agents_program(anna, code, line, message):
    result = await anna.run(code, 120)
    assert result.status == "error"
    assert message in result.error.message
    if line is not None:
        assert result.error.line == line
        assert result.error.source == code.split("\n")[line - 1].strip()


async def test_the_seed_determines_random_numbers(anna):
    code = "console.log(Math.random(), Math.random())"
    first, again, other = [(await anna.run(code, 120, seed)).logs for seed in (1, 1, 2)]
    assert first == again != other


@pytest.mark.parametrize("limit", [1e300])
async def test_a_time_limit_of_months_is_accepted(anna, limit):
    result = await anna.run("await bot.waitForTicks(5); console.log('there')", limit)
    assert (result.status, result.logs) == ("done", ["there"])


async def test_a_program_can_be_stopped_before_it_starts(anna):
    await anna.run("while (true) {}", 0.1)  # its engine is killed, and the next one must be started
    running = asyncio.create_task(anna.run("console.log('begun')", 120))
    await anna.stop("enough")
    assert (await running).status in (*STOPPED, "done")
    assert (await anna.run("console.log('next')", 120)).logs == ["next"]


async def test_a_lost_bot_reports_the_reason_and_can_rejoin(world, server):
    lost = await world.bridge.spawn("Dora", server.host, server.port)
    async with Heard(world.bridge) as heard:
        running = asyncio.create_task(lost.run("await waitSignal(bot)", 120))
        await lost.observe()
        await world.edit("kick Dora")
        (fault,) = await heard.wait(events.Fault, "Dora")
    assert "the connection to the server ended" in fault.message
    assert (await running).status == "killed"
    for call in (lost.run("1", 5), lost.observe(), lost.stop("enough")):
        with pytest.raises(BridgeError, match="Dora is no longer in the world"):
            await call
    back = await world.bridge.spawn("Dora", server.host, server.port)
    assert (await back.run("1", 120)).status == "done"
    await back.quit()


# --- Signals -------------------------------------------------------------------------------------


async def test_a_signal_sent_before_the_wait_is_not_lost(world, anna):
    await world.bridge.clear_signals()
    assert (await anna.run("await sendSignal(bot, 'Bert')", 120)).status == "done"
    result = await world.bodies["Bert"].run("console.log(await waitSignal(bot))", 120)
    assert result.logs == ["Anna"]


async def test_a_signal_does_not_wake_other_agents(world, anna):
    await world.bridge.clear_signals()
    cleo = asyncio.create_task(world.bodies["Cleo"].run("await waitSignal(bot)", 120))
    bert = asyncio.create_task(world.bodies["Bert"].run("await waitSignal(bot, null, 'Anna')", 120))
    await anna.run("await sendSignal(bot, 'Bert')", 120)
    assert (await bert).status == "done"
    await world.bodies["Bert"].run("await bot.waitForTicks(10)", 120)
    assert not cleo.done()
    await world.bodies["Cleo"].stop("enough")
    await cleo


# --- Events --------------------------------------------------------------------------------------


async def test_digging_collecting_and_chat_are_recorded_as_events(world, anna):
    await world.edit("tp Anna -8.5 151 -8.5")
    await world.edit("give Anna iron_pickaxe")
    await world.edit("setblock -6 151 -9 iron_ore")
    async with Heard(world.bridge) as heard:
        # The server's answer to the edit may come before the bot knows of the block.
        seen = "while (bot.blockAt(new Vec3(-6, 151, -9))?.name !== 'iron_ore')"
        code = f"{seen} await bot.waitForTicks(1)\nbot.chat('digging')\n"
        result = await anna.run(f"{code}await mineBlock(bot, 'iron_ore')", 120)
        assert result.status == "done", result
        (dug,) = await heard.wait(events.BlockDug, "Anna")
        (collected,) = await heard.wait(events.ItemCollected, "Anna")
        (said,) = await heard.wait(events.Chat, "Anna")
        await heard.wait(events.PositionSampled, "Anna")
    assert (dug.block, dug.position) == ("iron_ore", (-6, 151, -9))
    assert (collected.item, collected.count) == ("raw_iron", 1)
    assert said.text == "digging"


NOTHING_ELSE = {"passing": [], "time_ms": 2000.0}


class Nowhere:
    """Host that accepts commands and never answers."""

    is_here = True

    def send(self, command):
        """Ignore it."""


def connected(bridge: Bridge) -> Connection:
    """Give a bridge a host that never answers by itself."""
    placement = bridge.placement
    made = (lambda *_: Nowhere(), bridge.clock, placement._hears.answered, placement._down)
    placement.hosts.append(Connection(*made))
    return placement.hosts[0]


def receive(answers: dict[str, list[str]]) -> tuple[Connection, list[events.Event]]:
    """Give a bridge with one pending call each possible message from Node, and return the
    results."""
    bridge = Bridge()
    bridge.bots["Anna"] = Bot(bridge, "Anna")
    host = connected(bridge)
    host._waiting[7] = asyncio.get_running_loop().create_future()
    host.receive(json.dumps(answers | NOTHING_ELSE))
    return host, [bridge._events.get_nowait() for _ in range(bridge._events.qsize())]


CHAT = {"kind": "chat", "time_ms": 1000, "agent": "Bert", "text": "hello"}
BAD = [
    {**CHAT, "agent": "Anna", "text": 1},
    {**CHAT, "agent": "Anna", "text": "a\ud800"},
    {"kind": "position", "time_ms": 1000, "agent": "Anna", "position": [None, 0, 0]},
    {"kind": "no such kind", "time_ms": 1000, "agent": "Anna"},
    {"kind": "chat", "agent": "Anna", "text": "when?"},
]
TEXTS = [*(json.dumps(bad) for bad in BAD), "[1]", "{", "[" * 100_000]


@pytest.mark.parametrize("bad", TEXTS, ids=range(len(TEXTS)))
async def test_a_malformed_message_does_not_affect_others(bad):
    reply = {"id": 7, "ok": True, "result": 3, "error": None}
    host, heard = receive({"events": [bad, json.dumps(CHAT)], "replies": [bad, json.dumps(reply)]})
    assert await host._waiting[7] == 3
    complaint, chat = heard
    assert isinstance(complaint, events.Log)
    assert complaint.agent == ("Anna" if "Anna" in bad else None)
    assert isinstance(chat, events.Chat)
    assert chat.text == "hello"


@pytest.mark.parametrize(
    "error",
    [{"line": 1e300}, {"message": None}, {"done": "x"}],
    ids=str,
)
async def test_an_unreadable_result_makes_only_its_program_fail(error):
    bridge = Bridge()
    host = connected(bridge)
    told = {"message": "x", "line": 1, "column": None, "source": None, "done": [], **error}
    running = asyncio.create_task(Bot(bridge, "Anna").run("1", 5))
    await asyncio.sleep(0)
    result = {"status": "error", "error": told, "logs": [], "seconds": 1.0}
    reply = {"id": 0, "ok": True, "result": result, "error": None}
    host.receive(json.dumps({"events": [], "replies": [json.dumps(reply)], **NOTHING_ELSE}))
    ended = await running
    assert ended.status == "error"
    assert ended.error.message.startswith("the result cannot be read")


class Sent(Bridge):
    """Bridge that only stores outgoing messages."""

    async def request(self, kind, **fields):
        self.sent = fields
        return {"status": "done", "error": None, "logs": [], "seconds": 0.0}


async def test_an_overlong_program_is_truncated_before_it_is_sent():
    bridge = Sent()
    await Bot(bridge, "Anna").run("x" * 3_000_000, 1, skills={"long": "y" * 3_000_000, "b": "z"})
    limit = (ROOT / "bridge/js/sandbox/program-length.js").read_text().split("MAX_CHARACTERS = ")[1]
    most = int(limit.split()[0])
    assert bridge.sent["code"] == "x" * (most + 1)
    assert bridge.sent["skills"] == {"long": "y" * (most + 1), "b": "z"}


# --- Lifetimes of processes ----------------------------------------------------------------------

LONE = """
    import asyncio, sys
    from voxpolis.bridge import Bridge
    from voxpolis.bridge.link import node_pid

    async def main():
        async with Bridge() as bridge:
            bot = await bridge.spawn("Lone", sys.argv[1], int(sys.argv[2]))
            print(node_pid(), flush=True)
            await bot.run(sys.argv[3], 300)

    asyncio.run(main())
"""


# An infinite loop, and a builtin that no engine can interrupt.
LOOP = "while (true) {}"
BUILTIN = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (signal.SIGKILL, BUILTIN),
        (signal.SIGTERM, LOOP),
    ],
)
async def test_node_ends_however_python_ends(server, how, code):
    command = [sys.executable, "-c", textwrap.dedent(LONE), server.host, str(server.port), code]
    python = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    try:
        node = psutil.Process(json.loads(await asyncio.to_thread(python.stdout.readline)))
        assert node.is_running()
        python.send_signal(how)
        await asyncio.to_thread(python.wait, 120)
        await asyncio.to_thread(psutil.wait_procs, [node], 120)
        assert not node.is_running()
    finally:
        python.kill()
        python.stdout.close()


# --- Ends ----------------------------------------------------------------------------------------

ENDLESS = """
await goTo(bot, new Vec3(0, 151, 2)); console.log('there'); await sendSignal(bot, 'Bert', 'there')
while (true) {}
"""
LIVELY = "await waitSignal(bot, null, 'Anna', 'there'); await bot.waitForTicks(10)"


async def test_a_program_that_does_not_stop_is_killed_without_delaying_other_bots(world):
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


async def test_common_mineflayer_setup_code_works(anna):
    result = await anna.run(USUAL, 120)
    assert (result.status, result.logs) == ("done", ["true true"])


async def test_a_program_that_waits_too_long_times_out(anna):
    result = await anna.run("const a = 1\nawait waitSignal(bot)", 2)
    assert result.error.message.startswith("the time limit of 2 s was reached")
    # killed on a machine that is too busy to let it stop
    assert result.status in ("timeout", "killed")
    if result.status == "timeout":
        assert (result.error.line, result.error.source) == (2, "await waitSignal(bot)")


@pytest.mark.parametrize(
    "code",
    [
        "setInterval(() => { bot.chat('still here') }, 120); await waitSignal(bot)",
        "try { await waitSignal(bot) } catch { bot.chat('still here') }",
    ],
    ids=["timer", "catch"],
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


# --- Recorded events -----------------------------------------------------------------------------

FORGED = """
const real = bot.blockAt(new Vec3(2, 151, 0))
const fake = Object.assign(Object.create(real), { name: 'diamond_ore', displayName: 'x', type: 1 })
try { await bot.dig(fake, true) } catch {}
await bot.dig({ position: real.position, name: 'diamond_ore', digTime: () => 0 }, true)
"""


async def test_a_dug_block_is_recorded_as_it_was_on_the_server(world, anna):
    await world.edit("tp Anna 0.5 151 0.5")
    await world.edit("setblock 2 151 0 dirt")
    async with Heard(world.bridge) as heard:
        result = await anna.run(f"await bot.waitForTicks(5)\n{FORGED}", 120)
        (dug,) = await heard.wait(events.BlockDug, "Anna")
    assert result.status == "done", result
    assert (dug.block, dug.position) == ("dirt", (2, 151, 0))
    await world.edit("kill @e[type=item]")
    await world.edit("clear Anna")


async def test_a_block_is_not_recorded_as_dug_if_the_server_keeps_it(world, anna):
    await world.edit("tp Anna 0.5 151 0.5")
    await world.edit("setblock 2 151 0 dirt")
    await world.edit("gamemode adventure Anna")  # where the server refuses all digging
    code = "await bot.waitForTicks(5); await bot.dig(bot.blockAt(new Vec3(2, 151, 0)), true)"
    async with Heard(world.bridge) as heard:
        assert (await anna.run(code, 120)).status == "done"  # according to Mineflayer
        await anna.run("await bot.waitForTicks(20)", 120)
        dug = heard.of(events.BlockDug, "Anna")
    await world.edit("gamemode survival Anna")
    await world.edit("setblock 2 151 0 air")
    assert dug == []


async def test_a_block_that_two_bots_dig_is_recorded_once(world, anna):
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


OPEN = "const open = (x) => bot.openChest(bot.blockAt(new Vec3(x, 151, 2)))\n"


@pytest.mark.parametrize(
    ("code", "moved"),
    [
        (
            "const first = await open(1); await first.deposit(diamond, null, 2)\n"
            "const second = await open(3); await second.close()",
            [-2],
        ),
        (
            "const chest = await open(1); await chest.deposit(diamond, null, 3)\n"
            "await bot.toss(diamond, null, 1); await chest.close()",
            [-3],
        ),
        (
            "const apple = mcData.itemsByName.golden_apple.id\n"
            "await bot.equip(apple, 'hand'); await bot.consume(); const chest = await open(1)\n"
            "await bot.consume(); await chest.deposit(diamond, null, 2)\n"
            "await chest.deposit(apple, null, 1); await chest.close()",
            [-2, -1],
        ),
        (
            "const chest = await open(1); chest.deposit(diamond, null, 2).catch(() => {})\n"
            "bot.closeWindow(chest); await bot.waitForTicks(5)",
            None,
        ),
    ],
    ids=["another opened", "some thrown away", "some eaten", "closed at once"],
)
async def test_recorded_item_moves_match_the_containers(world, anna, code, moved):
    await world.edit("clear Anna")
    for x in (1, 3):
        await world.edit(f"setblock {x} 151 2 air")
        await world.edit(f"setblock {x} 151 2 chest")
    await world.edit("tp Anna 2.5 151 0.5 180 0")  # items it throws fly away from the chests
    for item in ("diamond 5", "golden_apple 3"):
        await world.edit(f"give Anna {item}")
    has = "while (bot.inventory.items().length < 2) await bot.waitForTicks(1)\n"
    names = "const diamond = mcData.itemsByName.diamond.id\n"
    async with Heard(world.bridge) as heard:
        result = await anna.run(has + names + OPEN + code, 120)
        assert result.status == "done", result
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 120)
        counts = [event.count for event in heard.of(events.ContainerMoved, "Anna")]
    held = [await world.container((x, 151, 2)) for x in (1, 3)]
    assert -sum(counts) == sum(sum(chest.values()) for chest in held)
    assert moved is None or counts == moved
    await world.edit("kill @e[type=item]")
    await world.edit("clear Anna")


async def test_an_item_that_two_bots_take_is_recorded_for_the_bot_that_got_it(world, anna):
    """Mineflayer assumes that each click succeeds; the record follows the server."""
    bodies = [anna, world.bodies["Bert"]]
    take = "chest.withdraw(diamond, null, 1).catch(() => {}); bot.closeWindow(chest)"
    code = (
        "await bot.waitForTicks(5)\nconst diamond = mcData.itemsByName.diamond.id\n"
        f"{OPEN}const chest = await open(2); await bot.waitForTicks(4)\n{take}"
    )
    await world.edit("tp Anna 1.5 151 0.5")
    await world.edit("tp Bert 3.5 151 0.5")
    for _ in range(2):
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
    "water, by a look": (
        "water_bucket",
        "await bot.lookAt(new Vec3(2.5, 151, 2.5), true); bot.activateItem()",
        "water",
    ),
}


@pytest.mark.parametrize("way", PLACES)
async def test_blocks_placed_with_any_call_are_recorded(world, anna, way):
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


async def test_sign_text_is_attributed_to_the_bot_that_opened_the_editor(world, anna):
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


# --- Restrictions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    [
        f"require('fs').readFileSync({str(ROOT / 'pyproject.toml')!r})",
        "require('child_process').execSync('true')",
    ],
)
def test_node_itself_has_no_rights(world, script):
    """A program that escapes its sandbox finds itself in a process with almost no rights."""
    from javascript import config  # noqa: PLC0415 - starts Node, which the fixture has done

    with pytest.raises(Exception, match="Access to this API has been restricted"):
        config.global_jsi.evaluateWithContext(f"return {script}", {}, forceRefs=True)


CHEST = (3, 151, 3)
# A suffix that makes a program more than a single call without changing what it does.
ENGINE = "\n0"
PROGRAMS = [
    "await goTo(bot, new Vec3(4.5, 151, 0.5), 1)",
    "await goTo(bot, new Vec3(0.5, 400, 0.5))",
    f"await depositItemIntoChest(bot, new Vec3{CHEST}, {{stone: 1}})",
    "await checkItemInsideChest(bot, new Vec3(0, 150, 0));",
    f"await getItemFromChest(bot, new Vec3{CHEST}, {{stone: 1, dirt: 2}})",
    "await mineBlock(bot, 'diamond_ore', 1)",
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
async def test_a_single_call_gives_the_same_result_without_an_engine(world, anna, equipped, code):
    alone = told(await anna.run(code, 20))
    await world.edit(f"data modify block {CHEST[0]} {CHEST[1]} {CHEST[2]} Items set value []")
    await world.edit("clear Anna")
    await world.edit("give Anna stone 3")
    await world.edit("tp Anna 0.5 151 0.5")
    assert told(await anna.run(code + ENGINE, 20)) == alone
