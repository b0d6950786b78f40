"""Rainbow's network: noisy layers, value and advantage apart, returns as distributions.

Sources: Bellemare et al. 2017 (distributions over atoms), Wang et al. 2016 (dueling), Fortunato et
al. 2018 (noisy layers), as Hessel et al. 2018, "Rainbow", put them together.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxpolis.grid.learn.games import Seen, Shape
from voxpolis.grid.learn.networks import Memory, Network
from voxpolis.grid.learn.options import Sizes


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
