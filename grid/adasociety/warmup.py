"""The first use compiles the kernel in two processes: ``python -m grid.adasociety.warmup``."""

from __future__ import annotations

from functools import cache

import numpy as np

from grid.adasociety.game import read_game
from grid.adasociety.state import make_scratch, make_state
from grid.adasociety.step import STEP, step_many
from grid.adasociety.tables import make_tables
from grid.core.jit import first_call, is_kept
from grid.core.packing import pack
from grid.core.warmup import compile_beside


@cache
def compile_kernel() -> None:
    """Let another process compile the longest part, unless that was kept.

    All games have the same types.
    """
    if not is_kept(step_many):
        compile_beside(__name__)


def compile_step() -> None:
    """Compile a step, on no environments at all."""
    tables, _ = make_tables(*read_game("exploration"))
    packed, state, scratch = pack(tables), make_state(tables, 1), make_scratch(tables)
    rewards, ended = np.zeros((1, tables.agents)), np.zeros(1, np.bool_)
    actions, window = np.zeros(rewards.shape, np.int32), np.zeros((0, 1, 1, 1), np.uint8)
    masks = np.zeros((0, 1, 1), np.uint8)
    with first_call(step_many):
        step_many(packed, state, scratch, 0, 0, actions, rewards, ended, window, masks, STEP)


if __name__ == "__main__":
    compile_step()
