"""A trained policy at play, one episode after another, in one game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import scale_of, seen, shape_of
from voxpolis.grid.learn.networks import Memory
from voxpolis.grid.learn.policies import load_policy


class Player:
    """Chooses for all agents of a game by a policy's chances; call :meth:`begin` first."""

    def __init__(self, path: Path, table: VectorGame, best: float) -> None:
        """Read a policy.

        Args:
            path: its file.
            table: the game, one environment.
            best: the most that all agents can earn.

        Raises:
            GameError: the file cannot be read, is no policy, or is one of another game.
        """
        policy = load_policy(path)
        if policy.shape != shape_of(table):
            game = policy.options.game
            others = "whose agents are others (their number, jobs, actions or sight)"
            raise GameError(f"{path} was trained on {game}, {others}")
        self._network = policy.network
        self._table = table
        self._scale = scale_of(table.tables, best)

    def begin(self, seed: int) -> None:
        """Begin an episode; its seed fixes what is drawn."""
        self._memory: Memory | None = None
        self._generator = torch.Generator().manual_seed(seed)

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> list[int]:
        """Return what the policy has each of the N agents do next.

        Args:
            observed: what the batch of one environment returned.
            masks: (N, A) what is legal.
        """
        earned = self._table.rewards * self._scale
        now = seen(self._table, dict(observed), masks[None], earned)
        with torch.no_grad():
            memory = self._memory or self._network.begin(now)
            actions, self._memory = self._network.act(now, memory, self._generator)
        chosen: list[int] = actions[0].tolist()
        return chosen
