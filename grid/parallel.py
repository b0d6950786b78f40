"""One game as a PettingZoo ParallelEnv, which wraps a batch of one environment."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from itertools import repeat
from operator import index
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import ParallelEnv

from voxpolis.grid.core.arrays import Bytes
from voxpolis.grid.core.batch import Batch
from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.records.text import suggestion

Agent = str


class GridEnv(ParallelEnv[Agent, Any, np.int64]):
    """A game with one environment whose agents have names (``explorer_0``, …).

    The action space of each agent is ``Discrete(A)``. The observation of an agent is a dict that
    contains the agent's row of each array of the batch's observation. In AdaSociety's games it
    contains ``position`` (2,), ``inventory`` (R,), ``group`` and ``weight`` (4,), ``step`` (1,),
    ``social`` (N, F), and ``window`` (S, S, C) or ``map`` (H, W, C); games with negotiation add
    ``bargain`` (4,). See :class:`grid.adasociety.vector.VectorGame`, and
    :class:`grid.commons.vector.VectorCommons` for a commons. With ``observations="flat"``, the
    observation is one row (F,) float32, see :class:`grid.core.flat.FlatRows`.
    ``infos[agent]["action_mask"]`` (A,) int8 is 1 for legal actions. Observations and masks are
    copies, except that all agents share ``step`` and ``social``, which are read-only.

    ``social`` is the public social state, a float32 array that all agents share. The array has a
    row per agent. Its columns are named in :attr:`social_columns` and explained in
    :meth:`VectorGame.social <grid.adasociety.vector.VectorGame.social>`.

    Attributes:
        vector: the batch of one environment.
        social_columns: a dictionary from each name, such as ``job``, to its columns of ``social``;
            empty for a commons.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as PettingZoo declares it)
        "name": "voxpolis_grid",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(self, vector: Batch[Any], *, render_mode: str | None = None) -> None:
        if vector.num_envs != 1:
            raise GameError(
                f"a ParallelEnv needs a batch of one environment, not {vector.num_envs}"
            )
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise GameError(f"there is no render mode {render_mode!r}; available modes: {modes}")
        self.render_mode = render_mode
        self.vector = vector
        self.possible_agents = list(vector.agents)
        self.agents: list[Agent] = []
        self._actions = np.zeros((1, len(self.possible_agents)), np.int32)
        self._is_flat = vector.observations == "flat"
        names = [] if self._is_flat else [*vector.observation]
        self._own = [name for name in names if name not in ("step", "social")]
        # The batch's observation, and views of its arrays for one environment.
        self._seen: Any = None
        self._views: list[npt.NDArray[Any]] = []
        self._is_reset = False
        # The social state of the last step as bytes and as a table. It seldom changes.
        self._drawn: list[bytes] = []
        self._table: npt.NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self.social_columns = {} if self._is_flat else _columns(vector.observation)
        self._spaces = vector.agent_spaces()
        if self.social_columns:
            own = next(iter(self._spaces.values()))
            assert isinstance(own, spaces.Dict)
            shape = self._social().shape
            society = spaces.Box(-1, np.inf, shape, dtype=np.float32)
            space = spaces.Dict({**own.spaces, "social": society})
            self._spaces = dict.fromkeys(self.possible_agents, space)
        self._action_spaces = {
            agent: spaces.Discrete(vector.action_count) for agent in self.possible_agents
        }

    def __copy__(self) -> Self:
        """Return an independent copy. Two environments that share arrays would disturb each
        other.
        """
        return deepcopy(self)

    def observation_space(self, agent: Agent) -> spaces.Space[Any]:
        """Return the observation space of an agent. Every call returns the same object."""
        return self._spaces[agent]

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of :meth:`state`."""
        return spaces.Box(0, 255, self.state().shape, np.uint8)

    def action_space(self, agent: Agent) -> spaces.Discrete:
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Agent, Any], dict[Agent, dict[str, Any]]]:
        """Start an episode; see :meth:`grid.core.batch.Batch.reset`."""
        self.vector.reset(seed=None if seed is None else [seed], options=options)
        self._is_reset = True
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[Agent, int | np.int64]
    ) -> tuple[
        dict[Agent, Any],
        dict[Agent, float],
        dict[Agent, bool],
        dict[Agent, bool],
        dict[Agent, dict[str, Any]],
    ]:
        """Take a step with the actions of all agents. An episode ends for all agents in the same
        step.

        After the end of an episode, a step changes nothing and returns empty dicts until ``reset``
        is called, like PettingZoo's own environments. It still refuses unknown agents.

        Raises:
            ResetNeeded: ``reset`` has not been called.
            ValueError: an action is missing or invalid, or an agent does not exist.
        """
        agents = self.agents
        if not self._is_reset:
            raise ResetNeeded("call reset before the first step")
        if not agents:
            self._know_all(actions)
            return {}, {}, {}, {}, {}
        vector, given = self.vector, self._actions
        try:
            chosen = [index(actions[agent]) for agent in agents]
            is_wrong = (
                len(actions) != len(agents)
                or bool in {*map(type, actions.values())}
                or not 0 <= min(chosen) <= max(chosen) < vector.action_count
            )
        except (AttributeError, LookupError, TypeError, OverflowError):
            is_wrong = True
        if is_wrong:
            self._know_all(actions)
            raise ValueError(self._what_is_wrong(actions))
        given[0] = chosen
        ends = vector.step_alone(given)
        result = (
            self._observations(),
            dict(zip(agents, vector.rewards[0].tolist(), strict=True)),
            dict.fromkeys(agents, ends[0]),
            dict.fromkeys(agents, ends[1]),
            self._infos(),
        )
        if any(ends):
            self.agents = []
        return result

    def _know_all(self, actions: object) -> None:
        if not isinstance(actions, Mapping):
            kind = type(actions).__name__
            raise ValueError(f"actions must be a dict with a number for each agent, not {kind}")
        there = self.possible_agents
        for agent in actions:
            if agent not in there:
                raise ValueError(f"there is no agent {agent!r}; {suggestion(str(agent), there)}")

    def _what_is_wrong(self, actions: Mapping[Agent, object]) -> str:
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            return f"actions are missing for {', '.join(missing)}"
        most = self.vector.action_count - 1
        wrong = {a: v for a, v in actions.items() if not is_whole(v, 0, most + 1)} or actions
        given = ", ".join(f"{agent}: {action!r}" for agent, action in wrong.items())
        return f"actions must be whole numbers from 0 to {most}, not {given}"

    def _observations(self) -> dict[Agent, Any]:
        """Return copies of the kernel's observation. Each array is copied only once for all
        agents.
        """
        seen = self.vector.observation
        if self._is_flat:
            return dict(zip(self.agents, seen[0].copy(), strict=True))
        if seen is not self._seen:  # this is a copy, or the first call
            parts = [seen[name][0] for name in self._own]
            # A single number for each agent becomes a row of length 1.
            self._views = [part[:, None] if part.ndim == 1 else part for part in parts]
            self._seen = seen
        parts = [part.copy() for part in self._views]
        step = seen["step"][:1].copy()
        step.flags.writeable = False  # agents share it
        names, shared = (*self._own, "step"), [repeat(step)]
        if self.social_columns:
            names = (*names, "social")
            shared.append(repeat(self._social()))
        rows = zip(self.agents, zip(*parts, *shared, strict=False), strict=True)
        return {agent: dict(zip(names, own, strict=True)) for agent, own in rows}

    def _social(self) -> npt.NDArray[np.float32]:
        """Return the public social state, read-only: (N, F), or (G, F) if there are more groups (G)
        than agents.
        """
        social = self.vector.observation["social"]
        content = [part.tobytes() for part in social.values()]
        if content == self._drawn:
            return self._table
        rows = max(part.shape[1] for part in social.values())
        width = max(columns.stop for columns in self.social_columns.values())
        table = np.full((rows, width), -1, np.float32)
        for name, columns in self.social_columns.items():
            part = social[name][0]
            table[: len(part), columns] = part.reshape(len(part), -1)
        table.flags.writeable = False
        self._drawn, self._table = content, table
        return table

    def _infos(self) -> dict[Agent, dict[str, Any]]:
        info = self.vector.info()
        if "action_mask" not in info:
            return {agent: {} for agent in self.agents}
        masks = info["action_mask"][0].copy()
        return {a: {"action_mask": mask} for a, mask in zip(self.agents, masks, strict=True)}

    def render(self) -> Bytes | str | None:
        """Draw the map as pixels (12 H, 12 W, 3) uint8 or as text, or print the text (``human``).

        Raises:
            ResetNeeded: ``reset`` has not been called.
        """
        if not self._is_reset:
            raise ResetNeeded("call reset before render")
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
        """Return the whole map: (H, W, C) uint8; zeros before the first reset."""
        return self.vector.world()

    def close(self) -> None:
        self.vector.close()


def _columns(observed: Mapping[str, Any]) -> dict[str, slice]:
    """Return which columns of the table of the social state belong to each of its arrays."""
    columns: dict[str, slice] = {}
    start = 0
    for name, part in observed.get("social", {}).items():
        width = part.shape[2] if part.ndim == 3 else 1
        columns[name] = slice(start, start + width)
        start += width
    return columns
