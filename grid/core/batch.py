"""A batch of games as arrays: what all games have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypedDict, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from voxpolis.grid.core.arrays import Bytes, Flags, Floats, Ints, SmallInts, Words
from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.grid.core.workers import Execution, Workers

# --- What agents observe as rows of numbers, for libraries that take one box only -----------------

# log(1 + units) of each byte: a network sees 1 of 2 as well as 100 of 101.
_LOGARITHMS = np.log1p(np.arange(256)).astype(np.float32)


class FlatRows:
    """An observation of a batch as one array (B, N, F) float32: a row for each agent.

    In a row stand, in the order of the observation's names, all numbers that the agent observes:
    ``step`` as the part of the longest episode that has passed, bytes and the inventory as the
    logarithm of 1 + units, all others as they are. What all agents of an environment observe alike
    (``social``) stands in each of its rows.
    """

    def __init__(self, observed: Mapping[str, Any], agents: int, longest: int) -> None:
        """Make the rows; :meth:`fill` writes into them what the observation's arrays hold then."""
        self._observed = observed
        self._longest = longest
        batch = len(observed["step"])
        parts = [part.reshape(batch, *part.shape[1:2], -1) for part in self._parts()]
        widths = [part.shape[2] for part in parts]
        self.rows: npt.NDArray[np.float32] = np.zeros((batch, agents, sum(widths)), np.float32)
        self.fill()

    def fill(self) -> None:
        at = 0
        for part in self._parts():
            flat = part.reshape(*part.shape[:2], -1)
            self.rows[:, :, at : at + flat.shape[2]] = flat
            at += flat.shape[2]

    def _parts(self) -> Iterator[npt.NDArray[Any]]:
        """Arrays (B, N or 1, …), in the order of the observation's names."""
        for name, value in self._observed.items():
            if name == "step":
                yield (value / self._longest)[:, None, None]
            elif isinstance(value, Mapping):
                yield from (array[:, None].reshape(len(array), 1, -1) for array in value.values())
            elif value.dtype == np.uint8:
                yield _LOGARITHMS[value]
            else:
                yield np.log1p(value) if name == "inventory" else value


# What agents see of the map: nothing, what is around them, that at its place on the whole map, or
# what is around them together with all else they observe as one row of numbers.
Observations = Literal["none", "window", "map", "flat"]
# When an episode that has ended is followed by the next.
Autoreset = Literal["next_step", "same_step"]
# Arrays by name (``social`` is a dict of arrays itself), or one array where they are flat.
Observation = Any
Info = dict[str, Any]
# The least and the greatest number of each array.
Bounds = Mapping[str, Any]
# Seeds of the environments: the first one's, or each one's.
Seeds = int | Sequence[int]


class BatchOptions(TypedDict, total=False):
    """What can be chosen for every batch; each has a default.

    Attributes:
        observations: what agents see of the map: ``"window"`` (the default), ``"map"``, ``"flat"``
            or ``"none"``.
        action_masks: put them into ``info``; by default they are not.
        num_threads: how many threads share the environments; 1.
        copy: return copies, as by default, and not the batch's own arrays.
        autoreset: when an episode that has ended is followed by the next: ``"next_step"``, the
            default, or ``"same_step"``.
        execution: of the rules: ``"compiled"``, the default; ``"interpreted"``, which needs no
            numba and is some 100 times slower; or ``"auto"``: interpreted until it is worthwhile to
            compile them.
    """

    observations: Observations
    action_masks: bool
    num_threads: int
    copy: bool
    autoreset: Autoreset
    execution: Execution


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


