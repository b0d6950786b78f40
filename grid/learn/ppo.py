"""PPO for a batch of games. One policy plays all agents of a game.

Source: Schulman et al. 2017; Huang et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import torch
from torch import Tensor

from voxpolis.grid.learn.games import Games, shape_of
from voxpolis.grid.learn.learner import Learner, means
from voxpolis.grid.learn.networks import ActorCritic, draw, entropy
from voxpolis.grid.learn.options import SIZES, Options

# --- Shared by both kinds of PPO: advantages, and the clipped loss --------------------------------


class Rollout(NamedTuple):
    """The actions that were drawn in a rollout and what followed from them. Each array is (T, K,
    N).

    ``actions`` is int64. ``log_chances`` and ``values`` are the log-probabilities of the actions
    and the estimated values at the time when the actions were drawn. ``advantages`` come from
    :func:`advantages_of`.
    """

    actions: Tensor
    log_chances: Tensor
    values: Tensor
    advantages: Tensor


def advantages_of(
    rewards: Tensor, values: Tensor, done: Tensor, gamma: float, gae_lambda: float
) -> Tensor:
    """Return the advantages: (T, K, N).

    Source: Schulman et al. 2016, "Generalized Advantage Estimation", eq. 16.

    Args:
        rewards: (T, K, N).
        values: (T + 1, K, N), estimated before each step and after the last step.
        done: (T, K), 1 if an episode ended with the step. The value after such a step counts as 0.
            For episodes that end at a time limit, this is right if agents observe the step number,
            as in AdaSociety's games.
        gamma: the discount.
        gae_lambda: with 0, the advantage is the error of one step; with 1, it uses the full return.
    """
    alive = (1 - done)[..., None]
    errors = rewards + gamma * alive * values[1:] - values[:-1]
    advantages = torch.zeros_like(rewards)
    after = torch.zeros_like(rewards[0])
    for step in range(len(rewards) - 1, -1, -1):
        after = errors[step] + gamma * gae_lambda * alive[step] * after
        advantages[step] = after
    return advantages


def clipped_loss(
    log_chances: Tensor, values: Tensor, drawn: Rollout, options: Options, part_left: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return PPO's loss of a minibatch, and the parts of this loss, with measures of the update:
    the divergence of the policies, the fraction of clipped ratios, and the share of the variance of
    returns that the values explain.

    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", eq. 7 and 9.

    Args:
        log_chances: (…, A), log-probabilities of all actions under the current policy.
        values: (…,), current estimates of the values.
        drawn: arrays (…,), the part of the rollout that belongs to the minibatch.
        options: the factors of the loss.
        part_left: fraction of the training that is left, on which the factor of the entropy
            depends.
    """
    now = log_chances.gather(-1, drawn.actions[..., None])[..., 0]
    ratio = (now - drawn.log_chances).exp()
    normal = (drawn.advantages - drawn.advantages.mean()) / (drawn.advantages.std() + 1e-8)
    cut = ratio.clamp(1 - options.clip, 1 + options.clip)
    policy = -torch.minimum(ratio * normal, cut * normal).mean()
    value = (values - drawn.values - drawn.advantages).square().mean()
    spread = entropy(log_chances)
    loss = policy + options.value_factor * value - options.entropy_with(part_left) * spread
    parts = {"policy_loss": policy, "value_loss": value, "entropy": spread}
    with torch.no_grad():
        returns = drawn.values + drawn.advantages
        parts |= {
            "kl": (ratio - 1 - (now - drawn.log_chances)).mean(),
            "clip_fraction": (ratio != cut).float().mean(),
            "explained_variance": 1 - drawn.advantages.var() / (returns.var() + 1e-8),
        }
    return loss, {name: part.detach() for name, part in parts.items()}


class PPO(Learner):
    """Plays a rollout, and then learns from this rollout in several epochs.

    Attributes:
        network: outputs the policy and the values.
    """

    network: ActorCritic
    remembers = False

    def __init__(self, options: Options, games: Games) -> None:
        torch.manual_seed(options.seed)
        sizes = SIZES[options.size]
        network = ActorCritic(shape_of(games.batch), sizes, remembers=self.remembers)
        super().__init__(options, games, network)
        self.renew_optimiser()

    def update(self, part_left: float) -> dict[str, float]:
        options, games = self.options, self.games
        began = perf_counter()

        # Play.
        first = games.observe()
        memory = self.network.begin(first)
        rows = (options.rollout, *first.earned.shape)
        seen = first.room(options.rollout)
        rewards, values = (
            first.earned.new_zeros(rows),
            first.earned.new_zeros((rows[0] + 1, *rows[1:])),
        )
        done, log_chances = first.earned.new_zeros(rows[:2]), first.earned.new_zeros(rows)
        actions = torch.zeros(rows, dtype=torch.int64, device=options.device)
        in_games = 0.0
        with torch.no_grad():
            for step in range(options.rollout):
                now = games.observe()
                seen.put(step, now)
                chances, values[step], _ = self.network(now, memory)
                actions[step] = draw(chances, self.generator)
                log_chances[step] = chances.gather(-1, actions[step, ..., None])[..., 0]
                asked = perf_counter()
                rewards[step], done[step] = games.step(actions[step])
                in_games += perf_counter() - asked
            values[-1] = self.network(games.observe(), memory)[1]

        # Advantages.
        advantages = advantages_of(rewards, values, done, options.gamma, options.gae_lambda)
        drawn = Rollout(actions, log_chances, values[:-1], advantages)
        drawn = Rollout(*(part.flatten(0, 1) for part in drawn))
        played = perf_counter()

        # Learn: a minibatch consists of some games at some steps, with all their agents.
        self.set_rate(part_left)
        found: dict[str, list[torch.Tensor]] = {}
        for _ in range(options.epochs):
            order = torch.randperm(
                len(drawn.actions), generator=self.generator, device=options.device
            )
            for index in order.chunk(options.minibatches):
                part = seen.rows(index)
                chances, estimates, _ = self.network(part, memory)
                loss, parts = clipped_loss(
                    chances, estimates, Rollout(*(t[index] for t in drawn)), options, part_left
                )
                self.descend(loss)
                for name, value in parts.items():
                    found.setdefault(name, []).append(value)
        self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)
