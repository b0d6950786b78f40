"""Kills a run, a comparison, a sweep or a server at a defined point, and checks what remains.

``python -m tests.kills`` does this at all points in :data:`KILLS` and prints a line for each. With
a word as argument, it uses only the points whose name contains the word. The test suite includes a
few of them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from tests.conftest import ROOT, UP, run_module
from voxpolis.records import read_record
from voxpolis.server import ports
from voxpolis.server.server_pool import remove_abandoned

MARK = "KILL_MARK"
HOOK = Path(__file__).parent / "data" / "killing"
SOON_S = 400
KILL, TERM, INT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT
# Problem reported for a record whose writer was killed.
CUT_SHORT = re.compile("cut off|missing")
# Commands; ``{out}`` stands for a new folder.
GRID = ["scenarios.double_vein", "--contract", "1", "--runs", "2", "--out", "{out}"]
OWN = [*GRID, "--server", "new", "--speed", "10"]
GRID += ["--world", "grid", "--json"]
COMPARE = ["experiments", "compare", "double_vein", "--conditions", "none,1"]
COMPARE += ["--parallel", "2", "--runs", "1", "--out", "{out}"]
SWEEP = ["experiments", "sweep", "{out}/plan.yaml", "--workers", "1", "--out", "{out}"]
START = ["server", *(option for option in UP if option != "--strict")]
PLAN = """
scenario: double_vein
world: minecraft
seeds: 2
conditions: {one: {contract: "1"}}
server: {speed: 10}
"""


@dataclass(frozen=True)
class Kill:
    """One kill.

    Attributes:
        command: arguments of ``python -m``.
        at: the function, as ``module:name``; the kill happens when it is called, in any process of
            the command.
        whom: process to kill: the command, Node, or the embedded server.
        how: the signal.
        count: which call of the function in a process triggers the kill, from 1.
        called_by: name of the calling function; empty for any.
        needs_server: the command plays on a server that is already running.
    """

    command: Sequence[str]
    at: str
    whom: Literal["itself", "command", "node", "server"] = "itself"
    how: signal.Signals = KILL
    count: int = 1
    called_by: str = ""
    needs_server: bool = False

    def __str__(self) -> str:
        what = {"server": "server up"}.get(self.command[0], self.command[0].rpartition(".")[2])
        if what == "experiments":
            what = self.command[1]
        if self.command is OWN:
            what += " with a server of its own"
        elif self.command is GRID:
            what += " on the grid"
        place = f"{self.at}{f' #{self.count}' if self.count > 1 else ''}"
        place += f" by {self.called_by}" if self.called_by else ""
        return f"{what}, {place}: {self.how.name} of {self.whom}"


SETTLE = "voxpolis.judge.contracts.settlement:settle"
WRITE = "voxpolis.records.writer:RunWriter._append"
REPLACE = "pathlib:Path.replace"
KILLS = [
    # --- Record writing, and settlement
    *(Kill(GRID, SETTLE, how=how) for how in (KILL, TERM, INT)),
    *(Kill(GRID, WRITE, how=how, count=40) for how in (KILL, TERM, INT)),
    # run.yaml is the first file written atomically; results follow
    *(Kill(GRID, REPLACE, how=how, called_by="replace_text", count=2) for how in (KILL, TERM, INT)),
    *(Kill(GRID, REPLACE, how=how, called_by="replace_text", count=3) for how in (KILL, TERM, INT)),
    Kill(GRID, "voxpolis.records.writer:RunWriter._open"),
    Kill(GRID, "voxpolis.records.writer:RunWriter.close"),
    # --- Start and end of a server
    *(
        Kill(START, "voxpolis.server.embedded_server:_wait_until_ready", how=how)
        for how in (KILL, TERM, INT)
    ),
    Kill(START, "voxpolis.server.state:write_state"),
    Kill(START, "voxpolis.server.state:write_state", "server"),
    Kill(START, "voxpolis.server.starting:wait_for_answer", "server"),
    Kill(OWN, "voxpolis.server.state:new_password"),
    Kill(OWN, "voxpolis.server.embedded_server:_wait_until_ready"),
    *(
        Kill(OWN, "voxpolis.server.embedded_server:_wait_until_ready", "command", how)
        for how in (KILL, TERM, INT)
    ),
    Kill(OWN, "voxpolis.server.state:write_state"),
    Kill(OWN, "voxpolis.server.starting:wait_for_answer", "command"),
    Kill(OWN, "voxpolis.server.starting:wait_for_answer", "server"),
    Kill(OWN, "voxpolis.server.embedded_server:stop"),
    Kill(OWN, "voxpolis.server.embedded_server:stop", "command"),
    Kill(OWN, "voxpolis.server.state:forget_state"),
    # --- A run in Minecraft
    *(
        Kill(OWN, "voxpolis.bridge.bridge:Bridge.spawn", whom)
        for whom in ("command", "node", "server")
    ),
    *(
        Kill(OWN, "voxpolis.worlds.minecraft.arena:MinecraftArena.build", whom)
        for whom in ("command", "node", "server")
    ),
    *(
        Kill(OWN, "voxpolis.worlds.minecraft.arena:MinecraftArena._look", whom)
        for whom in ("command", "node", "server")
    ),
    *(Kill(OWN, SETTLE, whom) for whom in ("command", "node", "server")),
    *(Kill(OWN, SETTLE, "command", how) for how in (TERM, INT)),
    # --- Comparisons and sweeps
    Kill(COMPARE, "voxpolis.server.server_pool:server_command", needs_server=True),
    Kill(COMPARE, "voxpolis.experiments.study.sweep_workers:Worker.play", needs_server=True),
    *(Kill(COMPARE, SETTLE, "command", how, needs_server=True) for how in (KILL, TERM, INT)),
    Kill(COMPARE, SETTLE, "itself", needs_server=True),
    Kill(COMPARE, SETTLE, "server", needs_server=True),
    Kill(COMPARE, "voxpolis.experiments.study.sweep_workers:Worker.stop", needs_server=True),
    *(Kill(SWEEP, SETTLE, "command", how) for how in (KILL, TERM, INT)),
    Kill(SWEEP, SETTLE, "itself"),
    Kill(SWEEP, SETTLE, "node"),
    Kill(SWEEP, SETTLE, "server"),
    Kill(SWEEP, REPLACE, called_by="_write", count=2),
    Kill(SWEEP, "voxpolis.experiments.study.sweep_workers:Worker.stop"),
]


def play(kill: Kill, folder: Path) -> list[str]:
    """Run a command until it is killed, and check what remains.

    Args:
        kill: the kill.
        folder: a new folder for all output of the command.

    Returns:
        descriptions of leftovers that should not exist.
    """
    mark, out, temporary = uuid.uuid4().hex, folder / "out", folder / "tmp"
    for path in (out, temporary):
        path.mkdir()
    (out / "plan.yaml").write_text(PLAN)
    order = {"at": kill.at, "whom": kill.whom, "how": kill.how, "count": kill.count}
    order |= {"called_by": kill.called_by, "folder": str(folder / "order")}
    environment = {**os.environ, MARK: mark, "TMPDIR": str(temporary), "KILL": json.dumps(order)}
    environment["PYTHONPATH"] = os.pathsep.join([str(HOOK), str(ROOT)])
    if not kill.needs_server:
        environment["VOXPOLIS_SERVER"] = str(folder / "server")
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", *(part.format(out=out) for part in kill.command)],
            cwd=ROOT,
            env=environment,
            stdout=said,
            stderr=said,
            process_group=0,  # so that an interrupt does not reach the children
        )
    listened: set[int] = set()
    try:
        problems = _until_gone(process, mark, listened)
    finally:
        for one in marked(mark):
            with contextlib.suppress(psutil.Error):
                one.kill()
        process.wait()
    if not (folder / "order" / "done").exists():
        problems.append("the point was never reached")
    return [*problems, *_ports(listened), *_files(folder), *_results(out)]


def marked(mark: str) -> list[psutil.Process]:
    """Return the remaining processes that were started with the given mark."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            if not is_dead and process.environ().get(MARK) == mark:
                found.append(process)
    return found


