"""The bridge: programs, their errors and their ends, signals, and what outlives what."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest
import pytest_asyncio

from bridge import Bridge, BridgeError, MinecraftWorld
from records import events
from server import Rcon
from server.state import read_password
from tests.conftest import ROOT

NAMES = ["Anna", "Bert", "Cleo"]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(server):
    rcon = Rcon(server.host, server.rcon_port, read_password())
    async with rcon, Bridge() as bridge:
        world = MinecraftWorld(rcon, bridge, server.host, server.port)
        await world.enter(NAMES)
        await world.reset(["fill -10 150 -10 10 150 10 bedrock", "fill -10 151 -10 10 154 10 air"])
        for x, name in enumerate(NAMES):
            await world.edit(f"tp {name} {x}.5 151 0.5")
        yield world


@pytest.fixture
def anna(world):
    return world.bodies["Anna"]


class Heard:
    """Events that happen while the ``async with`` lasts."""

    def __init__(self, bridge):
        self._bridge = bridge
        self._since = time.time()
        self.events = []

    async def __aenter__(self):
        self._task = asyncio.create_task(self._listen())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_):
        self._task.cancel()

    async def _listen(self):
        async for event in self._bridge.events():
            if event.t >= self._since:
                self.events.append(event)

    def of(self, kind, agent=None):
        return [e for e in self.events if isinstance(e, kind) and agent in (None, e.agent)]

    async def wait(self, kind, agent=None, timeout_s=30):
        async with asyncio.timeout(timeout_s):
            while not self.of(kind, agent):
                await asyncio.sleep(0.05)
        return self.of(kind, agent)


# --- Programs ------------------------------------------------------------------------------------


async def test_a_program_runs_and_prints(anna):
    result = await anna.run("console.log('at', bot.entity.position.y, bot.username)", 20)
    assert result.status == "done"
    assert result.logs == ["at 151 Anna"]


async def test_voyagers_form_is_called(anna):
    code = "async function helper(x) { return x }\nasync function act(bot) { console.log('acted') }"
    assert (await anna.run(code, 20)).logs == ["acted"]


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("const a = 1\nconst b = ;", 2, "SyntaxError"),
        ("const a = 1\n\nmissing.field", 3, "reading 'field'"),
        ("throw new Error('no\\nluck')", 1, "no\nluck"),
        (
            "async function main(bot) {\n  await go()\n}\nasync function go() {\n  null.x\n}",
            5,
            "null",
        ),
        ("await bot.dig(bot.blockAt(new Vec3(0, 150, 0)))", 1, "bedrock"),
        ("let a\nawait mineBlock(bot, 'gold_block')", 2, "no gold_block within 32 blocks"),
        ("await mineBlock(bot, 'no_such_block')", 1, "no block named no_such_block"),
        ("await mineBlock({}, 'stone')", 1, "first argument of mineBlock must be bot"),
        (
            "await getItemFromChest(bot, new Vec3(2, 151, 2), {dirt: 1})",
            1,
            "no chest at (2, 151, 2)",
        ),
        ("await goTo(bot, {x: 1})", 1, "needs a position"),
        ("await sendSignal(bot, 'Nobody')", 1, "no agent named Nobody"),
        ("await placeItem(bot, 'stone', new Vec3(1, 151, 1))", 1, "you have no stone"),
        ("throw 'a text'", None, "a text"),
    ],
)
async def test_errors_come_in_the_agents_terms(anna, code, line, message):
    result = await anna.run(code, 30)
    assert result.status == "error"
    assert message in result.error.message
    if line is not None:
        assert result.error.line == line
        assert result.error.source == code.split("\n")[line - 1].strip()


async def test_an_error_says_what_was_done_by_then(anna):
    result = await anna.run("await goTo(bot, new Vec3(3, 151, 3))\nthrow new Error('enough')", 30)
    assert result.error.done == ["goTo(bot, (3, 151, 3))"]


async def test_the_seed_fixes_random_numbers(anna):
    code = "console.log(Math.random(), Math.random())"
    first, again, other = [(await anna.run(code, 20, seed)).logs for seed in (1, 1, 2)]
    assert first == again != other


async def test_one_program_at_a_time(world, anna):
    running = asyncio.create_task(anna.run("await waitSignal(bot)", 20))
    await asyncio.sleep(0.2)
    with pytest.raises(BridgeError, match="already running"):
        await anna.run("1", 5)
    await anna.stop("enough")
    assert (await running).status == "stopped"


async def test_an_unknown_bot(world):
    with pytest.raises(BridgeError, match="already in the world"):
        await world.bridge.spawn("Anna", "127.0.0.1", 1)


async def test_a_bot_that_was_lost_says_so_and_can_come_back(world, server):
    lost = await world.bridge.spawn("Dora", server.host, server.port)
    async with Heard(world.bridge) as heard:
        running = asyncio.create_task(lost.run("await waitSignal(bot)", 60))
        await lost.observe()
        await world.edit("kick Dora")
        (fault,) = await heard.wait(events.Fault, "Dora")
    assert "the connection to the server ended" in fault.message
    assert (await running).status == "killed"
    for call in (lost.run("1", 5), lost.observe(), lost.stop("enough")):
        with pytest.raises(BridgeError, match="Dora is no longer in the world"):
            await call
    back = await world.bridge.spawn("Dora", server.host, server.port)
    assert (await back.run("1", 20)).status == "done"
    await back.quit()


async def test_a_server_that_is_not_there(world):
    with pytest.raises(BridgeError, match=r"could not join 127\.0\.0\.1:1: ECONNREFUSED"):
        await world.bridge.spawn("Dora", "127.0.0.1", 1)


# --- Ends ----------------------------------------------------------------------------------------

ENDLESS = {
    "a loop": "while (true) {}",
    "a loop that catches": "while (true) { try { await mineBlock(bot, 'gold_block') } catch {} }",
    "promises without end": "const f = () => Promise.resolve().then(f); await f()",
    "a regular expression": "/^(a+)+$/.test('a'.repeat(50) + 'b')",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
async def test_code_that_does_not_stop_is_killed_and_stalls_nobody(world, code):
    bert = world.bodies["Bert"]
    started = time.monotonic()
    endless = asyncio.create_task(world.bodies["Anna"].run(code, 5))
    lively = await bert.run("await bot.waitForTicks(10); console.log('alive')", 20)
    assert lively.logs == ["alive"]
    assert not endless.done(), "the other bot's program had to wait for the endless one"
    result = await endless
    assert result.status == "killed"
    assert time.monotonic() - started < 60
    assert (await world.bodies["Anna"].run("console.log('back')", 20)).logs == ["back"]


BOMBS = {
    "arrays": "const a = []; while (true) a.push(new Array(1e6).fill(1))",
    "small objects": "const a = []; while (true) a.push({ x: [1, 2, 3] })",
    "strings": "let s = 'x'; const a = []; while (true) { s += s.slice(0, 1e6); a.push(s + 1) }",
    "buffers": "const a = []; while (true) a.push(new Uint8Array(1e7).fill(1))",
}


@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS)
async def test_a_memory_bomb_is_killed(anna, code):
    result = await anna.run(code, 60)
    assert result.status in ("killed", "error"), result
    assert (await anna.run("console.log('back')", 20)).logs == ["back"]


async def test_a_program_that_waits_too_long_times_out(anna):
    result = await anna.run("await waitSignal(bot)", 0.5)
    assert result.status == "timeout"


@pytest.mark.parametrize(
    "code",
    [
        "setInterval(() => { bot.chat('still here') }, 20); await waitSignal(bot)",
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
        running = asyncio.create_task(anna.run(code, 30))
        await asyncio.sleep(0.5)
        await anna.stop("the episode is over")
        assert (await running).status == "stopped"
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 20)
        said_by_then = len(heard.of(events.Chat, "Anna"))
        await world.bodies["Bert"].run("await bot.waitForTicks(40)", 20)
        assert len(heard.of(events.Chat, "Anna")) == said_by_then


async def test_a_stopped_walk_ends_where_it_is(world, anna):
    await world.edit("tp Anna -8.5 151 -8.5")
    running = asyncio.create_task(anna.run("await goTo(bot, new Vec3(8, 151, 8), 0)", 30))
    async with asyncio.timeout(20):
        while (await anna.observe()).position[0] < -7:
            await asyncio.sleep(0.05)
    await anna.stop("enough")
    await running
    await world.bodies["Bert"].run("await bot.waitForTicks(10)", 20)
    stood = (await anna.observe()).position
    await world.bodies["Bert"].run("await bot.waitForTicks(20)", 20)
    assert (await anna.observe()).position == stood


# --- What agents may not do --------------------------------------------------------------------

FORBIDDEN = {
    "process": "process.exit()",
    "require": "require('fs')",
    "import": "await import('node:fs')",
    "constructor chain": "(() => {}).constructor('return process')()",
    "constructor of a block": "bot.blockAt(new Vec3(0, 150, 0)).constructor.constructor('1')()",
    "the connection": "bot._client.write('chat', {})",
    "the window's emitter": "bot.inventory.emit('updateSlot', 0)",
    "writing to the bot": "bot.chat = null",
    "writing through the bot": "bot.entity.position2 = 1; bot.entity.height = 5",
    "prototype pollution": "Object.prototype.polluted = 1",
    "another bot's primitive": "mineBlock.call = 1",
}


@pytest.mark.parametrize("code", FORBIDDEN.values(), ids=FORBIDDEN)
async def test_what_agents_may_not_reach(anna, code):
    result = await anna.run(code, 20)
    assert result.status == "error", result


@pytest.mark.parametrize(
    "script",
    [
        f"require('fs').readFileSync({str(ROOT / 'pyproject.toml')!r})",
        "require('fs').writeFileSync('written', '')",
        "require('child_process').execSync('true')",
    ],
)
def test_node_itself_has_no_rights(world, script):
    """Should a program get out of its room, it is in a process that may do next to nothing."""
    from javascript import config  # noqa: PLC0415 - starts Node, which the fixture has done

    with pytest.raises(Exception, match="Access to this API has been restricted"):
        config.global_jsi.evaluateWithContext(f"return {script}", {}, forceRefs=True)


async def test_server_commands_are_refused_and_recorded(world, anna):
    async with Heard(world.bridge) as heard:
        result = await anna.run("bot.chat(' /give Anna diamond 64')", 20)
        (refused,) = await heard.wait(events.CommandRefused)
    assert result.status == "error"
    assert refused.agent == "Anna"
    assert await world.inventory("Anna") == {}


async def test_chat_floods_are_refused(anna):
    result = await anna.run("for (let i = 0; i < 1000; i++) bot.chat('flood ' + i)", 20)
    assert "too many chat messages" in result.error.message


# --- Signals -------------------------------------------------------------------------------------


async def test_a_signal_before_the_wait_is_not_lost(world, anna):
    await world.bridge.clear_signals()
    assert (await anna.run("await sendSignal(bot, 'Bert')", 20)).status == "done"
    result = await world.bodies["Bert"].run("console.log(await waitSignal(bot))", 20)
    assert result.logs == ["Anna"]


async def test_a_signal_wakes_no_third_agent(world, anna):
    await world.bridge.clear_signals()
    cleo = asyncio.create_task(world.bodies["Cleo"].run("await waitSignal(bot)", 20))
    bert = asyncio.create_task(world.bodies["Bert"].run("await waitSignal(bot, null, 'Anna')", 20))
    await anna.run("await sendSignal(bot, 'Bert')", 20)
    assert (await bert).status == "done"
    await world.bodies["Bert"].run("await bot.waitForTicks(10)", 20)
    assert not cleo.done()
    await world.bodies["Cleo"].stop("enough")
    await cleo


async def test_wait_signal_runs_its_task_first(world, anna):
    await world.bridge.clear_signals()
    await anna.run("await sendSignal(bot)", 20)
    code = (
        "await waitSignal(bot, async () => { console.log('task') }, 'Anna'); console.log('woken')"
    )
    assert (await world.bodies["Bert"].run(code, 20)).logs == ["task", "woken"]


async def test_signals_are_recorded_with_their_addressee(world, anna):
    async with Heard(world.bridge) as heard:
        await anna.run("await sendSignal(bot)", 20)
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 20)
        sent = heard.of(events.Signal, "Anna")
    assert sorted(event.to for event in sent) == ["Bert", "Cleo"]


# --- Events --------------------------------------------------------------------------------------


async def test_digging_collecting_and_talking_are_events(world, anna):
    await world.edit("tp Anna -8.5 151 -8.5")
    await world.edit("give Anna iron_pickaxe")
    await world.edit("setblock -6 151 -9 iron_ore")
    async with Heard(world.bridge) as heard:
        result = await anna.run("bot.chat('digging'); await mineBlock(bot, 'iron_ore')", 40)
        assert result.status == "done", result
        (dug,) = await heard.wait(events.BlockDug, "Anna")
        (collected,) = await heard.wait(events.ItemCollected, "Anna")
        (said,) = await heard.wait(events.Chat, "Anna")
        await heard.wait(events.PositionSampled, "Anna")
    assert (dug.block, dug.position) == ("iron_ore", (-6, 151, -9))
    assert (collected.item, collected.count) == ("raw_iron", 1)
    assert said.text == "digging"


async def test_the_start_and_end_of_code_are_events(world, anna):
    async with Heard(world.bridge) as heard:
        await anna.run("console.log('hello')", 20)
        await anna.run("let a\nmissing.field", 20)
        (finished,) = await heard.wait(events.CodeFinished, "Anna")
        (failed,) = await heard.wait(events.CodeFailed, "Anna")
        started = await heard.wait(events.CodeStarted, "Anna")
    assert [event.code for event in started] == ["console.log('hello')", "let a\nmissing.field"]
    assert (finished.status, finished.logs) == ("done", ["hello"])
    assert (failed.status, failed.line, failed.source) == ("error", 2, "missing.field")


# --- What outlives what --------------------------------------------------------------------------

LONE = """
    import asyncio, sys
    from bridge import Bridge
    from bridge.link import node_pid

    async def main():
        async with Bridge() as bridge:
            bot = await bridge.spawn("Lone", sys.argv[1], int(sys.argv[2]))
            print(node_pid(), flush=True)
            await bot.run("while (true) {}", 300)

    asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_node_ends_with_python_however_it_ends(server, how):
    command = [sys.executable, "-c", textwrap.dedent(LONE), server.host, str(server.port)]
    python = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    try:
        node = psutil.Process(json.loads(await asyncio.to_thread(python.stdout.readline)))
        assert node.is_running()
        python.send_signal(how)
        await asyncio.to_thread(python.wait, 60)
        await asyncio.to_thread(psutil.wait_procs, [node], 30)
        assert not node.is_running()
    finally:
        python.kill()
        python.stdout.close()
