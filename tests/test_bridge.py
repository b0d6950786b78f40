"""The bridge: programs, their errors and their ends, signals, and what outlives what."""

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

#: A busy machine may not let a program's engine answer in the second that it has.
STOPPED = ("stopped", "killed")

# --- Programs ------------------------------------------------------------------------------------


async def test_a_program_runs_and_prints(anna):
    result = await anna.run("console.log('at', bot.entity.position.y, bot.username)", 120)
    assert result.status == "done"
    assert result.logs == ["at 151 Anna"]


async def test_voyagers_form_is_called(anna):
    code = "async function helper(x) { return x }\nasync function act(bot) { console.log('acted') }"
    assert (await anna.run(code, 120)).logs == ["acted"]


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("const a = 1\nconst b = ;", 2, "SyntaxError"),
        ("const a = 1\n\nmissing.field", 3, "'missing' is not defined"),
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
        ("await goTo(bot, {x: 1e9, y: 151, z: 0})", 1, "needs a position in the world"),
        ("await sendSignal(bot, 'Nobody')", 1, "no agent named Nobody"),
        ("await placeItem(bot, 'stone', new Vec3(1, 151, 1))", 1, "you have no stone"),
        ("throw 'a text'", None, "a text"),
    ],
)
async def test_errors_come_in_the_agents_terms(anna, code, line, message):
    result = await anna.run(code, 120)
    assert result.status == "error"
    assert message in result.error.message
    if line is not None:
        assert result.error.line == line
        assert result.error.source == code.split("\n")[line - 1].strip()


async def test_an_error_says_what_was_done_by_then(anna):
    result = await anna.run("await goTo(bot, new Vec3(3, 151, 3))\nthrow new Error('enough')", 120)
    assert result.error.done == ["goTo(bot, (3, 151, 3))"]


async def test_the_seed_fixes_random_numbers(anna):
    code = "console.log(Math.random(), Math.random())"
    first, again, other = [(await anna.run(code, 120, seed)).logs for seed in (1, 1, 2)]
    assert first == again != other


@pytest.mark.parametrize("limit", [3e6, 1e300])
async def test_a_time_limit_of_months_leaves_time(anna, limit):
    result = await anna.run("await bot.waitForTicks(5); console.log('there')", limit)
    assert (result.status, result.logs) == ("done", ["there"])


async def test_one_program_at_a_time(world, anna):
    running = asyncio.create_task(anna.run("await waitSignal(bot)", 120))
    await anna.observe()  # which comes after it
    with pytest.raises(BridgeError, match="already running"):
        await anna.run("1", 5)
    await anna.stop("enough")
    assert (await running).status in STOPPED


async def test_a_program_can_be_stopped_before_it_has_begun(anna):
    await anna.run("while (true) {}", 0.1)  # its engine is ended, and the next one is to be made
    running = asyncio.create_task(anna.run("console.log('begun')", 120))
    await anna.stop("enough")
    assert (await running).status in (*STOPPED, "done")
    assert (await anna.run("console.log('next')", 120)).logs == ["next"]


async def test_an_unknown_bot(world):
    with pytest.raises(BridgeError, match="already in the world"):
        await world.bridge.spawn("Anna", "127.0.0.1", 1)


async def test_a_bot_that_was_lost_says_so_and_can_come_back(world, server):
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


async def test_a_server_that_is_not_there(world):
    with pytest.raises(BridgeError, match=r"could not join 127\.0\.0\.1:1: ECONNREFUSED"):
        await world.bridge.spawn("Dora", "127.0.0.1", 1)


# --- Signals -------------------------------------------------------------------------------------


async def test_a_signal_before_the_wait_is_not_lost(world, anna):
    await world.bridge.clear_signals()
    assert (await anna.run("await sendSignal(bot, 'Bert')", 120)).status == "done"
    result = await world.bodies["Bert"].run("console.log(await waitSignal(bot))", 120)
    assert result.logs == ["Anna"]


async def test_a_signal_wakes_no_third_agent(world, anna):
    await world.bridge.clear_signals()
    cleo = asyncio.create_task(world.bodies["Cleo"].run("await waitSignal(bot)", 120))
    bert = asyncio.create_task(world.bodies["Bert"].run("await waitSignal(bot, null, 'Anna')", 120))
    await anna.run("await sendSignal(bot, 'Bert')", 120)
    assert (await bert).status == "done"
    await world.bodies["Bert"].run("await bot.waitForTicks(10)", 120)
    assert not cleo.done()
    await world.bodies["Cleo"].stop("enough")
    await cleo


async def test_wait_signal_runs_its_task_first(world, anna):
    await world.bridge.clear_signals()
    await anna.run("await sendSignal(bot)", 120)
    code = (
        "await waitSignal(bot, async () => { console.log('task') }, 'Anna'); console.log('woken')"
    )
    assert (await world.bodies["Bert"].run(code, 120)).logs == ["task", "woken"]


async def test_signals_are_recorded_with_their_addressee(world, anna):
    async with Heard(world.bridge) as heard:
        await anna.run("await sendSignal(bot)", 120)
        await world.bodies["Bert"].run("await bot.waitForTicks(5)", 120)
        sent = heard.of(events.Signal, "Anna")
    assert sorted(event.to for event in sent) == ["Bert", "Cleo"]


# --- Events --------------------------------------------------------------------------------------


