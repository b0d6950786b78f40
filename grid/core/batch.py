"""A batch of games that advance together. This module contains what all kinds of games share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypedDict, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from voxpolis.grid.core.arrays import Bytes, Flags, Floats, Ints, Masks, SmallInts, Words
from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.grid.core.flat import FlatRows
from voxpolis.grid.core.packing import pack
from voxpolis.grid.core.workers import Execution, Workers

# How the map is observed: not at all, as a window, as the window at its position on the whole map,
# or as one row of numbers with the window and all other observations.
Observations = Literal["none", "window", "map", "flat"]
# When the next episode starts after an episode has ended.
Autoreset = Literal["next_step", "same_step"]
# Arrays by name (``social`` is a dict of arrays itself), or one array if flat.
Observation = Any
Info = dict[str, Any]
# Minimum and maximum of each array.
Bounds = Mapping[str, Any]
# Seeds of the environments: the first seed, or one seed for each.
Seeds = int | Sequence[int]


class BatchOptions(TypedDict, total=False):
    """Options that every batch has.

    Attributes:
        observations: how agents observe the map: ``"window"`` (default), ``"map"``, ``"flat"`` or
            ``"none"``.
        action_masks: whether ``info`` contains action masks; off by default.
        num_threads: number of threads that share the environments; 1 by default.
        copy: whether to return copies (default) instead of the batch's own arrays.
        autoreset: when the next episode starts after an episode has ended: in the ``"next_step"``
            (default) or in the ``"same_step"``.
        execution: ``"compiled"`` (default); ``"interpreted"``, which needs no numba and is about
            100 times slower; or ``"auto"``, which compiles as soon as this saves time.
    """

    observations: Observations
    action_masks: bool
    num_threads: int
    copy: bool
    autoreset: Autoreset
    execution: Execution


class EpisodeState(Protocol):
    """The fields that the states of all games have, as (B,) arrays."""

    @property
    def seed(self) -> Words:
        """The seed of each environment."""

    @property
    def episode(self) -> Ints:
        """The index of the current episode in each environment."""

    @property
    def step(self) -> Ints:
        """The number of steps that were played in the current episode."""


State = TypeVar("State", bound=EpisodeState)


class Batch(VectorEnv[Any, Any, Any], ABC, Generic[State]):
    """``num_envs`` games (B) with N agents each, which advance together: a Gymnasium ``VectorEnv``.

    Arrays have an axis for agents. ``reset(seed=…)`` returns ``(observation, info)``.
    ``step(actions)`` takes whole numbers (B, N) and returns ``(observation, rewards (B, N) float64,
    terminated (B,) bool, truncated (B,) bool, info)``. Single-agent libraries can use
    :class:`grid.agents.AgentVector`, which has no axis for agents.

    Autoreset is ``NEXT_STEP`` by default. The step after the end of an episode then ignores its
    actions and returns the first observation of the next episode, with rewards of 0. With
    ``"same_step"``, the step that ends an episode already returns the first observation of the next
    episode. The last observation and info of the ended episode are then in ``info["final_obs"]``
    and ``info["final_info"]``. ``info["_final_obs"]`` and ``info["_final_info"]`` (B,) mark the
    environments in which an episode has ended.

    ``reset(seed=s)`` gives environment ``i`` the seed ``s + i``. What happens in an environment
    only depends on this seed and on the actions, and not on the batch or the threads. Two runs
    whose seeds are less than B apart therefore have worlds in common. To avoid this, choose seeds
    that are at least B apart.

    Returned arrays are copies, which you can keep. With ``copy=False``, they are the batch's own
    arrays, which are read-only and are overwritten by the next step. With ``action_masks``, the
    info contains ``action_mask`` (B, N, A) int8, which is 1 for legal actions. Illegal actions have
    no effect.

    A copied or unpickled batch continues exactly as the original would.

    Attributes:
        num_envs: number of environments, B.
        agents: names of the N agents.
        action_count: number of actions, A.
        observation: the last observation, as the batch's own arrays (read-only).
        rewards: the rewards of the last step, (B, N) float64, as the batch's own array.
        state: the state, which callers may inspect.
        single_observation_space: space of the observation of one game, with arrays of N rows.
        single_action_space: space of the actions of one game.
        observation_space: space of the observation of the batch.
        action_space: space of the actions of the batch.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    # Supported values of ``observations``.
    known_observations: ClassVar[tuple[str, ...]] = get_args(Observations)

    # Unpacks the state, see :mod:`grid.core.packing`.
    unpack_state: ClassVar[Any]

    def __init__(
        self,
        agents: list[str],
        action_count: int,
        num_envs: int,
        *,
        tables: tuple[Any, ...],
        make_state: Callable[[int], State],
        scratch: tuple[Any, ...],
        observations: Observations = "window",
        action_masks: bool = False,
        num_threads: int = 1,
        copy: bool = True,
        autoreset: Autoreset = "next_step",
        execution: Execution = "compiled",
    ) -> None:
        """Start the threads, and allocate the arrays that will be returned.

        ``tables`` are the constants of the game, ``make_state`` returns the state of a number of
        environments, and ``scratch`` is the working memory of a thread. The other arguments are
        explained by :class:`BatchOptions`.
        """
        if observations not in self.known_observations:
            known = ", ".join(self.known_observations)
            raise GameError(f"observations must be one of {known}, not {observations!r}")
        if autoreset not in ("next_step", "same_step"):
            raise GameError(f"autoreset must be next_step or same_step, not {autoreset!r}")
        if execution not in get_args(Execution):
            known = ", ".join(get_args(Execution))
            raise GameError(f"execution must be one of {known}, not {execution!r}")
        for name, value in (("copy", copy), ("action_masks", action_masks)):
            if not isinstance(value, bool | np.bool_):
                raise GameError(f"{name} must be true or false, not {value!r}")
        self._workers = Workers(num_envs, num_threads, scratch, execution)
        self._packed = pack(tables)
        self._stored = pack(make_state(num_envs))  # type: ignore[arg-type]
        self.num_envs = num_envs
        self.agents = agents
        self.action_count = action_count
        self.observations = observations
        self._copies = copy
        self._same_step = autoreset == "same_step"
        if self._same_step:
            self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.rewards: Floats = np.zeros((num_envs, len(agents)))
        self._terminated: Flags = np.zeros(num_envs, np.bool_)
        self._truncated: Flags = np.zeros(num_envs, np.bool_)
        masked = num_envs if action_masks else 0
        self._masks: Bytes = np.zeros((masked, len(agents), action_count), np.uint8)
        self._is_seeded = self._is_reset = False

    # --- Gymnasium's ------------------------------------------------------------------------------

    def reset(
        self, *, seed: Seeds | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode in each environment.

        Args:
            seed: a number (environment ``i`` then gets ``seed + i``), or a list with one seed per
                environment. By default, the next episode of the current seeds starts. If there are
                no seeds yet, random seeds are used.
            options: ``{"reset_mask": mask}`` resets only some environments; ``mask`` is (B,) bool.
                Other options are ignored.

        Raises:
            ValueError: a seed is not a whole number in [0, 2**63), the list does not contain B
                seeds, ``options`` is not a dict, its mask is not such an array or marks nothing, or
                the first reset leaves out an environment.
        """
        chosen = self._reset_mask({} if options is None else options)
        if seed is None and not self._is_seeded:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(2))
        if seed is not None:
            self.state.seed[chosen] = self._seeds(seed)[chosen]
            self.state.episode[chosen] = 0
        self._is_seeded = self._is_reset = True
        terminated, truncated = self._terminated & ~chosen, self._truncated & ~chosen
        self._terminated[:] = False
        self._truncated[:] = chosen
        self._advance(np.zeros(self.rewards.shape, np.int32), begin_only=True)
        self._terminated |= terminated
        self._truncated |= truncated
        return self._seen(), self.info()

    def _reset_mask(self, options: object) -> Flags:
        """Return which environments to reset, (B,) bool."""
        if not isinstance(options, Mapping):
            raise ValueError(f"options must be a dict or None, not {options!r}")
        chosen = np.asarray(options.get("reset_mask", np.ones(self.num_envs, np.bool_)))
        if chosen.dtype != np.bool_ or chosen.shape != (self.num_envs,) or not chosen.any():
            raise ValueError(
                f"reset_mask must have the shape ({self.num_envs},) and the type bool, and mark at "
                "least one environment"
            )
        if not (self._is_reset or chosen.all()):
            raise ValueError("the first reset must start an episode in all environments")
        return chosen

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Observation, Floats, Flags, Flags, Info]:
        """Take a step in all environments. Illegal actions have no effect.

        Args:
            actions: (B, N) whole numbers from 0 to A - 1.

        Raises:
            ResetNeeded: ``reset`` has not been called.
            ValueError: ``actions`` has the wrong shape or type, or contains an unknown action.
        """
        if not self._is_reset:
            raise ResetNeeded("call reset before the first step")
        self._advance(self._checked(actions))
        rewards, *flags = self._own if not self._copies else [one.copy() for one in self._own]
        if not (self._same_step and (self._terminated.any() or self._truncated.any())):
            return self._seen(), rewards, *flags, self.info()
        ended = self._terminated | self._truncated
        last, final = _copied(self.observation), _copied(self.info())
        rewards, *flags = (one.copy() for one in self._own)
        self._advance(np.zeros(self.rewards.shape, np.int32), begin_only=True)
        info = {**self.info(), "final_obs": last, "_final_obs": ended}
        info |= {"final_info": final, "_final_info": ended}
        return self._seen(), rewards, *flags, info

    def step_alone(self, actions: SmallInts) -> tuple[bool, bool]:
        """Take a step in a batch of one environment without copies and checks, and return whether
        its episode is terminated and truncated. ``actions`` must be (1, N) int32.

        The other results are in :attr:`observation`, :attr:`rewards` and :meth:`info`.
        """
        self._advance(actions)
        return bool(self._terminated[0]), bool(self._truncated[0])

    def close_extras(self, **kwargs: Any) -> None:
        self._workers.close()

    @cached_property
    def single_observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The space of the observation of one game, with arrays of N rows as in
        :attr:`observation`.
        """
        if self.observations == "flat":
            return spaces.Box(-1, np.inf, self.observation.shape[1:], np.float32)
        return _space(self.observation, self._bounds(), axes=1)

    @cached_property
    def single_action_space(self) -> spaces.MultiDiscrete:  # type: ignore[override]
        """The space of the actions of one game: (N,)."""
        return spaces.MultiDiscrete([self.action_count] * len(self.agents))

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The space of the actions of all games: (B, N)."""
        return batch_space(self.single_action_space, self.num_envs)

    # --- Inputs and outputs -----------------------------------------------------------------------

    @cached_property
    def state(self) -> State:
        """The state, as views of the memory in which the kernel keeps it."""
        state: State = type(self).unpack_state(self._stored)
        return state

    def _run(self, kernel: Any, *args: Any) -> None:
        """Run a kernel on all environments; see :meth:`grid.core.workers.Workers.run`."""
        self._workers.run(kernel, self._packed, self._stored, *args)

    @cached_property
    def observation(self) -> Observation:
        """The last observation, as the batch's own read-only arrays."""
        if self.observations == "flat":
            return _read_only(self._flat.rows)
        return _read_only(self._arrays())

    @cached_property
    def _flat(self) -> FlatRows:
        return FlatRows(self._arrays(), self._stored, len(self.agents), self.longest)

    def agent_spaces(self) -> dict[str, spaces.Space[Any]]:
        if self.observations == "flat":
            shape = self.observation.shape[2:]
            space: spaces.Space[Any] = spaces.Box(-1, np.inf, shape, np.float32)
        else:
            arrays, bounds = self.observation, self._bounds()
            shared = {"step": arrays["step"][:, None]}
            space = _space({**arrays, **shared}, bounds, axes=2)
        return dict.fromkeys(self.agents, space)

    def _seeds(self, seed: Seeds) -> Words:
        is_text = isinstance(seed, str | bytes | bytearray)
        is_list = isinstance(seed, Sequence) or (isinstance(seed, np.ndarray) and seed.ndim)
        is_list = is_list and not is_text
        given: Any = seed if is_list else [seed]
        for number in given:
            if not is_whole(number, 0, 2**63):
                told = " ".join(repr(number).split())
                raise ValueError(f"a seed must be a whole number from 0 to 2**63 - 1, not {told}")
        if not is_list:
            return np.arange(self.num_envs, dtype=np.uint64) + np.uint64(given[0])
        if len(given) != self.num_envs:
            raise ValueError(f"{len(given)} seeds for {self.num_envs} environments")
        return np.array(given, np.uint64)

    def _checked(self, actions: npt.NDArray[np.integer[Any]]) -> SmallInts:
        given = as_shape(actions, self.rewards.shape)
        if given.dtype != np.int32 or not given.flags.c_contiguous:
            if given.dtype.kind not in "iu":
                raise ValueError(f"actions must be whole numbers, not {given.dtype}")
            given = np.ascontiguousarray(given, given.dtype.newbyteorder("="))
        # As unsigned numbers, negative numbers become large, so one comparison finds both kinds of
        # invalid actions.
        if np.maximum.reduce(given.view(_UNSIGNED[given.itemsize]), None) >= self.action_count:
            wrong = given[(given < 0) | (given >= self.action_count)][0]
            raise ValueError(f"there is no action {wrong}: there are 0 to {self.action_count - 1}")
        # To numba, read-only or unaligned arrays have a different type, and it would compile
        # everything again.
        is_ready = given.dtype == np.int32 and given.flags.carray
        return given if is_ready else given.astype(np.int32)

    def _advance(self, actions: SmallInts, *, begin_only: bool = False) -> None:
        self._play(actions, begin_only)
        if self.observations == "flat":
            self._flat.fill(self._run)

    @cached_property
    def _own(self) -> list[npt.NDArray[Any]]:
        """The last rewards, terminations and truncations, as the batch's own read-only arrays."""
        return [_read_only(one) for one in (self.rewards, self._terminated, self._truncated)]

    @cached_property
    def _own_masks(self) -> Masks:
        masks: Masks = _read_only(self._masks.view(np.int8))
        return masks

    def _seen(self) -> Observation:
        return _copied(self.observation) if self._copies else self.observation

    def info(self) -> Info:
        """Return the info of the last step: the action masks, if there are any."""
        if not len(self._masks):
            return {}
        return {"action_mask": self._own_masks.copy() if self._copies else self._own_masks}

    # --- Copies and pickles -----------------------------------------------------------------------

    def __copy__(self) -> Self:
        """Return an independent copy. Two batches that share arrays would disturb each other."""
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out views of arrays, which would otherwise be copied separately from their
        arrays.
        """
        views = ("state", "observation", "_own", "_own_masks", "_flat")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    # --- Implemented by the games -----------------------------------------------------------------

    # Maximum number of steps of an episode.
    longest: int

    @abstractmethod
    def _arrays(self) -> Observation:
        """Return the batch's own observation arrays, which each step overwrites.

        The arrays are (B, N, …), with a row for each agent. Exceptions are ``step`` (B,) and
        ``social``, a dict of arrays (B, …) that all agents share.
        """

    @abstractmethod
    def _bounds(self) -> Bounds:
        """Return the minimum and the maximum of each array of the observation."""

    @abstractmethod
    def _play(self, actions: SmallInts, begin_only: bool) -> None:
        """Reset the environments whose episode has ended, take a step in the others, and observe
        all of them.

        If ``begin_only`` is True, the others are left as they are.
        """

    @abstractmethod
    def world(self) -> Bytes:
        """Return the whole map of the first environment: (H, W, C) uint8."""

    @abstractmethod
    def pixels(self) -> Bytes:
        """Draw the first environment as an image: (12 H, 12 W, 3) uint8."""

    @abstractmethod
    def text(self) -> str:
        """Draw the first environment with letters."""


# Unsigned types by their size in bytes.
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def as_shape(actions: object, shape: tuple[int, ...], what: str = "actions") -> npt.NDArray[Any]:
    """Convert actions, or what ``what`` names, to an array.

    Raises:
        ValueError: the shape is wrong.
    """
    try:
        given = np.asarray(actions)
    except ValueError as error:  # numpy's own message only mentions inhomogeneous arrays
        raise ValueError(
            f"{what} must have the shape {shape}, not rows of different lengths"
        ) from error
    if given.shape != shape:
        raise ValueError(f"{what} must have the shape {shape}, not {given.shape}")
    return given


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(part) for name, part in value.items()}
    return value.copy()


def _read_only(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _read_only(part) for name, part in value.items()}
    view = value.view()
    view.flags.writeable = False
    return view


def _space(arrays: Mapping[str, Any], bounds: Bounds, axes: int) -> spaces.Dict:
    """Return the space of these arrays for one game or agent, without their first ``axes`` axes.
    Only the first axis of arrays that agents share is left out, as they have no axis for agents.
    """
    parts: dict[str, spaces.Space[Any]] = {}
    for name, value in arrays.items():
        if isinstance(value, Mapping):
            parts[name] = _space(value, bounds[name], 1)
            continue
        low, high = bounds[name]
        shape: tuple[int, ...] = value.shape[axes:] or ((1,) if axes == 2 else ())
        parts[name] = spaces.Box(low, high, shape, dtype=value.dtype)
    return spaces.Dict(parts)
