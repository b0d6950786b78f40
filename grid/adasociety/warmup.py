"""The first use compiles the kernel in two processes: ``python -m grid.adasociety.warmup``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from grid.adasociety.game import read_game
from grid.adasociety.reset import reset_many
from grid.adasociety.state import make_scratch, make_state
from grid.adasociety.step import step_many
from grid.adasociety.tables import make_tables
from grid.core.arrays import Flags, Floats
from grid.core.jit import is_kept
from grid.core.packing import Packed, pack
from grid.core.warmup import compile_side_by_side


@cache
def compile_kernel() -> None:
    """Compile what every game needs, unless that was kept. All games have the same types."""
    if not is_kept(step_many):
        compile_side_by_side(_compile_step, __name__)


def _compile_step() -> None:
    packed, state, scratch, rewards, ended = _example()
    actions, window = np.zeros(rewards.shape, np.int32), np.zeros((0, 1, 1, 1), np.uint8)
    masks = np.zeros((0, 1, 1), np.uint8)
    step_many(packed, state, scratch, 0, 0, actions, rewards, ended, window, masks, False)


def _compile_reset() -> None:
    packed, state, scratch, rewards, ended = _example()
    reset_many(packed, state, scratch, 0, 0, rewards, ended)


def _example() -> tuple[Packed, Any, Any, Floats, Flags]:
    tables, _ = make_tables(*read_game("exploration"))
    rewards, ended = np.zeros((1, tables.agents)), np.zeros(1, np.bool_)
    return pack(tables), make_state(tables, 1), make_scratch(tables), rewards, ended


if __name__ == "__main__":
    _compile_reset()
