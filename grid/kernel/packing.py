"""The tables as two flat arrays, to hand them to the kernel cheaply.

Python hands arrays and numbers to compiled code one by one: the tables' fifty took 4 µs a call,
half of a step of a small game. Packed they take a fraction of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grid.kernel.compiling import inlined
from grid.tables import MAX_GROUPS, Actions, Float, Int, Tables

#: Numbers before the arrays: 12 sizes, the actions, the tools, and how long 8 arrays are.
_SIZES, _ACTIONS, _LENGTHS = 12, 10, 8
_HEAD = _SIZES + _ACTIONS + 1 + _LENGTHS


class Packed(NamedTuple):
    """All whole numbers of the tables, and all others."""

    ints: Int
    floats: Float


def pack(t: Tables) -> Packed:
    """The tables as flat arrays."""
    of_varying_length = (
        t.piles,
        t.stations,
        t.block_cells,
        t.pile_cells,
        t.station_cells,
        t.agent_cells,
        t.chest_cells,
        t.change_steps,
    )
    head = [*t[:_SIZES], *t.actions, t.tools, *map(len, of_varying_length)]
    fixed = (t.sight, t.job, t.capacity, t.collect, t.with_any, t.inputs, t.output, t.operate)
    changes = (t.change_groups, t.change_unions, t.change_shares)
    parts = [part.ravel() for part in (*fixed, *of_varying_length, *changes)]
    values = (t.value, t.change_weights, t.change_union_weights)
    return Packed(
        np.concatenate([np.array(head, np.int64), *parts]),
        np.concatenate([value.ravel() for value in values]),
    )


@inlined
def unpack(packed):
    """The tables again; their arrays are views."""
    i, f = packed.ints, packed.floats
    n, r, e, g = i[2], i[3], i[4], i[5]
    a, c = _SIZES, _SIZES + _ACTIONS + 1
    piles, stations, blocks, pile_cells = i[c], i[c + 1], i[c + 2], i[c + 3]
    station_cells, agent_cells, chests, changes = i[c + 4], i[c + 5], i[c + 6], i[c + 7]
    sight = _HEAD
    job = sight + n
    capacity = job + n
    collect = capacity + n * r
    with_any = collect + r
    inputs = with_any + r
    output = inputs + e * r
    operate = output + e
    pile = operate + e
    station = pile + 2 * piles
    block_cell = station + stations
    pile_cell = block_cell + blocks
    station_cell = pile_cell + pile_cells
    agent_cell = station_cell + station_cells
    chest_cell = agent_cell + agent_cells
    step = chest_cell + chests
    group = step + changes
    union = group + changes * n * MAX_GROUPS
    shares = union + changes * g
    weight = n * r
    union_weight = weight + changes * n * MAX_GROUPS
    return Tables(
        i[0],
        i[1],
        n,
        r,
        e,
        g,
        i[6],
        i[7],
        i[8],
        i[9],
        i[10],
        i[11],
        Actions(
            i[a],
            i[a + 1],
            i[a + 2],
            i[a + 3],
            i[a + 4],
            i[a + 5],
            i[a + 6],
            i[a + 7],
            i[a + 8],
            i[a + 9],
        ),
        i[sight:job],
        i[job:capacity],
        i[capacity:collect].reshape(n, r),
        f[:weight].reshape(n, r),
        i[collect:with_any],
        i[with_any:inputs],
        i[inputs:output].reshape(e, r),
        i[output:operate],
        i[operate:pile],
        i[a + _ACTIONS],
        i[pile:station].reshape(piles, 2),
        i[station:block_cell],
        i[block_cell:pile_cell],
        i[pile_cell:station_cell],
        i[station_cell:agent_cell],
        i[agent_cell:chest_cell],
        i[chest_cell:step],
        i[step:group],
        i[group:union].reshape(changes, n, MAX_GROUPS),
        f[weight:union_weight].reshape(changes, n, MAX_GROUPS),
        i[union:shares].reshape(changes, g),
        f[union_weight : union_weight + changes * g].reshape(changes, g),
        i[shares : shares + changes],
    )
