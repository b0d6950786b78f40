"""The state of a batch of commons, as plain arrays. The first axis is the environment."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from voxpolis.grid.commons.tables import BEAM_LENGTH, BEAM_RAYS, Tables
from voxpolis.grid.core.arrays import Byte3, Int1, Int2, Int3, Word1, Word2, Word3


class State(NamedTuple):
    """The state of B environments with N players and P cells of the map, including its margin."""

    plane: Word2  # (B, P): one byte for each of CHANNELS, in that order
    cell: Int2  # (B, N): position of a player; kept while it is out
    heading: Int2  # (B, N): 0 north, 1 east, 2 south, 3 west
    out: Int2  # (B, N): steps until it returns; 0: in play
    zap_wait: Int2  # (B, N): steps in play until it can zap
    clean_wait: Int2  # (B, N)
    dirty: Int1  # (B,): number of dirty river cells
    beams: Int2  # (B, 9 N): cells covered by beams in the last step
    beam_count: Int1  # (B,)
    eaten: Int2  # (B, N): apples eaten in this episode
    cleaned: Int2  # (B, N): dirt cleaned
    cleaned_now: Int2  # (B, N): in this step
    zapped: Int2  # (B, N): number of other players that it removed
    step: Int1  # (B,)
    episode: Int1  # (B,)
    seed: Word1  # (B,)
    key: Word1  # (B,)
    # What players observe.
    position: Int3  # (B, N, 2): row and column on the map without its margin
    ready: Byte3  # (B, N, 2): 1 if the player can zap, and 1 if it can clean
    others_cleaned: Int2  # (B, N): number of other players that cleaned in this step
    window: Word3  # (B, N, cells of a window); or (0, …) without windows


class Scratch(NamedTuple):
    """Working memory of a thread."""

    order: Int1  # (N,)
    hit: Int1  # (N,)
    chosen: Int1  # (N,) each player's action; staying if the action is illegal
    cells: Int1  # (the larger of S and A,)


def make_state(tables: Tables, environments: int, *, windows: bool = True) -> State:
    """Allocate the state of a batch. Every environment must be reset before it is used."""
    b, n = environments, tables.players
    cells = (tables.ahead + tables.behind + 1) * (2 * tables.sideways + 1)

    def numbers(*shape: int) -> Any:
        return np.zeros(shape, np.int64)

    return State(
        plane=np.zeros((b, len(tables.ground)), np.uint64),
        cell=numbers(b, n),
        heading=numbers(b, n),
        out=numbers(b, n),
        zap_wait=numbers(b, n),
        clean_wait=numbers(b, n),
        dirty=numbers(b),
        beams=numbers(b, BEAM_LENGTH * BEAM_RAYS * n),
        beam_count=numbers(b),
        eaten=numbers(b, n),
        cleaned=numbers(b, n),
        cleaned_now=numbers(b, n),
        zapped=numbers(b, n),
        step=numbers(b),
        episode=numbers(b),
        seed=np.zeros(b, np.uint64),
        key=np.zeros(b, np.uint64),
        position=numbers(b, n, 2),
        ready=np.zeros((b, n, 2), np.uint8),
        others_cleaned=numbers(b, n),
        window=np.zeros((b if windows else 0, n, cells), np.uint64),
    )


def make_scratch(tables: Tables) -> Scratch:
    """Allocate the working memory of a thread."""
    return Scratch(
        order=np.zeros(tables.players, np.int64),
        hit=np.zeros(tables.players, np.int64),
        chosen=np.zeros(tables.players, np.int64),
        cells=np.zeros(max(len(tables.spawns), len(tables.sites)), np.int64),
    )
