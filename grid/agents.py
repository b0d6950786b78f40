"""Presents each agent of a batch as a separate environment, as single-agent libraries expect."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from voxpolis.grid.core.arrays import Flags, Floats, Masks
from voxpolis.grid.core.batch import Batch, Info, Observation, Seeds, as_shape


class AgentVector(VectorEnv[Any, Any, Any]):
    """A Gymnasium ``VectorEnv`` of B · N environments, one for each agent of B games.

    The agents learn one policy from their own observations (parameter sharing). All arrays have B ·
    N rows, and agent ``i`` of game ``b`` is in row ``b · N + i``. The arrays are observations,
    rewards (float64), terminated and truncated (bool) and ``action_mask`` (B · N, A) int8. If games
    are reset in the step in which they end, the info also contains ``final_obs``,
    ``_final_obs``, ``final_info`` and ``_final_info``.

    Attributes:
        batch: the games.
    """

    def __init__(self, batch: Batch[Any]) -> None:
        self.batch = batch
        self.num_envs = batch.rewards.size
        self.metadata = batch.metadata
        self._masks: Masks = np.zeros((self.num_envs, batch.action_count), np.int8)

    def __copy__(self) -> AgentVector:
        return deepcopy(self)

    @cached_property
    def single_observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return self.batch.agent_spaces()[self.batch.agents[0]]

    @cached_property
    def single_action_space(self) -> spaces.Discrete:  # type: ignore[override]
        return spaces.Discrete(self.batch.action_count)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.MultiDiscrete:  # type: ignore[override]
        return spaces.MultiDiscrete([self.batch.action_count] * self.num_envs)

    def reset(
        self, *, seed: Seeds | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode in each game; see :meth:`grid.core.batch.Batch.reset`.

        A ``reset_mask`` has a value for each agent. A list of seeds may have one seed for each
        agent; each game then uses the seed of its first agent.

        Raises:
            ValueError: the seeds or the mask are invalid, or the mask marks some agents of a game
                and not others.
        """
        agents = len(self.batch.agents)
        if seed is not None and not isinstance(seed, int) and len(seed) == self.num_envs:
            seed = seed[::agents]
        if options and "reset_mask" in options:
            games = as_shape(options["reset_mask"], (self.num_envs,), "reset_mask")
            games = games.reshape(-1, agents)
            if (games != games[:, :1]).any():
                raise ValueError("reset_mask must mark all agents of a game, or none of them")
            options = {**options, "reset_mask": games[:, 0]}
        observation, info = self.batch.reset(seed=seed, options=options)
        return self._rows(observation), self._info_rows(info)

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Observation, Floats, Flags, Flags, Info]:
        """Take a step in all games with ``actions`` (B · N,); see
        :meth:`grid.core.batch.Batch.step`.

        Raises:
            ValueError: ``actions`` has the wrong shape or contains invalid actions.
        """
        given = as_shape(actions, (self.num_envs,))
        shape, agents = self.batch.rewards.shape, len(self.batch.agents)
        observation, rewards, *flags, info = self.batch.step(given.reshape(shape))
        terminated, truncated = (np.repeat(flag, agents) for flag in flags)
        seen, info = self._rows(observation), self._info_rows(info)
        return seen, rewards.reshape(-1), terminated, truncated, info

    def action_masks(self) -> Flags:
        """Return which actions are legal after the last step, as (B · N, A) bool. The batch must
        have been created with action masks.
        """
        masks: Flags = self._masks != 0
        return masks

    def close_extras(self, **kwargs: Any) -> None:
        self.batch.close()

    def _info_rows(self, info: Info) -> Info:
        rows = dict(info)
        if "action_mask" in info:
            rows["action_mask"] = self._rows(info["action_mask"])
            self._masks = rows["action_mask"].copy()  # the caller may write into the info
        if "final_obs" in info:
            rows["final_obs"] = self._rows(info["final_obs"])
            rows["final_info"] = {key: self._rows(one) for key, one in info["final_info"].items()}
            ended = np.repeat(info["_final_obs"], len(self.batch.agents))
            rows["_final_obs"], rows["_final_info"] = ended, ended.copy()
        return rows

    def _rows(self, value: Any) -> Any:
        """Reshape an array (B, N, …) to (B · N, …). Values that agents or games share are
        repeated.
        """
        agents = len(self.batch.agents)
        if isinstance(value, np.ndarray):
            return value.reshape(self.num_envs, *(value.shape[2:] or ()))
        rows: Observation = {}
        for name, part in value.items():
            if name == "step":
                rows[name] = np.repeat(part, agents)[:, None]
            elif isinstance(part, Mapping):
                rows[name] = {key: np.repeat(array, agents, 0) for key, array in part.items()}
            else:
                rows[name] = part.reshape(self.num_envs, *(part.shape[2:] or (1,)))
        return rows
