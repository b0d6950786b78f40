"""The state of a batch of commons, as plain arrays. The first axis is the environment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from voxpolis.grid.commons.tables import BEAM_LENGTH, BEAM_RAYS, Tables
from voxpolis.grid.core.arrays import Ints, Words


class State(NamedTuple):
    """The state of B environments with N players and P cells of the map, including its margin."""

    plane: Words  # (B, P): one byte for each of CHANNELS, in that order
    cell: Ints  # (B, N): position of a player; kept while it is out
    heading: Ints  # (B, N): 0 north, 1 east, 2 south, 3 west
    out: Ints  # (B, N): steps until it returns; 0: in play
    zap_wait: Ints  # (B, N): steps in play until it can zap
    clean_wait: Ints  # (B, N)
    dirty: Ints  # (B,): number of dirty river cells
    beams: Ints  # (B, 9 N): cells covered by beams in the last step
    beam_count: Ints  # (B,)
    eaten: Ints  # (B, N): apples eaten in this episode
    cleaned: Ints  # (B, N): dirt cleaned
    cleaned_now: Ints  # (B, N): in this step
    zapped: Ints  # (B, N): number of other players that it removed
    step: Ints  # (B,)
    episode: Ints  # (B,)
    seed: Words  # (B,)
    key: Words  # (B,)


class Scratch(NamedTuple):
    """Working memory of a thread."""

    order: Ints  # (N,)
    hit: Ints  # (N,)
    chosen: Ints  # (N,) each player's action; staying if the action is illegal
    cells: Ints  # (the larger of S and A,)


def make_state(tables: Tables, environments: int) -> State:
    """Allocate the state of a batch. Every environment must be reset before it is used."""
    b, n = environments, tables.players

    def numbers(*shape: int) -> Ints:
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
    )


def make_scratch(tables: Tables) -> Scratch:
    """Allocate the working memory of a thread."""
    return Scratch(
        order=np.zeros(tables.players, np.int64),
        hit=np.zeros(tables.players, np.int64),
        chosen=np.zeros(tables.players, np.int64),
        cells=np.zeros(max(len(tables.spawns), len(tables.sites)), np.int64),
    )
