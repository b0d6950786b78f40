"""Progress messages and memory of long runs."""

from __future__ import annotations

import contextlib
import os
import platform
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from voxpolis.experiments.loops.society import society as large_pages
from voxpolis.experiments.loops.society.society import SIZE_FILE, move_into_large_pages
from voxpolis.experiments.run.progress import Progress
from voxpolis.records import SimulatedClock


def until(holds):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_progress_is_printed_after_silence(capfd):
    clock, lines = SimulatedClock(), []

    def told():
        lines.extend(capfd.readouterr().err.splitlines())
        return lines

    with Progress(clock, 4, every_s=0.02) as progress:
        progress.begin(1, "full", 200.0)  # one case was already played before an interruption
        clock.set(100.0)
        until(lambda: any("50%" in line for line in told()))
        progress.begin(2, "", None)
        until(lambda: any("run 3 of 4: 0 s" in line for line in told()))
        progress.doing = "building the arena"
        until(lambda: any("run 3 of 4: building the arena; " in line for line in told()))


@pytest.mark.parametrize("scenario", ["matrix", "taxation"])
def test_run_on_a_terminal_succeeds(scenario, tmp_path):
    """The live table only appears on a terminal, which tests with pipes do not cover."""
    short = {"taxation": ["--condition", "no_vote", "--runs", "1", "--agents", "2"]}
    words = ["-m", f"scenarios.{scenario}", "--world", "grid", "--out", str(tmp_path)]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *words, *short.get(scenario, [])],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # a closed terminal raises this
        while more := os.read(ours, 65_536):
            said += more
    os.close(ours)
    assert process.wait(60) == 0, said.decode()
    assert b"record: " in said


# First Linux version that moves memory into large pages on request.
SINCE = (6, 1)


def in_large_pages():
    """Return how many kB of this process's memory are in large pages."""
    rolled = Path("/proc/self/smaps_rollup").read_text()
    return int(re.search(r"^AnonHugePages:\s+(\d+) kB$", rolled, re.MULTILINE)[1])


def knows_how():
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    is_new = version is not None and tuple(map(int, version.groups())) >= SINCE
    return is_new and SIZE_FILE.exists()


@pytest.mark.skipif(not knows_how(), reason="this system has no large pages on request")
def test_memory_moves_into_large_pages_unchanged():
    held = [f"somebody {number}" for number in range(300_000)]
    move_into_large_pages()
    assert in_large_pages() >= 8 * 1024
    move_into_large_pages()  # moving it again is harmless
    assert held == [f"somebody {number}" for number in range(300_000)]


@pytest.mark.parametrize("size", [None, "unknown"])
def test_nothing_happens_without_large_pages(tmp_path, monkeypatch, size):
    file = tmp_path / "size"
    if size is not None:
        file.write_text(size)
    monkeypatch.setattr(large_pages, "SIZE_FILE", file)
    monkeypatch.setattr(large_pages.ctypes, "CDLL", None)
    move_into_large_pages()
