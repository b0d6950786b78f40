"""The hyperparameters of learning, in one class. The command line is derived from this class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

# Algorithms: PPO, PPO with an LSTM, PPO with a central critic, distributional Q-learning, and the
# curriculum of three stages of PPO with an LSTM.
Algorithm = Literal["ppo", "recppo", "mappo", "rainbow", "cl"]


class Sizes(BaseModel):
    """The size of a network.

    Attributes:
        channels: numbers of channels of the convolutions, which are 3 x 3 each.
        stride: stride of the first convolution.
        window: number of units of the layer after the convolutions.
        graph: number of units of the two layers over the social state; 0 for none.
        joint: number of units of the layer that combines these parts.
        memory: number of units of the LSTM, if the network has one.
    """

    model_config = ConfigDict(frozen=True)

    channels: tuple[int, ...]
    stride: int
    window: int
    graph: int
    joint: int
    memory: int


# ``small`` can be trained on two cores; ``large`` is for a GPU; ``plain`` is ``small`` without the
# graph network, for comparison with other libraries. The paper gives no sizes.
SIZES: Mapping[str, Sizes] = {
    "small": Sizes(channels=(16,), stride=2, window=64, graph=16, joint=64, memory=64),
    "large": Sizes(channels=(32, 64), stride=1, window=256, graph=32, joint=256, memory=256),
    "plain": Sizes(channels=(16,), stride=2, window=64, graph=0, joint=64, memory=64),
}


# Defaults by algorithm. With the entropy of the other algorithms, the reward in the curriculum's
# first stage stayed at .2347.
DEFAULTS: Mapping[Algorithm, Mapping[str, float]] = {
    "cl": {"entropy": 0.05, "last_entropy": 0.005},
    "rainbow": {"learning_rate": 3e-4},
}


class Options(BaseModel):
    """Game, algorithm and hyperparameters.

    The paper only names the algorithms. We chose the defaults, which are the same for all
    algorithms except for the fields in :data:`DEFAULTS`.

    Attributes:
        algorithm: name of the algorithm.
        game: name of the game.
        changes: changed fields of the game.
        steps: agent-steps to train for (the steps of a game times its agents).
        seed: seed of games, weights and sampling.
        games: number of games that are played in parallel.
        rollout: number of steps that each game is played between two updates.
        epochs: how many times an update goes through the rollout.
        minibatches: number of minibatches per epoch.
        learning_rate: initial learning rate of Adam. It falls linearly to 0.
        gamma: discount per step.
        gae_lambda: parameter λ of generalised advantage estimation.
        clip: by how much the ratio of the new to the old policy may differ from 1.
        entropy: initial factor of the entropy in the loss.
        last_entropy: factor of the entropy at the end, after a linear change; in a curriculum, at
            the end of each stage. None keeps the factor constant.
        value_factor: factor of the squared error of values in the loss.
        most_gradient: maximum norm of gradients.
        sequence: number of steps of backpropagation through the LSTM.
        size: size of the network, see :data:`SIZES`.
        stages: fractions of all agent-steps for the stages of the curriculum.
        replay: number of agent-steps in Rainbow's replay buffer.
        replayed: number of agent-steps that Rainbow learns from after each step of all games.
        replays: number of minibatches into which the ``replayed`` agent-steps are divided.
        horizon: number of steps of multi-step returns.
        priority: exponent of prioritised replay. With 0, draws are uniform; with 1, they are
            proportional to the priority.
        correction: initial exponent of the importance weights. It rises to 1.
        noise: initial size of the noise of noisy layers.
        atoms: number of atoms of return distributions.
        least_return: lowest atom, in units of the game's rewards.
        greatest_return: highest atom. None stands for 210 in easy games, 1000 in hard games, and
            1.05 times the maximum reward of all agents in other games.
        copy_every: number of agent-steps between updates of the target network.
        device: ``cpu`` or ``cuda``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    algorithm: Algorithm = "ppo"
    game: str = "contract-easy"
    changes: dict[str, Any] = Field(default_factory=dict)
    steps: int = Field(default=2_000_000, gt=0)
    seed: int = Field(default=0, ge=0)
    games: int = Field(default=64, gt=0)
    rollout: int = Field(default=60, gt=0)
    epochs: int = Field(default=4, gt=0)
    minibatches: int = Field(default=8, gt=0)
    learning_rate: float = Field(default=1e-3, gt=0)
    gamma: float = Field(default=0.99, ge=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip: float = Field(default=0.2, gt=0)
    entropy: float = Field(default=0.01, ge=0)
    last_entropy: float | None = Field(default=None, ge=0)
    value_factor: float = Field(default=0.5, ge=0)
    most_gradient: float = Field(default=0.5, gt=0)
    sequence: int = Field(default=20, gt=0)
    size: Literal["small", "large", "plain"] = "small"
    stages: tuple[float, float, float] = (0.4, 0.4, 0.2)
    replay: int = Field(default=131_072, gt=0)
    replayed: int = Field(default=512, gt=0)
    replays: int = Field(default=2, gt=0)
    horizon: int = Field(default=3, gt=0)
    priority: float = Field(default=0.6, ge=0)
    correction: float = Field(default=0.4, ge=0, le=1)
    noise: float = Field(default=0.5, ge=0)
    atoms: int = Field(default=51, gt=1)
    least_return: float = -10.0
    greatest_return: float | None = None
    copy_every: int = Field(default=8000, gt=0)
    device: str = "cpu"

    @model_validator(mode="before")
    @classmethod
    def _with_starts(cls, asked: Any) -> Any:
        if not isinstance(asked, Mapping):
            return asked
        return {**DEFAULTS.get(asked.get("algorithm", "ppo"), {}), **asked}

    @field_validator("stages")
    @classmethod
    def _parts_of_all(cls, parts: tuple[float, float, float]) -> tuple[float, float, float]:
        if not (all(part >= 0 for part in parts) and 0 < sum(parts) < float("inf")):
            raise ValueError("stages must be fractions of at least 0, and not all 0")
        return parts

    @model_validator(mode="after")
    def _orders(self) -> Self:
        greatest = self.greatest_return
        if greatest is not None and greatest <= self.least_return:
            raise ValueError(
                f"greatest_return must exceed least_return: {greatest:g} is not greater than "
                f"{self.least_return:g}"
            )
        return self

    def entropy_with(self, part_left: float) -> float:
        """Return the factor of the entropy when the fraction ``part_left`` of the training (in a
        curriculum, of the stage) is left.
        """
        last = self.entropy if self.last_entropy is None else self.last_entropy
        return last + (self.entropy - last) * part_left

    @property
    def remembers(self) -> bool:
        return self.algorithm in ("recppo", "cl")
