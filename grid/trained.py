"""Agents that follow a policy trained on the grid: the kind ``trained:FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from voxpolis.environment import how_to_add
from voxpolis.grid.core.data import GameError

if TYPE_CHECKING:  # the game's rules load the compiler, which not every command needs
    import numpy as np
    import numpy.typing as npt

    from voxpolis.grid.adasociety.vector import VectorGame
    from voxpolis.grid.learn.policies import Player

# The kind's name, followed by a colon and a file.
TRAINED: Final = "trained"


class TrainedPlayers:
    """Policies that play some agents in one game.

    Each policy receives the observations of all agents and samples actions for its own agents.
    """

    def __init__(self, files: Mapping[int, str], table: VectorGame, best: float) -> None:
        """Read the policies.

        Args:
            files: each agent's policy by agent number; if empty, nothing is read.
            table: the game, one environment.
            best: maximum reward of all agents.

        Raises:
            GameError: torch is not installed, or a file cannot be read, is not a policy, or belongs
                to another game.
        """
        self._files = files
        self._players = {file: _load(file, table, best) for file in sorted(set(files.values()))}

    def begin(self, seed: int) -> None:
        """Start an episode; its seed fixes all sampling."""
        for player in self._players.values():
            player.begin(seed)

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> dict[int, int]:
        """Return the next action of each agent, by number.

        Args:
            observed: observation of a batch of one environment.
            masks: (N, A) legal actions.
        """
        actions = {file: player.act(observed, masks) for file, player in self._players.items()}
        return {i: actions[file][i] for i, file in self._files.items()}


def _load(file: str, table: VectorGame, best: float) -> Player:
    try:
        from voxpolis.grid.learn.policies import Player  # noqa: PLC0415  (only where a trained agent plays)
    except ImportError as error:
        raise GameError(f"trained agents need torch; run: {how_to_add('rl')}") from error
    return Player(Path(file), table, best)
