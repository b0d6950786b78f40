"""Measures the attacks: how soon each ends, and what a neighbour and the server feel of it.

Run it with ``python -m tests.measure_attacks``; it starts a server of its own at real time. With
``--calls 10000`` it makes that many calls with mutated arguments instead, on a faster server. Its
figures are in docs/security.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests import mutants
from tests.attacks import Attack, as_programs, hostile, read_attacks
from tests.conftest import UP, run_module
from tests.heard import Heard
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever
from voxpolis.bots.models import ScriptedModel
from voxpolis.bridge import Bridge, MinecraftWorld
from voxpolis.experiments.loops.curriculum.curriculum import CurriculumRun
from voxpolis.records import RunWriter, events
from voxpolis.scenarios.crafting_tree import CraftingTree
from voxpolis.server import Rcon, ServerState, read_state
from voxpolis.server.state import read_password
from voxpolis.worlds.minecraft.land import MinecraftLand
from voxpolis.worlds.minecraft.session import open_session

#: How late the timers of the neighbour's engine are at worst, and how long its body, which shares a
#: thread with the attacker's, takes to answer a question. (Mineflayer's own physics ticks skip one
#: now and then and make up for it, with nobody near.)
WITNESS = """
let last = Date.now(), worst = 0, answer = 0
setInterval(() => {
  const now = Date.now()
  worst = Math.max(worst, now - last - 10)
  bot.blockAt(bot.entity.position)
  last = Date.now()
  answer = Math.max(answer, last - now)
}, 10)
await waitSignal(bot, null, null, 'enough')
console.log(worst)
console.log(answer)
"""
#: The attacker and its neighbour, whose bodies share a thread (two threads on two cores, filled in
#: turn), and who ends the neighbour's watch.
ATTACKER, MESSENGER, NEIGHBOUR = "Anna", "Bert", "Cleo"


async def measure(world: MinecraftWorld, attack: Attack) -> dict[str, Any]:
    """Run one attack beside a witness."""
    attacker, witness = world.bodies[ATTACKER], world.bodies[NEIGHBOUR]
    watching = asyncio.create_task(witness.run(WITNESS, 120))
    await asyncio.sleep(0.2)
    result = await attacker.run(attack.program, attack.limit_s)
    await asyncio.sleep(0.2)
    late = await world.ask(f"tick query {round((result.seconds + 0.2) * 20) + 1}")
    signal = f"await sendSignal(bot, '{NEIGHBOUR}', 'enough')"
    await world.bodies[MESSENGER].run(signal, 20)
    timers_ms, answers_ms = map(float, (await watching).logs[-2:])
    server = re.search(r"Start delay: .*P99: ([\d.]+)ms", late)
    return {
        "attack": str(attack),
        "ends": result.status,
        "over_s": max(0.0, result.seconds - attack.limit_s),
        "server_ms": float(server[1]) if server else float("nan"),
        "neighbour_ms": timers_ms,
        "answers_ms": answers_ms,
    }


CALLS_A_PROGRAM = 500
MUTANTS_SPEED = "5"


async def mutate(calls: int) -> None:
    """Make calls with mutated arguments, program after program, and print what came of them."""
    state = read_state()
    assert state is not None
    ends: dict[str, int] = {}
    unsound = 0
    began = time.monotonic()
    async with (
        Rcon(state.host, state.rcon_port, read_password()) as rcon,
        Bridge(state.clock()) as bridge,
    ):
        world = MinecraftWorld(rcon, bridge, state.host, state.port)
        await world.enter(["Anna", "Bert"])
        await world.reset(["fill -10 150 -10 10 150 10 bedrock", "tp Anna 0.5 151 0.5"])
        async with Heard(bridge) as heard:
            for seed in range(-(-calls // CALLS_A_PROGRAM)):
                program = mutants.program(CALLS_A_PROGRAM)
                result = await world.bodies["Anna"].run(program, 600, seed)
                ends[result.status] = ends.get(result.status, 0) + 1
                for body in world.bodies.values():
                    after = await body.run("console.log(mcData.blocksByName.dirt.id)", 60)
                    unsound += after.logs != ["9"]
            faults = heard.of(events.Fault)
    print(f"{calls} calls in {time.monotonic() - began:.0f} s; programs ended: {ends}")
    print(f"faults: {len(faults)}; programs after them that were not sound: {unsound}")


async def main() -> None:
    """Measure all attacks and print a table."""
    state = read_state()
    assert state is not None
    rows = []
    async with (
        Rcon(state.host, state.rcon_port, read_password()) as rcon,
        Bridge(state.clock()) as bridge,
    ):
        world = MinecraftWorld(rcon, bridge, state.host, state.port)
        await world.enter(["Anna", "Bert", "Cleo"])
        await world.reset(["fill -10 150 -10 10 150 10 bedrock"])
        for x, name in enumerate(world.bodies):
            await world.edit(f"tp {name} {x}.5 151 0.5")
        await asyncio.sleep(2)
        for attack in read_attacks():
            rows.append(await measure(world, attack))
    _print(rows)
    for name, programs in (
        ("idle", ["async function idle(bot) { await waitSignal(bot) }"] * 100),
        ("attacking", as_programs(read_attacks())),
    ):
        seconds = await climb_beside(state, programs)
        print(f"Ada's totem, with a neighbour that is {name}: {seconds:.1f} s")


async def climb_beside(state: ServerState, programs: list[str]) -> float:
    """Seconds until a scripted agent holds the totem, with a neighbour that runs ``programs``."""
    scenario = CraftingTree(
        tree="adasociety", agents=2, iterations=len(programs), program_limit_s=5
    )
    mind = hostile("Bo", programs, scenario.script(0))
    with tempfile.TemporaryDirectory() as folder, RunWriter(Path(folder), {}) as writer:
        agents = scenario.agent_names
        async with open_session(state, writer, agents, refereed=True) as session:
            land = MinecraftLand(session, agents, scenario.program_limit_s, 0)
            run = CurriculumRun(scenario, land, 0, lambda _text: None)
            kinds = dict.fromkeys(agents, "voyager")
            run.add_agents(ScriptedModel(mind), kinds, Path(folder), LexicalRetriever())
            await run.prepare()
            run.began = writer.now()
            playing = asyncio.create_task(run.play())
            while "totem" not in run.agents["Ada"].milestones and not playing.done():
                await asyncio.sleep(0.1)
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            return run.agents["Ada"].milestones["totem"]["seconds"]


COLUMNS = {
    "over_s": "s over its limit",
    "server_ms": "server's ticks late, ms",
    "neighbour_ms": "neighbour's timers, ms",
    "answers_ms": "neighbour's answers, ms",
}


def _print(rows: list[dict[str, Any]]) -> None:
    console = Console(width=130)
    table = Table()
    table.add_column("attack")
    for column in ("ends", *COLUMNS.values()):
        table.add_column(column, justify="right")
    for row in rows:
        figures = (row[column] for column in COLUMNS)
        table.add_row(row["attack"], row["ends"], *(f"{figure:.1f}" for figure in figures))
    console.print(table)
    for group in dict.fromkeys(row["attack"].split(":")[0] for row in rows):
        of_group = [row for row in rows if row["attack"].startswith(f"{group}:")]
        worst = [f"{max(row[column] for row in of_group):.1f}" for column in COLUMNS]
        console.print(f"| {group} | {len(of_group)} | {' | '.join(worst)} |", highlight=False)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=0, help="calls with mutated arguments")
    calls = parser.parse_args().calls
    speed = ["--speed", MUTANTS_SPEED] if calls else []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VOXPOLIS_SERVER"] = folder
        run_module("server", *(option for option in UP if option != "--strict"), *speed)
        try:
            asyncio.run(mutate(calls) if calls else main())
        finally:
            run_module("server", "down")
