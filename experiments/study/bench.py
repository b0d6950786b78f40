"""Measures the resources that a scenario needs: ``python -m experiments bench SCENARIO``.

The command also takes the options of the scenario. Each run is a separate process, so that its CPU
time and peak memory can be measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

import click
from rich.table import Table

from voxpolis.experiments.run import registry
from voxpolis.experiments.run.endings import USAGE
from voxpolis.experiments.run.options import UsageError
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import say_error

KB_A_MB = 1024


@dataclass(frozen=True)
class Cost:
    """The resources that a process used: seconds of user and kernel time, and peak memory in kB."""

    user_s: float
    system_s: float
    memory_kb: int


def cost_of(command: Sequence[str]) -> Cost:
    """Run a command without showing its output, and return the resources that it used.

    Raises:
        UsageError: the command failed. The message is the last line that it printed.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            lines = said.read().split("\n")
            why = next((line for line in reversed(lines) if line.strip()), "it said nothing")
            raise UsageError(f"{' '.join(command[1:])} failed: {why}")
    return Cost(used.ru_utime, used.ru_stime, used.ru_maxrss)


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("scenario")
@click.option(
    "--agents", default="1000", help="Numbers of people, comma-separated. [default: 1000]"
)
@click.option(
    "--turns",
    default=1,
    type=click.IntRange(1),
    help="Number of measurements for each number of people. [default: 1]",
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def bench(scenario: str, agents: str, turns: int, options: tuple[str, ...]) -> None:
    """Measure the CPU time and the memory of a society.

    The command also takes the options of the scenario.
    """
    try:
        registry.scenario(scenario)
        if not all(one.strip().isdigit() for one in agents.split(",")):
            raise UsageError(f"--agents takes comma-separated numbers, not {agents}")
        counts = [int(one) for one in agents.split(",")]
        _measure(scenario, counts * turns, options)
    except UsageError as error:
        say_error(error)
        sys.exit(USAGE)


def _measure(scenario: str, counts: Sequence[int], options: Sequence[str]) -> None:
    table = Table(box=None)
    for column in ("agents", "user s", "without start", "system s", "MB", "kB a person"):
        table.add_column(column, justify="right")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "voxpolis", scenario, "--mind", "scripted"]
        least = cost_of([*command, "--help"])  # the run that imports everything and plays nothing
        for count in counts:
            how = ("--out", folder, "--runs", "1", "--agents", str(count))
            one = cost_of([*command, *options, *how])
            own = (one.memory_kb - least.memory_kb) / max(1, count)
            whole = f"{one.user_s:.1f}", f"{one.user_s - least.user_s:.1f}"
            memory = f"{one.memory_kb / KB_A_MB:.0f}", f"{own:.0f}"
            table.add_row(str(count), *whole, f"{one.system_s:.1f}", *memory)
    console = plain_console()
    print_whole(console, table)
    console.print(f"start: {least.user_s:.1f} s of user time, {least.memory_kb / KB_A_MB:.0f} MB")
    console.print(f"machine load: {os.getloadavg()[0]:.1f}")
