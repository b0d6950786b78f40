"""Measure the benchmarks of the documentation, and keep each result as a file.

``python docs/measure.py [NAME …]`` runs the commands that this file lists, one after another, and
writes ``docs/measured/NAME.json``; ``docs/site.py`` makes the page of benchmarks from these files.
Run it on a machine that does nothing else: the file says how busy the machine was. ``python
docs/measure.py --against FOLDER`` runs experiments and steps of the grid here and in an older
checkout by turns, and writes the CPU times of both to ``docs/measured/against.json``. First run
``python -m grid.warmup`` in both checkouts.
"""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
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
    # needs the extra "rl"
    "learning_speed": (
        "Training: PPO of voxpolis and of stable-baselines3, one thread each",
        "grid.learn bench --updates 30",
    ),
    "help": ("The time until --help is printed", "scenarios.double_vein --help"),
}

# Experiments that are compared with an older checkout, and the number of turns.
EXPERIMENTS = {
    "religion, 1,000 people, 900 s": "religion --agents 1000 --set length_s=900 --runs 1",
    "taxation of 25, all conditions": "taxation --agents 25 --runs 1",
    "Double-Vein, 100 runs": "double_vein --runs 100",
}
# Environments whose steps are compared with an older checkout.
STEPS = {
    "flat observations with masks, 64 games": (
        "make_agents('contract-easy', 64, observations='flat')"
    ),
    "windows and masks, 1,024 games": "make_vec('contract-easy', 1024)",
    "one game per call": "make_vec('contract-easy', 1)",
    "ParallelEnv, one game": "make('contract-easy', execution='compiled')",
    "Clean Up, windows and masks, 64 games": "make_vec('clean_up', 64)",
}
# Prints the CPU time of a million agent-steps.
STEPPING = """
import time
import numpy as np
from voxpolis import grid
env, rng = grid.{env}, np.random.default_rng(0)
env.reset(seed=0)
if hasattr(env, "possible_agents"):
    size = len(env.possible_agents)
    actions = [dict(zip(env.possible_agents, one)) for one in rng.integers(0, 5, (64, size))]
else:
    size = int(np.prod(env.action_space.shape))
    actions = rng.integers(0, 5, (64, *env.action_space.shape))
def cpu_s(seconds):
    steps, start = 0, time.process_time()
    while (used := time.process_time() - start) < seconds:
        if getattr(env, "agents", True):
            env.step(actions[steps % 64])
        else:
            env.reset()
        steps += 1
    return 1e6 * used / (steps * size)
cpu_s(0.5)
print(cpu_s(2.0))
"""
TURNS = 5


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
    _write(name, title, f"python -m {command}", (load, wall_s, cpu_s), shown)


def compare(folder: str) -> None:
    """Compare the CPU time of experiments and of steps with that of an older checkout."""
    load, began, before = os.getloadavg()[0], time.time(), _cpu_s()
    rows = []
    for work, options in EXPERIMENTS.items():
        taken: dict[str, list[float]] = {folder: [], ".": []}
        for checkout in (*taken,) * TURNS:
            with tempfile.TemporaryDirectory() as out:
                command = f"-m scenarios.{options} --world grid --mind scripted --json --out {out}"
                start = _cpu_s()
                _output([sys.executable, *command.split()], checkout)
                taken[checkout].append(_cpu_s() - start)
        rows.append(
            _row(work, taken, f"python -m scenarios.{options} --world grid --mind scripted")
        )
    for work, env in STEPS.items():
        taken = {folder: [], ".": []}
        for checkout in (*taken,) * TURNS:
            words = [sys.executable, "-c", STEPPING.format(env=env)]
            taken[checkout].append(float(_output(words, checkout)))
        rows.append(_row(f"a million agent-steps: {work}", taken, f"grid.{env}"))
    commit = _output(["git", "-C", folder, "rev-parse", "--short", "HEAD"]).strip()
    title = f"CPU time of experiments and steps, before (commit {commit}) and after"
    took = load, time.time() - began, _cpu_s() - before
    _write("against", title, f"python docs/measure.py --against CHECKOUT_OF_{commit}", took, rows)


def _row(work: str, taken: dict[str, list[float]], command: str) -> dict[str, Any]:
    """Return a row with the times of the older checkout and of this one: median, least, most."""
    row: dict[str, Any] = {"work": work}
    for name, times in zip(("before", "after"), taken.values(), strict=True):
        least, median, most = min(times), statistics.median(times), max(times)
        row[f"{name}, s (of {len(times)} turns)"] = f"{median:.2g} ({least:.2g} to {most:.2g})"
    return {**row, "command": f"`{command}`"}


def _write(
    name: str, title: str, command: str, took: tuple[float, float, float], output: Any
) -> None:
    load, wall_s, cpu_s = took
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    found = {
        "title": title,
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _output(["git", "rev-parse", "--short", "HEAD"]).strip(),
        "machine": f"{os.cpu_count()} cores, {cpu[1] if cpu else '?'}",
        "load": round(load, 2),
        "wall_s": round(wall_s, 1),
        "cpu_s": round(cpu_s, 1),
        "output": output,
    }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def _output(words: list[str], checkout: str = ".") -> str:
    path = {"PYTHONPATH": str(Path(checkout).resolve())}
    done = subprocess.run(
        words, check=True, cwd=checkout, env=os.environ | path, capture_output=True, text=True
    )
    return done.stdout


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    if sys.argv[1:2] == ["--against"]:
        compare(sys.argv[2])
    else:
        for wanted in sys.argv[1:] or COMMANDS:
            measure(wanted)
