"""One game as a PettingZoo ParallelEnv: a thin adapter over a batch of one environment."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from grid.core.arrays import Bytes
from grid.core.batch import Batch
from grid.core.data import GameError

Agent = str
#: Arrays of a batch's observation that are not one row an agent, or that agents do not see.
_NOT_OWN = ("step", "sent")


class GridEnv(ParallelEnv[Agent, dict[str, Any], np.int64]):
    """A game for one environment, agents by name (``explorer_0``, …).

    Spaces, of each agent: ``Discrete(A)`` of actions, and a dict of what the batch observes, a row
    an agent: for AdaSociety's games ``position`` (2,), ``inventory`` (R,), ``group`` and ``weight``
    (4,), ``step`` (1,), in games with negotiation ``bargain`` (4,), and ``window`` (S, S, C) or
    ``map`` (H, W, C), see :class:`grid.adasociety.vector.VectorGame`; for a commons see
    :class:`grid.commons.vector.VectorCommons`. ``infos[agent]["action_mask"]`` (A,) uint8 is 1
    where an action would have an effect. Observations and masks are copies.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as PettingZoo declares it)
        "name": "voxpolis_grid",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(self, vector: Batch[Any], *, render_mode: str | None = None) -> None:
        """Play the environment of a batch of one.

        Raises:
            GameError: the batch has more of them, or there is no such render mode.
        """
        if vector.num_envs != 1:
            raise GameError(f"a ParallelEnv is one environment, not {vector.num_envs}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise GameError(f"there is no render mode {render_mode!r}; there are: {modes}")
        self.render_mode = render_mode
        self.vector = vector
        self.possible_agents = list(vector.agents)
        self.agents: list[Agent] = []
        self._actions = np.zeros((1, len(self.possible_agents)), np.int32)
        self._own = [name for name in vector.observation if name not in _NOT_OWN]
        #: One number an agent is a row of one.
        self._flat = [k for k, name in enumerate(self._own) if vector.observation[name].ndim == 2]
        self._started = False
        self._spaces = vector.agent_spaces()
        self._action_spaces = {
            agent: spaces.Discrete(vector.action_count) for agent in self.possible_agents
        }

    def observation_space(self, agent: Agent) -> spaces.Dict:
        """What an agent observes; the same object each time."""
        return self._spaces[agent]

    def action_space(self, agent: Agent) -> spaces.Discrete:
        """What an agent can do; the same object each time."""
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Agent, dict[str, Any]], dict[Agent, dict[str, Any]]]:
        """Begin an episode; without a seed the next one of the last seed."""
        if seed is None and not self._started:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._started = True
        _, info = self.vector.reset(seed=seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos(info)

    def step(
        self, actions: Mapping[Agent, int | np.int64]
    ) -> tuple[
        dict[Agent, dict[str, Any]],
        dict[Agent, float],
        dict[Agent, bool],
        dict[Agent, bool],
        dict[Agent, dict[str, Any]],
    ]:
        """One step of all agents; an episode ends for all at once."""
        agents = self.agents
        if not agents:
            return {}, {}, {}, {}, {}
        self._actions[0] = [actions[agent] for agent in agents]
        _, rewards, terminated, truncated, info = self.vector.step(self._actions)
        result = (
            self._observations(),
            dict(zip(agents, rewards[0].tolist(), strict=True)),
            dict.fromkeys(agents, bool(terminated[0])),
            dict.fromkeys(agents, bool(truncated[0])),
            self._infos(info),
        )
        if terminated[0] or truncated[0]:
            self.agents = []
        return result

    def _observations(self) -> dict[Agent, dict[str, Any]]:
        """Copies of what the kernel observed; one copy of each array for all agents."""
        seen = self.vector.observation
        parts = [seen[name][0].copy() for name in self._own]
        for k in self._flat:
            parts[k] = parts[k][:, None]
        names, step = (*self._own, "step"), repeat(seen["step"][:1].copy())
        rows = zip(self.agents, zip(*parts, step, strict=False), strict=True)
        return {agent: dict(zip(names, own, strict=True)) for agent, own in rows}

    def _infos(self, info: dict[str, Any]) -> dict[Agent, dict[str, Any]]:
        if "action_mask" not in info:
            return {agent: {} for agent in self.agents}
        masks = info["action_mask"][0].copy()
        return {a: {"action_mask": mask} for a, mask in zip(self.agents, masks, strict=True)}

    def render(self) -> Bytes | str | None:
        """The map: pixels (12 H, 12 W, 3) uint8, text, or (``human``) text on the terminal."""
        if self.render_mode == "rgb_array":
            return self.vector.pixels()
        if self.render_mode is None:
            return None
        text = self.vector.text()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def state(self) -> Bytes:
        """The whole map: (H, W, C) uint8."""
        return self.vector.world()

    def close(self) -> None:
        """End the threads, where the batch has any."""
        self.vector.close()
