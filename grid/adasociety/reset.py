"""Starts an episode. :mod:`grid.adasociety` explains the arguments."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from voxpolis.grid.adasociety.cells import set_agent, write_cell
from voxpolis.grid.adasociety.groups import change_structure
from voxpolis.grid.adasociety.inventory import update_sight
from voxpolis.grid.adasociety.state import (
    ALL_STALE,
    PARTNER,
    REQUESTED,
    WINDOW_STALE,
    Scratch,
    State,
)
from voxpolis.grid.adasociety.tables import CELLS, ORDER, Ground, Tables
from voxpolis.grid.core.arrays import Int1
from voxpolis.grid.core.jit import compiled, inlined
from voxpolis.grid.core.rng import below, draw, episode_key


@compiled
def reset_env(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Start the next episode of an environment."""
    s.episode[b] += 1
    s.step[b] = 0
    s.key[b] = episode_key(s.seed[b], s.episode[b])
    s.plane[b] = 0
    s.occupant[b] = 0
    s.inventory[b] = 0
    s.held[b] = 0
    s.group[b] = -1
    s.weight[b] = 0.0
    s.union[b] = -1
    s.shares[b] = 0
    s.sent[b] = -1
    s.bargain[b] = 0
    s.executed[b] = 0
    s.score[b] = 0.0
    s.stale[b] = ALL_STALE | WINDOW_STALE
    if s.counts.shape[1]:
        s.counts[:, b] = 0
    place_all(t, s, x, b)
    for i in range(t.agents):
        s.bargain[b, i, PARTNER] = -1
        s.bargain[b, i, REQUESTED] = -1
        s.order[b, i] = i
        update_sight(t, s, b, i)
    for i in range(t.agents - 1, 0, -1):
        j = below(draw(s.key[b], 0, ORDER, i), i + 1)
        s.order[b, i], s.order[b, j] = s.order[b, j], s.order[b, i]
    change_structure(t, s, b)


@inlined
def place_all(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Place blocks, then piles, stations and agents, each on a separate free cell.

    Cells are drawn unless a layout fixes them.
    """
    cells = t.height * t.width
    for cell in range(cells):
        x.cells[cell] = cell
    drawn = 0
    for number in range(t.blocks):
        cell = take_cell(s, x, b, number, cells, drawn, t.block_cells)
        drawn += 1
        write_cell(t, s, b, cell // t.width, cell % t.width, t.channel.ground, Ground.BLOCK)
    for number in range(len(t.chest_cells)):
        cell = t.chest_cells[number]
        write_cell(t, s, b, cell // t.width, cell % t.width, t.channel.ground, Ground.CHEST)
    for number in range(len(t.piles)):
        cell = pick_cell(t, s, x, b, number, cells, drawn, t.pile_cells)
        drawn += 1
        channel, units = t.channel.first_resource + t.piles[number, 0], t.piles[number, 1]
        write_cell(t, s, b, cell // t.width, cell % t.width, channel, units)
    for number in range(len(t.stations)):
        cell = pick_cell(t, s, x, b, number, cells, drawn, t.station_cells)
        drawn += 1
        channel = t.channel.first_event + t.stations[number]
        write_cell(t, s, b, cell // t.width, cell % t.width, channel, 1)
    for number in range(t.agents):
        cell = pick_cell(t, s, x, b, number, cells, drawn, t.agent_cells)
        drawn += 1
        s.position[b, number, 0], s.position[b, number, 1] = cell // t.width, cell % t.width
        set_agent(t, s, b, cell // t.width, cell % t.width, number + 1)


@compiled
def pick_cell(
    t: Tables, s: State, x: Scratch, b: int, number: int, cells: int, drawn: int, fixed: Int1
) -> int:
    """Return the cell that the layout fixes, or draw a cell that has no block."""
    if len(fixed):
        return fixed[number]
    return take_cell(s, x, b, t.blocks + number, cells, drawn, fixed)


@compiled
def take_cell(
    s: State, x: Scratch, b: int, number: int, cells: int, drawn: int, fixed: Int1
) -> int:
    """Choose a cell: the one that the layout fixes, or a random one of those not chosen yet. Swap
    it to index ``number`` of the scratch array ``cells``, and return it.
    """
    other = number
    if len(fixed):
        while x.cells[other] != fixed[number]:
            other += 1
    else:
        other += below(draw(s.key[b], 0, CELLS, drawn), cells - number)
    x.cells[number], x.cells[other] = x.cells[other], x.cells[number]
    return x.cells[number]
