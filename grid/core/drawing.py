"""The part of drawing maps (as images and text) that all games share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Side of a cell in pixels.
CELL = 12
BLOCK, GROUND = (60, 60, 66), (238, 236, 226)
# Okabe and Ito's colours, distinguishable with any kind of colour vision.
PALETTE = [
    (0, 158, 115),
    (153, 153, 153),
    (230, 159, 0),
    (213, 94, 0),
    (86, 180, 233),
    (0, 114, 178),
    (204, 121, 167),
    (240, 228, 66),
]


def blank_picture(height: int, width: int) -> npt.NDArray[np.uint8]:
    """Return the pixels of empty cells: (height, width, 12, 12, 3) uint8."""
    picture = np.empty((height, width, CELL, CELL, 3), np.uint8)
    picture[:] = GROUND
    return picture


def joined(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Join the pixels of the cells (H, W, 12, 12, 3) into one image (12 H, 12 W, 3)."""
    height, width = picture.shape[:2]
    return picture.swapaxes(1, 2).reshape(height * CELL, width * CELL, 3)


def agent_letter(number: int) -> str:
    """Return the letter of an agent: a to z, and then again from a."""
    return chr(ord("a") + number % 26)
