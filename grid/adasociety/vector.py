"""A batch of AdaSociety's games as arrays: the fast way to play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from grid.adasociety import rendering
from grid.adasociety.game import Game, Rules
from grid.adasociety.inventory import set_inventory
from grid.adasociety.layout import MAX_UNITS
from grid.adasociety.observe import map_many, mask_many
from grid.adasociety.reset import reset_many
from grid.adasociety.state import ActionCounts, State, make_scratch, make_state
from grid.adasociety.step import step_many
from grid.adasociety.tables import make_tables
from grid.adasociety.warmup import compile_kernel
from grid.core.arrays import Bytes, Ints, SmallInts
from grid.core.batch import Batch, Info, Observation, Observations
from grid.core.data import GameError
from grid.core.packing import pack


class VectorGame(Batch[State]):
    """``num_envs`` games (B) with N agents each; see :class:`grid.core.batch.Batch`.

    Actions are numbers, see :class:`grid.adasociety.tables.Actions`. Episodes end by their length
    only, which is a truncation.

    The observation is a dict of arrays that the next step overwrites (copy what you keep):
    ``position`` (B, N, 2), ``inventory`` (B, N, R) int32, ``group`` int32 and ``weight`` float64
    (B, N, 4), ``sent`` (B, N) int32: to which agent each sent a message in this step, or -1,
    ``step`` (B,) int64, in games with negotiation ``bargain`` (B, N, 4) int32: partner or -1, 1
    where it is the agent's turn, the offer that stands (what its proposer keeps, in tenths; 0:
    none), which agent it just requested or -1; and with ``observations="window"`` ``window`` (B, N,
    S, S, C) uint8, what each agent sees around itself, or with ``"map"`` ``map`` (B, N, H, W, C)
    uint8, the same at its place on the map, together with what others share with it, and nothing
    elsewhere. The C channels are :class:`grid.adasociety.tables.Channels`.

    Attributes:
        game: what is played.
        names: what the numbers of resources, events, jobs, agents and actions mean.
        tables: the game as arrays.
        state: the state, for a closer look.
    """

    def __init__(
        self,
        rules: Rules,
        game: Game,
        num_envs: int,
        *,
        observations: Observations = "window",
        action_masks: bool = False,
        num_threads: int = 1,
        action_log: bool = False,
    ) -> None:
        """Make the batch; call ``reset`` first.

        Args:
            rules: the resources, events and jobs of the game.
            game: what is played.
            num_envs: how many environments.
            observations: ``"window"``, ``"map"`` or ``"none"``.
            action_masks: put them into ``info``.
            num_threads: how many threads share the environments.
            action_log: count what agents pick up and lay down, see :attr:`counts`.

        Raises:
            GameError: a number makes no sense.
        """
        if observations not in get_args(Observations):
            known = ", ".join(get_args(Observations))
            raise GameError(f"observations are {known}, not {observations!r}")
        self.game = game
        self.observations = observations
        self.tables, self.names = make_tables(rules, game)
        super().__init__(
            self.names.agents,
            self.tables.actions.total,
            num_envs,
            action_masks=action_masks,
            num_threads=num_threads,
            make_scratch=lambda: make_scratch(self.tables),
        )
        self.state = make_state(self.tables, num_envs, action_log=action_log)
        self._packed = pack(self.tables)
        self._have_ended = 0
        side, channels = 2 * self.tables.pad + 1, self.tables.channels
        seen = 0 if observations == "none" else num_envs
        self._window = np.zeros((seen, self.tables.agents, side, side * channels), np.uint8)
        self.observation = self._make_observation()

    def _make_observation(self) -> Observation:
        state, t = self.state, self.tables
        observation: Observation = {
            "position": state.position,
            "inventory": state.inventory,
            "group": state.group,
            "weight": state.weight,
            "sent": state.sent,
            "step": state.step,
        }
        if t.negotiation_steps:
            observation["bargain"] = state.bargain
        side = 2 * t.pad + 1
        if self.observations == "window":
            shape = (self.num_envs, t.agents, side, side, t.channels)
            observation["window"] = self._window.reshape(shape)
        elif self.observations == "map":
            shape = (self.num_envs, t.agents, t.height, t.width, t.channels)
            observation["map"] = np.zeros(shape, np.uint8)
        return observation

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode in each environment; without a seed the next one of the same seeds."""
        compile_kernel()
        self._have_ended = self.num_envs
        return super().reset(seed=seed, options=options)

    def _advance(self, actions: SmallInts) -> None:
        run, packed, state, ended = self._workers.run, self._packed, self.state, self._truncated
        if self._have_ended:
            run(reset_many, packed, state, self.rewards, ended)
        arrays = (actions, self.rewards, ended, self._window)
        self._have_ended = run(step_many, packed, state, *arrays)
        if len(self._masks):
            run(mask_many, packed, state, self._masks, False)
        if self.observations == "map":
            maps = self.observation["map"]
            flat = maps.reshape(*maps.shape[:3], -1)
            map_many(packed, state, 0, self.num_envs, self._window, flat)

    def action_masks(self) -> Bytes:
        """(B, N, A) uint8: 1 where an action would have an effect now; to stay always may.

        A move may still be blocked by another agent, and of several that pick the last unit one
        gets it.
        """
        shape = (self.num_envs, self.tables.agents, self.tables.actions.total)
        masks = np.zeros(shape, np.uint8)
        self._workers.run(mask_many, self._packed, self.state, masks, True)
        return masks

    def agent_spaces(self) -> dict[str, spaces.Dict]:
        """What each agent observes, by name."""
        t, observed = self.tables, self.observation
        most = np.iinfo(np.int32).max
        parts: dict[str, spaces.Space[Any]] = {
            "position": spaces.Box(0, max(t.height, t.width) - 1, (2,), np.int32),
            "inventory": spaces.Box(0, most, (t.resources,), np.int32),
            "group": spaces.Box(-1, max(t.groups - 1, 0), observed["group"].shape[2:], np.int32),
            "weight": spaces.Box(0, np.inf, observed["weight"].shape[2:], np.float64),
            "step": spaces.Box(0, t.length, (1,), np.int64),
        }
        if "bargain" in observed:
            parts["bargain"] = spaces.Box(-1, max(t.agents - 1, 9), (4,), np.int32)
        for name in ("window", "map"):
            if name in observed:
                parts[name] = spaces.Box(0, 255, observed[name].shape[2:], np.uint8)
        return {agent: spaces.Dict(parts) for agent in self.agents}

    # --- For scenarios: what was done, and rules of their own ------------------------------------

    @property
    def counts(self) -> ActionCounts:
        """What each agent has done in its episode, (B, N, R) int32 each; zeroed by a reset.

        Without ``action_log`` these are arrays of size 0. They are the kernel's own: copy what you
        keep.
        """
        return ActionCounts(*self.state.counts)

    def grounds(self, environment: int = 0) -> Bytes:
        """The ground of each cell, a :class:`~grid.adasociety.tables.Ground`: (H, W) uint8.

        Raises:
            ValueError: there is no such environment.
        """
        return self._cells(environment)[..., self.tables.channel.ground].copy()

    def units(self, resource: str, environment: int = 0) -> Ints:
        """How many units of a resource lie on each cell: (H, W) int64.

        Raises:
            ValueError: there is no such resource or environment.
        """
        channel = self.tables.channel.first_resource + self._resource(resource)
        return self._cells(environment)[..., channel].astype(np.int64)

    def set_units(
        self, resource: str, cell: tuple[int, int], units: int, environment: int = 0
    ) -> None:
        """Let so many units of a resource lie on a cell; agents see them from the next step on.

        Raises:
            ValueError: there is no such resource, cell (row, column) or environment, or a cell
                cannot hold so many units.
        """
        t, (row, column) = self.tables, cell
        channel = t.channel.first_resource + self._resource(resource)
        self._check(environment, "environment", self.num_envs)
        if not (0 <= row < t.height and 0 <= column < t.width):
            raise ValueError(f"there is no cell {cell} on a map of {t.height} x {t.width}")
        if not 0 <= units <= MAX_UNITS:
            raise ValueError(f"a cell holds 0 to {MAX_UNITS} units, not {units}")
        shape = (t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
        plane = self.state.plane[environment].reshape(shape)
        rows = slice((row + t.pad) % t.height, None, t.height)  # the cell and its repetitions
        columns = slice((column + t.pad) % t.width, None, t.width)
        plane[rows, columns, channel] = units

    def set_inventory(self, agent: int, resource: str, units: int, environment: int = 0) -> None:
        """Set how many units of a resource an agent holds.

        Its sight follows its tools from the next step on. What it gains or loses by that counts in
        the score as if it had been earned, shared by the groups in force; the rewards of the last
        step stay as they are.

        Raises:
            ValueError: there is no such agent, resource or environment, or the agent cannot hold so
                many units.
        """
        number = self._resource(resource)
        self._check(environment, "environment", self.num_envs)
        self._check(agent, "agent", self.tables.agents)
        most = int(self.tables.capacity[agent, number])
        if not 0 <= units <= most:
            raise ValueError(f"{self.agents[agent]} holds 0 to {most} {resource}, not {units}")
        scratch = make_scratch(self.tables)
        set_inventory(self._packed, self.state, scratch, environment, agent, number, units)

    def _resource(self, name: str) -> int:
        if name not in self.names.resources:
            known = ", ".join(self.names.resources)
            raise ValueError(f"there is no resource {name!r} in the game; there are: {known}")
        return self.names.resources.index(name)

    def _cells(self, environment: int) -> Bytes:
        self._check(environment, "environment", self.num_envs)
        return rendering.cells(self.tables, self.state, environment)

    @staticmethod
    def _check(number: int, what: str, count: int) -> None:
        if not 0 <= number < count:
            raise ValueError(f"there is no {what} {number}; there are: 0 to {count - 1}")

    # --- For people ------------------------------------------------------------------------------

    def world(self) -> npt.NDArray[np.uint8]:
        """The whole map of the first environment: (H, W, C) uint8."""
        return np.ascontiguousarray(self._cells(0))

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The first environment as a picture: (12 H, 12 W, 3) uint8."""
        return rendering.pixels(self.tables, self._cells(0))

    def text(self) -> str:
        """The first environment in letters."""
        return rendering.text(self.tables, self.names, self.state, 0)