async def test_digging_collecting_and_talking_are_events(world, anna):
    await world.edit("tp Anna -8.5 151 -8.5")
    await world.edit("give Anna iron_pickaxe")
    await world.edit("setblock -6 151 -9 iron_ore")
    async with Heard(world.bridge) as heard:
        # The server's answer to the edit may come before the bot hears of it.
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


async def test_the_start_and_end_of_code_are_events(world, anna):
    async with Heard(world.bridge) as heard:
        await anna.run("console.log('hello')", 120)
        await anna.run("let a\nmissing.field", 120)
        (finished,) = await heard.wait(events.CodeFinished, "Anna")
        (failed,) = await heard.wait(events.CodeFailed, "Anna")
        started = await heard.wait(events.CodeStarted, "Anna")
    assert [event.code for event in started] == ["console.log('hello')", "let a\nmissing.field"]
    assert (finished.status, finished.logs) == ("done", ["hello"])
    assert (failed.status, failed.line, failed.source) == ("error", 2, "missing.field")


NOTHING_ELSE = {"passing": [], "time_ms": 2000.0}


class Nowhere:
    """A host that takes commands and says nothing."""

    is_here = True

    def send(self, command):
        """Take it."""


def connected(bridge: Bridge) -> Connection:
    """Give a bridge a host that never answers by itself."""
    housing = bridge.housing
    made = (lambda *_: Nowhere(), bridge.clock, housing._hears.answered, housing._down)
    housing.hosts.append(Connection(*made))
    return housing.hosts[0]


def receive(answers: dict[str, list[str]]) -> tuple[Connection, list[events.Event]]:
    """What a bridge with one call under way makes of messages that Node might send."""
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
    {"kind": "block_dug", "time_ms": 1000, "agent": "Anna", "block": {}, "position": [0, 0, 0]},
    {"kind": "item_collected", "time_ms": 1000, "agent": "Anna", "item": "dirt", "count": 0.5},
    {"kind": "position", "time_ms": 1000, "agent": "Anna", "position": [None, 0, 0]},
    {"kind": "no such kind", "time_ms": 1000, "agent": "Anna"},
    {"kind": "chat", "agent": "Anna", "text": "when?"},
]
TEXTS = [*(json.dumps(bad) for bad in BAD), "[1]", "{", "[" * 100_000]


@pytest.mark.parametrize("bad", TEXTS, ids=range(len(TEXTS)))
async def test_a_message_that_is_not_as_it_should_be_costs_no_other(bad):
    reply = {"id": 7, "ok": True, "result": 3, "error": None}
    host, heard = receive({"events": [bad, json.dumps(CHAT)], "replies": [bad, json.dumps(reply)]})
    assert await host._waiting[7] == 3
    complaint, chat = heard
    assert isinstance(complaint, events.Log)
    assert complaint.agent == ("Anna" if "Anna" in bad else None)
    assert isinstance(chat, events.Chat)
    assert chat.text == "hello"


async def test_a_reply_that_cannot_be_read_fails_its_call_alone():
    host, _ = receive({"events": [], "replies": [json.dumps({"id": 7, "ok": "perhaps"})]})
    with pytest.raises(BridgeError, match="cannot be read"):
        await host._waiting[7]


@pytest.mark.parametrize(
    "error",
    [{"line": 1e300}, {"line": "x"}, {"done": [1]}, {"message": None}, {"more": 1}, {"done": "x"}],
    ids=str,
)
async def test_an_end_that_cannot_be_read_costs_its_program_alone(error):
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
    assert ended.error.message.startswith("how it ended cannot be read")


class Sent(Bridge):
    """A bridge that only keeps what would be sent."""

    async def request(self, kind, **fields):
        self.sent = fields
        return {"status": "done", "error": None, "logs": [], "seconds": 0.0}


async def test_no_more_of_a_program_is_sent_than_is_refused_for_its_length():
    bridge = Sent()
    await Bot(bridge, "Anna").run("x" * 3_000_000, 1, skills={"long": "y" * 3_000_000, "b": "z"})
    limit = (ROOT / "bridge/js/sandbox/program-length.js").read_text().split("MAX_CHARACTERS = ")[1]
    most = int(limit.split()[0])
    assert bridge.sent["code"] == "x" * (most + 1)
    assert bridge.sent["skills"] == {"long": "y" * (most + 1), "b": "z"}


@pytest.mark.parametrize("limit", [float("nan"), float("inf"), float("-inf"), -1.0])
async def test_a_time_limit_is_a_finite_number(limit):
    with pytest.raises(ValueError, match="finite"):
        await Bot(Sent(), "Anna").run("", limit)


async def test_what_a_program_printed_is_well_formed_whatever_node_says():
    bridge = Bridge()
    host = connected(bridge)
    running = asyncio.create_task(Bot(bridge, "Anna").run("1", 5))
    await asyncio.sleep(0)
    result = {"status": "done", "error": None, "logs": ["a\ud83d"], "seconds": 1.0}
    reply = {"id": 0, "ok": True, "result": result, "error": None}
    host.receive(json.dumps({"events": [], "replies": [json.dumps(reply)], **NOTHING_ELSE}))
    assert (await running).logs == ["a?"]


# --- What outlives what --------------------------------------------------------------------------

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


#: A loop, and a builtin that no engine interrupts.
LOOP = "while (true) {}"
BUILTIN = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"


@pytest.mark.parametrize(
    ("how", "code"),
    [(signal.SIGKILL, BUILTIN), (signal.SIGTERM, LOOP), (signal.SIGINT, BUILTIN)],
)
async def test_node_ends_with_python_however_it_ends(server, how, code):
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
