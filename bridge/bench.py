"""``python -m bridge.bench``: measure how many busy bots the embedded server supports.

The benchmark starts a server on free ports and lets bots join from a few Node processes. For some
seconds the bots walk, dig and rebuild, use chests and chat as fast as they can. The benchmark then
prints the ticks and the traffic of the server, and the CPU time and memory of all processes.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Annotated, Any

import psutil
import typer

from voxpolis import environment
from voxpolis.front import run_app
from voxpolis.records.command_line import CommandLine

# --- Which part of the embedded server uses its CPU time, from a profile of Node ------------------
#
# Each sample of the profile counts for the first file of the project on its stack, after the tick
# loop and the network. Work that a plugin causes in other files therefore counts for the plugin.
# Work outside all plugins, such as reading packets and writing to sockets, is classified by what it
# does.

# The files through which the server enters its parts.
_ENTRIES = ("ticks.js", "main.js", "server.js", "log.js", "connections.js")
_PROJECT_FILE = "/server/embedded/"
# What is done in files outside the project, by words in the path of the file.
_OTHERS = (
    ("/protodef/", "reading packets"),
    ("/minecraft-protocol/", "reading packets"),
    ("/readable-stream/", "reading packets"),
    ("node:net", "reading sockets"),
    ("stream_base", "reading sockets"),
    ("internal/streams", "reading sockets"),
)
_IDLE = ("(idle)", "(program)")


def time_shares(profile: Path, began: float, ended: float) -> dict[str, float]:
    """Return what fraction of its busy time the server spent in each part of its code.

    Samples are taken at regular intervals of real time. On a busy machine, only the fractions are
    meaningful.

    Args:
        profile: a ``.cpuprofile`` of the server.
        began: the start of the interval, in seconds of the machine's monotonic clock, which Node
            also uses.
        ended: the end of the interval, on the same clock.
    """
    data = json.loads(profile.read_text())
    nodes = {node["id"]: node for node in data["nodes"]}
    above = {child: node["id"] for node in data["nodes"] for child in node.get("children", ())}
    taken: dict[int, float] = defaultdict(float)
    at = float(data["startTime"])
    for number, microseconds in zip(data["samples"], data["timeDeltas"], strict=True):
        at += microseconds
        if began * 1e6 <= at <= ended * 1e6:
            taken[number] += microseconds / 1000
    parts: dict[str, float] = defaultdict(float)
    for number, milliseconds in taken.items():
        stack = [nodes[number]["callFrame"]]
        while (number := above.get(number, 0)) in nodes:
            stack.append(nodes[number]["callFrame"])
        if (name := _part(stack[::-1])) is not None:
            parts[name] += milliseconds
    whole = sum(parts.values())
    return {name: taken / whole for name, taken in parts.items()}


def _part(stack: list[dict[str, Any]]) -> str | None:
    """Return the part of the server, such as a module, to which a call stack belongs.

    The outermost frame comes first. The result is None if the server was idle.
    """
    name = str(stack[-1]["functionName"])
    if name in _IDLE:
        return None
    if name == "(garbage collector)":
        return "garbage"
    files = [str(frame["url"]) for frame in stack]
    if any(frame["functionName"] == "flush" for frame in stack) and "network.js" in str(files):
        return "writing sockets"
    for file in files:
        if _PROJECT_FILE in file and not file.endswith(_ENTRIES):
            return Path(file).stem
    return next(
        (what for words, what in _OTHERS if any(words in file for file in files)), "the rest"
    )


def parts_table(parts: Mapping[str, float], most: int = 10) -> str:
    """Return a Markdown table of the most expensive parts, with ms per tick and fractions."""
    whole = sum(parts.values())
    rows = ["| part | ms a tick | share |", "|---|--:|--:|"]
    for name, taken in sorted(parts.items(), key=lambda pair: -pair[1])[:most]:
        rows.append(f"| {name} | {taken:.2f} | {taken / whole:.0%} |")
    return "\n".join([*rows, f"| all | {whole:.2f} | 100% |"])


# --------------------------------------------------------------------------------------------------

LOAD_BOTS = "bridge/js/load-bots.js"
LOAD_WALKERS = "bridge/js/load-walkers.js"
BOTS_PER_PROCESS = 50
GROUND_Y = -60
HALF_WIDTH = 40
CHEST_EVERY = 16
# The distance in blocks between two bots at the start. From ROOM bots on, the distance is 1.
SPACING, ROOM = 3, 200
SETTLE_S = 5.0
# The options for a flat world, whose ground has the height GROUND_Y.
FLAT = ("--terrain", "superflat")
JOIN_TIMEOUT_S = 300.0
MEGABYTE = 2**20


@dataclass(frozen=True)
class Measurement:
    """The result of the benchmark. Times are in milliseconds, and CPU is in percent of one core."""

    bots: int
    processes: int
    seconds: float
    tps: float
    tick_delay_p50_ms: float
    tick_delay_p95_ms: float
    tick_delay_p99_ms: float
    tick_time_p50_ms: float
    tick_time_p99_ms: float
    packets_per_s: float
    megabytes_per_s: float
    server_cpu_percent: float
    server_rss_mb: float
    bots_cpu_percent: float
    bot_rss_mb: float
    actions_per_bot_minute: float
    failed_actions_percent: float
    join_s: float
    machine: str
    # The server's time per tick for each part, in milliseconds; empty without a profile.
    parts_ms: Mapping[str, float] = field(default_factory=dict)


class BenchError(RuntimeError):
    """The benchmark cannot run."""


class BotProcess:
    """A Node process that runs some of the bots."""

    def __init__(self, script: str) -> None:
        self._process = subprocess.Popen(
            environment.node_command(script),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=environment.PROJECT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._out: IO[str] = self._process.stdin
        self._in: IO[str] = self._process.stdout
        self.pid = self._process.pid
        self.lost = 0

    def tell(self, op: str, **fields: Any) -> None:
        self._out.write(json.dumps({"op": op, **fields}) + "\n")
        self._out.flush()

    def await_answer(self, op: str) -> dict[str, Any]:
        """Return the next answer with this ``op``.

        While the method waits for this answer, it counts the bots that are lost.

        Raises:
            BenchError: bots could not join, or the process ended.
        """
        for line in self._in:
            answer: dict[str, Any] = json.loads(line)
            if answer["op"] == op:
                return answer
            if answer["op"] == "failed":
                raise BenchError(f"bots could not join: {answer['error']}")
            if answer["op"] == "lost":
                self.lost += 1
        raise BenchError("a process with bots ended")

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._out.close()
        self._in.close()


def measure(
    bots: int,
    seconds: float,
    processes: int | None = None,
    *,
    idle: bool = False,
    walkers: bool = False,
    parts: bool = False,
) -> Measurement:
    """Run the benchmark once.

    Args:
        bots: the number of bots.
        seconds: the length of the measurement, which begins after a few seconds.
        processes: the number of Node processes; by default one for every 50 bots.
        idle: whether the bots stand still.
        walkers: whether the bots are bare connections that only walk, which need little CPU time.
        parts: whether to profile the server, which costs the server some time.

    Raises:
        BenchError: the server or the bots did not start.
    """
    count = processes or (1 if walkers else max(1, math.ceil(bots / BOTS_PER_PROCESS)))
    script = LOAD_WALKERS if walkers else LOAD_BOTS
    with tempfile.TemporaryDirectory(prefix="voxpolis-bench-") as folder:
        profile = Path(folder) if parts else None
        with bench_server(profile) as (command, state), _crowds(count, script) as crowds:
            chests = _build(command, has_chests=not walkers)
            join_s = _join(crowds, bots, state["port"], chests)
            apart = SPACING if bots <= ROOM else 1
            command(f"spreadplayers 0 0 {apart} {HALF_WIDTH - 6} false @a")
            if not walkers:
                command("give @a dirt 16")
            for crowd in crowds:
                crowd.tell("busy", busy=not idle)
            time.sleep(SETTLE_S)
            before = _look(command, state["pid"], crowds)
            time.sleep(seconds)
            after = _look(command, state["pid"], crowds, ticks=max(1, round(seconds * 20)))
            if any(crowd.lost for crowd in crowds):
                raise BenchError(f"{sum(c.lost for c in crowds)} bots lost their connection")
        found = _compare(before, after, after["at"] - before["at"], bots, count, join_s)
        if profile is None:
            return found
        shares = time_shares(next(profile.iterdir()), before["at"], after["at"])
        spent = 1000 * (after["server_cpu"] - before["server_cpu"])
        tick_ms = spent / (after["Ticks"] - before["Ticks"])
        return replace(found, parts_ms={name: part * tick_ms for name, part in shares.items()})


def _build(command: Any, *, has_chests: bool) -> list[list[int]]:
    low, high = -HALF_WIDTH, HALF_WIDTH
    command(f"forceload add {low} {low} {high} {high}")
    places = range(low + CHEST_EVERY // 2, high, CHEST_EVERY) if has_chests else ()
    chests = [[x, z] for x in places for z in places]
    for x, z in chests:
        command(f"setblock {x} {GROUND_Y} {z} chest")
    return chests


def _join(crowds: list[BotProcess], bots: int, port: int, chests: list[list[int]]) -> float:
    started = time.monotonic()
    arena = {"low": -HALF_WIDTH, "high": HALF_WIDTH, "y": GROUND_Y, "chests": chests}
    # With more bots starting at once, each would get too little of a core to answer in time.
    at_once = os.cpu_count() or 1
    for index, crowd in enumerate(crowds):
        if index >= at_once:
            crowds[index - at_once].await_answer("joined")
        names = [f"Busy{number:03}" for number in range(index, bots, len(crowds))]
        crowd.tell("join", names=names, host="127.0.0.1", port=port, arena=arena)
    for crowd in crowds[-at_once:]:
        crowd.await_answer("joined")
    return time.monotonic() - started


def _look(command: Any, pid: int, crowds: list[BotProcess], ticks: int = 1) -> dict[str, Any]:
    """Return counters of the server, of its process and of the bots' processes."""
    answer = command(f"tick query {ticks}")
    numbers = {
        name: float(value) for name, value in re.findall(r"(Ticks|packets|bytes): (\d+)", answer)
    }
    times, delays = re.findall(r"P50: ([\d.]+)ms P95: ([\d.]+)ms P99: ([\d.]+)ms", answer)
    done: dict[str, int] = {}
    bots_cpu = bots_rss = 0.0
    for crowd in crowds:
        crowd.tell("measure")
        measured = crowd.await_answer("measured")
        for kind, number in measured["done"].items():
            done[kind] = done.get(kind, 0) + number
        bots_rss += measured["rss"]
        bots_cpu += (measured["cpu"]["user"] + measured["cpu"]["system"]) / 1e6
    process = psutil.Process(pid)
    cpu = process.cpu_times()
    return {
        **numbers,
        "at": time.monotonic(),
        "times": [float(value) for value in times],
        "delays": [float(value) for value in delays],
        "server_cpu": cpu.user + cpu.system,
        "server_rss": process.memory_info().rss,
        "bots_cpu": bots_cpu,
        "bots_rss": bots_rss,
        "failed": done.pop("failed"),
        "done": sum(done.values()),
    }


