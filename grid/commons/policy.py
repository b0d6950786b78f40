"""Policies that were trained to take apples: a small network over what a player sees.

``python -m grid.learn commons`` trains one (``grid/learn/commons.py``); to play by one takes numpy
alone.
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

# The game that policies are trained on, and its first actions, which any commons has.
GAME = "commons_harvest_open"
ACTIONS = tuple(read_commons(GAME).actions)
# What a policy sees: as in that game.
VIEW: View = read_commons(GAME).view
ROWS, COLUMNS = VIEW.ahead + VIEW.behind + 1, 2 * VIEW.sideways + 1
# Of each cell: whether there is a wall, an apple, a player; and whether one can fire.
SEEN = (WALL_AT, APPLE_AT, PLAYER_AT)
INPUTS = ROWS * COLUMNS * len(SEEN) + 1
# Of a policy's file, so that one of another version is refused by name.
VERSION = 1
# Digits of what a network makes of an observation: machines differ in what is behind them.
DIGITS = 6

Array = npt.NDArray[Any]


def inputs_of(window: Array, ready: Array) -> Array:
    """Return what a policy makes its choice from: (…, :data:`INPUTS`) float32.

    Args:
        window: (…, rows, columns, 8) what players see, see
            :class:`grid.commons.vector.VectorCommons`.
        ready: (…,) whether they can fire.
    """
    cells = window[..., SEEN] > 0
    flat = cells.reshape(*cells.shape[:-3], -1)
    return np.concatenate((flat, ready[..., None] > 0), -1).astype(np.float32)


@dataclass(frozen=True)
class Policy:
    """A network of linear layers, with rectifiers between them.

    Attributes:
        layers: weights (inputs, outputs) and biases of each.
        trained: how it was: the command's options, and what the last episodes brought.
    """

    layers: Sequence[tuple[Array, Array]]
    trained: dict[str, Any]

    def logits(self, inputs: Array) -> Array:
        """Return the logarithms of actions' chances, but for a constant: (…, A)."""
        for number, (weights, biases) in enumerate(self.layers):
            inputs = np.maximum(inputs, 0) if number else inputs
            inputs = inputs @ weights + biases
        return np.round(inputs.astype(np.float64), DIGITS)

    def act(self, inputs: Array, legal: Array, uniform: Callable[[], float]) -> int:
        """Draw one of the legal actions by its chance.

        Args:
            inputs: (:data:`INPUTS`,) see :func:`inputs_of`.
            legal: (A,) which actions are.
            uniform: draws a number from 0 to below 1.
        """
        logits = np.where(legal, self.logits(inputs), -np.inf)
        chances = np.cumsum(np.exp(logits - logits.max()))
        drawn = np.searchsorted(chances, uniform() * chances[-1], side="right")
        return min(int(drawn), int(np.flatnonzero(legal)[-1]))


def write_policy(path: Path, policy: Policy) -> None:
    """Write a policy; the same one makes the same bytes."""
    about = json.dumps({"version": VERSION, **policy.trained})
    arrays: dict[str, Any] = {"about": np.array(about)}
    for number, (weights, biases) in enumerate(policy.layers):
        arrays |= {f"weights{number}": weights, f"biases{number}": biases}
    np.savez_compressed(path, **arrays)


def read_policy(path: Path) -> Policy:
    """Read a policy. Nothing in the file is executed.

    Raises:
        GameError: the file cannot be read, or is no policy of this version for this game.
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
    except Exception as error:  # numpy and zipfile raise many kinds of what is no file of theirs
        raise GameError(f"{path} is no trained policy") from error
    if version != VERSION or not _fits(layers):
        raise GameError(f"{path} is no trained policy of this version for {GAME}")
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
