"""A batch of environments as arrays: the fast way to play."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from grid import kernel, rendering
from grid.commons import commons_names, read_commons
from grid.commons.vector import VectorCommons
from grid.first_use import compile_kernel
from grid.game import Game, GameError, Rules, read_game, with_changes
from grid.state import make_scratch, make_state
from grid.tables import make_tables
from grid.workers import Workers

Observations = Literal["none", "window", "map"]
KINDS: tuple[Observations, ...] = ("none", "window", "map")


class VectorGame:
    """``num_envs`` games with N agents each, stepped together.

    In the conventions of Gymnasium's vector environments, with an axis for agents: ``reset(seed)``
    gives ``(observation, info)``, ``step(actions)`` takes whole numbers of shape (B, N) (see
    :class:`grid.tables.Actions`) and gives ``(observation, rewards (B, N), terminated (B,),
    truncated (B,), info)``. Autoreset is ``NEXT_STEP``: the step after an episode's end ignores its
    actions and gives the next episode's first observation, with rewards of 0. Episodes end by their
    length only, which is a truncation.

    Environment ``i`` of ``reset(seed)`` has the seed ``seed + i``: what happens in it depends on
    that and its actions alone, not on the batch or the threads.

    The observation is a dict of arrays that the next step overwrites (copy what you keep):
    ``position`` (B, N, 2), ``inventory`` (B, N, R) int32, ``group`` and ``weight`` (B, N, 4),
    ``sent`` (B, N): whom each sent a message in this step, or -1, ``step`` (B,), in games with
    negotiation ``bargain`` (B, N, 4): partner or -1, 1 where it is the agent's turn, the offer that
    stands (what its proposer keeps, in tenths; 0: none), whom it just requested or -1; and with
    ``observations="window"`` ``window`` (B, N, S, S, C) uint8, what each agent sees around itself,
    or with ``"map"`` ``map`` (B, N, H, W, C), the same at its place on the map, together with what
    others share with it, and nothing elsewhere. Channels: ground (1 a block, 2 a chest), units of
    each resource, stations of each event, agent (number + 1, at most 255), job (number + 1). With
    ``action_masks`` the info has ``action_mask`` (B, N, A), see :meth:`action_masks`.

    Attributes:
        observation: the arrays of the last step.
        names: what the numbers of resources, events, jobs, agents and actions mean.
        tables: the game as arrays.
        state: the state, for who looks closer.
    """

    metadata: ClassVar[dict[str, Any]] = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        rules: Rules,
        game: Game,
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
        if observations not in KINDS:
            raise GameError(f"observations are {', '.join(KINDS)}, not {observations!r}")
        self.game = game
        self.num_envs = num_envs
        self.tables, self.names = make_tables(rules, game)
        self._workers = Workers(num_envs, num_threads, lambda: make_scratch(self.tables))
        self.state = make_state(self.tables, num_envs)
        self._packed = kernel.pack(self.tables)
        self.observations = observations
        self.rewards = np.zeros((num_envs, self.tables.agents))
        self._ended = np.zeros(num_envs, np.bool_)
        self._have_ended = 0
        self._never = np.zeros(num_envs, np.bool_)
        side, channels = 2 * self.tables.pad + 1, self.tables.channels
        seen = 0 if observations == "none" else num_envs
        self._window = np.zeros((seen, self.tables.agents, side, side * channels), np.uint8)
        masked = num_envs if action_masks else 0
        self._masks = np.zeros((masked, self.tables.agents, self.tables.actions.total), np.uint8)
        self._info = {"action_mask": self._masks} if action_masks else {}
        self.observation = self._make_observation()

    def _make_observation(self) -> dict[str, npt.NDArray[Any]]:
        state, t = self.state, self.tables
        found: dict[str, npt.NDArray[Any]] = {
            "position": state.position,
            "inventory": state.inventory,
            "group": state.group,
            "weight": state.weight,
            "sent": state.sent,
            "step": state.step,
        }
        if t.negotiation_steps:
            found["bargain"] = state.bargain
        side = 2 * t.pad + 1
        if self.observations == "window":
            shape = (self.num_envs, t.agents, side, side, t.channels)
            found["window"] = self._window.reshape(shape)
        elif self.observations == "map":
            shape = (self.num_envs, t.agents, t.height, t.width, t.channels)
            found["map"] = np.zeros(shape, np.uint8)
        return found

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Begin an episode in each environment; without a seed the next one of the same seeds."""
        compile_kernel()
        if seed is not None:
            numbers = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(int(seed) % 2**63)
            self.state.seed[:] = numbers
            self.state.episode[:] = 0
        self._ended[:] = True
        self._have_ended = self.num_envs
        nobody = np.zeros(self.rewards.shape, np.int32)
        self._advance(nobody)
        self.rewards[:] = 0.0
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
        """One step of all environments; an action that is not legal has no effect.

        Raises:
            ValueError: ``actions`` has another shape than (B, N).
        """
        chosen = np.asarray(actions, dtype=np.int32)
        if chosen.shape != self.rewards.shape:
            raise ValueError(f"actions have the shape {chosen.shape}, not {self.rewards.shape}")
        self._advance(chosen)
        return self.observation, self.rewards, self._never, self._ended, self._info

    def _advance(self, actions: npt.NDArray[np.int32]) -> None:
        run, packed, state = self._workers.run, self._packed, self.state
        if self._have_ended:
            run(kernel.reset_many, packed, state, self.rewards, self._ended)
        arrays = (actions, self.rewards, self._ended, self._window)
        self._have_ended = run(kernel.step_many, packed, state, *arrays)
        if len(self._masks):
            run(kernel.mask_many, packed, state, self._masks, False)
        self._draw_maps()

    def _draw_maps(self) -> None:
        if self.observations == "map":
            maps = self.observation["map"]
            flat = maps.reshape(*maps.shape[:3], -1)
            kernel.map_many(self._packed, self.state, 0, self.num_envs, self._window, flat)

    def action_masks(self) -> npt.NDArray[np.uint8]:
        """(B, N, actions): 1 where an action would have an effect now; to stay always may.

        A move may still be blocked by another agent, and of several who pick the last unit one
        gets it.
        """
        shape = (self.num_envs, self.tables.agents, self.tables.actions.total)
        masks = np.zeros(shape, np.uint8)
        self._workers.run(kernel.mask_many, self._packed, self.state, masks, True)
        return masks

    def close(self) -> None:
        """End the threads."""
        self._workers.close()

    @property
    def agents(self) -> list[str]:
        """The agents' names."""
        return self.names.agents

    @property
    def action_count(self) -> int:
        """How many actions there are."""
        return self.tables.actions.total

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

    def world(self) -> npt.NDArray[np.uint8]:
        """The whole map (H, W, C) of the first environment."""
        return rendering.world(self)

    def pixels(self) -> npt.NDArray[np.uint8]:
        """The first environment as a picture (12 H, 12 W, 3)."""
        return rendering.pixels(self)

    def text(self) -> str:
        """The first environment in letters."""
        return rendering.text(self)


def make_vec(
    name: str,
    num_envs: int,
    *,
    num_threads: int = 1,
    observations: Observations = "window",
    action_masks: bool = False,
    rules_file: Path | None = None,
    **changes: Any,
) -> VectorGame | VectorCommons:
    """A batch of a game by its name, with some of the game's fields changed.

    Raises:
        GameError: there is no such game, or a field is wrong.
    """
    options: dict[str, Any] = {
        "observations": observations,
        "action_masks": action_masks,
        "num_threads": num_threads,
    }
    if rules_file is None and name in commons_names():
        return VectorCommons(read_commons(name, changes), num_envs, **options)
    rules, game = read_game(name, rules_file)
    if changes:
        game = with_changes(rules, game, changes)
    return VectorGame(rules, game, num_envs, **options)