def _compare(
    before: dict[str, Any],
    after: dict[str, Any],
    passed: float,
    bots: int,
    processes: int,
    join_s: float,
) -> Measurement:
    def rate(name: str) -> float:
        return float(after[name] - before[name]) / passed

    done, failed = rate("done"), rate("failed")
    p50, p95, p99 = after["delays"]
    return Measurement(
        bots=bots,
        processes=processes,
        seconds=round(passed, 1),
        tps=round(rate("Ticks"), 2),
        tick_delay_p50_ms=p50,
        tick_delay_p95_ms=p95,
        tick_delay_p99_ms=p99,
        tick_time_p50_ms=after["times"][0],
        tick_time_p99_ms=after["times"][2],
        packets_per_s=round(rate("packets")),
        megabytes_per_s=round(rate("bytes") / MEGABYTE, 2),
        server_cpu_percent=round(100 * rate("server_cpu"), 1),
        server_rss_mb=round(after["server_rss"] / MEGABYTE),
        bots_cpu_percent=round(100 * rate("bots_cpu"), 1),
        bot_rss_mb=round(after["bots_rss"] / MEGABYTE),
        actions_per_bot_minute=round(60 * done / max(1, bots), 1),
        failed_actions_percent=round(100 * failed / max(1e-9, done + failed), 1),
        join_s=round(join_s, 1),
        machine=f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
    )


