"""Agents that follow a policy trained on the grid. Their kind is ``trained:FILE``."""

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
    """The policies that play some of the agents in a game.

    Each policy gets the observations of all agents, and draws actions for the agents that it plays.
    """

    def __init__(self, files: Mapping[int, str], table: VectorGame, best: float) -> None:
        """Read the policies.

        Args:
            files: a dictionary from the number of each agent that a policy plays to the file of the
                policy. If it is empty, nothing is read.
            table: the game, with one environment.
            best: maximum reward of all agents together.

        Raises:
            GameError: torch is not installed, or a file cannot be read, contains no policy, or
                belongs to another game.
        """
        self._files = files
        self._players = {file: _load(file, table, best) for file in sorted(set(files.values()))}

    def begin(self, seed: int) -> None:
        """Start an episode. The seed determines all actions that are drawn."""
        for player in self._players.values():
            player.begin(seed)

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> dict[int, int]:
        """Return a dictionary from the number of each agent that a policy plays to its next action.

        Args:
            observed: the observation of a batch with one environment.
            masks: (N, A), legal actions.
        """
        actions = {file: player.act(observed, masks) for file, player in self._players.items()}
        return {i: actions[file][i] for i, file in self._files.items()}


def _load(file: str, table: VectorGame, best: float) -> Player:
    try:
        from voxpolis.grid.learn.policies import Player  # noqa: PLC0415  (only where a trained agent plays)
    except ImportError as error:
        raise GameError(f"trained agents need torch; run: {how_to_add('rl')}") from error
    return Player(Path(file), table, best)
