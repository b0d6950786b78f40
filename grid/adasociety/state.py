"""The state of a batch of environments, as plain arrays. The first axis is the environment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.game import MAX_GROUPS
from voxpolis.grid.adasociety.tables import Tables
from voxpolis.grid.core.arrays import Bytes

# Columns of ``State.bargain``.
PARTNER, MOVES_NEXT, OFFER, REQUESTED = range(4)
# Bits of ``State.stale``: which parts of an agent's mask may have changed (actions that depend on
# its cell and items, groups it can join, or anything), and whether its window may have changed.
PLACE_STALE, GROUPS_STALE, ALL_STALE, WINDOW_STALE = 1, 2, 4, 8
MASK_STALE = PLACE_STALE | GROUPS_STALE | ALL_STALE
# Rows of ``State.counts``, in the order of :class:`ActionCounts`.
GATHERED, TAKEN, PUT, DROPPED = range(4)


class ActionCounts(NamedTuple):
    """The number of units of each resource that each agent has picked up or laid down in this
    episode.

    Each array is (B, N, R) int32.
    """

    gathered: npt.NDArray[np.int32]  # picked up outside chests
    taken: npt.NDArray[np.int32]  # picked up from chests
    put: npt.NDArray[np.int32]  # laid into chests
    dropped: npt.NDArray[np.int32]  # laid down elsewhere


class State(NamedTuple):
    """The state of B environments with N agents, R resources, E events and G groups.

    ``plane`` is the world. Around the map, ``pad`` of its cells are repeated on each side, so that
    a window is a slice of the array. A cell has one byte for each of
    :class:`grid.adasociety.tables.Channels`.
    """

    plane: npt.NDArray[np.uint8]  # (B, H + 2 pad, (W + 2 pad) C)
    occupant: npt.NDArray[np.int32]  # (B, H, W): agent number + 1, 0: none
    position: npt.NDArray[np.int32]  # (B, N, 2)
    inventory: npt.NDArray[np.int32]  # (B, N, R)
    held: npt.NDArray[np.int64]  # (B, N): bit for each resource that the agent has
    sees: npt.NDArray[np.uint8]  # (B, N, (2 pad + 1) C): 255 for visible channels, row by row
    group: npt.NDArray[np.int32]  # (B, N, MAX_GROUPS): group, or -1 for none
    weight: npt.NDArray[np.float64]  # (B, N, MAX_GROUPS)
    union: npt.NDArray[np.int32]  # (B, G): the union that a group is in, or -1 for none
    union_weight: npt.NDArray[np.float64]  # (B, G)
    # (B, N, N): 1 if the first agent shares what it sees with the second; or (B, 0, 0)
    shares: npt.NDArray[np.uint8]
    sent: npt.NDArray[np.int32]  # (B, N): addressee of each agent's message in this step; -1: none
    bargain: npt.NDArray[np.int32]  # (B, N, 4): partner or -1, moves next, current offer, request
    order: npt.NDArray[np.int32]  # (B, N): order in which agents choose a group
    step: npt.NDArray[np.int64]  # (B,)
    episode: npt.NDArray[np.int64]  # (B,)
    seed: npt.NDArray[np.uint64]  # (B,)
    key: npt.NDArray[np.uint64]  # (B,): key of the episode
    executed: npt.NDArray[np.int32]  # (B, E): number of executions of each event
    score: npt.NDArray[np.float64]  # (B, N): rewards so far
    counts: npt.NDArray[np.int32]  # (4, B, N, R): units gathered, taken, …; without a log (4, 0, …)
    stale: npt.NDArray[np.uint8]  # (B, N): bits that mark masks and windows as stale


class Scratch(NamedTuple):
    """Working memory of a thread. Its content does not matter between steps."""

    cells: npt.NDArray[np.int32]  # (H W,) free cells during a reset
    wanted: npt.NDArray[np.int32]  # (H W,) agent that moves onto a cell: number + 1
    target: npt.NDArray[np.int32]  # (N,) target cell of an agent; -1: none
    fate: npt.NDArray[np.int8]  # (N,) result of an agent's move
    actors: npt.NDArray[np.int32]  # (N,)
    chosen: npt.NDArray[np.int32]  # (N,) each agent's action, or staying if illegal
    earned: npt.NDArray[np.float64]  # (N,) change of score in this step before sharing
    paid: npt.NDArray[np.float64]  # (N,) rewards of a change outside a step
    pot: npt.NDArray[np.float64]  # (G,)
    weights: npt.NDArray[np.float64]  # (G,)


def make_state(tables: Tables, environments: int, *, action_log: bool = False) -> State:
    """Allocate the state of a batch. Every environment must be reset before it is used.

    If ``action_log`` is True, the kernel counts each agent's picks and dumps.
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
    """Return the whole map of an environment, (H, W, C) uint8, as a view of its state.

    :class:`grid.adasociety.tables.Channels` explains the channels C.
    """
    t = tables
    shape = (t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
    plane: Bytes = state.plane[environment].reshape(shape)
    return plane[t.pad : t.pad + t.height, t.pad : t.pad + t.width]


def make_scratch(tables: Tables) -> Scratch:
    """Allocate the working memory of a thread."""
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
    """Return how many bytes the state of one environment takes."""
    return sum(array.nbytes for array in make_state(tables, 1))
