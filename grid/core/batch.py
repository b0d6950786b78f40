"""A batch of games as arrays: what all games have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from grid.core.arrays import Bytes, Flags, Floats, Ints, SmallInts, Words
from grid.core.workers import Workers

#: What agents see of the map: nothing, what is around them, or that at its place on the whole map.
Observations = Literal["none", "window", "map"]
Observation = dict[str, npt.NDArray[Any]]
Info = dict[str, Any]


class EpisodeState(Protocol):
    """What the state of every game has: (B,) arrays."""

    @property
    def seed(self) -> Words:
        """The seed of each environment."""

    @property
    def episode(self) -> Ints:
        """The number of its episode."""

    @property
    def step(self) -> Ints:
        """How many steps of that were played."""


State = TypeVar("State", bound=EpisodeState)


class Batch(ABC, Generic[State]):
    """``num_envs`` games (B) with N agents each, stepped together.

    In the conventions of Gymnasium's vector environments, with an axis for agents: ``reset(seed)``
    returns ``(observation, info)``, ``step(actions)`` takes whole numbers of shape (B, N) and
    returns ``(observation, rewards (B, N) float64, terminated (B,) bool, truncated (B,) bool,
    info)``. Autoreset is ``NEXT_STEP``: the step after an episode's end ignores its actions and
    returns the next episode's first observation, with rewards of 0.

    Environment ``i`` of ``reset(seed)`` has the seed ``seed + i``: what happens in it depends on
    that and its actions alone, not on the batch or the threads.

    All arrays that are returned are overwritten by the next step: copy what you keep. With
    ``action_masks`` the info has ``action_mask`` (B, N, A) uint8, 1 where an action would have an
    effect.

    Attributes:
        num_envs: B.
        agents: the N agents' names.
        action_count: A, how many actions there are.
        observation: the arrays of the last step.
        rewards: the last step's, (B, N) float64.
        state: the state, for a closer look.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    state: State
    observation: Observation

    def __init__(
        self,
        agents: list[str],
        action_count: int,
        num_envs: int,
        *,
        action_masks: bool,
        num_threads: int,
        make_scratch: Callable[[], object],
    ) -> None:
        """Start the threads, and make what is returned by steps.

        Raises:
            GameError: a number makes no sense.
        """
        self._workers = Workers(num_envs, num_threads, make_scratch)
        self.num_envs = num_envs
        self.agents = agents
        self.action_count = action_count
        self.rewards: Floats = np.zeros((num_envs, len(agents)))
        self._terminated: Flags = np.zeros(num_envs, np.bool_)
        self._truncated: Flags = np.zeros(num_envs, np.bool_)
        masked = num_envs if action_masks else 0
        self._masks: Bytes = np.zeros((masked, len(agents), action_count), np.uint8)
        self._info: Info = {"action_mask": self._masks} if action_masks else {}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode in each environment; without a seed the next one of the same seeds."""
        if seed is not None:
            self.state.seed[:] = np.arange(self.num_envs, dtype=np.uint64)
            self.state.seed[:] += np.uint64(int(seed) % 2**63)
            self.state.episode[:] = 0
        self._truncated[:] = True
        self._advance(np.zeros(self.rewards.shape, np.int32))
        return self.observation, self._info

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Observation, Floats, Flags, Flags, Info]:
        """One step of all environments; an action that is not legal has no effect.

        Args:
            actions: (B, N) whole numbers.

        Raises:
            ValueError: ``actions`` has another shape than (B, N).
        """
        chosen = np.asarray(actions, dtype=np.int32)
        if chosen.shape != self.rewards.shape:
            raise ValueError(f"actions have the shape {chosen.shape}, not {self.rewards.shape}")
        self._advance(chosen)
        return self.observation, self.rewards, self._terminated, self._truncated, self._info

    @abstractmethod
    def _advance(self, actions: SmallInts) -> None:
        """Begin the episodes of environments that have ended, step the others, observe all."""

    @abstractmethod
    def agent_spaces(self) -> dict[str, spaces.Dict]:
        """What each agent observes, by name."""

    @abstractmethod
    def world(self) -> Bytes:
        """The whole map of the first environment: (H, W, C) uint8."""

    @abstractmethod
    def pixels(self) -> Bytes:
        """The first environment as a picture: (12 H, 12 W, 3) uint8."""

    @abstractmethod
    def text(self) -> str:
        """The first environment in letters."""

    def close(self) -> None:
        """End the threads."""
        self._workers.close()
