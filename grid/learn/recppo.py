"""RecPPO: PPO with an LSTM.

Source: Schulman et al. 2017; Huang et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import torch
from torch import Tensor

from voxpolis.grid.learn.games import Games, Observations
from voxpolis.grid.learn.learner import means
from voxpolis.grid.learn.networks import Memory
from voxpolis.grid.learn.networks import draw as draw_actions
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.ppo import PPO, Rollout, advantages_of, clipped_loss


class RecPPO(PPO):
    """:class:`grid.learn.ppo.PPO` with a memory that is reset at the start of each episode.

    Gradients flow back through sequences of ``sequence`` steps. Each sequence starts with the
    memory that the agent had when it played the first step of the sequence.
    """

    remembers = True

    def __init__(self, options: Options, games: Games) -> None:
        """Create network and optimiser.

        Raises:
            ValueError: the length of a rollout is not a multiple of the sequence length.
        """
        if options.rollout % options.sequence:
            raise ValueError(
                f"a rollout of {options.rollout} steps is not a multiple of the sequence length "
                f"{options.sequence}"
            )
        super().__init__(options, games)
        first = games.observe()
        self.memory = self.network.begin(first)
        self.begun = torch.ones(len(first.earned), device=options.device)

    def update(self, part_left: float) -> dict[str, float]:
        options, games = self.options, self.games
        began = perf_counter()

        # Play.
        first = games.observe()
        rows = (options.rollout, *first.earned.shape)
        seen = first.room(options.rollout)
        rewards, log_chances = first.earned.new_zeros(rows), first.earned.new_zeros(rows)
        values = first.earned.new_zeros((rows[0] + 1, *rows[1:]))
        begun = first.earned.new_zeros((rows[0] + 1, rows[1]))
        actions = torch.zeros(rows, dtype=torch.int64, device=options.device)
        memories: list[Memory] = []
        begun[0], in_games = self.begun, 0.0
        with torch.no_grad():
            for step in range(options.rollout):
                now = games.observe()
                seen.put(step, now)
                if step % options.sequence == 0:
                    memories.append(self.memory)
                remembered = self.memory.where_not(begun[step])
                chances, values[step], self.memory = self.network(now, remembered)
                actions[step] = draw_actions(chances, self.generator)
                log_chances[step] = chances.gather(-1, actions[step, ..., None])[..., 0]
                asked = perf_counter()
                rewards[step], begun[step + 1] = games.step(actions[step])
                in_games += perf_counter() - asked
            values[-1] = self.network(games.observe(), self.memory.where_not(begun[-1]))[1]
        self.begun = begun[-1]

        # Advantages: an episode ends with the step before the next episode begins.
        advantages = advantages_of(rewards, values, begun[1:], options.gamma, options.gae_lambda)
        drawn = Rollout(actions, log_chances, values[:-1], advantages)
        played = perf_counter()

        # Learn: a minibatch consists of some sequences of some games, with all their agents.
        self.set_rate(part_left)
        found: dict[str, list[Tensor]] = {}
        parts = [self._sequences(part) for part in (*seen, *drawn, begun[:-1])]
        memory = Memory(*(torch.cat(each) for each in zip(*memories, strict=True)))
        for _ in range(options.epochs):
            order = torch.randperm(
                len(memory.cell), generator=self.generator, device=options.device
            )
            for index in order.chunk(options.minibatches):
                of_index = [part[:, index] for part in parts]
                start = Memory(memory.hidden[index], memory.cell[index])
                chances, estimates = self.replay(Observations(*of_index[:6]), of_index[10], start)
                loss, shown = clipped_loss(
                    chances, estimates, Rollout(*of_index[6:10]), options, part_left
                )
                self.descend(loss)
                for name, value in shown.items():
                    found.setdefault(name, []).append(value)
        self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)

    def replay(self, seen: Observations, begun: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (L, K, N, A) and values (L, K, N) for sequences of L steps.

        Args:
            seen: (L, K, …), observations.
            begun: (L, K), 1 for the first step of an episode.
            memory: (K, N, M), the memory before the sequences.
        """
        flat = Observations(*(part.flatten(0, 1) for part in seen))
        features = self.network.features(flat).unflatten(0, begun.shape)
        hidden = []
        for step in range(len(begun)):
            memory = self.network.remember(features[step], memory.where_not(begun[step]))
            hidden.append(memory.hidden)
        chances, values = self.network.heads(torch.stack(hidden), seen.mask)
        return chances, values

    def _sequences(self, part: Tensor) -> Tensor:
        """Cut T steps (T, K, …) into sequences of L steps, side by side: (L, K · T / L, …)."""
        split = part.unflatten(0, (-1, self.options.sequence))  # (T / L, L, K, …)
        return split.transpose(0, 1).flatten(1, 2)

    def state(self) -> dict[str, Any]:
        return {**super().state(), "memory": tuple(self.memory), "begun": self.begun}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.memory, self.begun = Memory(*state["memory"]), state["begun"]
