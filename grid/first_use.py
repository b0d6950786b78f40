"""The first use compiles the kernel: one half here, the other in a process beside.

In one process numba compiles one function at a time. ``python -m grid.first_use`` is that other
process.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grid import kernel
from grid.game import read_game
from grid.kernel.compiling import is_kept
from grid.state import make_scratch, make_state
from grid.tables import make_tables

ROOT = Path(__file__).resolve().parent.parent


@cache
def compile_kernel() -> None:
    """Compile what every game needs, unless that was kept. All games have the same types.

    Where the other process cannot start or fails, its half is compiled when it is called.
    """
    if is_kept(kernel.step_many):
        return
    nowhere = subprocess.DEVNULL
    command = [sys.executable, "-m", "grid.first_use"]
    try:
        beside = subprocess.Popen(command, cwd=ROOT, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    except OSError:
        return
    try:
        _compile_steps()
        beside.wait()
    finally:
        beside.kill()
        beside.wait()


def _compile_steps() -> None:
    packed, state, scratch, rewards, ended = _example()
    actions, window = np.zeros(rewards.shape, np.int32), np.zeros((0, 1, 1, 1), np.uint8)
    kernel.step_many(packed, state, scratch, 0, 0, actions, rewards, ended, window)


def _compile_resets() -> None:
    packed, state, scratch, rewards, ended = _example()
    kernel.reset_many(packed, state, scratch, 0, 0, rewards, ended)


def _example() -> tuple[Any, Any, Any, npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    tables, _ = make_tables(*read_game("exploration"))
    rewards, ended = np.zeros((1, tables.agents)), np.zeros(1, np.bool_)
    return kernel.pack(tables), make_state(tables, 1), make_scratch(tables), rewards, ended


if __name__ == "__main__":
    _compile_resets()
