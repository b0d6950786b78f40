"""A batch of games for stable-baselines3, in which all agents learn one policy (parameter sharing).

Pass ``SharedPolicyEnv(grid.make_agents("clean_up", 16, autoreset="same_step"))`` to PPO or, with
masks, to sb3-contrib's MaskablePPO. The module needs the extra ``rl`` (see docs/start/install.md).
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from voxpolis.grid.agents import AgentVector
from voxpolis.grid.core.data import GameError

# Number of points on a learning curve.
CURVE_POINTS = 40


class SharedPolicyEnv(VecEnv):  # type: ignore[misc]  # stable-baselines3 has no types here
    """All agents of a batch of games, as a ``VecEnv`` of stable-baselines3.

    Attributes:
        agents: the agents. Games must be reset in the step in which they end, as stable-baselines3
            requires.
        returns: total reward of all agents in each episode that has ended.
    """

    def __init__(self, agents: AgentVector) -> None:
        if agents.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP:
            raise GameError('stable-baselines3 needs autoreset="same_step"')
        self.agents = agents
        self.returns: list[float] = []
        self._earned = np.zeros(agents.batch.num_envs)
        self._actions: npt.NDArray[np.integer[Any]] = np.zeros(agents.num_envs, np.int64)
        space = agents.single_observation_space
        super().__init__(agents.num_envs, space, agents.single_action_space)

    def reset(self) -> Any:
        self._earned[:] = 0
        observation, _ = self.agents.reset(seed=self._seeds[0])
        self._reset_seeds()
        return observation

    def step_async(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Store the actions of all agents: (B · N,) whole numbers."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Take one step.

        Returns:
            Observations, rewards (B · N,) float32, dones (B · N,) bool, and an info for each agent.
            If an agent's episode ended, its info contains ``terminal_observation`` and
            ``TimeLimit.truncated``.
        """
        seen, rewards, terminated, truncated, info = self.agents.step(self._actions)
        self._earned += rewards.reshape(len(self._earned), -1).sum(1)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if done.any():
            ended = done.reshape(len(self._earned), -1)[:, 0]
            self.returns += self._earned[ended].tolist()
            self._earned[ended] = 0
            for row in np.flatnonzero(done).tolist():
                infos[row]["terminal_observation"] = _row(info["final_obs"], row)
                infos[row]["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
        return seen, rewards.astype(np.float32), done, infos

    def close(self) -> None:
        self.agents.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the batch, repeated for each agent."""
        return [getattr(self.agents, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an error, because agents have no attributes of their own."""
        raise AttributeError("agents have no individual attributes")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Call a method such as ``action_masks`` for the whole batch, and return a row for each
        agent.
        """
        return list(getattr(self.agents, method_name)(*args, **kwargs))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each agent, because no environment is wrapped."""
        return [False] * self.num_envs


def _row(value: Any, row: int) -> Any:
    if isinstance(value, dict):
        return {name: _row(part, row) for name, part in value.items()}
    return value[row]


class Curve(BaseCallback):  # type: ignore[misc]
    """Records and prints what fraction of the optimum the agents reach on average."""

    def __init__(self, env: SharedPolicyEnv, best: float, steps: int) -> None:
        """Prepare the curve. ``best`` is the optimum of a game's total reward, and ``steps`` is the
        number of agent-steps of the training.
        """
        super().__init__()
        self.points: list[tuple[int, float, float]] = []
        self._env = env
        self._best = best
        self._every = max(1, steps // CURVE_POINTS)
        self._started = time.monotonic()

    def _on_step(self) -> bool:
        due = self.num_timesteps >= (len(self.points) + 1) * self._every
        if due and self._env.returns:
            share = float(np.mean(self._env.returns)) / self._best
            self._env.returns.clear()
            seconds = time.monotonic() - self._started
            self.points.append((self.num_timesteps, share, round(seconds, 1)))
            print(f"{self.num_timesteps:>10,} agent-steps  {share:.3f} of the optimum", flush=True)
        return True
