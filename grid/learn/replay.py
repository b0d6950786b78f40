"""What was played, kept to be learned from again: what surprised most is taken most often.

Source: Schaul et al. 2016, "Prioritized Experience Replay"; returns over several steps as in Hessel
et al. 2018, "Rainbow".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from voxpolis.grid.learn.games import Seen


class Replayed(NamedTuple):
    """M steps of games, with all their agents.

    ``seen`` and ``after`` (M, …) before the step, and ``horizon`` steps later; ``actions`` (M, N)
    int64; ``returns`` (M, N): what was earned until then, discounted; ``factor`` (M,): what the
    value of ``after`` counts, 0 where the episode ended before; ``weights`` (M,): what makes up for
    being taken more often; ``index`` (M,) where they are kept.
    """

    seen: Seen
    after: Seen
    actions: Tensor
    returns: Tensor
    factor: Tensor
    weights: Tensor
    index: Tensor


class Replay:
    """Room for the last S steps of B games.

    Windows are kept as the bytes that they were made of.
    """

    def __init__(self, like: Seen, steps: int, horizon: int, gamma: float) -> None:
        room = like._replace(window=like.window.to(torch.uint8)).room(steps)
        self.seen = room
        self.actions = torch.zeros_like(room.earned, dtype=torch.int64)
        self.rewards = torch.zeros_like(room.earned)
        self.done = torch.zeros_like(room.earned[..., 0])
        self.priority = torch.zeros_like(self.done)
        self.horizon, self.gamma = horizon, gamma
        self.next, self.count = 0, 0

    def add(self, seen: Seen, actions: Tensor, rewards: Tensor, done: Tensor) -> None:
        """Keep a step of all games; the oldest is forgotten once the room is full.

        Args:
            seen: (B, …) before the step.
            actions: (B, N).
            rewards: (B, N).
            done: (B,): 1 where an episode ended with it.
        """
        window = torch.expm1(seen.window).round().to(torch.uint8)
        self.seen.put(self.next, seen._replace(window=window))
        self.actions[self.next], self.rewards[self.next] = actions, rewards
        self.done[self.next] = done
        greatest = self.priority.max()
        self.priority[self.next] = torch.where(greatest > 0, greatest, torch.ones_like(greatest))
        self.next = (self.next + 1) % len(self.done)
        self.count = min(self.count + 1, len(self.done))

    def draw(self, size: int, correction: float, generator: torch.Generator) -> Replayed:
        """Draw ``size`` steps of games by their priorities.

        Args:
            size: how many.
            correction: how far weights make up for that, 0: not at all, 1: fully.
            generator: of the draw.
        """
        priority = self.priority.clone()
        for later in range(1, self.horizon + 1):  # what came after these is not known yet
            priority[self.next - later] = 0
        chances = priority.flatten() / priority.sum()
        index = torch.multinomial(chances, size, replacement=True, generator=generator)
        there = (self.count - self.horizon) * self.done.shape[1]
        weights = (there * chances[index]) ** -correction
        step, game = index // self.done.shape[1], index % self.done.shape[1]
        returns, factor = torch.zeros_like(self.rewards[0, :1]), torch.ones_like(weights)
        for later in range(self.horizon):
            at = (step + later) % len(self.done)
            returns = returns + factor[:, None] * self.rewards[at, game]
            factor = factor * self.gamma * (1 - self.done[at, game])
        after = (step + self.horizon) % len(self.done)
        return Replayed(
            self._at(step, game),
            self._at(after, game),
            self.actions[step, game],
            returns,
            factor,
            weights / weights.max(),
            index,
        )

    def set_priority(self, index: Tensor, priority: Tensor) -> None:
        self.priority.view(-1)[index] = priority

    def _at(self, step: Tensor, game: Tensor) -> Seen:
        found = Seen(*(part[step, game] for part in self.seen))
        return found._replace(window=torch.log1p(found.window.float()))

    def state(self) -> dict[str, Any]:
        return {**vars(self), "seen": tuple(self.seen)}

    def restore(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "seen": Seen(*state["seen"])})
