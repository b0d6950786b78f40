"""Cells of the map: reading, writing, who stands where."""

from __future__ import annotations

from grid.kernel.compiling import inlined
from grid.layout import MAX_UNITS

#: What the first channel says of a cell.
BLOCK, CHEST = 1, 2


@inlined
def put(t, s, b, x, y, channel, value):
    """Write a byte of a cell, and of its repetitions around the map."""
    for i in range(x + t.pad - t.height, t.height + 2 * t.pad, t.height):
        if i < 0:
            continue
        for j in range(y + t.pad - t.width, t.width + 2 * t.pad, t.width):
            if j >= 0:
                s.plane[b, i, j * t.channels + channel] = value


@inlined
def look(t, s, b, x, y, channel):
    """Read a byte of a cell."""
    return s.plane[b, x + t.pad, (y + t.pad) * t.channels + channel]


@inlined
def event_at(t, s, b, x, y):
    """The event whose station stands on a cell; -1: none."""
    for event in range(t.events):
        if look(t, s, b, x, y, 1 + t.resources + event):
            return event
    return -1


@inlined
def set_agent(t, s, b, x, y, number):
    """Let an agent (its number + 1; 0: nobody) stand on a cell, and on its repetitions."""
    s.occupant[b, x, y] = number
    who, job = min(number, MAX_UNITS), t.job[number - 1] + 1 if number else 0
    for i in range(x + t.pad - t.height, t.height + 2 * t.pad, t.height):
        if i < 0:
            continue
        for j in range(y + t.pad - t.width, t.width + 2 * t.pad, t.width):
            if j >= 0:
                s.plane[b, i, (j + 1) * t.channels - 2] = who
                s.plane[b, i, (j + 1) * t.channels - 1] = job


@inlined
def neighbour(t, px, py, direction):
    """The cell next to one, on the torus."""
    if direction == 0:
        px = px - 1 if px > 0 else t.height - 1
    elif direction == 1:
        px = px + 1 if px < t.height - 1 else 0
    elif direction == 2:
        py = py - 1 if py > 0 else t.width - 1
    else:
        py = py + 1 if py < t.width - 1 else 0
    return px, py
