"""Measure the benchmarks of the documentation, and keep each result as a file.

``python docs/measure.py [NAME …]`` runs the commands below, one after another, and writes
``docs/measured/NAME.json``; ``docs/site.py`` makes the page of benchmarks from these files. Run it
on a machine that does nothing else: the file says how busy it was.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "measured"
# Title and command of each benchmark.
COMMANDS = {
    "grid": ("Agent-steps per second on the grid", "grid.bench --seconds 1 --json"),
    "bots": (
        "Busy bots on the embedded server",
        "bridge.bench --bots 25 --bots 100 --bots 200 --seconds 30 --json",
    ),
    "reflexes": (
        "How late reflexes are while all minds think",
        "bots.agents.piano.bench --seconds 20 --json",
    ),
    "society": (
        "CPU time and memory of a society",
        "experiments bench religion --agents 1000,4000 --set length_s=1200",
    ),
    "minecraft": (
        "Four runs of Double-Vein in Minecraft at speed 10, server included",
        "scenarios.double_vein --contract 1 --runs 4 --server new --speed 10 --json",
    ),
    "headless": (
        "A hundred runs of Double-Vein on the grid",
        "scenarios.double_vein --world grid --runs 100 --json",
    ),
    "help": ("The time until --help is printed", "scenarios.double_vein --help"),
}


def measure(name: str) -> None:
    """Run one command, and write its output with date, commit, machine and times."""
    title, command = COMMANDS[name]
    is_run = command.startswith("scenarios") and "--json" in command
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", *command.split(), *(["--out", folder] if is_run else [])]
        load, began, before = os.getloadavg()[0], time.time(), _cpu_s()
        output = _output(words)
        wall_s, cpu_s = time.time() - began, _cpu_s() - before
    shown: Any = json.loads(output) if "--json" in command else output.strip()
    if is_run:
        shown = [{"mind": shown["mind"], **shown["mean"]}]
    elif "--help" in command:
        shown = ""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    found = {
        "title": title,
        "command": f"python -m {command}",
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _output(["git", "rev-parse", "--short", "HEAD"]).strip(),
        "machine": f"{os.cpu_count()} cores, {cpu[1] if cpu else '?'}",
        "load": round(load, 2),
        "wall_s": round(wall_s, 1),
        "cpu_s": round(cpu_s, 1),
        "output": shown,
    }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def _output(words: list[str]) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    for wanted in sys.argv[1:] or COMMANDS:
        measure(wanted)
