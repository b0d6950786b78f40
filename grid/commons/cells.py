"""Cells of the map: a word each, a byte of it a channel. Arguments: see :mod:`grid.commons`."""

from __future__ import annotations

import numpy as np

from voxpolis.grid.commons.state import State
from voxpolis.grid.commons.tables import (
    APPLE_AT,
    CLEAN_AT,
    DIRT_AT,
    HEADING_AT,
    PLAYER_AT,
    WALL_AT,
    ZAP_AT,
    Tables,
)
from voxpolis.grid.core.jit import inlined
from voxpolis.grid.core.packing import unpacker

APPLE = np.uint64(1 << (8 * APPLE_AT))
DIRT = np.uint64(1 << (8 * DIRT_AT))
WALL = np.uint64(1 << (8 * WALL_AT))
ZAPPED = np.uint64(1 << (8 * ZAP_AT))
CLEANED = np.uint64(1 << (8 * CLEAN_AT))
PLAYER = np.uint64(0xFF << (8 * PLAYER_AT))
HEADING = np.uint64(0xFF << (8 * HEADING_AT))
BODY = PLAYER | HEADING
BEAM = ZAPPED | CLEANED
PLAYER_SHIFT, HEADING_SHIFT = np.uint64(8 * PLAYER_AT), np.uint64(8 * HEADING_AT)
NOTHING = np.uint64(0)

#: The tables out of what :func:`grid.core.packing.pack` makes of them.
unpack = unpacker(Tables)


@inlined
def stand(s: State, b: int, i: int) -> None:
    """Put a player's body onto its cell."""
    c = s.cell[b, i]
    body = np.uint64(i + 1) << PLAYER_SHIFT | np.uint64(s.heading[b, i] + 1) << HEADING_SHIFT
    s.plane[b, c] = (s.plane[b, c] & ~BODY) | body
