"""What agents hold, and what they do with it: pick, dump, produce."""

from __future__ import annotations

import numpy as np

from grid.kernel.cells import CHEST, event_at, look, put
from grid.kernel.compiling import compiled, inlined
from grid.layout import MAX_UNITS


@inlined
def has(held, needed):
    """Whether a set of resources has all of another."""
    return held & needed == needed


@inlined
def change_held(t, s, x, b, i, resource, units):
    """Give (or take) units of a resource, and count what that is worth to the agent."""
    before = s.held[b, i]
    s.inventory[b, i, resource] += units
    x.earned[i] += units * t.value[i, resource]
    bit = np.int64(1) << resource
    s.held[b, i] = before | bit if s.inventory[b, i, resource] else before & ~bit
    if (before ^ s.held[b, i]) & t.tools:
        update_sight(t, s, b, i)


@compiled
def update_sight(t, s, b, i):
    """Work out which bytes of a row of its window an agent sees, by its sight and tools."""
    held, side = s.held[b, i], 2 * t.pad + 1
    for column in range(side):
        is_near = abs(column - t.pad) <= t.sight[i]
        for channel in range(t.channels):
            is_seen = is_near
            if 1 <= channel <= t.resources:
                is_seen = is_near and has(held, t.collect[channel - 1])
            elif t.resources < channel < t.channels - 2:
                is_seen = is_near and has(held, t.operate[channel - 1 - t.resources])
            s.sees[b, i, column * t.channels + channel] = 255 if is_seen else 0


@inlined
def can_pick(t, s, b, i, resource):
    """Whether an agent may take a unit from where it stands."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    has_room = s.inventory[b, i, resource] < t.capacity[i, resource]
    is_there = look(t, s, b, px, py, 1 + resource) > 0
    tools = t.with_any[resource]
    has_tool = tools == 0 or (s.held[b, i] & tools) != 0
    return is_there and has_room and has_tool and has(s.held[b, i], t.collect[resource])


@inlined
def can_dump(t, s, b, i, resource):
    """Whether an agent may lay down a unit where it stands."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    if len(t.chest_cells) and look(t, s, b, px, py, 0) != CHEST:
        return False
    return s.inventory[b, i, resource] > 0 and look(t, s, b, px, py, 1 + resource) < MAX_UNITS


@inlined
def can_produce(t, s, b, i):
    """The event that an agent may do where it stands; -1: none."""
    event = event_at(t, s, b, s.position[b, i, 0], s.position[b, i, 1])
    if event < 0 or not has(s.held[b, i], t.operate[event]):
        return -1
    for resource in range(t.resources):
        if s.inventory[b, i, resource] < t.inputs[event, resource]:
            return -1
    output = t.output[event]
    left = s.inventory[b, i, output] - t.inputs[event, output]
    return event if left + 1 <= t.capacity[i, output] else -1


@inlined
def produce(t, s, x, b, i):
    """Do the event of the cell that an agent stands on."""
    event = can_produce(t, s, b, i)
    if event >= 0:
        for resource in range(t.resources):
            if t.inputs[event, resource]:
                change_held(t, s, x, b, i, resource, -t.inputs[event, resource])
        change_held(t, s, x, b, i, t.output[event], 1)
        s.executed[b, event] += 1


@inlined
def transfer(t, s, x, b, i, action):
    """Pick a unit up or lay it down."""
    px, py = s.position[b, i, 0], s.position[b, i, 1]
    is_pick = action < t.actions.dump
    resource = action - (t.actions.pick if is_pick else t.actions.dump)
    may = can_pick(t, s, b, i, resource) if is_pick else can_dump(t, s, b, i, resource)
    if may:
        units = 1 if is_pick else -1
        put(t, s, b, px, py, 1 + resource, look(t, s, b, px, py, 1 + resource) - units)
        change_held(t, s, x, b, i, resource, units)
