"""What both kinds of PPO have in common: advantages, and the clipped loss."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from voxpolis.grid.learn.networks import entropy
from voxpolis.grid.learn.options import Options


class Drawn(NamedTuple):
    """What was drawn in a rollout, and what came of it: (T, K, N) each.

    ``actions`` int64; ``log_chances`` of these and ``values`` when they were drawn; ``advantages``.
    """

    actions: Tensor
    log_chances: Tensor
    values: Tensor
    advantages: Tensor


def advantages_of(
    rewards: Tensor, values: Tensor, done: Tensor, gamma: float, gae_lambda: float
) -> Tensor:
    """Return how much better each action was than expected: (T, K, N).

    Source: Schulman et al. 2016, "Generalized Advantage Estimation", eq. 16.

    Args:
        rewards: (T, K, N).
        values: (T + 1, K, N): of what was seen before each step, and after the last.
        done: (T, K): 1 where an episode ended with a step; its value then is 0.
        gamma: the discount.
        gae_lambda: 0: one step's error; 1: of all that was earned afterwards.
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
    log_chances: Tensor, values: Tensor, drawn: Drawn, options: Options, part_left: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return PPO's loss of a minibatch, and its parts.

    Source: Schulman et al. 2017, "Proximal Policy Optimization Algorithms", eq. 7 and 9.

    Args:
        log_chances: (…, A) of all actions by the policy as it is now.
        values: (…,) as they are estimated now.
        drawn: (…,) of the rollout.
        options: factors.
        part_left: of the training, by which the entropy's factor falls.
    """
    now = log_chances.gather(-1, drawn.actions[..., None])[..., 0]
    ratio = (now - drawn.log_chances).exp()
    normal = (drawn.advantages - drawn.advantages.mean()) / (drawn.advantages.std() + 1e-8)
    cut = ratio.clamp(1 - options.clip, 1 + options.clip)
    policy = -torch.minimum(ratio * normal, cut * normal).mean()
    value = (values - drawn.values - drawn.advantages).square().mean()
    spread = entropy(log_chances)
    loss = policy + options.value_factor * value - options.entropy_with(part_left) * spread
    with torch.no_grad():
        divergence = (ratio - 1 - (now - drawn.log_chances)).mean()
    parts = {"policy_loss": policy, "value_loss": value, "entropy": spread}
    return loss, {**{name: part.detach() for name, part in parts.items()}, "kl": divergence}