class Batch(VectorEnv[Any, Any, Any], ABC, Generic[State]):
    """``num_envs`` games (B) with N agents each, stepped together: a Gymnasium ``VectorEnv``.

    With an axis for agents: ``reset(seed=…)`` returns ``(observation, info)``, ``step(actions)``
    takes whole numbers of shape (B, N) and returns ``(observation, rewards (B, N) float64,
    terminated (B,) bool, truncated (B,) bool, info)``. :class:`grid.agents.AgentVector` is the same
    without that axis, for libraries that know single agents only.

    Autoreset is ``NEXT_STEP`` as given: the step after an episode's end ignores its actions and
    returns the next episode's first observation, with rewards of 0. With ``"same_step"`` the step
    that ends an episode returns the next one's first observation; the last one of those that ended
    is in ``info["final_obs"]``, and ``info["_final_obs"]`` (B,) says which those are.

    Environment ``i`` of ``reset(seed=s)`` has the seed ``s + i``: what happens in it depends on
    that and its actions alone, not on the batch or the threads. So runs with seeds that are near
    share worlds; keep seeds of different runs at least B apart.

    What is returned is yours to keep: copies. With ``copy=False`` they are the batch's own arrays,
    read-only, which the next step overwrites. With ``action_masks`` the info has ``action_mask``
    (B, N, A) int8, 1 where an action is legal; one that is not has no effect.

    Copies and pickles of a batch play on exactly as it would.

    Attributes:
        num_envs: B.
        agents: the N agents' names.
        action_count: A, how many actions there are.
        observation: what was observed last: the batch's own arrays, read-only.
        rewards: the last step's, (B, N) float64, the batch's own array.
        state: the state, for a closer look.
        single_observation_space, single_action_space: of one game: arrays with N rows.
        observation_space, action_space: of the batch.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    # The kinds of observations that games of the class have.
    known_observations: ClassVar[tuple[str, ...]] = get_args(Observations)

    state: State

    def __init__(
        self,
        agents: list[str],
        action_count: int,
        num_envs: int,
        make_scratch: Callable[[], object],
        *,
        observations: Observations = "window",
        action_masks: bool = False,
        num_threads: int = 1,
        copy: bool = True,
        autoreset: Autoreset = "next_step",
        execution: Execution = "compiled",
    ) -> None:
        """Start the threads, and make what is returned by steps; see :class:`BatchOptions`."""
        if observations not in self.known_observations:
            known = ", ".join(self.known_observations)
            raise GameError(f"observations are {known}, not {observations!r}")
        if autoreset not in ("next_step", "same_step"):
            raise GameError(f"autoreset is next_step or same_step, not {autoreset!r}")
        if execution not in get_args(Execution):
            raise GameError(f"execution is {', '.join(get_args(Execution))}, not {execution!r}")
        for name, value in (("copy", copy), ("action_masks", action_masks)):
            if not isinstance(value, bool | np.bool_):
                raise GameError(f"{name} is true or false, not {value!r}")
        self._workers = Workers(num_envs, num_threads, make_scratch, execution)
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
        """Begin an episode in each environment.

        Args:
            seed: environment ``i`` gets ``seed + i``; or one for each. Without any the next episode
                of the same seeds begins; the first time, seeds are drawn by the system.
            options: none are known.

        Raises:
            ValueError: a seed is no whole number from 0 to below 2**63, there are not B, or options
                are no dict.
        """
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(f"options are a dict, or none, not {options!r}")
        if seed is None and not self._is_seeded:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(2))
        if seed is not None:
            self.state.seed[:] = self._seeds(seed)
            self.state.episode[:] = 0
        self._is_seeded = self._is_reset = True
        self._terminated[:] = False
        self._truncated[:] = True
        self._advance(np.zeros(self.rewards.shape, np.int32))
        return self._seen(), self._info()

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Observation, Floats, Flags, Flags, Info]:
        """One step of all environments; an action that is not legal has no effect.

        Args:
            actions: (B, N) whole numbers from 0 to below A.

        Raises:
            ResetNeeded: no episode was begun.
            ValueError: ``actions`` has another shape, is of no whole numbers, or has one that is no
                action.
        """
        if not self._is_reset:
            raise ResetNeeded("call reset before the first step")
        self._advance(self._checked(actions))
        flags = (self._returned(self._terminated), self._returned(self._truncated))
        rewards = self._returned(self.rewards)
        if not (self._same_step and (self._terminated.any() or self._truncated.any())):
            return self._seen(), rewards, *flags, self._info()
        ended = self._terminated | self._truncated
        last = _copied(self.observation)
        rewards, flags = rewards.copy(), (flags[0].copy(), flags[1].copy())
        self._advance(np.zeros(self.rewards.shape, np.int32), begin_only=True)
        info = {**self._info(), "final_obs": last, "_final_obs": ended}
        return self._seen(), rewards, *flags, info

    def close_extras(self, **kwargs: Any) -> None:
        self._workers.close()

    @cached_property
    def single_observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """What is observed in one game: arrays with N rows, as :attr:`observation` has them."""
        if self.observations == "flat":
            return spaces.Box(-1, np.inf, self.observation.shape[1:], np.float32)
        return _space(self.observation, self._bounds(), axes=1)

    @cached_property
    def single_action_space(self) -> spaces.MultiDiscrete:  # type: ignore[override]
        """The actions of one game: (N,)."""
        return spaces.MultiDiscrete([self.action_count] * len(self.agents))

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The actions of all games: (B, N)."""
        return batch_space(self.single_action_space, self.num_envs)

    # --- What is given and returned ---------------------------------------------------------------

    @cached_property
    def observation(self) -> Observation:
        """What was observed last: the batch's own arrays, read-only, by name."""
        if self.observations == "flat":
            return _read_only(self._flat.rows)
        return _read_only(self._arrays())

    @cached_property
    def _flat(self) -> FlatRows:
        return FlatRows(self._arrays(), len(self.agents), self.longest)

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
                raise ValueError(f"a seed is a whole number from 0 to below 2**63, not {told}")
        if not is_list:
            return np.arange(self.num_envs, dtype=np.uint64) + np.uint64(given[0])
        if len(given) != self.num_envs:
            raise ValueError(f"{len(given)} seeds for {self.num_envs} environments")
        return np.array(given, np.uint64)

    def _checked(self, actions: npt.NDArray[np.integer[Any]]) -> SmallInts:
        given = np.ascontiguousarray(shaped(actions, self.rewards.shape))
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions are whole numbers, not {given.dtype}")
        # Seen without their signs, negative ones are large: one look finds both.
        given = given.astype(given.dtype.newbyteorder("="), copy=False)
        if given.view(f"u{given.itemsize}").max() >= self.action_count:
            wrong = given[(given < 0) | (given >= self.action_count)][0]
            raise ValueError(f"there is no action {wrong}: there are 0 to {self.action_count - 1}")
        # Arrays that are read-only or not aligned are of another type to numba, which would compile
        # everything again.
        return given.astype(np.int32, copy=not given.flags.carray)

    def _advance(self, actions: SmallInts, *, begin_only: bool = False) -> None:
        self._play(actions, begin_only)
        if self.observations == "flat":
            self._flat.fill()

    def _returned(self, value: Any) -> Any:
        return _copied(value) if self._copies else _read_only(value)

    def _seen(self) -> Observation:
        return _copied(self.observation) if self._copies else self.observation

    def _info(self) -> Info:
        if not len(self._masks):
            return {}
        return {"action_mask": self._returned(self._masks.view(np.int8))}

    # --- Copies and pickles -----------------------------------------------------------------------

    def __copy__(self) -> Self:
        """A copy of its own: two that share arrays would play into each other."""
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """All but what is made of the rest: views of arrays would be copied apart from them."""
        views = ("observation", "_flat")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    # --- Of the games -----------------------------------------------------------------------------

    # How many steps an episode has at most.
    longest: int

    @abstractmethod
    def _arrays(self) -> Observation:
        """What is observed: the batch's own arrays, which steps write into.

        Arrays are (B, N, …), a row for each agent; but ``step`` is (B,), and ``social`` a dict of
        arrays (B, …), what all agents see alike.
        """

    @abstractmethod
    def _bounds(self) -> Bounds:
        """The least and the greatest number of each of these."""

    @abstractmethod
    def _play(self, actions: SmallInts, begin_only: bool) -> None:
        """Begin the episodes of environments that have ended, step the others, observe all.

        With ``begin_only`` the others are left as they are.
        """

    @abstractmethod
    def world(self) -> Bytes:
        """The whole map of the first environment: (H, W, C) uint8."""

    @abstractmethod
    def pixels(self) -> Bytes:
        """The first environment as a picture: (12 H, 12 W, 3) uint8."""

    @abstractmethod
    def text(self) -> str:
        """The first environment in letters."""


def shaped(actions: object, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return actions as an array.

    Raises:
        ValueError: they have not the shape that they should have.
    """
    try:
        given = np.asarray(actions)
    except ValueError as error:  # numpy's, whose words are about arrays of arrays
        raise ValueError(
            f"actions have rows of different lengths, not the shape {shape}"
        ) from error
    if given.shape != shape:
        raise ValueError(f"actions have the shape {given.shape}, not {shape}")
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
    """Return the space of what arrays hold, but for their first axes; shared ones have one."""
    parts: dict[str, spaces.Space[Any]] = {}
    for name, value in arrays.items():
        if isinstance(value, Mapping):
            parts[name] = _space(value, bounds[name], 1)
            continue
        low, high = bounds[name]
        shape: tuple[int, ...] = value.shape[axes:] or ((1,) if axes == 2 else ())
        parts[name] = spaces.Box(low, high, shape, dtype=value.dtype)
    return spaces.Dict(parts)
