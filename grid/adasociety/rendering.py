"""Pictures of a map, for people."""

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.state import State, cells
from voxpolis.grid.adasociety.tables import Ground, Names, Tables
from voxpolis.grid.core.arrays import Bytes
from voxpolis.grid.core.drawing import BLOCK, CELL, PALETTE, agent_letter, blank_picture, joined

CHEST, AGENT, STATION = (150, 111, 51), (20, 20, 20), (203, 196, 178)


def pixels(tables: Tables, world: Bytes) -> Bytes:
    """The map (H, W, C) as a picture (12 H, 12 W, 3) uint8.

    Stations are darker ground, piles bars, agents dots in the colour of their job.
    """
    channel = tables.channel
    picture = blank_picture(*world.shape[:2])
    picture[world[..., channel.events].any(-1)] = STATION
    picture[world[..., channel.ground] == Ground.BLOCK] = BLOCK
    picture[world[..., channel.ground] == Ground.CHEST] = CHEST
    for resource in range(tables.resources):
        x, y = np.nonzero(world[..., channel.first_resource + resource])
        row = 1 + resource * (CELL - 2) // tables.resources
        picture[x, y, row : row + 2, 1:-1] = PALETTE[resource % len(PALETTE)]
    x, y = np.nonzero(world[..., channel.job])
    picture[x, y, 3:-3, 3:-3] = AGENT
    picture[x, y, 4:-4, 4:-4] = np.array(PALETTE)[
        (world[x, y, channel.job] - 1) % len(PALETTE), None, None
    ]
    return joined(picture)


def text(tables: Tables, names: Names, state: State, environment: int) -> str:
    """The map in letters: # block, a to z agents, capitals piles, + a station, . nothing."""
    world = cells(tables, state, environment)
    lines = [f"step {int(state.step[environment])} of {tables.length}"]
    for row, agents in zip(world, state.occupant[environment], strict=True):
        marks = zip(row, agents.tolist(), strict=True)
        lines.append("".join(_letter(tables, cell, agent) for cell, agent in marks))
    for i, agent in enumerate(names.agents):
        held = zip(state.inventory[environment, i], names.resources, strict=True)
        carried = ", ".join(f"{count} {name}" for count, name in held if count)
        score = state.score[environment, i]
        lines.append(f"{agent_letter(i)} {agent}: {carried or 'nothing'}, {score:g}")
    legend = ", ".join(f"{_capital(r)} {name}" for r, name in enumerate(names.resources))
    return "\n".join([*lines, f"# block, = chest, + station, {legend}"])


def _letter(tables: Tables, cell: Bytes, agent: int) -> str:
    channel = tables.channel
    if agent:
        return agent_letter(agent - 1)
    if cell[channel.ground] != Ground.FREE:
        return "#" if cell[channel.ground] == Ground.BLOCK else "="
    lying = np.flatnonzero(cell[channel.resources])
    if len(lying):
        return _capital(int(lying[0]))
    return "+" if cell[channel.events].any() else "."


def _capital(resource: int) -> str:
    return chr(ord("A") + resource % 26)