def _until_gone(process: subprocess.Popen[bytes], mark: str, listened: set[int]) -> list[str]:
    """Wait until the command and its processes have ended; record their ports.

    A program that is starting has no environment for a moment, so a single check is not enough.
    """
    until = time.monotonic() + SOON_S
    empty_looks = 0
    while empty_looks < 3:
        left = marked(mark)
        empty_looks = 0 if left else empty_looks + 1
        for one in left:
            with contextlib.suppress(psutil.Error):
                connections = one.net_connections("tcp")
                listened |= {c.laddr.port for c in connections if c.status == psutil.CONN_LISTEN}
        if left and time.monotonic() > until:
            return [f"a process: {one.pid}" for one in left]
        time.sleep(0.2)
    process.wait()
    return []


def _ports(listened: set[int]) -> Iterator[str]:
    for port in sorted(listened):
        if not ports.is_free("127.0.0.1", port):
            yield f"a port: {port}"


def _files(folder: Path) -> Iterator[str]:
    """Return leftover passwords and temporary folders that the next temporary server does not
    remove."""
    for path in folder.rglob("rcon.password"):
        yield f"a password: {path.relative_to(folder)}"
    remove_abandoned(folder / "tmp")
    for path in (folder / "tmp").iterdir():
        yield f"a temporary folder: {path.name}"


def _results(out: Path) -> Iterator[str]:
    """Return unreadable records, and incomplete results that look complete."""
    for path in out.rglob("run.yaml"):
        record = read_record(path.parent)
        told = [str(problem) for problem in record.problems]
        yield from (f"a damaged record: {one}" for one in told if not CUT_SHORT.search(one))
    for path in out.rglob("result*.json"):
        try:
            result = json.loads(path.read_text())
        except ValueError as error:
            yield f"{path.name} cannot be read: {error}"
            continue
        is_whole = not {"unfinished", "error"} & result.keys()
        ended = (path.parent / "events.jsonl").read_bytes() if path.name == "result.json" else b""
        if is_whole and b'"reason":"interrupted"' in ended:
            yield f"{path.name} looks whole, and the run was interrupted"
        if is_whole and len(result["runs"]) < 1:
            yield f"{path.name} looks whole, and has no runs"


def main(words: Sequence[str]) -> int:
    """Carry out all kills, or those that a word selects; return how many left something behind."""
    bad = 0
    chosen = [kill for kill in KILLS if all(word in str(kill) for word in words)]
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        os.environ["VOXPOLIS_SERVER"] = str(Path(name) / "server")
        run_module(*START, "--speed", "10", "--owner", str(os.getpid()))
        try:
            for number, kill in enumerate(chosen):
                folder = Path(name) / str(number)
                folder.mkdir()
                began = time.monotonic()
                left = play(kill, folder)
                bad += bool(left)
                print(f"{kill}: {'; '.join(left) or 'nothing'} ({time.monotonic() - began:.0f} s)")
                if left:
                    print("    " + (folder / "said").read_text()[-500:].replace("\n", "\n    "))
                sys.stdout.flush()
        finally:
            run_module("server", "down")
    print(f"{len(chosen)} kills, {bad} of them left something")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
