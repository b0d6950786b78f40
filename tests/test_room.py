"""The locked room: what ends agents' code, and what it may not do."""

from __future__ import annotations

import asyncio
import time

import pytest

from records import events
from tests.conftest import ROOT
from tests.heard import Heard

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
