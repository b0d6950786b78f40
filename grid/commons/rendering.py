"""Pictures of a commons, for people."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from voxpolis.grid.commons.tables import (
    APPLE_AT,
    CLEAN_AT,
    DIRT_AT,
    HEADING_AT,
    PLAYER_AT,
    WALL_AT,
    WATER_AT,
    ZAP_AT,
)
from voxpolis.grid.core.drawing import BLOCK, PALETTE, agent_letter, blank_picture, joined

WATER, DIRT, APPLE = (176, 216, 240), (120, 118, 60), (213, 60, 40)
ZAP, CLEAN, NOSE = (250, 210, 60), (235, 250, 255), (20, 20, 20)
LEGEND = "# wall, o apple, ~ water, % dirt, * zap, + cleaning"
#: Where the two pixels of a player's nose are, by heading: rows and columns of its cell.
_NOSES = (
    (slice(1, 3), slice(5, 7)),
    (slice(5, 7), slice(9, 11)),
    (slice(9, 11), slice(5, 7)),
    (slice(5, 7), slice(1, 3)),
)


def rows(world: npt.NDArray[np.uint8]) -> list[str]:
    """The map (H, W, 8) uint8 in letters, row by row."""
    return ["".join(_cell(cell) for cell in row) for row in world]


def _cell(cell: npt.NDArray[np.uint8]) -> str:
    if cell[PLAYER_AT]:
        return agent_letter(int(cell[PLAYER_AT]) - 1)
    marks = ((WALL_AT, "#"), (APPLE_AT, "o"), (ZAP_AT, "*"), (CLEAN_AT, "+"), (DIRT_AT, "%"))
    for channel, mark in (*marks, (WATER_AT, "~")):
        if cell[channel]:
            return mark
    return "."


def pixels(world: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The map (H, W, 8) uint8 as a picture (12 H, 12 W, 3) uint8; noses show where players look."""
    picture = blank_picture(*world.shape[:2])
    for channel, colour in ((WATER_AT, WATER), (DIRT_AT, DIRT), (ZAP_AT, ZAP), (CLEAN_AT, CLEAN)):
        picture[world[..., channel] > 0] = colour
    picture[world[..., WALL_AT] > 0] = BLOCK
    x, y = np.nonzero(world[..., APPLE_AT])
    picture[x, y, 3:-3, 3:-3] = APPLE
    for x, y in np.argwhere(world[..., PLAYER_AT]):
        player, heading = world[x, y, PLAYER_AT] - 1, world[x, y, HEADING_AT] - 1
        picture[x, y, 1:-1, 1:-1] = PALETTE[player % len(PALETTE)]
        picture[x, y, *_NOSES[heading]] = NOSE
    return joined(picture)
