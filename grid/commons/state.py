"""A commons as arrays: what never changes, and the state of a batch of environments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from grid.commons.game import APPLE, DIRT, GROUND, RIVER, SITE, SPAWN, STREAM, WALL, Commons

#: Channels of a cell, a byte each, all eight of them one machine word: so a cell is copied at once.
CHANNELS = ("wall", "apple", "player", "heading", "zap", "water", "dirt", "clean")
WALL_AT, APPLE_AT, PLAYER_AT, HEADING_AT, ZAP_AT, WATER_AT, DIRT_AT, CLEAN_AT = range(8)
#: What is out of the map.
BEYOND = 1 << (8 * WALL_AT)
#: Cells that a beam covers: its middle ray the three ahead, its side rays three from beside it on.
BEAM_LENGTH, BEAM_RAYS = 3, 3
_GROUNDS = {
    WALL: {WALL_AT},
    GROUND: set(),
    SPAWN: set(),
    STREAM: {WATER_AT},
    SITE: set(),
    APPLE: {APPLE_AT},
    RIVER: {WATER_AT},
    DIRT: {WATER_AT, DIRT_AT},
}

Int = npt.NDArray[np.int64]


class Tables(NamedTuple):
    """What never changes. Cells are numbers in the padded map, row by row, ``stride`` to a row."""

    players: int
    stride: int
    ahead: int
    behind: int
    sideways: int
    zap_cooldown: int
    out_for: int
    clean_cooldown: int
    quiet_steps: int
    least: int
    interval: int
    most: int
    growth: float
    threshold: float
    dirt: float
    ending: float
    regrowth: npt.NDArray[np.float64]  # (4,), or (0,) with a river
    ground: npt.NDArray[np.uint64]  # (P,): the map at the start of an episode
    sites: Int  # (A,): where apples grow
    river: Int  # (R,): where dirt gathers
    spawns: Int  # (S,)
    near: Int  # how far from a site its neighbours are
    forward: Int  # (4,): a step north, east, south, west
    actions: int


class State(NamedTuple):
    """B environments with N players, P cells of the padded map."""

    plane: npt.NDArray[np.uint64]  # (B, P): a byte for each of CHANNELS, in that order
    cell: Int  # (B, N): where a player is; kept while it is out
    heading: Int  # (B, N): 0 north, 1 east, 2 south, 3 west
    out: Int  # (B, N): steps until it is back; 0: it plays
    zap_wait: Int  # (B, N): steps until it can zap
    clean_wait: Int  # (B, N)
    dirty: Int  # (B,): cells of the river that are dirty
    beams: Int  # (B, 9 N): cells with a beam of the last step
    beam_count: Int  # (B,)
    eaten: Int  # (B, N): apples in this episode
    cleaned: Int  # (B, N): dirt cleaned
    cleaned_now: Int  # (B, N): in this step
    zapped: Int  # (B, N): others it put out
    step: Int  # (B,)
    episode: Int  # (B,)
    seed: npt.NDArray[np.uint64]  # (B,)
    key: npt.NDArray[np.uint64]  # (B,)


class Scratch(NamedTuple):
    """Room to work in; one for each thread."""

    order: Int  # (N,)
    hit: Int  # (N,)
    cells: Int  # (the larger of S and A,)


def make_tables(game: Commons) -> Tables:
    """A game as arrays."""
    rows, view = game.rows, game.view
    pad = max(view.ahead, view.behind, view.sideways, BEAM_LENGTH, game.radius)
    stride = len(rows[0]) + 2 * pad
    ground = np.full((len(rows) + 2 * pad, stride), BEYOND, np.uint64)
    letters = np.array([list(row) for row in rows])
    words = {letter: sum(1 << (8 * at) for at in ats) for letter, ats in _GROUNDS.items()}
    inside = ground[pad : pad + len(rows), pad : pad + len(rows[0])]
    inside[:] = np.vectorize(lambda letter: words[letter], otypes=[np.uint64])(letters)

    def cells(*wanted: str) -> Int:
        x, y = np.nonzero(np.isin(letters, wanted))
        return np.asarray((x + pad) * stride + y + pad, np.int64)

    river, ending, zap = game.river, game.ending, game.zap
    return Tables(
        players=game.players,
        stride=stride,
        ahead=view.ahead,
        behind=view.behind,
        sideways=view.sideways,
        zap_cooldown=zap.cooldown,
        out_for=zap.out_for,
        clean_cooldown=river.cooldown if river else 0,
        quiet_steps=river.quiet_steps if river else 0,
        least=ending.least,
        interval=ending.interval,
        most=ending.most,
        growth=river.growth if river else 0.0,
        threshold=river.threshold if river else 1.0,
        dirt=river.dirt if river else 0.0,
        ending=ending.chance,
        regrowth=np.array(game.regrowth or (), np.float64),
        ground=ground.ravel(),
        sites=cells(SITE, APPLE),
        river=cells(RIVER, DIRT),
        spawns=cells(SPAWN),
        near=_near(game.radius, stride),
        forward=np.array([-stride, 1, stride, -1], np.int64),
        actions=len(game.actions),
    )


def _near(radius: int, stride: int) -> Int:
    span = range(-radius, radius + 1)
    near = [x * stride + y for x in span for y in span if 0 < x * x + y * y <= radius * radius]
    return np.array(near, np.int64)


def make_state(tables: Tables, environments: int) -> State:
    """Room for a batch; every environment must be reset before it is used."""
    b, n = environments, tables.players

    def numbers(*shape: int) -> Int:
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
    """Room to work in, for one thread."""
    return Scratch(
        order=np.zeros(tables.players, np.int64),
        hit=np.zeros(tables.players, np.int64),
        cells=np.zeros(max(len(tables.spawns), len(tables.sites)), np.int64),
    )
