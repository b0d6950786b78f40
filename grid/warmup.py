"""Compiles all kernels in advance, so that later no batch has to wait: ``python -m
grid.warmup``.
"""

from __future__ import annotations

from voxpolis.grid.core.batch import Observations
from voxpolis.grid.registry import make_vec

# A game of each family, with all kinds of observations.
GAMES: tuple[tuple[str, Observations], ...] = (("exploration", "map"), ("clean_up", "flat"))


def main() -> None:
    """Start a game of each family, so that its kernel is compiled and cached."""
    for name, observations in GAMES:
        make_vec(name, 1, observations=observations).reset(seed=0)


if __name__ == "__main__":
    main()
