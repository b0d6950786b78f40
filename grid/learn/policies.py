"""Files that contain trained policies. Checkpoints, from which a training continues, are separate
files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import Shape, scale_of, seen, shape_of
from voxpolis.grid.learn.networks import ActorCritic, Memory, Network
from voxpolis.grid.learn.options import SIZES, Options
from voxpolis.grid.learn.rainbow import ReturnNetwork

# Version of the file format, so that other versions are refused by name.
VERSION = 1


@dataclass(frozen=True)
class Policy:
    """A trained policy.

    Attributes:
        options: the options of the training.
        shape: the facts about its game that the network needs, such as the sizes of arrays.
        network: the network.
        agent_steps: number of agent-steps of the training.
    """

    options: Options
    shape: Shape
    network: Network
    agent_steps: int


def save_policy(path: Path, policy: Policy) -> None:
    """Write a policy to a file atomically."""
    save(
        path,
        {
            "version": VERSION,
            "options": policy.options.model_dump_json(),
            "shape": json.dumps(policy.shape),
            "agent_steps": policy.agent_steps,
            "network": policy.network.state_dict(),
        },
    )


def load_policy(path: Path, device: str = "cpu") -> Policy:
    """Read a policy from a file. Nothing in the file is executed.

    Raises:
        GameError: the file cannot be read, contains no policy of this version, or is damaged.
    """
    try:
        stored = torch.load(path, map_location=device, weights_only=True)
    except OSError as error:
        raise GameError(f"{path} cannot be read: {error.strerror}") from error
    except Exception as error:  # torch raises many types for invalid files
        raise GameError(f"{path} is not a trained policy") from error
    if not isinstance(stored, dict) or stored.get("version") != VERSION:
        raise GameError(f"{path} is not a trained policy of this version")
    try:
        options = Options.model_validate_json(stored["options"])
        side, channels, own, groups, actions, jobs = json.loads(stored["shape"])
        shape = Shape(side, channels, own, groups, actions, tuple(jobs))
        network = _network(options, shape, stored["network"]).to(device)
        return Policy(options, shape, network, stored["agent_steps"])
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise GameError(f"{path} is a damaged policy") from error


def _network(options: Options, shape: Shape, weights: dict[str, Any]) -> Network:
    sizes = SIZES[options.size]
    network: Network
    if options.algorithm == "rainbow":
        low, high = weights["atoms"][[0, -1]].tolist()
        network = ReturnNetwork(shape, sizes, (low, high, options.atoms), options.noise)
    else:
        network = ActorCritic(shape, sizes, remembers=options.remembers)
    network.load_state_dict(weights)
    return network


def save(path: Path, value: dict[str, Any]) -> None:
    """Write a file with torch atomically."""
    part = path.with_suffix(".part")
    torch.save(value, part)
    os.replace(part, path)


# --- Playing a trained policy, one episode after another, in one game ----------------------------


class Player:
    """Plays all agents of a game with a policy. Call :meth:`begin` before the first action."""

    def __init__(self, path: Path, table: VectorGame, best: float) -> None:
        """Read a policy.

        Args:
            path: the file of the policy.
            table: the game, with one environment.
            best: maximum reward of all agents together.

        Raises:
            GameError: the file cannot be read, contains no policy, or belongs to another game.
        """
        policy = load_policy(path)
        if policy.shape != shape_of(table):
            game = policy.options.game
            others = "with other agents (number, jobs, actions or sight)"
            raise GameError(f"{path} was trained on {game}, {others}")
        self._network = policy.network
        self._table = table
        self._scale = scale_of(table.tables, best)

    def begin(self, seed: int) -> None:
        """Start an episode. The seed determines all actions that are drawn."""
        self._memory: Memory | None = None
        self._generator = torch.Generator().manual_seed(seed)

    def act(self, observed: Mapping[str, Any], masks: npt.NDArray[np.generic]) -> list[int]:
        """Return the next action of each of the N agents.

        Args:
            observed: the observation of a batch with one environment.
            masks: (N, A), legal actions.
        """
        earned = self._table.rewards * self._scale
        now = seen(self._table, dict(observed), masks[None], earned)
        with torch.no_grad():
            memory = self._memory or self._network.begin(now)
            actions, self._memory = self._network.act(now, memory, self._generator)
        chosen: list[int] = actions[0].tolist()
        return chosen
