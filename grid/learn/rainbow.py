"""Rainbow: distributional Q-learning with a replay buffer.

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
from voxpolis.grid.learn.games import Games, Observations, Shape, shape_of
from voxpolis.grid.learn.learner import Learner, means
from voxpolis.grid.learn.networks import Memory, Network
from voxpolis.grid.learn.options import SIZES, Options, Sizes

# --- Prioritised replay ---------------------------------------------------------------------------
#
# Source: Schaul et al. 2016, "Prioritized Experience Replay"; returns over several steps as in
# Hessel et al. 2018, "Rainbow".


class Replayed(NamedTuple):
    """M steps of games, drawn from the replay buffer, with all agents of these games.

    ``seen`` and ``after`` (M, …) are the observations before the step and ``horizon`` steps later.
    ``actions`` is (M, N) int64. ``returns`` (M, N) are the discounted rewards in between.
    ``factor`` (M,) is the discount for the value of ``after``, or 0 if the episode ended before.
    ``weights`` (M,) are the importance weights, and ``index`` (M,) are positions in the buffer.
    """

    seen: Observations
    after: Observations
    actions: Tensor
    returns: Tensor
    factor: Tensor
    weights: Tensor
    index: Tensor


class Replay:
    """A replay buffer that contains the last S steps of B games.

    Windows are stored as bytes.
    """

    def __init__(self, like: Observations, steps: int, horizon: int, gamma: float) -> None:
        room = like._replace(window=like.window.to(torch.uint8)).room(steps)
        self.seen = room
        self.actions = torch.zeros_like(room.earned, dtype=torch.int64)
        self.rewards = torch.zeros_like(room.earned)
        self.done = torch.zeros_like(room.earned[..., 0])
        self.priority = torch.zeros_like(self.done)
        self.horizon, self.gamma = horizon, gamma
        self.next, self.count = 0, 0

    def add(self, seen: Observations, actions: Tensor, rewards: Tensor, done: Tensor) -> None:
        """Store a step of all games. If the buffer is full, the oldest step is dropped.

        Args:
            seen: (B, …), observations before the step.
            actions: (B, N).
            rewards: (B, N).
            done: (B,), 1 if an episode ended with the step.
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
        """Draw ``size`` steps of games. Steps with a higher priority are drawn more often.

        Args:
            size: number of steps.
            correction: exponent of the importance weights. With 0, nothing is corrected; with 1,
                the priorities are corrected fully.
            generator: source of random numbers.
        """
        priority = self.priority.clone()
        for later in range(1, self.horizon + 1):  # the steps after these are not known yet
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

    def _at(self, step: Tensor, game: Tensor) -> Observations:
        found = Observations(*(part[step, game] for part in self.seen))
        return found._replace(window=torch.log1p(found.window.float()))

    def state(self) -> dict[str, Any]:
        return {**vars(self), "seen": tuple(self.seen)}

    def restore(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "seen": Observations(*state["seen"])})


# --- Rainbow's network: noisy, dueling and distributional -----------------------------------------
#
# Sources: Bellemare et al. 2017 (distributions over atoms), Wang et al. 2016 (dueling), Fortunato
# et al. 2018 (noisy layers), as combined by Hessel et al. 2018, "Rainbow".


class NoisyLinear(nn.Module):
    """A linear layer whose weights have random noise. The size of the noise is learned.

    This is factorised noise (Fortunato et al. 2018): the noise of each weight is the product of one
    random number per input and one random number per output.
    """

    def __init__(self, inputs: int, outputs: int, noise: float) -> None:
        """Create the layer. ``noise`` is the initial size of the noise, multiplied by √inputs."""
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
        """Compute (…, outputs) from (…, inputs), with the noise that was drawn last."""
        noise = torch.outer(self.of_outputs, self.of_inputs)
        weight = self.mean.weight + self.weight_size * noise
        return functional.linear(
            features, weight, self.mean.bias + self.bias_size * self.of_outputs
        )


class ReturnNetwork(Network):
    """Outputs the distribution of each action's return, as probabilities of Z possible returns
    (atoms).

    Attributes:
        atoms: (Z,), the possible returns.
    """

    def __init__(
        self, shape: Shape, sizes: Sizes, atoms: tuple[float, float, int], noise: float
    ) -> None:
        """Create the layers. ``atoms`` contains the lowest atom, the highest atom, and the number
        of atoms.
        """
        super().__init__(shape, sizes)
        self.register_buffer("atoms", torch.linspace(*atoms))
        self.actions = shape.actions
        units = sizes.joint
        last = NoisyLinear(units, atoms[2], noise)
        # Start with expected returns near 0. With uniform distributions they would start in the
        # middle of the range, at 100 in a game where 12 can be earned, and come down only slowly,
        # from one target to the next.
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

    def forward(self, seen: Observations) -> Tensor:
        """Return the log-probabilities of all atoms: (K, N, A, Z)."""
        features = self.features(seen)
        advantage = self.advantage(features).unflatten(-1, (self.actions, -1))
        advantage = advantage - advantage.mean(-2, keepdim=True)
        return functional.log_softmax(self.value(features)[..., None, :] + advantage, -1)

    def best(self, log_chances: Tensor, mask: Tensor) -> Tensor:
        """Return the legal actions (K, N) int64 whose expected return is the highest."""
        expected = (log_chances.exp() * self.atoms).sum(-1)
        return expected.masked_fill(~mask, -torch.inf).argmax(-1)

    def act(
        self, seen: Observations, memory: Memory, generator: torch.Generator
    ) -> tuple[Tensor, Memory]:
        """Draw new noise and choose the best actions; see :meth:`Network.act`."""
        self.redraw(generator)
        return self.best(self(seen), seen.mask), memory


