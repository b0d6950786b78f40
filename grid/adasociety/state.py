"""The state of a batch of environments: plain arrays, environments first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.game import MAX_GROUPS
from voxpolis.grid.adasociety.tables import Tables
from voxpolis.grid.core.arrays import Bytes

# Columns of ``State.bargain``.
PARTNER, MOVES_NEXT, OFFER, REQUESTED = range(4)
# Bits of ``State.stale``: what may have changed of what an agent may do: what it can do where it
# stands with what it holds, which groups it can join, anything; and whether what it sees may have.
PLACE_STALE, GROUPS_STALE, ALL_STALE, WINDOW_STALE = 1, 2, 4, 8
MASK_STALE = PLACE_STALE | GROUPS_STALE | ALL_STALE
# Rows of ``State.counts``, in the order of :class:`ActionCounts`.
GATHERED, TAKEN, PUT, DROPPED = range(4)


class ActionCounts(NamedTuple):
    """What each agent has done with each resource in this episode, in units: (B, N, R) int32."""

    gathered: npt.NDArray[np.int32]  # picked up from cells that are no chest
    taken: npt.NDArray[np.int32]  # picked up from chests
    put: npt.NDArray[np.int32]  # laid into chests
    dropped: npt.NDArray[np.int32]  # laid down elsewhere


class State(NamedTuple):
    """B environments with N agents, R resources, E events, G groups.

    ``plane`` is the world itself, the map with ``pad`` cells of it repeated around, so that what an
    agent sees is a slice; a cell has a byte for each of :class:`grid.adasociety.tables.Channels`.
    """

    plane: npt.NDArray[np.uint8]  # (B, H + 2 pad, (W + 2 pad) C)
    occupant: npt.NDArray[np.int32]  # (B, H, W): agent number + 1, 0: none
    position: npt.NDArray[np.int32]  # (B, N, 2)
    inventory: npt.NDArray[np.int32]  # (B, N, R)
    held: npt.NDArray[np.int64]  # (B, N): bits of the resources held
    sees: npt.NDArray[np.uint8]  # (B, N, (2 pad + 1) C): 255 where a channel is seen, row by row
    group: npt.NDArray[np.int32]  # (B, N, MAX_GROUPS): -1: none
    weight: npt.NDArray[np.float64]  # (B, N, MAX_GROUPS)
    union: npt.NDArray[np.int32]  # (B, G): the union that a group is in; -1: none
    union_weight: npt.NDArray[np.float64]  # (B, G)
    shares: npt.NDArray[np.uint8]  # (B, N, N): 1 where the first shares what it sees; or (B, 0, 0)
    sent: npt.NDArray[np.int32]  # (B, N): to which agent each sent a message in this step; -1: none
    bargain: npt.NDArray[np.int32]  # (B, N, 4): partner or -1, moves next, standing offer, request
    order: npt.NDArray[np.int32]  # (B, N): which agent chooses a group when
    step: npt.NDArray[np.int64]  # (B,)
    episode: npt.NDArray[np.int64]  # (B,)
    seed: npt.NDArray[np.uint64]  # (B,)
    key: npt.NDArray[np.uint64]  # (B,) of the episode
    executed: npt.NDArray[np.int32]  # (B, E): how often each event was done
    score: npt.NDArray[np.float64]  # (B, N): rewards so far
    counts: npt.NDArray[np.int32]  # (4, B, N, R): units gathered, taken, …; without a log (4, 0, …)
    stale: npt.NDArray[np.uint8]  # (B, N): whether masks and windows must be made again, bits


class Scratch(NamedTuple):
    """Room to work in; one for each thread. Clean between steps."""

    cells: npt.NDArray[np.int32]  # (H W,) free cells while resetting
    wanted: npt.NDArray[np.int32]  # (H W,) which agent moves onto a cell: number + 1
    target: npt.NDArray[np.int32]  # (N,) cell that an agent wants; -1: none
    fate: npt.NDArray[np.int8]  # (N,) what becomes of its move
    actors: npt.NDArray[np.int32]  # (N,)
    chosen: npt.NDArray[np.int32]  # (N,) what each does: its action, or to stay where not legal
    earned: npt.NDArray[np.float64]  # (N,) the step's change of score before sharing
    paid: npt.NDArray[np.float64]  # (N,) rewards of a change outside of a step
    pot: npt.NDArray[np.float64]  # (G,)
    weights: npt.NDArray[np.float64]  # (G,)


def make_state(tables: Tables, environments: int, *, action_log: bool = False) -> State:
    """Room for a batch; every environment must be reset before it is used.

    With ``action_log`` the kernel counts what each agent picks up and lays down.
    """
    b, n = environments, tables.agents
    height, width = tables.height + 2 * tables.pad, tables.width + 2 * tables.pad
    shares = n if tables.can_share else 0
    return State(
        plane=np.zeros((b, height, width * tables.channels), np.uint8),
        occupant=np.zeros((b, tables.height, tables.width), np.int32),
        position=np.zeros((b, n, 2), np.int32),
        inventory=np.zeros((b, n, tables.resources), np.int32),
        held=np.zeros((b, n), np.int64),
        sees=np.zeros((b, n, (2 * tables.pad + 1) * tables.channels), np.uint8),
        group=np.full((b, n, MAX_GROUPS), -1, np.int32),
        weight=np.zeros((b, n, MAX_GROUPS)),
        union=np.full((b, tables.groups), -1, np.int32),
        union_weight=np.zeros((b, tables.groups)),
        shares=np.zeros((b, shares, shares), np.uint8),
        sent=np.full((b, n), -1, np.int32),
        bargain=np.zeros((b, n, 4), np.int32),
        order=np.zeros((b, n), np.int32),
        step=np.zeros(b, np.int64),
        episode=np.zeros(b, np.int64),
        seed=np.zeros(b, np.uint64),
        key=np.zeros(b, np.uint64),
        executed=np.zeros((b, tables.events), np.int32),
        score=np.zeros((b, n)),
        counts=np.zeros((4, b if action_log else 0, n, tables.resources), np.int32),
        stale=np.full((b, n), ALL_STALE | WINDOW_STALE, np.uint8),
    )


def cells(tables: Tables, state: State, environment: int) -> Bytes:
    """The whole map of an environment: (H, W, C) uint8, a view of its state.

    See :class:`grid.adasociety.tables.Channels`.
    """
    t = tables
    shape = (t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
    plane: Bytes = state.plane[environment].reshape(shape)
    return plane[t.pad : t.pad + t.height, t.pad : t.pad + t.width]


def make_scratch(tables: Tables) -> Scratch:
    """Room to work in, for one thread."""
    cells, n = tables.height * tables.width, tables.agents
    return Scratch(
        cells=np.zeros(cells, np.int32),
        wanted=np.zeros(cells, np.int32),
        target=np.zeros(n, np.int32),
        fate=np.zeros(n, np.int8),
        actors=np.zeros(n, np.int32),
        chosen=np.zeros(n, np.int32),
        earned=np.zeros(n),
        paid=np.zeros(n),
        pot=np.zeros(tables.groups),
        weights=np.zeros(tables.groups),
    )


def bytes_per_environment(tables: Tables) -> int:
    """How much memory the state of one environment takes."""
    return sum(array.nbytes for array in make_state(tables, 1))
