"""Rainbow: values of actions, learned from what was played before.

Source: Hessel et al. 2018, "Rainbow: Combining Improvements in Deep Reinforcement Learning"; Huang
et al., "AdaSociety", section 5.2.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from time import perf_counter
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import Games, Seen, Shape, shape_of
from voxpolis.grid.learn.learner import Learner, means
from voxpolis.grid.learn.networks import Memory, Network
from voxpolis.grid.learn.options import SIZES, Options, Sizes

# --- What was played, kept to be learned from again: what surprised most is taken most often ------
#
# Source: Schaul et al. 2016, "Prioritized Experience Replay"; returns over several steps as in
# Hessel et al. 2018, "Rainbow".


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


# --- Rainbow's network: noisy layers, value and advantage apart, returns as distributions ---------
#
# Sources: Bellemare et al. 2017 (distributions over atoms), Wang et al. 2016 (dueling), Fortunato
# et al. 2018 (noisy layers), as Hessel et al. 2018, "Rainbow", put them together.


class NoisyLinear(nn.Module):
    """A linear layer whose weights have noise, of which it learns how much there is.

    The noise of a weight is the product of one number an input and one an output.
    """

    def __init__(self, inputs: int, outputs: int, noise: float) -> None:
        """Make the layer; ``noise`` is the noise's size at first, times √inputs."""
        super().__init__()
        self.mean = nn.Linear(inputs, outputs)
        size = noise / inputs**0.5
        self.weight_size = nn.Parameter(torch.full((outputs, inputs), size))
        self.bias_size = nn.Parameter(torch.full((outputs,), size))
        self.register_buffer("of_inputs", torch.zeros(inputs))
        self.register_buffer("of_outputs", torch.zeros(outputs))

    def redraw(self, generator: torch.Generator) -> None:
        for part in (self.of_inputs, self.of_outputs):
            drawn = torch.randn(part.shape, generator=generator, device=part.device)
            part.copy_(drawn.sign() * drawn.abs().sqrt())

    def forward(self, features: Tensor) -> Tensor:
        """Return (…, outputs) of (…, inputs), with the noise that was drawn last."""
        noise = torch.outer(self.of_outputs, self.of_inputs)
        weight = self.mean.weight + self.weight_size * noise
        return functional.linear(
            features, weight, self.mean.bias + self.bias_size * self.of_outputs
        )


class ReturnNetwork(Network):
    """Of each action the distribution of the return after it, over Z atoms.

    Attributes:
        atoms: (Z,) the returns that the distributions are over.
    """

    def __init__(
        self, shape: Shape, sizes: Sizes, atoms: tuple[float, float, int], noise: float
    ) -> None:
        """Make the layers; ``atoms``: the least, the greatest, and how many."""
        super().__init__(shape, sizes)
        self.register_buffer("atoms", torch.linspace(*atoms))
        self.actions = shape.actions
        units = sizes.joint
        last = NoisyLinear(units, atoms[2], noise)
        # Returns are expected near 0 at first. With all atoms alike they would be expected in the
        # middle, 100 where 12 are earned, and come down from there by one target after another.
        width = (atoms[1] - atoms[0]) / (atoms[2] - 1)
        last.mean.bias.data = -torch.linspace(*atoms).abs() / width
        self.value = nn.Sequential(NoisyLinear(units, units, noise), nn.ReLU(), last)
        self.advantage = nn.Sequential(
            NoisyLinear(units, units, noise),
            nn.ReLU(),
            NoisyLinear(units, shape.actions * atoms[2], noise),
        )

    def redraw(self, generator: torch.Generator) -> None:
        for module in self.modules():
            if isinstance(module, NoisyLinear):
                module.redraw(generator)

    def forward(self, seen: Seen) -> Tensor:
        """Return the logarithms of all atoms' chances: (K, N, A, Z)."""
        features = self.features(seen)
        advantage = self.advantage(features).unflatten(-1, (self.actions, -1))
        advantage = advantage - advantage.mean(-2, keepdim=True)
        return functional.log_softmax(self.value(features)[..., None, :] + advantage, -1)

    def best(self, log_chances: Tensor, mask: Tensor) -> Tensor:
        """Return the legal actions (K, N) int64 whose expected returns are the greatest."""
        expected = (log_chances.exp() * self.atoms).sum(-1)
        return expected.masked_fill(~mask, -torch.inf).argmax(-1)

    def act(self, seen: Seen, memory: Memory, generator: torch.Generator) -> tuple[Tensor, Memory]:
        """Take the best actions under noise that is drawn; see :meth:`Network.act`."""
        self.redraw(generator)
        return self.best(self(seen), seen.mask), memory


def projected(chances: Tensor, returns: Tensor, factor: Tensor, atoms: Tensor) -> Tensor:
    """Return what a distribution becomes when its atoms move to ``returns + factor * atoms``.

    What falls between two atoms is split between them by its distance, so that chances still sum
    to 1; what falls beyond the last goes to the last.

    Args:
        chances: (…, Z) of the atoms.
        returns: (…,).
        factor: (…,).
        atoms: (Z,), equally far apart.
    """
    last, width = len(atoms) - 1, atoms[1] - atoms[0]
    moved = (returns[..., None] + factor[..., None] * atoms).clamp(atoms[0], atoms[-1])
    place = ((moved - atoms[0]) / width).clamp(0, last)
    below = place.floor().clamp_max(last - 1)
    above, index = place - below, below.long()
    found = torch.zeros_like(chances)
    found.scatter_add_(-1, index, chances * (1 - above))
    return found.scatter_add_(-1, index + 1, chances * above)


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
