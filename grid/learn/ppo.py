"""PPO: one policy for all agents of a game, on a batch of games.

Source: Schulman et al. 2017; Huang et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import torch

from grid.learn.advantages import Drawn, advantages_of, clipped_loss
from grid.learn.games import Games, shape_of
from grid.learn.networks import ActorCritic, draw
from grid.learn.options import SIZES, Options


class PPO:
    """Learns by :meth:`update`, one after another.

    Attributes:
        network: policy and values.
        seconds: spent in games, in choosing actions and in learning, since the start.
    """

    remembers = False

    def __init__(self, options: Options, games: Games) -> None:
        """Make network and optimiser; the seed of ``options`` fixes all that is drawn."""
        self.options = options
        self.games = games
        self.generator = torch.Generator(options.device).manual_seed(options.seed)
        torch.manual_seed(options.seed)
        self.network = ActorCritic(
            shape_of(games.batch), SIZES[options.size], remembers=self.remembers
        ).to(options.device)
        self.seconds = {"games": 0.0, "rollout": 0.0, "update": 0.0}
        self.renew_optimiser()

    def renew_optimiser(self) -> None:
        """Forget what the optimiser knows of gradients."""
        self.optimiser = torch.optim.Adam(
            self.network.parameters(), self.options.learning_rate, eps=1e-5, fused=True
        )

    def update(self, part_left: float) -> dict[str, float]:
        """Play ``rollout`` steps of all games, then learn from them.

        Args:
            part_left: of the training: the learning rate is this part of its start value.

        Returns:
            the parts of the loss, in the mean over minibatches.
        """
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
        set_rate(self.optimiser, options.learning_rate * part_left)
        found: dict[str, list[torch.Tensor]] = {}
        for _ in range(options.epochs):
            order = torch.randperm(
                len(drawn.actions), generator=self.generator, device=options.device
            )
            for index in order.chunk(options.minibatches):
                part = seen.rows(index)
                chances, estimates, _ = self.network(part, memory)
                loss, parts = clipped_loss(
                    chances, estimates, Drawn(*(t[index] for t in drawn)), options
                )
                self.descend(loss)
                for name, value in parts.items():
                    found.setdefault(name, []).append(value)
        self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return {name: float(torch.stack(each).mean()) for name, each in found.items()}

    def descend(self, loss: torch.Tensor) -> None:
        """Take a step down the gradient of a loss."""
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.options.most_gradient)
        self.optimiser.step()

    def count_seconds(self, games: float, rollout: float, update: float) -> None:
        """Add to the seconds that were spent."""
        for name, seconds in (("games", games), ("rollout", rollout), ("update", update)):
            self.seconds[name] += seconds

    def state(self) -> dict[str, Any]:
        """Return all that a run needs to go on exactly as it would."""
        return {
            "games": self.games,
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "generator": self.generator.get_state(),
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.games = state["games"]
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.generator.set_state(state["generator"])
        self.seconds = state["seconds"]


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate
