"""Hostile programs whose own actions interleave: digs, placements, containers, drops and talk.

Whatever the order, the record agrees with the server: each change of the world by the agent is
recorded exactly once. Meanwhile a neighbour keeps acting.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
from collections import Counter

import pytest
import pytest_asyncio

from tests.bridge.test_attacks import AT_REST, SOUND
from tests.conftest import ROOT, entered
from tests.heard import Heard
from voxpolis.records import events

SERVER_OPTIONS = ["--speed", "4"]
LIMIT_S = 20
LINES = (ROOT / "tests/data/interleavings.txt").read_text("utf-8").splitlines()
PRELUDE = "".join(f"{line[2:]}\n" for line in LINES if line.startswith("> "))
# Actions of random programs; half of them are not awaited.
ACTIONS = (
    *(f"dig({place})" for place in "ABCTPQ"),
    *(f"hold('{name}')" for name in ("dirt", "torch", "iron_shovel")),
    *(f"place({place})" for place in "PQABT"),
    "bot.stopDigging()",
    "dig(A, true)",
    "toss('dirt', 2)",
    "toss('apple', 1)",
    "quiet(open().then((c) => (chest = c)))",
    "quiet(open().then((c) => both(take(c, 'dirt', 3), put(c, 'apple', 1))))",
    "chest && take(chest, 'dirt', 2)",
    "chest && put(chest, 'torch', 1)",
    "chest && quiet(chest.close())",
    "bot.chat('line')",
    "ticks(1)",
    "ticks(4)",
)
PROGRAMS = int(os.environ.get("DRAWN_PROGRAMS", "10"))
CASES = dict(line.split(" | ", 1) for line in LINES if " | " in line and line[0] not in "#>")


def drawn(seed):
    """Return a random program."""
    rng = random.Random(seed)
    steps = [rng.choice(ACTIONS) for _ in range(rng.randint(5, 25))]
    waited = "".join(f"{rng.choice(('await ', ''))}{step}; " for step in steps)
    return f"let chest = null; {waited}"


CASES |= {f"random program {seed}": drawn(seed) for seed in range(PROGRAMS)}

# The neighbour hears what is said, and shows that it acts, once a second.
NEIGHBOUR = """
bot.on('chat', (who, text) => { if (who === 'Anna') console.log('Anna: ' + text) })
bot.chat('ready')
for (;;) { bot.swingArm(); await bot.waitForTicks(20); console.log('acts') }
"""
LAYOUT = [
    "fill -10 150 -10 10 150 10 bedrock",
    "fill -10 151 -10 10 154 10 air",
    "kill @e[type=item]",
    "fill 2 151 -1 2 151 1 dirt",
    "setblock 1 151 2 torch",
    'setblock 0 151 3 chest{Items:[{Slot:0b,id:"dirt",Count:32b},{Slot:1b,id:"apple",Count:5b}]}',
    "clear @a",
    "give Anna iron_shovel",
    "give Anna dirt 16",
    "give Anna torch 8",
    "give Anna apple 4",
    "give Anna oak_sign 2",
    "tp Anna 0.5 151 0.5",
    "tp Bert -6.5 151 -6.5",
    "scoreboard players reset Anna",
]
BLOCKS = {"dirt": 3, "torch": 1, "chest": 1, "oak_sign": 0}
ITEMS = ["dirt", "torch", "apple", "chest", "oak_sign", "iron_shovel"]
CHEST = {"dirt": 32, "apple": 5}
WORLD_EVENTS = (events.BlockDug, events.BlockPlaced, events.ItemCollected, events.ContainerMoved)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def arena(server):
    async with entered(server, "Anna", "Bert") as world:
        for name in BLOCKS:
            await world.objective(f"m_{name}", f"minecraft.mined:minecraft.{name}")
        for name in ITEMS:
            await world.objective(f"u_{name}", f"minecraft.used:minecraft.{name}")
            await world.objective(f"p_{name}", f"minecraft.picked_up:minecraft.{name}")
        await world.objective("deaths", "deathCount")
        for rule in ("doMobSpawning false", "doImmediateRespawn true"):
            await world.edit(f"gamerule {rule}")
        yield world


async def differences(world, heard):
    """Return where the record and the server disagree about Anna, with both values."""
    dug, placed, collected, moved = (Counter() for _ in range(4))
    for event in heard.events:
        if isinstance(event, events.BlockDug):
            dug[event.block] += 1
        elif isinstance(event, events.BlockPlaced):
            placed[event.block] += 1
        elif isinstance(event, events.ItemCollected):
            collected[event.item] += event.count
        elif isinstance(event, events.ContainerMoved):
            moved[event.item] += event.count

    async def scores(prefix, names):
        counts = {name: await world.score("Anna", f"{prefix}_{name}") for name in names}
        return {name: count for name, count in counts.items() if count}

    pairs = {
        "dug": (dug, await scores("m", BLOCKS)),
        "placed": (placed, await scores("u", BLOCKS)),
        "collected": (collected, await scores("p", ITEMS)),
        "deaths": (len(heard.of(events.Died)), await world.score("Anna", "deaths")),
    }
    # Moves of a visit that the agent's death ends are not recorded.
    if not dug["chest"] and not heard.of(events.Died):
        inside = await world.container((0, 151, 3))
        out = {name: count - inside.get(name, 0) for name, count in CHEST.items()}
        out |= {name: -count for name, count in inside.items() if name not in CHEST}
        pairs["moved"] = tuple({k: n for k, n in one.items() if n} for one in (moved, out))
    return {what: pair for what, pair in pairs.items() if pair[0] != pair[1]}


async def lasting_differences(world, heard):
    """Wait until the record and the server agree, and then count the blocks that remain."""
    for _ in range(100):
        if not (wrong := await differences(world, heard)):
            break
        await asyncio.sleep(0.1)
    for name, count in BLOCKS.items():
        answer = await world.ask(f"fill -10 151 -10 10 154 10 air replace {name}")
        found = re.search(r"filled (\d+)", answer)
        placed = sum(event.block == name for event in heard.of(events.BlockPlaced))
        dug = sum(event.block == name for event in heard.of(events.BlockDug))
        counts = count + placed - dug, int(found[1] if found else 0)
        wrong |= {f"number of {name}": counts} if counts[0] != counts[1] else {}
    return wrong


@pytest.mark.parametrize("name", CASES)
async def test_each_change_is_recorded_once(arena, name):
    anna, bert = arena.bodies["Anna"], arena.bodies["Bert"]
    await arena.reset(LAYOUT)
    async with Heard(arena.bridge) as heard:
        neighbour = asyncio.create_task(bert.run(NEIGHBOUR, 600))
        await heard.wait(events.Chat, "Bert")
        running = asyncio.create_task(anna.run(PRELUDE + CASES[name], LIMIT_S))
        if word := re.search(r"STOP|KILL", CASES[name]):
            async with asyncio.timeout(60):
                while not any(said.text == word[0] for said in heard.of(events.Chat)):
                    await asyncio.sleep(0.01)
            await (anna.stop("enough") if word[0] == "STOP" else arena.edit("kill Anna"))
        result = await running
        # The server may finish a dig after its program has ended, at most a whole dig later.
        longest = 80 if "dig(CHEST)" in CASES[name] else 20
        after = await anna.run(f"await bot.waitForTicks({longest})\n{AT_REST}{SOUND}", 120)
        wrong = await lasting_differences(arena, heard)
        await bert.stop("over")
        acted = await neighbour
    assert not wrong
    assert after.logs == ["[]", "[] stands", "sound"], after
    assert "ESCAPED" not in str(result.logs)
    assert not heard.of(events.Fault)
    assert not [log for log in heard.of(events.Log) if "was not recorded" in log.text]
    changes = [event for event in heard.events if isinstance(event, WORLD_EVENTS)]
    assert {event.agent for event in changes} <= {"Anna"}
    signs = [(event.position, event.text) for event in heard.of(events.SignWritten)]
    assert len(signs) == len(set(signs)) <= 1
    said = [f"Anna: {event.text}" for event in heard.of(events.Chat, "Anna")]
    assert [line for line in acted.logs if line != "acts"] == said
    assert acted.logs.count("acts") >= result.seconds / 2 - 2
