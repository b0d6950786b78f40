"""Pictures of a map, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from grid.vector import VectorGame

#: Pixels of a cell's side.
CELL = 12
BLOCK, CHEST, AGENT = (60, 60, 66), (150, 111, 51), (20, 20, 20)
GROUND, STATION = (238, 236, 226), (203, 196, 178)
#: Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
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


def world(game: VectorGame, environment: int = 0) -> npt.NDArray[np.uint8]:
    """The whole map (H, W, C) of an environment; see :class:`grid.state.State` for channels."""
    t = game.tables
    shape = (t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
    plane = game.state.plane[environment].reshape(shape)
    return np.ascontiguousarray(plane[t.pad : t.pad + t.height, t.pad : t.pad + t.width])


def pixels(game: VectorGame, environment: int = 0) -> npt.NDArray[np.uint8]:
    """The map as a picture (12 H, 12 W, 3): stations are darker ground, piles bars, agents dots."""
    plane, r = world(game, environment), game.tables.resources
    picture = np.empty((*plane.shape[:2], CELL, CELL, 3), np.uint8)
    picture[:] = GROUND
    picture[plane[..., 1 + r : -2].any(-1)] = STATION
    picture[plane[..., 0] == 1] = BLOCK
    picture[plane[..., 0] == 2] = CHEST
    for resource in range(r):
        x, y = np.nonzero(plane[..., 1 + resource])
        row = 1 + resource * (CELL - 2) // max(r, 1)
        picture[x, y, row : row + 2, 1:-1] = PALETTE[resource % len(PALETTE)]
    x, y = np.nonzero(plane[..., -1])
    picture[x, y, 3:-3, 3:-3] = AGENT
    for job in range(len(game.names.jobs)):
        x, y = np.nonzero(plane[..., -1] == job + 1)
        picture[x, y, 4:-4, 4:-4] = PALETTE[job % len(PALETTE)]
    return picture.swapaxes(1, 2).reshape(plane.shape[0] * CELL, plane.shape[1] * CELL, 3)


def text(game: VectorGame, environment: int = 0) -> str:
    """The map in letters: # block, a to z agents, capitals piles, + a station, . nothing."""
    plane, names = world(game, environment), game.names
    agents = game.state.occupant[environment]
    lines = [f"step {int(game.state.step[environment])} of {game.tables.length}"]
    for row, who in zip(plane, agents, strict=True):
        cells = zip(row, who, strict=True)
        lines.append("".join(_letter(cell, agent, len(names.resources)) for cell, agent in cells))
    for i, agent in enumerate(names.agents):
        held = zip(game.state.inventory[environment, i], names.resources, strict=True)
        carried = ", ".join(f"{count} {name}" for count, name in held if count)
        score = game.state.score[environment, i]
        lines.append(f"{_agent_letter(i)} {agent}: {carried or 'nothing'}, {score:g}")
    legend = ", ".join(f"{chr(65 + r % 26)} {name}" for r, name in enumerate(names.resources))
    return "\n".join([*lines, f"# block, = chest, + station, {legend}"])


def _letter(cell: npt.NDArray[Any], agent: int, resources: int) -> str:
    if agent:
        return _agent_letter(agent - 1)
    if cell[0]:
        return "#" if cell[0] == 1 else "="
    lying = np.flatnonzero(cell[1 : 1 + resources])
    if len(lying):
        return chr(65 + int(lying[0]) % 26)
    return "+" if cell[1 + resources : -2].any() else "."


def _agent_letter(number: int) -> str:
    return chr(97 + number % 26)
