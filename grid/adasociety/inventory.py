"""The items of agents, and the actions on items: pick, dump and produce.

Callers must ensure that an action is legal. :mod:`grid.adasociety` explains the arguments.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.cells import event_at, mark_stale, read_cell, unpack, write_cell
from voxpolis.grid.adasociety.groups import share_rewards
from voxpolis.grid.adasociety.legal import has
from voxpolis.grid.adasociety.state import (
    DROPPED,
    GATHERED,
    PLACE_STALE,
    PUT,
    TAKEN,
    WINDOW_STALE,
    Scratch,
    State,
)
from voxpolis.grid.adasociety.tables import Ground, Tables
from voxpolis.grid.core.jit import compiled, inlined
from voxpolis.grid.core.packing import Packed


@inlined
def change_held(t: Tables, s: State, x: Scratch, b: int, i: int, resource: int, units: int) -> None:
    """Add units of a resource to an agent's items, or remove units; the agent's earnings rise or
    fall by their value.
    """
    before = s.held[b, i]
    s.inventory[b, i, resource] += units
    s.stale[b, i] |= PLACE_STALE
    x.earned[i] += units * t.value[i, resource]
    bit = np.int64(1) << resource
    s.held[b, i] = before | bit if s.inventory[b, i, resource] else before & ~bit
    if (before ^ s.held[b, i]) & t.tools:
        update_sight(t, s, b, i)


@compiled
def update_sight(t: Tables, s: State, b: int, i: int) -> None:
    """Compute which bytes of a window an agent sees, given how far it sees and which tools it
    holds.
    """
    held, side = s.held[b, i], 2 * t.pad + 1
    s.stale[b, i] |= WINDOW_STALE
    for column in range(side):
        is_near = abs(column - t.pad) <= t.sight[i]
        for channel in range(t.channels):
            resource = channel - t.channel.first_resource
            event = channel - t.channel.first_event
            is_seen = is_near
            if 0 <= resource < t.resources:
                is_seen = is_near and has(held, t.collect[resource])
            elif 0 <= event < t.events:
                is_seen = is_near and has(held, t.operate[event])
            s.sees[b, i, column * t.channels + channel] = 255 if is_seen else 0


@inlined
def produce(t: Tables, s: State, x: Scratch, b: int, i: int) -> None:
    """Carry out the event of the station on the agent's cell."""
    event = event_at(t, s, b, s.position[b, i, 0], s.position[b, i, 1])
    for resource in range(t.resources):
        if t.inputs[event, resource]:
            change_held(t, s, x, b, i, resource, -t.inputs[event, resource])
    change_held(t, s, x, b, i, t.output[event], 1)
    s.executed[b, event] += 1


@inlined
def transfer(t: Tables, s: State, x: Scratch, b: int, i: int, action: int) -> None:
    """Pick up or lay down one unit."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    is_pick = action < t.actions.dump
    resource = action - (t.actions.pick if is_pick else t.actions.dump)
    units, channel = 1 if is_pick else -1, t.channel.first_resource + resource
    lying: int = np.int64(read_cell(t, s, b, px, py, channel))  # type: ignore[assignment]  # no byte
    write_cell(t, s, b, px, py, channel, lying - units)
    mark_stale(t, s, b, px, py)
    change_held(t, s, x, b, i, resource, units)
    if s.counts.shape[1]:
        count(t, s, b, i, resource, is_pick)


@inlined
def count(t: Tables, s: State, b: int, i: int, resource: int, is_pick: bool) -> None:
    """Count a unit that an agent has picked up or laid down. Units in chests are counted
    separately.
    """
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    if read_cell(t, s, b, px, py, t.channel.ground) == Ground.CHEST:
        action = TAKEN if is_pick else PUT
    else:
        action = GATHERED if is_pick else DROPPED
    s.counts[action, b, i, resource] += 1


def set_inventory(
    packed: Packed, s: State, x: Scratch, b: int, i: int, resource: int, units: int
) -> None:
    """Set how many units of a resource an agent holds. The difference in value is paid as if the
    agent had earned it.
    """
    t = unpack(packed)
    for j in range(t.agents):
        x.earned[j] = 0.0
    change_held(t, s, x, b, i, resource, units - s.inventory[b, i, resource])
    share_rewards(t, s, x, b, x.paid)
