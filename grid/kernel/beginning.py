"""The beginning of an episode."""

from __future__ import annotations

from grid.kernel.cells import put, set_agent
from grid.kernel.chance import CELLS, ORDER, below, draw, episode_key
from grid.kernel.compiling import compiled
from grid.kernel.holding import update_sight
from grid.kernel.society import change_structure
from grid.state import PARTNER, REQUESTED


@compiled
def reset_env(t, s, x, b):
    """Begin the next episode of an environment."""
    s.episode[b] += 1
    s.step[b] = 0
    s.key[b] = episode_key(s.seed[b], s.episode[b])
    s.plane[b] = 0
    s.occupant[b] = 0
    s.inventory[b] = 0
    s.held[b] = 0
    s.group[b] = -1
    s.weight[b] = 0.0
    s.shares[b] = 0
    s.sent[b] = -1
    s.bargain[b] = 0
    s.executed[b] = 0
    s.score[b] = 0.0
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


@compiled
def place_all(t, s, x, b):
    """Blocks, then piles, stations and agents, each kind on distinct cells that are free."""
    cells = t.height * t.width
    for cell in range(cells):
        x.cells[cell] = cell
    drawn = 0
    for number in range(t.blocks):
        cell = take_cell(s, x, b, number, cells, drawn)
        drawn += 1
        put(t, s, b, cell // t.width, cell % t.width, 0, 1)
    for number in range(len(t.piles)):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        channel, units = 1 + t.piles[number, 0], t.piles[number, 1]
        put(t, s, b, cell // t.width, cell % t.width, channel, units)
    for number in range(len(t.stations)):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        channel = 1 + t.resources + t.stations[number]
        put(t, s, b, cell // t.width, cell % t.width, channel, 1)
    for number in range(t.agents):
        cell = take_cell(s, x, b, t.blocks + number, cells, drawn)
        drawn += 1
        s.position[b, number, 0], s.position[b, number, 1] = cell // t.width, cell % t.width
        set_agent(t, s, b, cell // t.width, cell % t.width, number + 1)


@compiled
def take_cell(s, x, b, number, cells, drawn):
    """Shuffle: draw the cell that comes at place ``number`` out of those from there on."""
    other = number + below(draw(s.key[b], 0, CELLS, drawn), cells - number)
    x.cells[number], x.cells[other] = x.cells[other], x.cells[number]
    return x.cells[number]
