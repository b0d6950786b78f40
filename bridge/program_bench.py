"""``python -m bridge.program_bench``: measure how many bots with programs this machine supports.

The benchmark starts a server on free ports, and bots join as in experiments. Each bot runs a
program in its own engine. The program resembles the policy of an agent: it walks, looks for blocks,
digs, puts blocks back, talks, and waits in between. The output says how much was done and at what
cost.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import sys
import time
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import psutil
import typer

from voxpolis.bridge.bench import GROUND_Y, HALF_WIDTH, MEGABYTE, BenchError, bench_server
from voxpolis.bridge.bridge import Bridge
from voxpolis.bridge.connection import BridgeError
from voxpolis.bridge.hosts import HostPlan
from voxpolis.bridge.placement import join_in_waves
from voxpolis.front import run_app
from voxpolis.records.command_line import CommandLine
from voxpolis.records.programs import RunResult

# The program of each bot, which ends by itself and prints how many actions succeeded and how many
# failed.
PROGRAM = """
const end = Date.now() + SECONDS * 1000
const home = bot.entity.position.floored()
const near = () => Math.floor(Math.random() * 13) - 6
let done = 0, failed = 0
const attempt = async (work) => {
  try { await work(); done++ } catch { failed++ }
}
while (Date.now() < end) {
  await attempt(() => goTo(bot, home.offset(near(), 0, near())))
  const found = bot.findBlocks({
    matching: (block) => ['grass_block', 'dirt'].includes(block.name), maxDistance: 8, count: 20
  })
  if (found.length) await attempt(() => mineBlock(bot, bot.blockAt(found[0]).name))
  const dirt = bot.inventory.items().find((item) => item.name === 'dirt')
  const { x, z } = bot.entity.position.floored()
  if (dirt) await attempt(() => placeItem(bot, 'dirt', new Vec3(x + 1, home.y, z)))
  if (Math.random() < 0.05) bot.chat(`${bot.username} has done ${done}`)
  await bot.waitForTicks(40)
}
console.log(done, failed)
"""
# Additional time in seconds in which a program can finish its last action.
SPARE_S = 120.0


@dataclass(frozen=True)
class ProgramMeasurement:
    """The result of the benchmark. Times are in milliseconds, and CPU is in percent of one core.

    ``node_mb_before`` and ``node_mb_after`` are the resident memory of all hosts when the programs
    begin and end. ``programs_done`` is the number of programs that ended by themselves.
    """

    bots: int
    hosts: int
    seconds: float
    programs_done: int
    programs_failed: int
    tps: float
    tick_delay_p50_ms: float
    tick_delay_p99_ms: float
    server_cpu_percent: float
    node_cpu_percent: float
    node_mb_before: float
    node_mb_after: float
    actions_per_bot_minute: float
    least_actions_per_minute: float
    failed_actions_percent: float
    join_s: float
    machine: str
    load_before: float


async def measure(bots: int, seconds: float, hosts: int | None = None) -> ProgramMeasurement:
    """Run the benchmark once. Each bot runs a program that takes ``seconds``.

    ``hosts`` is the number of hosts; None: as many as in a normal run.

    Raises:
        BenchError: the server or the bots did not start.
    """
    load_before = os.getloadavg()[0]
    with bench_server() as (command, state):
        command(f"forceload add {-HALF_WIDTH} {-HALF_WIDTH} {HALF_WIDTH} {HALF_WIDTH}")
        async with Bridge(plan=HostPlan(count=hosts)) as bridge:
            names = [f"Coder{number:03}" for number in range(bots)]
            started = time.monotonic()
            try:
                await bridge.ensure_hosts(bots)
                await join_in_waves(
                    names, lambda name: bridge.spawn(name, state["host"], state["port"])
                )
            except BridgeError as error:
                raise BenchError(str(error)) from error
            join_s = time.monotonic() - started
            command(f"spreadplayers 0 0 2 {HALF_WIDTH - 8} false @a")
            for name in names:
                await _wait_until_standing(bridge, name)
            program = PROGRAM.replace("SECONDS", str(seconds))
            nodes = [state["pid"], *(host.host.node for host in bridge.placement.hosts)]
            processes = [psutil.Process(node) for node in nodes]
            before = _look(command, processes, 1)
            runs = [
                bridge.bots[name].run(program, seconds + SPARE_S, number)
                for number, name in enumerate(names)
            ]
            results = await asyncio.gather(*runs)
            after = _look(command, processes, max(1, round(seconds * 20)))
            return ProgramMeasurement(
                bots=bots,
                hosts=len(nodes) - 1,
                join_s=round(join_s, 1),
                load_before=round(load_before, 1),
                **_compare(before, after, results),
            )


async def _wait_until_standing(bridge: Bridge, name: str) -> None:
    while (await bridge.bots[name].observe()).position[1] > GROUND_Y + 1:
        await asyncio.sleep(0.05)


def _look(command: Any, nodes: list[psutil.Process], ticks: int) -> dict[str, Any]:
    """Return the counters, the CPU time and the memory of the server and the hosts."""
    answer = command(f"tick query {ticks}")
    _, delays = re.findall(r"P50: ([\d.]+)ms P95: [\d.]+ms P99: ([\d.]+)ms", answer)
    return {
        "at": time.monotonic(),
        "ticks": float(re.findall(r"Ticks: (\d+)", answer)[0]),
        "delays": [float(delay) for delay in delays],
        "cpu": [
            sum(nodes[0].cpu_times()[:2]),
            sum(sum(node.cpu_times()[:2]) for node in nodes[1:]),
        ],
        "node_mb": sum(node.memory_info().rss for node in nodes[1:]) / MEGABYTE,
    }


def _compare(
    before: dict[str, Any], after: dict[str, Any], results: list[RunResult]
) -> dict[str, Any]:
    passed = after["at"] - before["at"]
    server, node = (
        100 * (now - then) / passed for now, then in zip(after["cpu"], before["cpu"], strict=True)
    )
    ended = [result for result in results if result.status == "done"]
    for said in sorted({r.error.message if r.error else r.status for r in results} - {"done"}):
        print(f"a program ended otherwise: {said}", file=sys.stderr)
    counts = [[int(number) for number in result.logs[-1].split()] for result in ended]
    done = [count[0] for count in counts]
    failed = sum(count[1] for count in counts)
    rates = [60 * did / r.seconds for did, r in zip(done, ended, strict=True)] or [0.0]
    return {
        "seconds": round(passed, 1),
        "programs_done": len(ended),
        "programs_failed": len(results) - len(ended),
        "tps": round((after["ticks"] - before["ticks"]) / passed, 2),
        "tick_delay_p50_ms": after["delays"][0],
        "tick_delay_p99_ms": after["delays"][1],
        "server_cpu_percent": round(server, 1),
        "node_cpu_percent": round(node, 1),
        "node_mb_before": round(before["node_mb"]),
        "node_mb_after": round(after["node_mb"]),
        "actions_per_bot_minute": round(sum(rates) / len(rates), 1),
        "least_actions_per_minute": round(min(rates), 1),
        "failed_actions_percent": round(100 * failed / max(1, sum(done) + failed), 1),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
    }


app = CommandLine()


@app.command()
def main(
    bots: Annotated[int, typer.Option(min=1, help="Number of bots with programs.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, help="Length of the programs in seconds.")] = 60,
    hosts: Annotated[
        int | None, typer.Option(min=1, help="Number of hosts. By default, as many as in a run.")
    ] = None,
) -> None:
    """Measure how many bots with programs this machine supports, and print JSON.

    For example: python -m bridge.program_bench --bots 100 --seconds 600
    """
    print(f"{bots} bots join, then their programs run {seconds:g} s …", file=sys.stderr)
    try:
        print(json.dumps(asdict(asyncio.run(measure(bots, seconds, hosts)))))
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(2) from error


if __name__ == "__main__":
    run_app(app)
