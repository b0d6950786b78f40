"""Networks that consist of convolutions over windows, a graph network over the social state, and an
LSTM.

The kinds of layers come from Huang et al., "AdaSociety"; we chose the sizes, see
:data:`grid.learn.options.SIZES`. One network plays all agents of a game (parameter sharing).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxpolis.grid.learn.games import Observations, Shape
from voxpolis.grid.learn.options import Sizes


class Memory(NamedTuple):
    """Each agent's LSTM state, as two arrays (K games, N agents, M units): hidden and cell."""

    hidden: Tensor
    cell: Tensor

    def where_not(self, begun: Tensor) -> Memory:
        """Return the memory, set to zero in the games in which ``begun`` (K,) is 1."""
        keep = (1 - begun)[:, None, None]
        return Memory(self.hidden * keep, self.cell * keep)


class SocialGraph(nn.Module):
    """Two layers of a graph convolutional network over agents and groups.

    The nodes are the N agents and the G groups. An agent is linked to its groups, by its weight in
    each group, and to the agents that share observations with it. The features of a node are its
    type (the agent itself, another agent, or a group), an agent's job and last reward, and a
    group's number, because agents choose groups by number. Each node is also linked to itself, and
    rows of the matrix sum to 1, see :meth:`links`. A layer computes ``links @ features @ weights``;
    the second layer is linear. The output consists of the agent's own node and of the mean of all
    nodes.
    """

    def __init__(self, shape: Shape, units: int) -> None:
        super().__init__()
        agents, jobs = len(shape.jobs), max(shape.jobs) + 1
        features = torch.zeros(agents + shape.groups, 2 + jobs + shape.groups)
        features[:agents, 0] = 1
        features[:agents, 2 : 2 + jobs] = functional.one_hot(torch.tensor(shape.jobs), jobs).float()
        features[agents:, 1] = 1
        features[agents:, 2 + jobs :] = torch.eye(shape.groups)
        self.register_buffer("features", features)
        self.first = nn.Linear(features.shape[1], units)
        self.of_reward = nn.Parameter(torch.randn(units) / units**0.5)
        self.of_self = nn.Parameter(torch.randn(units) / units**0.5)
        self.second = nn.Linear(2 * units, units)

    def forward(self, seen: Observations) -> Tensor:
        """Return features of the social state for each agent: (K, N, units)."""
        agents = seen.earned.shape[1]
        links = self.links(seen)
        of_agents = links[:, :, :agents]
        rewards = (of_agents @ seen.earned[..., None]) * self.of_reward
        common = links @ self.first(self.features) + rewards
        # The inputs of different agents differ only in which node is marked as the agent itself.
        own = of_agents.transpose(1, 2)[..., None]
        nodes = functional.relu(torch.addcmul(common[:, None], own, self.of_self))
        mean = links.mean(1, keepdim=True).expand(-1, agents, -1)
        taken = torch.stack((links[:, :agents], mean), 2) @ nodes  # (K, N, 2, units)
        return functional.relu(self.second(taken.flatten(2)))

    @staticmethod
    def links(seen: Observations) -> Tensor:
        """Return the normalised adjacency matrix, (K, N + G, N + G), whose rows sum to 1."""
        games, agents, groups = seen.members.shape
        links = torch.eye(agents + groups, device=seen.members.device).repeat(games, 1, 1)
        links[:, :agents, :agents] += seen.shares.transpose(1, 2)
        links[:, :agents, agents:] = seen.members
        links[:, agents:, :agents] = seen.members.transpose(1, 2)
        normal: Tensor = links / links.sum(-1, keepdim=True)
        return normal


class Convolutions(nn.Sequential):
    """Layers that reduce an area of cells (K, H, W, C) to features (K, ``sizes.window``).

    Channels stay the last axis in memory, as in cells. On a CPU, this layout halves the computing
    time.
    """

    def __init__(self, area: tuple[int, int, int], sizes: Sizes) -> None:
        """Create the layers for areas of shape (H, W, C)."""
        height, width, channels = area
        layers: list[nn.Module] = []
        stride = sizes.stride
        for out in sizes.channels:
            layers += [nn.Conv2d(channels, out, 3, stride), nn.ReLU()]
            height, width = (height - 3) // stride + 1, (width - 3) // stride + 1
            channels, stride = out, 1
        layers += [nn.Flatten(), nn.Linear(channels * height * width, sizes.window), nn.ReLU()]
        super().__init__(*layers)
        self.to(memory_format=torch.channels_last)

    def forward(self, cells: Tensor) -> Tensor:
        """Return features (K, ``sizes.window``) of cells (K, H, W, C)."""
        *as_shape, _, last, active = self
        areas = cells.permute(0, 3, 1, 2)
        for layer in as_shape:
            areas = layer(areas)
        # The last layer's weights expect channels first; permuting them is cheaper than permuting
        # areas.
        weights = last.weight.unflatten(1, areas.shape[1:]).permute(0, 2, 3, 1).flatten(1)
        rows = areas.permute(0, 2, 3, 1).flatten(1)
        features: Tensor = active(functional.linear(rows, weights, last.bias))
        return features


