"""The first use compiles a kernel: one half here, the other in a process beside.

In one process numba compiles one function at a time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from grid.core.jit import GRID


def compile_side_by_side(compile_here: Callable[[], object], module: str) -> None:
    """Compile one half here, and the other by ``python -m module`` meanwhile.

    Where the other process cannot start or fails, its half is compiled when it is called.
    """
    print("compiling the grid's rules for this machine, once: about 20 s", file=sys.stderr)
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", module]
    try:
        beside = subprocess.Popen(
            command, cwd=GRID.parent, stdin=nowhere, stdout=nowhere, stderr=nowhere
        )
    except OSError:
        return
    try:
        compile_here()
        beside.wait()
    finally:
        beside.kill()
        beside.wait()
