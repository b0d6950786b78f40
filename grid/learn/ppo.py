"""PPO: one policy for all agents of a game, on a batch of games.

Source: Schulman et al. 2017; Huang et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

from time import perf_counter

import torch

from voxpolis.grid.learn.advantages import Drawn, advantages_of, clipped_loss
from voxpolis.grid.learn.games import Games, shape_of
from voxpolis.grid.learn.learner import Learner, means
from voxpolis.grid.learn.networks import ActorCritic, draw
from voxpolis.grid.learn.options import SIZES, Options


class PPO(Learner):
    """Plays a rollout, then learns from it several times.

    Attributes:
        network: policy and values.
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

        # What was better than expected.
        advantages = advantages_of(rewards, values, done, options.gamma, options.gae_lambda)
        drawn = Drawn(actions, log_chances, values[:-1], advantages)
        drawn = Drawn(*(part.flatten(0, 1) for part in drawn))
        played = perf_counter()

        # Learn: a minibatch is some games at some steps, with all their agents.
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
                    chances, estimates, Drawn(*(t[index] for t in drawn)), options, part_left
                )
                self.descend(loss)
                for name, value in parts.items():
                    found.setdefault(name, []).append(value)
        self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)
