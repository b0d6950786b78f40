"""The first use compiles a kernel: a part here, another in a process beside.

In one process numba compiles one function at a time.
"""

from __future__ import annotations

import subprocess
import sys

from grid.core.jit import GRID, tell_of_compiling

_BESIDE: list[subprocess.Popen[bytes]] = []


def compile_beside(module: str) -> None:
    """Start ``python -m module``, which compiles and keeps a part of a kernel, and go on.

    Who needs that part waits for it, see :func:`grid.core.jit.first_call`. Where the other process
    cannot start or fails, the part is compiled when it is called.
    """
    tell_of_compiling()
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", module]
    try:
        beside = subprocess.Popen(
            command, cwd=GRID.parent, stdin=nowhere, stdout=nowhere, stderr=nowhere
        )
    except OSError:
        return
    _BESIDE.append(beside)
