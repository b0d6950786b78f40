"""The state of a batch of environments, as plain arrays. The first axis is the environment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voxpolis.grid.adasociety.game import MAX_GROUPS
from voxpolis.grid.adasociety.tables import Tables
from voxpolis.grid.core.arrays import (
    Byte2,
    Byte3,
    Byte4,
    Bytes,
    Fate1,
    Float1,
    Float2,
    Float3,
    Int1,
    Int2,
    Small1,
    Small2,
    Small3,
    Small4,
    Word1,
)

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

    ``plane`` is the map with a margin of ``pad`` cells on each side. The margin repeats cells of
    the map, so that each window is a slice of the array. A cell has one byte for each of
    :class:`grid.adasociety.tables.Channels`.
    """

    plane: Byte3  # (B, H + 2 pad, (W + 2 pad) C)
    occupant: Small3  # (B, H, W): agent number + 1, 0: none
    position: Small3  # (B, N, 2)
    inventory: Small3  # (B, N, R)
    held: Int2  # (B, N): bit for each resource that the agent has
    sees: Byte3  # (B, N, (2 pad + 1) C): 255 for visible channels, row by row
    group: Small3  # (B, N, MAX_GROUPS): group, or -1 for none
    weight: Float3  # (B, N, MAX_GROUPS)
    union: Small2  # (B, G): the union that a group is in, or -1 for none
    union_weight: Float2  # (B, G)
    # (B, N, N): 1 if the first agent shares what it sees with the second; or (B, 0, 0)
    shares: Byte3
    sent: Small2  # (B, N): addressee of each agent's message in this step; -1: none
    bargain: Small3  # (B, N, 4): partner or -1, moves next, current offer, request
    order: Small2  # (B, N): order in which agents choose a group
    step: Int1  # (B,)
    episode: Int1  # (B,)
    seed: Word1  # (B,)
    key: Word1  # (B,): key of the episode
    executed: Small2  # (B, E): number of executions of each event
    score: Float2  # (B, N): rewards so far
    counts: Small4  # (4, B, N, R): units gathered, taken, …; without a log (4, 0, …)
    stale: Byte2  # (B, N): bits that mark masks and windows as stale
    # (B, N, 2 pad + 1, (2 pad + 1) C): what each agent sees around it; or (0, …) without windows
    window: Byte4


class Scratch(NamedTuple):
    """Working memory of a thread. Its content does not matter between steps."""

    cells: Small1  # (H W,) free cells during a reset
    wanted: Small1  # (H W,) agent that moves onto a cell: number + 1
    target: Small1  # (N,) target cell of an agent; -1: none
    fate: Fate1  # (N,) result of an agent's move
    actors: Small1  # (N,)
    chosen: Small1  # (N,) each agent's action, or staying if illegal
    earned: Float1  # (N,) change of score in this step before sharing
    paid: Float1  # (N,) rewards of a change outside a step
    pot: Float1  # (G,)
    weights: Float1  # (G,)


def make_state(
    tables: Tables, environments: int, *, action_log: bool = False, windows: bool = True
) -> State:
    """Allocate the state of a batch. Every environment must be reset before it is used.

    If ``action_log`` is True, the kernel counts each agent's picks and dumps. If ``windows`` is
    False, agents see nothing.
    """
    b, n = environments, tables.agents
    height, width = tables.height + 2 * tables.pad, tables.width + 2 * tables.pad
    shares, side = n if tables.can_share else 0, 2 * tables.pad + 1
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
        window=np.zeros((b if windows else 0, n, side, side * tables.channels), np.uint8),
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
    return sum(array.nbytes for array in make_state(tables, 1, windows=False))