@contextmanager
def bench_server(profile: Path | None = None) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Start a server. Yield a function that sends commands to the server, and the state of the
    server.

    ``profile`` is a folder that receives a ``.cpuprofile`` when the server ends.
    """
    with tempfile.TemporaryDirectory(prefix="voxpolis-bench-") as folder:
        variables = {**os.environ, "VOXPOLIS_SERVER": folder}
        if profile is not None:
            variables["NODE_OPTIONS"] = f"--cpu-prof --cpu-prof-dir={profile}"

        def module(*arguments: str) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "voxpolis.server", *arguments],
                cwd=environment.ROOT,
                env=variables,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                raise BenchError(done.stderr.strip())
            return done.stdout

        ports = ("--port", "0", "--rcon-port", "0")
        module("up", "--kind", "embedded", *ports, "--owner", str(os.getpid()), *FLAT)
        try:
            state = json.loads((Path(folder) / "server.json").read_text())
            yield lambda line: module("command", line), state
        finally:
            module("down")


@contextmanager
def _crowds(count: int, script: str) -> Iterator[list[BotProcess]]:
    crowds = [BotProcess(script) for _ in range(count)]
    try:
        yield crowds
    finally:
        for crowd in crowds:
            crowd.end()


HEADINGS = {
    "bots": "bots",
    "tps": "ticks/s",
    "tick_delay_p50_ms": "delay p50 ms",
    "tick_delay_p99_ms": "delay p99 ms",
    "tick_time_p50_ms": "tick ms",
    "packets_per_s": "packets/s",
    "megabytes_per_s": "MB/s",
    "server_cpu_percent": "server CPU %",
    "server_rss_mb": "server MB",
    "bots_cpu_percent": "bots CPU %",
    "bot_rss_mb": "bots MB",
    "actions_per_bot_minute": "actions/bot/min",
    "failed_actions_percent": "failed %",
}


def table(measurements: list[Measurement]) -> str:
    """Return the measurements as a Markdown table."""
    rows = [list(HEADINGS.values())]
    rows += [[str(getattr(m, name)) for name in HEADINGS] for m in measurements]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]

    def line(row: list[str]) -> str:
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        return f"| {' | '.join(cells)} |"

    rule = f"|{'|'.join('-' * (width + 1) + ':' for width in widths)}|"
    return "\n".join([line(rows[0]), rule, *map(line, rows[1:])])


app = CommandLine()


@app.command()
def main(
    bots: Annotated[
        list[int],
        typer.Option(min=1, help="Number of bots. Repeat the option for several measurements."),
    ] = [25],  # noqa: B006 - typer only reads it
    seconds: Annotated[
        float, typer.Option(min=1, help="Length of the measurement in seconds.")
    ] = 30,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="Number of Node processes. By default, one for every 50 bots."),
    ] = None,
    idle: Annotated[bool, typer.Option("--idle", help="Let the bots stand still.")] = False,
    walkers: Annotated[
        bool, typer.Option("--walkers", help="Use connections that only walk, without Mineflayer.")
    ] = False,
    parts: Annotated[
        bool,
        typer.Option("--parts", help="Also print the time of each part of the server."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON.")] = False,
) -> None:
    """Measure how many busy bots the embedded server supports on this machine.

    For example: python -m bridge.bench --bots 25 --bots 100 --seconds 30
    """
    measurements = []
    for number in bots:
        print(f"{number} bots join, then run for {seconds:g} s …", file=sys.stderr)
        try:
            measurements.append(
                measure(number, seconds, processes, idle=idle, walkers=walkers, parts=parts)
            )
        except BenchError as error:
            print(f"error: {error}", file=sys.stderr)
            raise typer.Exit(2) from error
    if as_json:
        found = [asdict(m) for m in measurements]
        print(json.dumps(found[0] if len(found) == 1 else found))
    else:
        print(table(measurements))
        for one in measurements:
            if one.parts_ms:
                print(f"\n{one.bots} bots, CPU time of the server per tick by part:")
                print(parts_table(one.parts_ms))


if __name__ == "__main__":
    run_app(app)
