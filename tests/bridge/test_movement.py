"""The server never moves honest bots back, however they move and however they are stalled.

The test runs at a higher speed than all other tests; ``MOVEMENT_SPEED=1`` in the environment sets
another speed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

import psutil
import pytest

from voxpolis.server.state import log_file

SPEED = float(os.environ.get("MOVEMENT_SPEED", "20"))
SERVER_OPTIONS = ["--speed", f"{SPEED:g}"]
HELD_UP_S = 0.3
# In game time, and so long that no machine is slow enough to reach this limit first.
LIMIT_S = 20_000
BOTS = ["Anna", "Bert", "Cleo"]
# Steps, a ladder, slime, a trench, shallow water, ice and soul sand, one after another along x.
LAND = [
    "fill -4 149 -4 44 150 12 stone",
    "fill -4 151 -4 44 160 12 air",
    "fill 4 151 -4 4 151 12 stone_slab",
    "fill 5 151 -4 5 151 12 stone",
    "fill 6 151 -4 6 152 12 stone",
    "fill 7 151 -4 7 151 12 oak_stairs[facing=west]",
    "fill 11 151 -4 11 155 12 stone",
    "fill 10 151 -4 10 155 12 ladder[facing=west]",
    "fill 14 150 -4 18 150 12 slime_block",
    "fill 22 150 -4 23 150 12 air",
    "fill 26 150 -4 28 150 12 water",
    "fill 31 150 -4 33 150 12 ice",
    "fill 34 150 -4 36 150 12 soul_sand",
]
# Walk the whole course with keys, because the pathfinder's computing time depends on the machine.
COURSE = """
await bot.lookAt(new Vec3(1000, bot.entity.position.y + 1.62, bot.entity.position.z), true)
for (const key of ['forward', 'sprint', 'jump']) bot.setControlState(key, true)
while (bot.entity.position.x < 38) await bot.waitForTicks(1)
bot.clearControlStates()
console.log('there')
"""


async def hold_up(process: psutil.Process) -> None:
    """Stop a process for a moment, as a busy machine does."""
    process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(HELD_UP_S)
    finally:
        process.send_signal(signal.SIGCONT)


def bridge_process() -> psutil.Process:
    """Return this process's bridge; ended ones of earlier tests have no command line."""
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "bridge.js" in " ".join(process.cmdline()):
                return process
    raise AssertionError("there is no bridge")


@pytest.mark.parametrize("held_up", ["bots", "server"])
async def test_the_server_never_moves_honest_bots_back(world, server, held_up):
    await world.reset(LAND)
    for number, name in enumerate(BOTS):
        await world.edit(f"tp {name} 0.5 151 {4 * number}.5")
    running = [asyncio.create_task(world.bodies[name].run(COURSE, LIMIT_S)) for name in BOTS]
    node = bridge_process()
    victim = {"bots": node, "server": psutil.Process(server.pid)}.get(held_up)
    while victim is not None and not all(task.done() for task in running):
        await hold_up(victim)
        await asyncio.sleep(HELD_UP_S)
    results = await asyncio.gather(*running)
    log = log_file().read_text()
    assert [result.logs for result in results] == [["there"]] * 3, (
        [r.error or r.status for r in results],
        log[-2000:],
    )
    assert "moved" not in log
    assert "floating" not in log
