"""Programs that end themselves in their midst: who watches from outside may come too late."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PROGRAM = """
import glob, os, runpy, sys, threading, time
module, pattern, size, count, how = sys.argv[1:6]
sys.argv[1:] = sys.argv[6:]

def watch():
    while sum(os.path.getsize(path) >= int(size) for path in glob.glob(pattern)) < int(count):
        time.sleep(0.001)
    os.kill(os.getpid(), int(how))

threading.Thread(target=watch, daemon=True).start()
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def cut_off(
    module: str,
    *options: str,
    files: Path,
    size: int = 0,
    count: int = 1,
    how: signal.Signals = signal.SIGKILL,
) -> int:
    """Play ``python -m module`` with options until so many files of a pattern are so large.

    It gets the signal ``how`` then. Returns its exit code.
    """
    words = [module, str(files), str(size), str(count), str(int(how)), *options]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=200,
        check=False,
    )
    return done.returncode