def projected(chances: Tensor, returns: Tensor, factor: Tensor, atoms: Tensor) -> Tensor:
    """Shift and scale the atoms of a distribution, and express the result with the original atoms.

    Each atom moves to ``returns + factor * atom``. A probability that falls between two atoms is
    divided between them by distance, so that the sum stays 1. A probability that falls outside goes
    to the first or the last atom.

    Args:
        chances: (…, Z), probabilities of the atoms.
        returns: (…,).
        factor: (…,).
        atoms: (Z,), equally spaced.
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
    """Double, dueling, distributional Q-learning with multi-step returns and noisy layers.

    Rewards are not scaled, because the atoms are in units of the game's own rewards. A step of a
    game is stored, drawn and weighted together with all its agents. Its priority is the mean of the
    agents' priorities.

    Attributes:
        network: outputs the distributions of returns.
        target: an older copy of the network, which gives the values of later steps.
        replay: the replay buffer.
    """

    network: ReturnNetwork

    def __init__(self, options: Options, games: Games) -> None:
        """Create networks, optimiser and buffer. The seed in ``options`` determines all random
        numbers.

        Raises:
            ValueError: the lowest atom is not below the highest atom.
        """
        torch.manual_seed(options.seed)
        greatest = options.greatest_return
        if greatest is None:
            greatest = greatest_return(games.best)
        if greatest <= options.least_return:
            raise ValueError(
                f"least_return must be below {greatest:g}, the greatest return of the game: "
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
                f"replay: {options.replay} agent-steps never suffice to learn from "
                f"{options.replayed} at once; the minimum here is {least * batch * agents}"
            )
        self.replay = Replay(first, steps, options.horizon, options.gamma)
        self.since_copied = 0

    def modules(self) -> Iterable[nn.Module]:
        """Return the modules that are trained: the network, but not the target network."""
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

            # Update the target when it is due.
            self.since_copied += actions.numel()
            if self.since_copied >= options.copy_every:
                self.since_copied = 0
                self.target.load_state_dict(self.network.state_dict())

            # Learn once the buffer contains enough steps for a full draw.
            played = perf_counter()
            if self.replay.count * len(actions) >= self.drawn + options.horizon * len(actions):
                for _ in range(options.replays):
                    for name, value in self.learn(self.drawn, 1 - part_left).items():
                        found.setdefault(name, []).append(value)
            in_games = answered - asked
            self.count_seconds(in_games, played - began - in_games, perf_counter() - played)
        return means(found)

    def learn(self, size: int, part: float) -> dict[str, Tensor]:
        """Learn from ``size`` steps of the replay buffer. ``part`` is the completed fraction of the
        training.
        """
        options, network = self.options, self.network
        correction = options.correction + (1 - options.correction) * part
        drawn = self.replay.draw(size, correction, self.generator)

        # Target distribution: the network's best next actions, valued by the target network.
        with torch.no_grad():
            network.redraw(self.generator)
            self.target.redraw(self.generator)
            best = network.best(network(drawn.after), drawn.after.mask)
            later = of_actions(self.target(drawn.after), best).exp()
            factor = drawn.factor[:, None].expand_as(drawn.returns)
            goal = projected(later, drawn.returns, factor, network.atoms)

        # Predicted distribution, and its cross-entropy.
        network.redraw(self.generator)
        expected = of_actions(network(drawn.seen), drawn.actions)
        surprise = -(goal * expected).sum(-1).mean(-1)  # (M,): averaged over agents
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
    """Select the distributions (…, Z) of the given actions (…,) from those of all actions (…, A,
    Z).
    """
    index = actions[..., None, None].expand(*actions.shape, 1, log_chances.shape[-1])
    return log_chances.gather(-2, index)[..., 0, :]


def greatest_return(best: float) -> float:
    """Return the highest atom for a game whose maximum reward is ``best``: 210 for 200, 1000 for
    940, and otherwise 1.05 times ``best``.
    """
    return {200.0: 210.0, 940.0: 1000.0}.get(round(best, 6), 1.05 * best)
