"""A batch of commons as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from grid.commons import kernel, rendering
from grid.commons.game import Commons
from grid.commons.state import CHANNELS, make_scratch, make_state, make_tables
from grid.game import GameError
from grid.workers import Workers

Observations = Literal["none", "window"]


class VectorCommons:
    """``num_envs`` games of N players, stepped together; in the conventions of
    :class:`grid.vector.VectorGame`.

    An action is a number, see :attr:`actions`. Episodes end by chance (terminated) or at their
    greatest length (truncated). The observation is a dict of arrays that the next step overwrites:
    ``position`` (B, N, 2) row and column, ``heading`` (B, N) 0 north, 1 east, 2 south, 3 west,
    ``out`` (B, N) steps until a player that was hit is back, ``ready`` (B, N, 2) 1 where it can
    zap, where it can clean, ``others_cleaned`` (B, N) how many others cleaned in this step,
    ``step`` (B,), and with ``observations="window"`` ``window`` (B, N, rows, columns, 8) uint8:
    what a player sees, turned as it is, the farthest row ahead first, its own cell in row ``ahead``
    and column ``sideways``. Channels: wall (also beyond the map), apple, player (number + 1),
    heading of that player (1 the same as one's own, 2 turned right, 3 opposite, 4 turned left), zap
    (a beam of this step), water, dirt, clean (a beam of this step). Who is out sees nothing.
    Rewards are apples eaten.

    Attributes:
        actions: what a player can do, by number.
        agents: the players' names.
        state: the state, for who looks closer (apples eaten, dirt cleaned, zaps).
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        game: Commons,
        num_envs: int,
        *,
        observations: Observations = "window",
        action_masks: bool = False,
        num_threads: int = 1,
    ) -> None:
        """Make the batch; call ``reset`` first. ``action_masks``: put them into ``info``.

        Raises:
            GameError: a number makes no sense.
        """
        if observations not in ("none", "window"):
            raise GameError(f"observations of a commons are none or window, not {observations!r}")
        self.game = game
        self.num_envs = num_envs
        self.actions = game.actions
        self.agents = [f"player_{i}" for i in range(game.players)]
        self.tables = make_tables(game)
        self._workers = Workers(num_envs, num_threads, lambda: make_scratch(self.tables))
        self.state = make_state(self.tables, num_envs)
        view, n = game.view, game.players
        self._shape = (view.ahead + view.behind + 1, 2 * view.sideways + 1)
        self.rewards = np.zeros((num_envs, n))
        self._terminated = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)
        seen = num_envs if observations == "window" else 0
        self._window = np.zeros((seen, n, self._shape[0] * self._shape[1]), np.uint64)
        masked = num_envs if action_masks else 0
        self._masks = np.zeros((masked, n, len(self.actions)), np.uint8)
        self._info = {"action_mask": self._masks} if action_masks else {}
        self.observation = self._make_observation()

    def _make_observation(self) -> dict[str, npt.NDArray[Any]]:
        b, n = self.rewards.shape
        found: dict[str, npt.NDArray[Any]] = {
            "position": np.zeros((b, n, 2), np.int64),
            "heading": self.state.heading,
            "out": self.state.out,
            "ready": np.zeros((b, n, 2), np.uint8),
            "others_cleaned": np.zeros((b, n), np.int64),
            "step": self.state.step,
        }
        if len(self._window):
            # A cell is a word of eight channels; in this machine's order of bytes the first is the
            # lowest, as everywhere that numba runs.
            found["window"] = self._window.view(np.uint8).reshape(b, n, *self._shape, len(CHANNELS))
        return found

    def agent_spaces(self) -> dict[str, spaces.Dict]:
        """What each player observes, by name."""
        most = np.iinfo(np.int64).max
        parts: dict[str, spaces.Space[Any]] = {
            "position": spaces.Box(0, most, (2,), np.int64),
            "heading": spaces.Box(0, 3, (1,), np.int64),
            "out": spaces.Box(0, self.game.zap.out_for, (1,), np.int64),
            "ready": spaces.Box(0, 1, (2,), np.uint8),
            "others_cleaned": spaces.Box(0, self.game.players, (1,), np.int64),
            "step": spaces.Box(0, self.game.ending.most, (1,), np.int64),
        }
        if "window" in self.observation:
            shape = (*self._shape, len(CHANNELS))
            parts["window"] = spaces.Box(0, 255, shape, np.uint8)
        return {agent: spaces.Dict(parts) for agent in self.agents}

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Begin an episode in each environment; without a seed the next one of the same seeds."""
        if seed is not None:
            numbers = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(int(seed) % 2**63)
            self.state.seed[:] = numbers
            self.state.episode[:] = 0
        self._truncated[:] = True
        self._run(np.zeros(self.rewards.shape, np.int64))
        return self.observation, self._info

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[
        dict[str, npt.NDArray[Any]],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """One step of all environments; an action that is not possible has no effect.

        Raises:
            ValueError: ``actions`` has another shape than (B, N).
        """
        chosen = np.asarray(actions, dtype=np.int64)
        if chosen.shape != self.rewards.shape:
            raise ValueError(f"actions have the shape {chosen.shape}, not {self.rewards.shape}")
        self._run(chosen)
        return self.observation, self.rewards, self._terminated, self._truncated, self._info

    def _run(self, actions: npt.NDArray[np.int64]) -> None:
        arrays = (self.rewards, self._terminated, self._truncated, self._window, self._masks)
        self._workers.run(kernel.step_many, self.tables, self.state, actions, *arrays)
        state, seen = self.state, self.observation
        pad = self._pad
        np.floor_divide(state.cell, self.tables.stride, out=seen["position"][..., 0])
        np.remainder(state.cell, self.tables.stride, out=seen["position"][..., 1])
        seen["position"] -= pad
        can = seen["ready"]
        can[..., 0] = (state.zap_wait == 0) & (state.out == 0)
        can[..., 1] = (state.clean_wait == 0) & (state.out == 0) & (self.game.river is not None)
        cleaned = state.cleaned_now > 0
        np.subtract(cleaned.sum(1, keepdims=True), cleaned, out=seen["others_cleaned"])

    @property
    def _pad(self) -> int:
        return (self.tables.stride - len(self.game.rows[0])) // 2

    @property
    def action_count(self) -> int:
        """How many actions there are."""
        return len(self.actions)

    def world(self) -> npt.NDArray[np.uint8]:
        """The whole map (H, W, 8) of the first environment, headings as numbers + 1."""
        height, width, pad = len(self.game.rows), len(self.game.rows[0]), self._pad
        plane = self.state.plane[0].reshape(-1, self.tables.stride)
        inside = np.ascontiguousarray(plane[pad : pad + height, pad : pad + width])
        return inside.view(np.uint8).reshape(height, width, len(CHANNELS))

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The first environment as a picture (12 H, 12 W, 3)."""
        return rendering.pixels(self.world())

    def text(self) -> str:
        """The first environment in letters, with the apples that each player has eaten."""
        heads = [f"step {int(self.state.step[0])}", *rendering.rows(self.world())]
        told = zip(self.agents, self.state.eaten[0], self.state.out[0], strict=True)
        lines = [
            f"{rendering.letter(i)} {name}: {eaten} apples{f', out for {out}' if out else ''}"
            for i, (name, eaten, out) in enumerate(told)
        ]
        return "\n".join([*heads, *lines, rendering.LEGEND])

    def close(self) -> None:
        """End the threads."""
        self._workers.close()
