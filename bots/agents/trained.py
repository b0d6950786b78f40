"""Agents that act by a policy that was trained on the grid: the kind ``trained:FILE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from grid.adasociety.vector import VectorGame
from grid.core.data import GameError

#: The kind's name; a file stands behind it, after a colon.
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
        self._table = table
        self._best = best
        self._policies = {file: _load(file, table) for file in sorted(set(files.values()))}

    def begin(self, seed: int) -> None:
        """Begin an episode; its seed fixes what is drawn."""
        self._memories: dict[str, Any] = {}
        self._seed = seed
        self._generators: dict[str, Any] = {}

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> dict[int, int]:
        """Return what each of the agents does next, by their numbers.

        Args:
            observed: what the batch of one environment returned.
            masks: (N, A) what is legal.
        """
        actions = {file: self._drawn(file, observed, masks) for file in self._policies}
        return {i: actions[file][i] for i, file in self._files.items()}

    def _drawn(
        self, file: str, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]
    ) -> Sequence[int]:
        """Return what a policy would have all agents do."""
        import torch  # noqa: PLC0415  (only where a trained agent plays)

        from grid.learn.games import scale_of, seen  # noqa: PLC0415
        from grid.learn.networks import draw  # noqa: PLC0415

        network, table = self._policies[file].network, self._table
        earned = table.rewards * scale_of(table.tables, self._best)
        now = seen(table, dict(observed), masks[None], earned)
        if file not in self._memories:
            self._memories[file] = network.begin(now)
            self._generators[file] = torch.Generator().manual_seed(self._seed)
        with torch.no_grad():
            chances, _, self._memories[file] = network(now, self._memories[file])
        drawn: list[int] = draw(chances, self._generators[file])[0].tolist()
        return drawn


def _load(file: str, table: VectorGame) -> Any:
    try:
        from grid.learn.games import shape_of  # noqa: PLC0415  (only where a trained agent plays)
        from grid.learn.policies import load_policy  # noqa: PLC0415
    except ImportError as error:
        raise GameError("trained agents need torch; run: pip install -e '.[rl]'") from error
    policy = load_policy(Path(file))
    if policy.shape != shape_of(table):
        raise GameError(f"{file} was trained on {policy.options.game}, whose agents are others")
    return policy
