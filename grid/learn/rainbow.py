"""Rainbow: values of actions, learned from what was played before.

Source: Hessel et al. 2018, "Rainbow: Combining Improvements in Deep Reinforcement Learning"; Huang
et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.distributional import ReturnNetwork, projected
from voxpolis.grid.learn.games import Games, shape_of
from voxpolis.grid.learn.learner import Learner, means
from voxpolis.grid.learn.options import SIZES, Options
from voxpolis.grid.learn.replay import Replay


class Rainbow(Learner):
    """Double, dueling, distributional learning of returns over several steps, with noisy layers.

    Rewards are those of the game, not scaled, because atoms are. A game's step is kept, drawn and
    weighed with all its agents: its priority is the mean of theirs.

    Attributes:
        network: distributions of returns.
        target: the same as it was at times: what values of later steps are taken from.
        replay: what was played.
    """

    network: ReturnNetwork

    def __init__(self, options: Options, games: Games) -> None:
        """Make networks, optimiser and room; the seed of ``options`` fixes all that is drawn.

        Raises:
            ValueError: the lowest atom is not below the greatest.
        """
        torch.manual_seed(options.seed)
        greatest = options.greatest_return
        if greatest is None:
            greatest = greatest_return(games.best)
        if greatest <= options.least_return:
            raise ValueError(
                f"least_return is below {greatest:g}, the greatest return of the game: "
                f"{options.least_return:g} is not"
            )
        atoms = (options.least_return, greatest, options.atoms)
        sizes = SIZES[options.size]
        network = ReturnNetwork(shape_of(games.batch), sizes, atoms, options.noise)
        super().__init__(options, games, network)
        self.target = copy.deepcopy(self.network)
        self.renew_optimiser()
        first = games.observe()
        self.memory = self.network.begin(first)
        batch, agents = first.earned.shape
        steps = max(options.replay // first.earned.numel(), options.horizon + 1)
        self.drawn = max(1, options.replayed // options.replays // agents)
        least = -(-self.drawn // batch) + options.horizon
        if steps < least:
            raise GameError(
                f"replay: {options.replay} agent-steps are never enough to learn from "
                f"{options.replayed} at once; here it keeps at least {least * batch * agents}"
            )
        self.replay = Replay(first, steps, options.horizon, options.gamma)
        self.since_copied = 0

    def modules(self) -> Iterable[nn.Module]:
        """Return the network; the target is not trained."""
        return (self.network,)

    def update(self, part_left: float) -> dict[str, float]:
        options, games = self.options, self.games
        self.set_rate(part_left)
        found: dict[str, list[Tensor]] = {}
        for _ in range(options.rollout):
            # Play a step.
            began = perf_counter()
            now = games.observe()
            with torch.no_grad():
                actions, _ = self.network.act(now, self.memory, self.generator)
            asked = perf_counter()
            rewards, done = games.step(actions)
            answered = perf_counter()
            self.replay.add(now, actions, rewards / games.scale, done)

            # Copy the network where it is time.
            self.since_copied += actions.numel()
            if self.since_copied >= options.copy_every:
                self.since_copied = 0
                self.target.load_state_dict(self.network.state_dict())

            # Learn, once as much is kept as is learned from at once.
            played = perf_counter()
            if self.replay.count * len(actions) >= self.drawn + options.horizon * len(actions):
                for _ in range(options.replays):
                    for name, value in self.learn(self.drawn, 1 - part_left).items():
                        found.setdefault(name, []).append(value)
            in_games = answered - asked
            self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)

    def learn(self, size: int, part: float) -> dict[str, Tensor]:
        """Learn from ``size`` steps of games, after a part of the training."""
        options, network = self.options, self.network
        correction = options.correction + (1 - options.correction) * part
        drawn = self.replay.draw(size, correction, self.generator)

        # What the network should have expected: its best next actions, valued by the target.
        with torch.no_grad():
            network.redraw(self.generator)
            self.target.redraw(self.generator)
            best = network.best(network(drawn.after), drawn.after.mask)
            later = of_actions(self.target(drawn.after), best).exp()
            factor = drawn.factor[:, None].expand_as(drawn.returns)
            goal = projected(later, drawn.returns, factor, network.atoms)

        # What it did expect, and how far off that was.
        network.redraw(self.generator)
        expected = of_actions(network(drawn.seen), drawn.actions)
        surprise = -(goal * expected).sum(-1).mean(-1)  # (M,): in the mean over agents
        loss = (drawn.weights * surprise).mean()
        self.descend(loss)
        self.replay.set_priority(drawn.index, surprise.detach() ** options.priority)
        value = (expected.detach().exp() * network.atoms).sum(-1).mean()
        return {"return_loss": loss.detach(), "expected_return": value}

    def state(self) -> dict[str, Any]:
        own = {"target": self.target.state_dict(), "since_copied": self.since_copied}
        return {**super().state(), **own, "replay": self.replay.state()}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.target.load_state_dict(state["target"])
        self.since_copied = state["since_copied"]
        self.replay.restore(state["replay"])


def of_actions(log_chances: Tensor, actions: Tensor) -> Tensor:
    """Return the atoms' chances (…, Z) of some actions (…,), of those of all (…, A, Z)."""
    index = actions[..., None, None].expand(*actions.shape, 1, log_chances.shape[-1])
    return log_chances.gather(-2, index)[..., 0, :]


def greatest_return(best: float) -> float:
    """Return the greatest atom, where all agents can earn ``best``: 210 of 200, 1000 of 940."""
    return {200.0: 210.0, 940.0: 1000.0}.get(round(best, 6), 1.05 * best)
