"""A batch of AdaSociety's games as tensors. A curriculum can assign groups to the agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from voxpolis.grid.adasociety.game import read_game, with_changes
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.state import GROUPS_STALE, MOVES_NEXT, OFFER, PARTNER, REQUESTED
from voxpolis.grid.adasociety.tables import SPLITS, STAY, Names, Tables
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.arrays import Bytes, Floats
from voxpolis.grid.core.batch import Info

# Maximum return per agent after scaling, averaged over agents.
BEST_RETURN = 10.0
# Distance between the seeds of different runs, so that no two runs share a world.
SEEDS_APART = 1 << 24

# log(1 + byte), so that a network can distinguish 1 from 2 as well as 100 from 101.
_LOGARITHMS = np.log1p(np.arange(256)).astype(np.float32)


class Observations(NamedTuple):
    """Observations of the agents of K games before a step. Arrays may have further axes in front.

    - ``window`` (K, N, S, S, C) float32: log(1 + byte) of the agents' windows;
    - ``own`` (K, N, V) float32: each agent's own numbers, see :meth:`Games.observe`;
    - ``members`` (K, N, G) float32: each agent's weight in each group;
    - ``shares`` (K, N, N) float32: 1 if the first agent shares its observation with the second;
    - ``earned`` (K, N) float32: the reward of the last step;
    - ``mask`` (K, N, A) bool: which actions are legal.
    """

    window: Tensor
    own: Tensor
    members: Tensor
    shares: Tensor
    earned: Tensor
    mask: Tensor

    def room(self, steps: int) -> Self:
        """Return arrays of zeros that have room for ``steps`` such observations."""
        return type(self)(
            *(torch.zeros((steps, *t.shape), dtype=t.dtype, device=t.device) for t in self)
        )

    def put(self, step: int, seen: Observations) -> None:
        for room, part in zip(self, seen, strict=True):
            room[step] = part

    def rows(self, index: Tensor) -> Self:
        """Join the first two axes (T and K), and select the rows whose numbers are in ``index``."""
        return type(self)(*(part.flatten(0, 1).index_select(0, index) for part in self))


class Shape(NamedTuple):
    """The facts about a game that a network needs: sizes of arrays, and the job of each agent."""

    side: int
    channels: int
    own: int
    groups: int
    actions: int
    jobs: tuple[int, ...]


class AssignedGroups(NamedTuple):
    """Groups that a curriculum assigns at the start of an episode, so that agents do not choose.

    ``together`` is the probability that an agent is assigned to the common group 0. Otherwise the
    agent's group is random.
    """

    together: float


class Games:
    """B games in which a learner plays all agents.

    Rewards are scaled so that the optimum is ``BEST_RETURN`` per agent.

    Attributes:
        batch: the games.
        best: maximum reward of all agents of a game together.
        steps: number of agent-steps so far.
        given: groups that are assigned to agents; None if agents choose groups.
        ended: reward of all agents divided by ``best``, for each episode that has ended.
        degrees: mean and maximum size of groups with members, for each episode that has ended.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        seed: int,
        *,
        changes: dict[str, object] | None = None,
        device: str = "cpu",
        autoreset: Literal["next_step", "same_step"] = "same_step",
    ) -> None:
        rules, game = read_game(name)
        if changes:
            game = with_changes(rules, game, changes)
        self.batch = VectorGame(rules, game, num_envs, action_masks=True, autoreset=autoreset)
        self.best = optimum(rules, game).welfare
        self.steps = 0
        self.given: AssignedGroups | None = None
        self.ended: list[float] = []
        self.degrees: list[tuple[float, float]] = []
        self._device = device
        self._random = np.random.default_rng(seed)
        self._groups = np.zeros(self.batch.rewards.shape, np.int32)
        self._earned: Floats = np.zeros(self.batch.rewards.shape)
        self._total = np.zeros(num_envs)
        self._seen, self._info = self.batch.reset(seed=seed * SEEDS_APART)
        self._give_groups()

    @property
    def tables(self) -> Tables:
        return self.batch.tables

    @property
    def names(self) -> Names:
        return self.batch.names

    @property
    def scale(self) -> float:
        return scale_of(self.tables, self.best)

    def give_groups(self, given: AssignedGroups | None) -> None:
        """Assign groups in all episodes that start from now on or have just started."""
        self.given = given
        self._give_groups()

    def observe(self) -> Observations:
        """Return what all agents observe now.

        ``own`` contains log(1 + units) of each resource, the weights in the agent's groups, the
        stage (contract, negotiation, play), and the fraction of the episode that is over. In games
        with negotiation, ``own`` also contains the partner in a bargain, whether it is the agent's
        turn, the current offer, and the agent that was asked to bargain.
        """
        return seen(self.batch, self._seen, self._masks(), self._earned * self.scale, self._device)

    def whole_map(self) -> Tensor:
        """Return the whole maps as they are now: (B, H, W, C) float32, log(1 + byte)."""
        t, plane = self.tables, self.batch.state.plane
        cells = plane.reshape(len(plane), t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
        inside = cells[:, t.pad : t.pad + t.height, t.pad : t.pad + t.width]
        return logarithms(inside, self._device)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Take a step.

        Args:
            actions: (B, N) int64.

        Returns:
            Scaled rewards (B, N) float32, and whether episodes have ended (B,) float32, 0 or 1.
        """
        self._note_degrees()
        self._seen, rewards, _, done, self._info = self.batch.step(actions.cpu().numpy())
        self._earned = np.where(done[:, None], 0.0, rewards)
        self._total += rewards.sum(1)
        self.ended += (self._total[done] / self.best).tolist()
        self._total[done] = 0
        self.steps += rewards.size
        self._give_groups()
        scaled = torch.from_numpy((rewards * self.scale).astype(np.float32))
        return scaled.to(self._device), torch.from_numpy(done.astype(np.float32)).to(self._device)

    def take_ended(self) -> tuple[list[float], list[tuple[float, float]]]:
        """Return ``ended`` and ``degrees``, and empty both."""
        taken = self.ended, self.degrees
        self.ended, self.degrees = [], []
        return taken

    def state(self) -> dict[str, Any]:
        """Return everything about the games that can change, as tensors of bytes and plain numbers.

        The result contains no Python objects. Loading a checkpoint from an untrusted source
        therefore executes no code.
        """
        arrays = {
            place: torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())
            for place, array in self._arrays()
        }
        return {
            "arrays": arrays,
            "numbers": {n: v for n, v in vars(self.batch).items() if isinstance(v, int | float)},
            "given": None if self.given is None else tuple(self.given),
            "steps": self.steps,
            "ended": self.ended,
            "degrees": self.degrees,
            "random": self._random.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned for games with the same options."""
        for place, array in self._arrays():
            stored = state["arrays"][place].cpu().numpy()
            array[...] = stored.view(array.dtype).reshape(array.shape)
        vars(self.batch).update(state["numbers"])
        self.given = None if state["given"] is None else AssignedGroups(*state["given"])
        self.steps, self.ended, self.degrees = state["steps"], state["ended"], state["degrees"]
        self._random.bit_generator.state = state["random"]

    def _arrays(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        fixed = ("tables", "names", "game", "_packed")
        batch = {name: v for name, v in self.batch.__getstate__().items() if name not in fixed}
        seen = {"seen": self._seen, "mask": self._info["action_mask"]}
        own = {"groups": self._groups, "earned": self._earned, "total": self._total}
        yield from _arrays_in({"batch": batch, **seen, **own})

    def _note_degrees(self) -> None:
        state, t = self.batch.state, self.tables
        ending = state.step == t.length - 1
        if not ending.any() or not t.groups:
            return
        members = (state.group[ending][..., None] == np.arange(t.groups)).any(2).sum(1)
        for sizes in members:
            there = sizes[sizes > 0]
            self.degrees.append((float(there.mean()), float(there.max())) if there.size else (0, 0))

    def _give_groups(self) -> None:
        if self.given is None:
            return
        state, t = self.batch.state, self.tables
        rows = np.flatnonzero(state.step == 0)
        shape = (len(rows), t.agents)
        is_drawn = self._random.random(shape) >= self.given.together
        self._groups[rows] = np.where(is_drawn, self._random.integers(t.groups, size=shape), 0)
        state.group[rows, :, 0] = self._groups[rows]
        state.weight[rows, :, 0] = 1.0
        state.stale[rows] |= GROUPS_STALE
        self._seen["group"][rows, :, 0] = self._groups[rows]
        self._seen["weight"][rows, :, 0] = 1.0

    def _masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal. Groups that were assigned cannot be changed before play
        starts.
        """
        masks: npt.NDArray[np.bool_] = self._info["action_mask"] != 0
        state, t = self.batch.state, self.tables
        if self.given is None:
            return masks
        if t.negotiation_steps:
            before = state.step < t.negotiation_steps
            masks[before] = False
            masks[before, :, STAY] = True
        choosing = masks[..., STAY] == 0
        if t.contract_steps and choosing.any():
            masks[choosing] = False
            rows, agents = np.nonzero(choosing)
            masks[rows, agents, t.actions.join + self._groups[rows, agents]] = True
        return masks


def _arrays_in(value: Any, place: str = "") -> Iterator[tuple[str, npt.NDArray[Any]]]:
    if isinstance(value, np.ndarray):
        yield place, value
    elif hasattr(value, "_asdict"):
        yield from _arrays_in(value._asdict(), place)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _arrays_in(part, f"{place}.{name}")


def scale_of(tables: Tables, best: float) -> float:
    """Return the factor that scales rewards, given the maximum reward of all agents together."""
    return BEST_RETURN * tables.agents / best


def shape_of(batch: VectorGame) -> Shape:
    """Return what a network needs to know about a game."""
    t = batch.tables
    own = t.resources + 4 + 3 + 1 + (2 * t.agents + 2 if t.negotiation_steps else 0)
    jobs = tuple(t.job.tolist())
    return Shape(2 * t.pad + 1, t.channels, own, t.groups, t.actions.total, jobs)


def seen(
    batch: VectorGame,
    observed: Info,
    masks: npt.NDArray[np.generic],
    earned: Floats,
    device: str = "cpu",
) -> Observations:
    """Convert the observation of a batch to tensors; see :meth:`Games.observe`.

    Args:
        batch: the games.
        observed: the observation of the games, with windows.
        masks: (B, N, A), legal actions.
        earned: (B, N), scaled rewards of the last step.
        device: device of the tensors.
    """
    t = batch.tables
    group = observed["group"]
    there = group[..., None] == np.arange(t.groups)
    members = (there * observed["weight"][..., None]).sum(2)
    shares = observed["social"].get("shares")
    if shares is None:
        shares = np.zeros((batch.num_envs, t.agents, t.agents))
    parts = (_own(batch, observed), members, shares, earned)
    numbers = [torch.from_numpy(part.astype(np.float32)) for part in parts]
    legal = torch.from_numpy(masks.astype(np.bool_))
    others = (tensor.to(device) for tensor in (*numbers, legal))
    return Observations(logarithms(observed["window"], device), *others)


def logarithms(cells: Bytes, device: str) -> Tensor:
    """Return log(1 + byte) as float32.

    If the device is not the CPU, only the bytes are sent to it (a quarter of the data), and the
    logarithms are looked up on the device.
    """
    if device == "cpu":
        return torch.from_numpy(_LOGARITHMS[cells])
    found = torch.from_numpy(np.ascontiguousarray(cells)).to(device)
    return torch.from_numpy(_LOGARITHMS).to(device)[found.int()]


def _own(batch: VectorGame, observed: Info) -> npt.NDArray[np.float32]:
    t, step = batch.tables, observed["step"]
    shape = (batch.num_envs, t.agents)
    stage = np.where(step < t.contract_steps, 0, np.where(step < t.negotiation_steps, 1, 2))
    shared = np.concatenate([np.eye(3)[stage], (step / t.length)[:, None]], 1)
    parts = [
        np.log1p(observed["inventory"]),
        observed["weight"],
        np.broadcast_to(shared[:, None], (*shape, 4)),
    ]
    if t.negotiation_steps:
        bargain = observed["bargain"]
        parts += [bargain[..., who, None] == np.arange(t.agents) for who in (PARTNER, REQUESTED)]
        parts += [bargain[..., MOVES_NEXT, None], bargain[..., OFFER, None] / (SPLITS + 1)]
    return np.concatenate(parts, -1, dtype=np.float32)
