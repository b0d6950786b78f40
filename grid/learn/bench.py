"""Compares the speed of learning with PPO of stable-baselines3, in one process.

Both libraries play the same game with the same numbers of games, steps, epochs and minibatches, on
one thread. The networks have the same convolution over windows, and layers of the same sizes.
``ours`` is this network in our PPO. ``with graph`` is our PPO as it normally trains, with the graph
network over the social state. Only our PPO applies action masks.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import stable_baselines3
import torch
from gymnasium import spaces
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from voxpolis.grid.learn.games import Games, shape_of
from voxpolis.grid.learn.networks import ActorCritic
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.ppo import PPO
from voxpolis.grid.registry import make_agents
from voxpolis.grid.stable_baselines import SharedPolicyEnv


class Extractor(BaseFeaturesExtractor):
    """Our network for flat observations, without the graph network and the output layers."""

    def __init__(self, space: spaces.Box, like: ActorCritic, window: tuple[int, int, int]) -> None:
        """Create layers of the same sizes as in the network ``like``, for windows of shape (S, S,
        C).
        """
        super().__init__(space, like.joint.out_features)
        torch.manual_seed(0)
        self.shape = window
        self.cells = window[0] * window[1] * window[2]
        first, *_, last, _ = like.window
        stride, kernel = first.stride, first.kernel_size
        self.window = nn.Sequential(
            nn.Conv2d(window[2], first.out_channels, kernel, stride),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(last.in_features, last.out_features),
            nn.ReLU(),
        )
        rest = space.shape[0] - self.cells
        self.joint = nn.Linear(last.out_features + rest, like.joint.out_features)

    def forward(self, rows: Tensor) -> Tensor:
        """Convert K flat observations (K, F) to features (K, joint); ``joint`` is the size of the
        last layer. The last part of an observation is the window, as logarithms.
        """
        cells = rows[:, -self.cells :].unflatten(1, self.shape).permute(0, 3, 1, 2)
        both = torch.cat((self.window(cells), rows[:, : -self.cells]), 1)
        return nn.functional.relu(self.joint(both))


def side_by_side(game: str, updates: int) -> dict[str, float]:
    """Return how many agent-steps each learner takes per CPU second.

    The first update of each learner is not measured.

    Returns:
        The agent-steps per CPU second of three learners: our PPO (``ours``), stable-baselines3
        with the same network (``theirs``), and our PPO with the graph network (``with graph``).

    Raises:
        GameError: there is no such game.
    """
    options = Options(game=game, size="plain")
    ours = PPO(options, Games(game, options.games, 0))
    whole = PPO(Options(game=game), Games(game, options.games, 0))
    shape = shape_of(ours.games.batch)
    agents = make_agents(game, options.games, autoreset="same_step", action_masks=False)
    window = (shape.side, shape.side, shape.channels)
    rows = agents.num_envs * options.rollout
    theirs = stable_baselines3.PPO(
        "MlpPolicy",
        SharedPolicyEnv(agents),
        n_steps=options.rollout,
        batch_size=rows // options.minibatches,
        n_epochs=options.epochs,
        policy_kwargs={
            "features_extractor_class": Extractor,
            "features_extractor_kwargs": {"like": ours.network, "window": window},
            "net_arch": [],
        },
        device="cpu",
        seed=0,
    )
    theirs.set_logger(Logger(None, []))  # otherwise each update creates a folder

    def learn() -> None:
        theirs.learn(rows, reset_num_timesteps=False)

    turns: dict[str, Callable[[], object]] = {
        "ours": lambda: ours.update(1.0),
        "theirs": learn,
        "with graph": lambda: whole.update(1.0),
    }
    spent = dict.fromkeys(turns, 0.0)
    # alternate between learners, so that all run under the same load
    for number in range(updates + 1):
        for name, update in turns.items():
            seconds = _cpu_seconds(update)
            spent[name] += seconds if number else 0.0
    return {name: rows * updates / seconds for name, seconds in spent.items()}


def _cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