class Network(nn.Module, ABC):
    """A policy network. Its inputs are windows, the social state, and the agent's own items."""

    def __init__(self, shape: Shape, sizes: Sizes) -> None:
        super().__init__()
        self.window = Convolutions((shape.side, shape.side, shape.channels), sizes)
        self.social = SocialGraph(shape, sizes.graph) if sizes.graph else None
        self.joint = nn.Linear(sizes.window + sizes.graph + shape.own, sizes.joint)

    def begin(self, seen: Observations) -> Memory:
        """Return the memory of agents at the start of an episode. By default it is empty."""
        zeros = seen.own.new_zeros((*seen.earned.shape, 0))
        return Memory(zeros, zeros)

    @abstractmethod
    def act(
        self, seen: Observations, memory: Memory, generator: torch.Generator
    ) -> tuple[Tensor, Memory]:
        """Return legal actions (K, N) int64, and the memory after the step."""

    def features(self, seen: Observations) -> Tensor:
        """Return the features that feed both memory and output layers: (K, N, joint)."""
        window = self.window(seen.window.flatten(0, 1)).unflatten(0, seen.earned.shape)
        social = () if self.social is None else (self.social(seen),)
        return functional.relu(self.joint(torch.cat((window, *social, seen.own), -1)))


class ActorCritic(Network):
    """A network that outputs a policy and values."""

    def __init__(self, shape: Shape, sizes: Sizes, *, remembers: bool) -> None:
        """Create the layers. If ``remembers`` is True, the network contains an LSTM."""
        super().__init__(shape, sizes)
        self.memory = nn.LSTMCell(sizes.joint, sizes.memory) if remembers else None
        last = sizes.memory if remembers else sizes.joint
        self.policy = nn.Linear(last, shape.actions)
        self.value = nn.Linear(last, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # makes the first policy nearly uniform
        nn.init.zeros_(self.policy.bias)

    def begin(self, seen: Observations) -> Memory:
        units = self.memory.hidden_size if self.memory else 0
        zeros = seen.own.new_zeros((*seen.earned.shape, units))
        return Memory(zeros, zeros)

    def remember(self, features: Tensor, memory: Memory) -> Memory:
        assert self.memory is not None
        shape = memory.hidden.shape
        rows = (part.flatten(0, 1) for part in memory)
        hidden, cell = self.memory(features.flatten(0, 1), tuple(rows))
        return Memory(hidden.view(shape), cell.view(shape))

    def heads(self, features: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (…, N, A), -inf for illegal actions, and values (…, N)."""
        logits = self.policy(features).masked_fill(~mask, -torch.inf)
        return functional.log_softmax(logits, -1), self.value(features)[..., 0]

    def forward(self, seen: Observations, memory: Memory) -> tuple[Tensor, Tensor, Memory]:
        """Return log-probabilities (K, N, A), values (K, N) and the memory after this step."""
        features = self.features(seen)
        if self.memory is not None:
            memory = self.remember(features, memory)
            features = memory.hidden
        return *self.heads(features, seen.mask), memory

    def act(
        self, seen: Observations, memory: Memory, generator: torch.Generator
    ) -> tuple[Tensor, Memory]:
        """Draw actions from the policy; see :meth:`Network.act`."""
        log_chances, _, memory = self(seen, memory)
        return draw(log_chances, generator), memory


def draw(log_chances: Tensor, generator: torch.Generator) -> Tensor:
    """Draw actions (…,) int64 with the log-probabilities (…, A). An action with -inf is never
    drawn.

    Each probability is divided by an exponentially distributed random number. The chance that an
    action has the largest quotient is then exactly the probability of that action.
    """
    waits = torch.empty_like(log_chances).exponential_(generator=generator)
    return (log_chances.exp() / waits.clamp_min(1e-30)).argmax(-1)


def entropy(log_chances: Tensor) -> Tensor:
    """Return the mean entropy of policies (…, A), in nats."""
    chances = log_chances.exp()
    return -(chances * log_chances.masked_fill(chances == 0, 0)).sum(-1).mean()
