"""Ownership of servers: one scenario per server, and nothing is left of killed processes."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
import uuid

import pytest

from tests import kills
from tests.conftest import ROOT, run_module
from voxpolis.server.server_pool import OWNER, remove_abandoned

SOON_S = 60
# A process with a separate server, and a process that plays a job as a sweep does.
SERVES = """
import time
from voxpolis.server.server_pool import temporary_server
with temporary_server(1.0, "superflat"):
    print("up", flush=True)
    time.sleep(600)
"""
PLAYS = """
import threading
from voxpolis.experiments.study.sweep_workers import Job, Worker
print("up", flush=True)
Worker(0, None).play(Job("one", 0, ("-c", '''
import time
from voxpolis.experiments.run.endings import end_with_owner
end_with_owner()
time.sleep(600)
''')))
"""


def started(program, mark, *arguments):
    """Start a process whose descendants, in any session, are marked by their environment."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, kills.MARK: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def wait_until_none(mark):
    until = time.monotonic() + SOON_S
    while left := kills.marked(mark):
        assert time.monotonic() < until, [process.cmdline() for process in left]
        time.sleep(0.2)


@pytest.mark.parametrize("program", [SERVES, PLAYS], ids=["server", "job"])
def test_processes_killed_at_any_moment_leave_nothing_behind(program, tmp_path, monkeypatch):
    """Kill five times each, at moments from the start until everything is up, in parallel to save
    time.

    Killed processes are not reaped, as in a container whose first process is not an init.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    mark = uuid.uuid4().hex
    owners = []
    try:
        owners += [started(program, mark) for _ in range(5)]
        owners[-1].stdout.readline()
        for owner in reversed(owners):  # how far each process has come depends on the machine
            owner.kill()
            time.sleep(0.3)
        wait_until_none(mark)
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    finally:
        for owner in owners:
            owner.kill()
            owner.wait()
            owner.stdout.close()


# A process with a body that runs a program, and prints its progress.
LIVES = """
import asyncio, sys
from voxpolis.bridge import Bridge

async def main():
    print("starting", flush=True)
    async with Bridge() as bridge:
        print("joining", flush=True)
        bot = await bridge.spawn(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        print("joined", flush=True)
        running = asyncio.create_task(bot.run("bot.chat('begun'); for (;;) {}", 600))
        async for event in bridge.events():
            if event.kind == "chat":
                print("running", flush=True)
                break
        await bot.stop("enough")
        print("stopped", flush=True)
        await running
        await asyncio.sleep(600)

asyncio.run(main())
"""
STAGES = ["starting", "joining", "joined", "running", "stopped"]


def test_killing_a_body_at_any_stage_leaves_nothing_behind(server):
    mark = uuid.uuid4().hex
    names = [f"Kill{stage}" for stage in STAGES]
    owners = [started(LIVES, mark, name, server.host, str(server.port)) for name in names]
    try:
        for owner, stage in zip(owners, STAGES, strict=True):
            while (said := owner.stdout.readline().strip()) != stage:
                assert said, f"it ended before it was {stage}"
            owner.kill()
    finally:
        for owner in owners:
            owner.kill()
            owner.wait()
            owner.stdout.close()
    wait_until_none(mark)
    until = time.monotonic() + SOON_S
    while (listed := run_module("server", "command", "list").stdout).count("Kill"):
        assert time.monotonic() < until, listed
        time.sleep(0.2)


# Some of the kills in ``python -m tests.kills``, which contains all of them.
SAMPLE = [
    kills.Kill(kills.GRID, kills.SETTLE, how=signal.SIGTERM),
    kills.Kill(kills.GRID, kills.REPLACE, called_by="replace_text", count=2),
    kills.Kill(kills.START, "voxpolis.server.embedded_server:_wait_until_ready"),
]


@pytest.mark.parametrize("kill", SAMPLE, ids=str)
def test_a_kill_leaves_no_file_that_looks_complete(kill, tmp_path):
    assert kills.play(kill, tmp_path) == []


def test_a_folder_without_an_owner_is_removed_with_its_password(tmp_path):
    """Owner and server were killed together; the next temporary server cleans up."""
    left, owned, new = (tmp_path / f"voxpolis-server-{name}" for name in ("left", "owned", "new"))
    for folder in (left, owned, new):
        folder.mkdir()
        (folder / "rcon.password").write_text("secret")
    (left / OWNER).touch()
    with (owned / OWNER).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_abandoned(tmp_path)
    assert [folder.exists() for folder in (left, owned, new)] == [False, True, True]


def test_a_second_scenario_on_a_server_is_refused_and_told_about_the_first(server):
    holds = "import time; from server.in_use import reserve_server as reserve;"
    holds += "reserve('double_vein (Gizmo)');"
    other = subprocess.Popen(
        [sys.executable, "-c", holds + "print('has it', flush=True); time.sleep(600)"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        other.stdout.readline()
        refused = run_module("scenarios.double_vein", "--contract", "1")
    finally:
        other.kill()
        other.wait()
        other.stdout.close()
    assert refused.returncode == 2
    assert f"in use: process {other.pid} plays double_vein (Gizmo) there" in refused.stderr
    assert "--server new" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
