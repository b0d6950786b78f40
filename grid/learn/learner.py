"""The base class of all learning algorithms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from voxpolis.grid.learn.games import Games
from voxpolis.grid.learn.networks import Network
from voxpolis.grid.learn.options import Options


class Learner(ABC):
    """A learning algorithm. Call :meth:`update` repeatedly.

    Attributes:
        options: game, algorithm and hyperparameters.
        games: the games that are played.
        generator: source of all random numbers except those of the games and of the first weights.
        network: the policy.
        seconds: total time for playing, choosing actions and learning.
    """

    def __init__(self, options: Options, games: Games, network: Network) -> None:
        self.options = options
        self.games = games
        self.generator = torch.Generator(options.device).manual_seed(options.seed)
        self.network = network.to(options.device)
        self.seconds = {"games": 0.0, "rollout": 0.0, "update": 0.0}

    @abstractmethod
    def update(self, part_left: float) -> dict[str, float]:
        """Play ``rollout`` steps in all games, and learn from them.

        Args:
            part_left: fraction of the training that is left. The learning rate is multiplied by it.

        Returns:
            The parts of the loss, averaged over minibatches.
        """

    def modules(self) -> Iterable[nn.Module]:
        return (self.network,)

    def renew_optimiser(self) -> None:
        self.optimiser = torch.optim.Adam(
            self._parameters(), self.options.learning_rate, eps=1e-5, fused=True
        )

    def descend(self, loss: Tensor) -> None:
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._parameters(), self.options.most_gradient)
        self.optimiser.step()

    def _parameters(self) -> list[nn.Parameter]:
        return [each for module in self.modules() for each in module.parameters()]

    def set_rate(self, part_left: float) -> None:
        """Set the learning rate to a fraction of its value at the start."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.options.learning_rate * part_left

    def count_seconds(self, games: float, rollout: float, update: float) -> None:
        for name, seconds in (("games", games), ("rollout", rollout), ("update", update)):
            self.seconds[name] += seconds

    def state(self) -> dict[str, Any]:
        """Return everything that is needed to continue a training exactly."""
        return {
            "games": self.games.state(),
            "networks": [module.state_dict() for module in self.modules()],
            "optimiser": self.optimiser.state_dict(),
            "generator": self.generator.get_state(),
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned."""
        self.games.restore(state["games"])
        for module, stored in zip(self.modules(), state["networks"], strict=True):
            module.load_state_dict(stored)
        self.optimiser.load_state_dict(state["optimiser"])
        self.generator.set_state(state["generator"].cpu())
        self.seconds = state["seconds"]


def means(found: dict[str, list[Tensor]]) -> dict[str, float]:
    """Return the mean of each part of a loss."""
    return {name: float(torch.stack(each).mean()) for name, each in found.items()}
