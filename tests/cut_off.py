"""Programs that kill themselves at a precise point, which an external process could miss."""

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
    """Run ``python -m module`` until ``count`` files matching a pattern have at least a given size.

    The signal ``how`` then kills it. Returns its exit code.
    """
    words = [module, str(files), str(size), str(count), str(int(how)), *options]
    return run_module("tests.cut_off", *words).returncode


def _watch(pattern: str, size: int, count: int, how: int) -> None:
    """Kill this process by a signal once ``count`` matching files have at least a given size."""
    while sum(os.path.getsize(path) >= size for path in glob.glob(pattern)) < count:
        time.sleep(0.001)
    os.kill(os.getpid(), how)


if __name__ == "__main__":
    module, pattern, size, count, how = sys.argv[1:6]
    sys.argv[1:] = sys.argv[6:]
    watched = (pattern, int(size), int(count), int(how))
    threading.Thread(target=_watch, args=watched, daemon=True).start()
    runpy.run_module(module, run_name="__main__", alter_sys=True)
