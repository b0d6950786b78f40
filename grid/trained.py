"""Agents that act by a policy that was trained on the grid: the kind ``trained:FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from voxpolis.grid.core.data import GameError

if TYPE_CHECKING:  # the game's rules load the compiler, which not every command needs
    import numpy as np
    import numpy.typing as npt

    from voxpolis.grid.adasociety.vector import VectorGame
    from voxpolis.grid.learn.policies import Player

# The kind's name; a file stands behind it, after a colon.
TRAINED: Final = "trained"


class TrainedPlayers:
    """Policies that play some agents of one game.

    One policy sees what all agents of a game see, and draws what its own do by its chances.
    """

    def __init__(self, files: Mapping[int, str], table: VectorGame, best: float) -> None:
        """Read the policies.

        Args:
            files: each agent's policy, by the agent's number; may be empty: then nothing is read.
            table: the game, one environment.
            best: the most that all agents can earn.

        Raises:
            GameError: torch is not installed, or a file cannot be read, is no policy, or is one of
                another game.
        """
        self._files = files
        self._players = {file: _load(file, table, best) for file in sorted(set(files.values()))}

    def begin(self, seed: int) -> None:
        """Begin an episode; its seed fixes what is drawn."""
        for player in self._players.values():
            player.begin(seed)

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> dict[int, int]:
        """Return what each of the agents does next, by their numbers.

        Args:
            observed: what the batch of one environment returned.
            masks: (N, A) what is legal.
        """
        actions = {file: player.act(observed, masks) for file, player in self._players.items()}
        return {i: actions[file][i] for i, file in self._files.items()}


def _load(file: str, table: VectorGame, best: float) -> Player:
    try:
        from voxpolis.grid.learn.policies import Player  # noqa: PLC0415  (only where a trained agent plays)
    except ImportError as error:
        raise GameError("trained agents need torch; run: pip install -e '.[rl]'") from error
    return Player(Path(file), table, best)
