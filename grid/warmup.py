"""Compiles all kernels, so that nobody waits for that later: ``python -m grid.warmup``.

An installation starts this in the background.
"""

from __future__ import annotations

import numpy as np

from grid.adasociety.vector import VectorGame
from grid.core.batch import Observations
from grid.registry import make_vec

#: A game of each family, with all that can be observed of it.
GAMES: tuple[tuple[str, Observations], ...] = (("exploration", "map"), ("clean_up", "window"))


def main() -> None:
    """Play a step of each family, with all that kernels do."""
    for name, observations in GAMES:
        batch = make_vec(name, 1, observations=observations, action_masks=True)
        batch.reset(seed=0)
        batch.step(np.full(batch.rewards.shape, batch.action_count - 1, np.int32))
        if isinstance(batch, VectorGame):
            batch.set_inventory(0, "wood", 1)


if __name__ == "__main__":
    main()
