"""MAPPO: PPO with a central critic, which sees the whole map and what the other agents do at the
same time.

Source: Yu et al. 2022, "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games";
Huang et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxpolis.grid.learn.games import Games, Observations, Shape, shape_of
from voxpolis.grid.learn.learner import means
from voxpolis.grid.learn.networks import Convolutions, SocialGraph, draw
from voxpolis.grid.learn.options import SIZES, Options, Sizes
from voxpolis.grid.learn.ppo import PPO, Rollout, advantages_of, clipped_loss


class CentralCritic(nn.Module):
    """Estimates values from the whole map, the items of all agents, the social state, and the other
    agents' actions.

    The agent's own action is not an input, because the value is the baseline with which this action
    is compared.
    """

    def __init__(self, shape: Shape, sizes: Sizes, whole: tuple[int, int, int]) -> None:
        """Create the layers for maps of shape (H, W, C)."""
        super().__init__()
        agents = len(shape.jobs)
        self.world = Convolutions(whole, sizes)
        self.social = SocialGraph(shape, sizes.graph) if sizes.graph else None
        told = sizes.window + sizes.graph + agents * (shape.own + shape.actions + 1)
        self.joint = nn.Linear(told, sizes.joint)
        self.value = nn.Linear(sizes.joint, 1)
        self.register_buffer("others", 1 - torch.eye(agents))
        self.actions = shape.actions

    def forward(self, seen: Observations, world: Tensor, actions: Tensor) -> Tensor:
        """Return values (K, N).

        Args:
            seen: observations of all agents.
            world: (K, H, W, C), the whole map as log(1 + byte).
            actions: (K, N) int64, actions of all agents.
        """
        agents = seen.earned.shape[1]
        done = functional.one_hot(actions, self.actions).float()
        others = (done[:, None] * self.others[..., None]).flatten(2)  # (K, N, N A)
        common = torch.cat((self.world(world), seen.own.flatten(1)), -1)
        common = common[:, None].expand(-1, agents, -1)
        who = torch.eye(agents, device=world.device).expand(len(world), -1, -1)
        social = () if self.social is None else (self.social(seen),)
        joint = self.joint(torch.cat((common, *social, others, who), -1))
        value: Tensor = self.value(functional.relu(joint))[..., 0]
        return value


class MAPPO(PPO):
    """:class:`grid.learn.ppo.PPO` with a central critic. The critic is only used in training.

    The network of the policy is the same as PPO's. Its output for values is neither used nor
    trained.
    """

    def __init__(self, options: Options, games: Games) -> None:
        # PPO's __init__ seeds torch again, so the policy starts as in PPO
        torch.manual_seed(options.seed + 1)
        world = games.whole_map().shape[1:]
        critic = CentralCritic(
            shape_of(games.batch), SIZES[options.size], (world[0], world[1], world[2])
        )
        self.critic = critic.to(options.device)
        super().__init__(options, games)

    def modules(self) -> Iterable[nn.Module]:
        return (self.network, self.critic)

    def update(self, part_left: float) -> dict[str, float]:
        options, games = self.options, self.games
        began = perf_counter()

        # Play.
        first, world = games.observe(), games.whole_map()
        memory = self.network.begin(first)
        rows = (options.rollout, *first.earned.shape)
        seen, worlds = first.room(options.rollout), world.new_zeros((rows[0], *world.shape))
        rewards, log_chances = first.earned.new_zeros(rows), first.earned.new_zeros(rows)
        values = first.earned.new_zeros((rows[0] + 1, *rows[1:]))
        done = first.earned.new_zeros(rows[:2])
        actions = torch.zeros(rows, dtype=torch.int64, device=options.device)
        in_games = 0.0
        with torch.no_grad():
            for step in range(options.rollout):
                now, worlds[step] = games.observe(), games.whole_map()
                seen.put(step, now)
                chances, _, _ = self.network(now, memory)
                actions[step] = draw(chances, self.generator)
                log_chances[step] = chances.gather(-1, actions[step, ..., None])[..., 0]
                values[step] = self.critic(now, worlds[step], actions[step])
                asked = perf_counter()
                rewards[step], done[step] = games.step(actions[step])
                in_games += perf_counter() - asked
            # The value after the last step uses sampled actions that are never executed.
            last = games.observe()
            next_actions, _ = self.network.act(last, memory, self.generator)
            values[-1] = self.critic(last, games.whole_map(), next_actions)

        # Advantages.
        advantages = advantages_of(rewards, values, done, options.gamma, options.gae_lambda)
        drawn = Rollout(actions, log_chances, values[:-1], advantages)
        drawn = Rollout(*(part.flatten(0, 1) for part in drawn))
        worlds = worlds.flatten(0, 1)
        played = perf_counter()

        # Learn: a minibatch consists of some games at some steps, with all their agents.
        self.set_rate(part_left)
        found: dict[str, list[Tensor]] = {}
        for _ in range(options.epochs):
            order = torch.randperm(len(worlds), generator=self.generator, device=options.device)
            for index in order.chunk(options.minibatches):
                part, of = seen.rows(index), Rollout(*(t[index] for t in drawn))
                chances, _, _ = self.network(part, memory)
                estimates = self.critic(part, worlds[index], of.actions)
                loss, shown = clipped_loss(chances, estimates, of, options, part_left)
                self.descend(loss)
                for name, value in shown.items():
                    found.setdefault(name, []).append(value)
        self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)
