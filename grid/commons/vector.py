"""A batch of commons games, with arrays for actions and observations."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from voxpolis.grid.commons.game import Commons
from voxpolis.grid.commons.state import State, make_scratch, make_state
from voxpolis.grid.commons.step import step_many, unpack_state
from voxpolis.grid.commons.tables import (
    APPLE_AT,
    CHANNELS,
    CLEAN_AT,
    DIRT_AT,
    HEADING_AT,
    PLAYER_AT,
    WALL_AT,
    WATER_AT,
    ZAP_AT,
    make_tables,
)
from voxpolis.grid.core.arrays import Bytes, SmallInts
from voxpolis.grid.core.batch import Batch, BatchOptions, Bounds, Observation
from voxpolis.grid.core.drawing import BLOCK, PALETTE, agent_letter, blank_picture, joined

# --- Pictures of a commons, for people ------------------------------------------------------------

WATER, DIRT, APPLE = (176, 216, 240), (120, 118, 60), (213, 60, 40)
ZAP, CLEAN, NOSE = (250, 210, 60), (235, 250, 255), (20, 20, 20)
LEGEND = "# wall, o apple, ~ water, % dirt, * zap, + cleaning"
# Offsets of the two pixels of a player's nose, by heading: rows and columns within its cell.
_NOSES = (
    (slice(1, 3), slice(5, 7)),
    (slice(5, 7), slice(9, 11)),
    (slice(9, 11), slice(5, 7)),
    (slice(5, 7), slice(1, 3)),
)


def rows(world: npt.NDArray[np.uint8]) -> list[str]:
    """Draw the map (H, W, 8) uint8 with letters, row by row."""
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
    """Draw the map (H, W, 8) uint8 as an image (12 H, 12 W, 3) uint8. A player's nose shows its
    heading.
    """
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


class VectorCommons(Batch[State]):
    """``num_envs`` games (B) with N players each; see :class:`grid.core.batch.Batch`.

    Actions are numbers, see :attr:`actions`. An episode ends by chance (terminated) or at its
    maximum length (truncated). The reward of a player is the number of apples that it has eaten.

    The observation is a dict:

    - ``position`` (B, N, 2) int64: row and column of each player;
    - ``heading`` (B, N) int64: 0 north, 1 east, 2 south, 3 west;
    - ``out`` (B, N) int64: number of steps until a player that was hit returns;
    - ``ready`` (B, N, 2) uint8: the first number is 1 if the player can zap, the second is 1 if the
      player can clean;
    - ``others_cleaned`` (B, N) int64: how many other players cleaned in this step;
    - ``step`` (B,) int64;
    - with ``observations="window"``: ``window`` (B, N, rows, columns, 8) uint8, what the player
      sees. The window is turned with the player's heading: the row that is farthest ahead comes
      first, and the player's own cell is in row ``ahead`` and column ``sideways``. A player that is
      out of the game sees nothing.

    The 8 channels of a cell are

    - wall (also outside the map),
    - apple,
    - player (its number + 1),
    - heading of that player, relative to the observer: 1 same, 2 turned right, 3 opposite, 4 turned
      left,
    - a zapping beam of this step,
    - water,
    - dirt,
    - a cleaning beam of this step.

    With ``observations="flat"`` the observation is one array (B, N, F) float32, see
    :class:`grid.core.flat.FlatRows`.

    Attributes:
        game: the game that is played.
        actions: names of the actions, in the order of their numbers.
        tables: the game as arrays.
        state: the state, which callers may inspect (apples eaten, dirt cleaned, zaps).
    """

    known_observations: ClassVar[tuple[str, ...]] = ("none", "window", "flat")

    unpack_state = staticmethod(unpack_state)

    def __init__(
        self,
        game: Commons,
        num_envs: int,
        **options: Unpack[BatchOptions],
    ) -> None:
        """Create the batch. Call ``reset`` before the first step."""
        self.game = game
        self.actions = game.actions
        self.longest = game.ending.most
        self.tables = make_tables(game)
        super().__init__(
            [f"player_{i}" for i in range(game.players)],
            len(game.actions),
            num_envs,
            tables=self.tables,
            make_state=partial(
                make_state, self.tables, windows=options.get("observations") != "none"
            ),
            scratch=make_scratch(self.tables),
            **options,
        )
        self._shape = (game.view.ahead + game.view.behind + 1, 2 * game.view.sideways + 1)

    def _arrays(self) -> Observation:
        observation: Observation = {
            name: getattr(self.state, name)
            for name in ("position", "heading", "out", "ready", "others_cleaned", "step")
        }
        if len(self.state.window):
            # A cell is a word of eight channels. In little-endian order, which numba requires
            # anyway, the first channel is the lowest byte.
            shape = (*self.rewards.shape, *self._shape, len(CHANNELS))
            observation["window"] = self.state.window.view(np.uint8).reshape(shape)
        return observation

    def _bounds(self) -> Bounds:
        return {
            "position": (0, np.iinfo(np.int64).max),
            "heading": (0, 3),
            "out": (0, self.game.zap.out_for + 1),
            "ready": (0, 1),
            "others_cleaned": (0, self.game.players),
            "step": (0, self.game.ending.most),
            "window": (0, 255),
        }

    def _play(self, actions: SmallInts, begin_only: bool) -> None:
        arrays = (self.rewards, self._terminated, self._truncated, self._masks)
        self._run(step_many, actions, *arrays, begin_only)

    def world(self) -> Bytes:
        """Return the whole map of the first environment: (H, W, 8) uint8. The heading channel
        contains the player's heading + 1.
        """
        height, width, pad = len(self.game.rows), len(self.game.rows[0]), self.tables.margin
        plane = self.state.plane[0].reshape(-1, self.tables.stride)
        inside = np.ascontiguousarray(plane[pad : pad + height, pad : pad + width])
        return inside.view(np.uint8).reshape(height, width, len(CHANNELS))

    def pixels(self) -> Bytes:
        """Draw the first environment as an image: (12 H, 12 W, 3) uint8."""
        return pixels(self.world())

    def text(self) -> str:
        heads = [f"step {int(self.state.step[0])}", *rows(self.world())]
        scores = zip(self.agents, self.state.eaten[0], self.state.out[0], strict=True)
        lines = [
            f"{agent_letter(i)} {name}: {eaten} apples{f', out for {out}' if out else ''}"
            for i, (name, eaten, out) in enumerate(scores)
        ]
        return "\n".join([*heads, *lines, LEGEND])
