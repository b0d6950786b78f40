"""Trains a greedy player of a commons with PPO. One policy plays all players of a game.

Source: Mosquera et al. (2024), whose background bots were trained on Commons Harvest. The authors
publish neither the network nor the rewards. Our reward is the number of apples that a player takes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.policy import ACTIONS, GAME, INPUTS, Policy, inputs_of, write_policy
from voxpolis.grid.commons.vector import VectorCommons
from voxpolis.grid.learn.games import SEEDS_APART, Games, Observations
from voxpolis.grid.learn.learner import Learner
from voxpolis.grid.learn.networks import Memory, Network
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.ppo import PPO

# Steps in an episode: after some two hundred steps most trees are dead, and little is left to
# learn.
EPISODE = 250
# Units of the two hidden layers.
UNITS = 64
# Number of progress messages.
LINES = 20


class CommonsGames:
    """A batch of commons with the interface of :class:`grid.learn.games.Games`.

    Attributes:
        batch: the games.
        steps: number of agent-steps so far.
        ended: apples per player in each episode that has ended since the list was last emptied.
    """

    def __init__(self, num_envs: int, seed: int) -> None:
        ending = {"least": EPISODE, "interval": 1, "chance": 1.0, "most": EPISODE}
        game = read_commons(GAME, {"ending": ending})
        self.batch = VectorCommons(
            game, num_envs, action_masks=True, copy=False, autoreset="same_step"
        )
        self.steps = 0
        self.ended: list[float] = []
        self._earned = np.zeros(self.batch.rewards.shape)
        self._seen, self._info = self.batch.reset(seed=seed * SEEDS_APART)

    def observe(self) -> Observations:
        """Return what all players see now. The arrays ``own``, ``members`` and ``shares`` have size
        0, and ``earned`` is 0.
        """
        seen: dict[str, Any] = self._seen
        inputs = torch.from_numpy(inputs_of(seen["window"], seen["ready"][..., 0]))
        none = torch.zeros((*inputs.shape[:2], 0))
        legal = torch.from_numpy(self._info["action_mask"] != 0)
        return Observations(inputs, none, none, none, torch.zeros(inputs.shape[:2]), legal)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Take a step; see :meth:`grid.learn.games.Games.step`. Each apple gives a reward of 1."""
        self._seen, rewards, terminated, truncated, self._info = self.batch.step(actions.numpy())
        done = terminated | truncated
        self._earned += rewards
        self.ended += self._earned[done].mean(1).tolist()
        self._earned[done] = 0
        self.steps += rewards.size
        scaled = torch.from_numpy(rewards.astype(np.float32))
        return scaled, torch.from_numpy(done.astype(np.float32))


class WindowNetwork(nn.Module):
    """Two layers over what a player sees, followed by output layers for the policy and the
    values.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(INPUTS, UNITS), nn.Linear(UNITS, UNITS)
        self.policy, self.value = nn.Linear(UNITS, len(ACTIONS)), nn.Linear(UNITS, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # makes the first policy nearly uniform
        nn.init.zeros_(self.policy.bias)

    def begin(self, seen: Observations) -> Memory:
        none = seen.earned.new_zeros((*seen.earned.shape, 0))
        return Memory(none, none)

    def forward(self, seen: Observations, memory: Memory) -> tuple[Tensor, Tensor, Memory]:
        """Return log-probabilities (K, N, A), values (K, N) and an empty memory."""
        features = functional.relu(self.second(functional.relu(self.first(seen.window))))
        logits = self.policy(features).masked_fill(~seen.mask, -torch.inf)
        return functional.log_softmax(logits, -1), self.value(features)[..., 0], memory

    def layers(self) -> list[tuple[Any, Any]]:
        return [
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())
            for layer in (self.first, self.second, self.policy)
        ]


class OrchardPPO(PPO):
    """PPO on a batch of commons games."""

    def __init__(self, options: Options, games: CommonsGames) -> None:
        """Create network and optimiser. The seed in ``options`` determines all random numbers."""
        torch.manual_seed(options.seed)
        self.orchards, self.window_network = games, WindowNetwork()
        # The parent's ``__init__`` would create AdaSociety's games; ``update`` needs only these
        # fields.
        Learner.__init__(self, options, cast(Games, games), cast(Network, self.window_network))
        self.renew_optimiser()


def train(steps: int, seed: int, out: Path, say: Callable[[str], None]) -> Policy:
    """Train a policy and write it to a file. On one machine, the same steps and seed give the same
    file.

    Raises:
        OSError: the file cannot be written.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    out.touch()  # fail now rather than after minutes of training
    options = Options(game=GAME, steps=steps, seed=seed, games=32, rollout=64, entropy=0.01)
    learner = OrchardPPO(options, CommonsGames(options.games, seed))
    players = len(learner.orchards.batch.agents)
    updates = -(-steps // (options.games * options.rollout * players))
    apples = 0.0
    for update in range(updates):
        learner.update(1 - update / updates)
        if learner.orchards.ended:
            apples = float(np.mean(learner.orchards.ended))
            learner.orchards.ended.clear()
        if (update + 1) % max(1, updates // LINES) == 0:
            say(f"{learner.orchards.steps:>10,} agent-steps  {apples:.1f} apples per player")
    trained = {"game": GAME, "steps": learner.orchards.steps, "seed": seed}
    trained |= {"episode": EPISODE, "apples": round(apples, 2)}
    policy = Policy(learner.window_network.layers(), trained)
    write_policy(out, policy)
    return policy
