"""Programs that end themselves in their midst: who watches from outside may come too late."""

from __future__ import annotations

import glob
import os
import runpy
import signal
import sys
import threading
import time
from pathlib import Path

from tests.conftest import run_module


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
    return run_module("tests.cut_off", *words).returncode


def _watch(pattern: str, size: int, count: int, how: int) -> None:
    """End this process by a signal once so many files of a pattern are so large."""
    while sum(os.path.getsize(path) >= size for path in glob.glob(pattern)) < count:
        time.sleep(0.001)
    os.kill(os.getpid(), how)


if __name__ == "__main__":
    module, pattern, size, count, how = sys.argv[1:6]
    sys.argv[1:] = sys.argv[6:]
    watched = (pattern, int(size), int(count), int(how))
    threading.Thread(target=_watch, args=watched, daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)
