"""A commons game as arrays: the lookup tables of the kernel, which are built once from the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from voxpolis.grid.commons.game import (
    APPLE,
    DIRT,
    GROUND,
    RIVER,
    SITE,
    SPAWN,
    STREAM,
    WALL,
    Commons,
)
from voxpolis.grid.core.arrays import Float1, Int1, Word1

# Channels of a cell, one byte each. All eight form one machine word, so a cell is copied in one go.
CHANNELS = ("wall", "apple", "player", "heading", "zap", "water", "dirt", "clean")
WALL_AT, APPLE_AT, PLAYER_AT, HEADING_AT, ZAP_AT, WATER_AT, DIRT_AT, CLEAN_AT = range(8)
STAY, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP, CLEAN = range(9)
# Quarter turns from the heading, for each action that moves.
QUARTERS = (0, 0, 2, 3, 1)
# Streams of random numbers, by purpose.
GROWING, DIRTYING, ORDER, COMING_BACK, ENDING, STARTING = range(6)
# Channels of cells outside the map.
BEYOND = 1 << (8 * WALL_AT)
# Cells covered by a beam: the middle ray covers three cells ahead; the two side rays start next to
# the player and cover three cells each.
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


class Tables(NamedTuple):
    """The constants of a game. Cells are numbered row by row on the map with its margin; a row has
    ``stride`` cells.
    """

    players: int
    stride: int
    margin: int  # number of cells around the map on each side
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
    regrowth: Float1  # (4,), or (0,) with a river
    ground: Word1  # (P,): each cell at the start of an episode
    sites: Int1  # (A,): apple sites
    river: Int1  # (R,): cells that can get dirty
    spawns: Int1  # (S,)
    near: Int1  # radius of a site's neighbourhood
    forward: Int1  # (4,): a step north, east, south, west
    actions: int


def make_tables(game: Commons) -> Tables:
    """Build the tables of a game."""
    rows, view = game.rows, game.view
    pad = max(view.ahead, view.behind, view.sideways, BEAM_LENGTH, game.radius)
    stride = len(rows[0]) + 2 * pad
    ground = np.full((len(rows) + 2 * pad, stride), BEYOND, np.uint64)
    letters = np.array([list(row) for row in rows])
    words = {letter: sum(1 << (8 * at) for at in ats) for letter, ats in _GROUNDS.items()}
    inside = ground[pad : pad + len(rows), pad : pad + len(rows[0])]
    inside[:] = np.vectorize(lambda letter: words[letter], otypes=[np.uint64])(letters)

    def cells(*wanted: str) -> Int1:
        x, y = np.nonzero(np.isin(letters, wanted))
        return np.asarray((x + pad) * stride + y + pad, np.int64)

    river, ending, zap = game.river, game.ending, game.zap
    return Tables(
        players=game.players,
        stride=stride,
        margin=pad,
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


def _near(radius: int, stride: int) -> Int1:
    span = range(-radius, radius + 1)
    near = [x * stride + y for x in span for y in span if 0 < x * x + y * y <= radius * radius]
    return np.array(near, np.int64)
