"""Policies that were trained to take apples. A policy is a small network that gets a player's view.

``python -m grid.learn commons`` trains such a policy (``grid/learn/commons.py``). Only numpy is
needed to play with a policy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.grid.commons.game import View, read_commons
from voxpolis.grid.commons.tables import APPLE_AT, PLAYER_AT, WALL_AT
from voxpolis.grid.core.data import GameError

# The game used for training, and its first actions, which every commons has.
GAME = "commons_harvest_open"
ACTIONS = tuple(read_commons(GAME).actions)
# A policy's field of view: the same as in the training game.
VIEW: View = read_commons(GAME).view
ROWS, COLUMNS = VIEW.ahead + VIEW.behind + 1, 2 * VIEW.sideways + 1
# Features of each cell (wall, apple, player), and whether the player can fire.
SEEN = (WALL_AT, APPLE_AT, PLAYER_AT)
INPUTS = ROWS * COLUMNS * len(SEEN) + 1
# Version of the file format, so that other versions are refused by name.
VERSION = 1
# Number of decimal digits kept of the network's output; further digits differ between machines.
DIGITS = 6

Array = npt.NDArray[Any]


def inputs_of(window: Array, ready: Array) -> Array:
    """Convert a player's view to the input of a policy: (…, :data:`INPUTS`) float32.

    Args:
        window: (…, rows, columns, 8), the views of players, see
            :class:`grid.commons.vector.VectorCommons`.
        ready: (…,), whether each player can fire.
    """
    cells = window[..., SEEN] > 0
    flat = cells.reshape(*cells.shape[:-3], -1)
    return np.concatenate((flat, ready[..., None] > 0), -1).astype(np.float32)


@dataclass(frozen=True)
class Policy:
    """A network that consists of linear layers with ReLU between them.

    Attributes:
        layers: the weights (inputs, outputs) and the biases of each layer.
        trained: the options of the training, and the results of its last episodes.
    """

    layers: Sequence[tuple[Array, Array]]
    trained: dict[str, Any]

    def logits(self, inputs: Array) -> Array:
        """Return the logits of the actions: (…, A)."""
        for number, (weights, biases) in enumerate(self.layers):
            inputs = np.maximum(inputs, 0) if number else inputs
            inputs = inputs @ weights + biases
        return np.round(inputs.astype(np.float64), DIGITS)

    def act(self, inputs: Array, legal: Array, uniform: Callable[[], float]) -> int:
        """Draw a legal action from the policy.

        Args:
            inputs: (:data:`INPUTS`,), see :func:`inputs_of`.
            legal: (A,), mask of legal actions.
            uniform: draws a number in [0, 1).
        """
        logits = np.where(legal, self.logits(inputs), -np.inf)
        chances = np.cumsum(np.exp(logits - logits.max()))
        drawn = np.searchsorted(chances, uniform() * chances[-1], side="right")
        return min(int(drawn), int(np.flatnonzero(legal)[-1]))


def write_policy(path: Path, policy: Policy) -> None:
    """Write a policy to a file. Identical policies give identical bytes."""
    about = json.dumps({"version": VERSION, **policy.trained})
    arrays: dict[str, Any] = {"about": np.array(about)}
    for number, (weights, biases) in enumerate(policy.layers):
        arrays |= {f"weights{number}": weights, f"biases{number}": biases}
    np.savez_compressed(path, **arrays)


def read_policy(path: Path) -> Policy:
    """Read a policy from a file. Nothing in the file is executed.

    Raises:
        GameError: the file cannot be read, or contains no policy of this version for this game.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(str(arrays.pop("about")))
        version = about.pop("version")
        count = len(arrays) // 2
        layers = [(arrays[f"weights{n}"], arrays[f"biases{n}"]) for n in range(count)]
    except OSError as error:
        raise GameError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # numpy and zipfile raise many types for invalid files
        raise GameError(f"{path} is not a trained policy") from error
    if version != VERSION or not _fits(layers):
        raise GameError(f"{path} is not a trained policy of this version for {GAME}")
    return Policy(layers, about)


def _fits(layers: Sequence[tuple[Array, Array]]) -> bool:
    if not all(w.ndim == 2 and b.shape == w.shape[1:] for w, b in layers):
        return False
    sizes = [w.shape for w, _ in layers]
    ends = [INPUTS, *(outputs for _, outputs in sizes)]
    return (
        bool(layers)
        and [inputs for inputs, _ in sizes] == ends[:-1]
        and ends[-1] == len(ACTIONS)
        and all(np.isfinite(part).all() for layer in layers for part in layer)
    )
