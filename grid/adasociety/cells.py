"""Reads and writes the cells of the map and the agents on them. :mod:`grid.adasociety` explains the
arguments.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from voxpolis.grid.adasociety.game import MAX_UNITS
from voxpolis.grid.adasociety.state import WINDOW_STALE, Scratch, State
from voxpolis.grid.adasociety.tables import DOWN, LEFT, UP, Tables
from voxpolis.grid.core.jit import inlined
from voxpolis.grid.core.packing import unpacker

# Unpack what :func:`grid.core.packing.pack` has packed.
unpack, unpack_state, unpack_scratch = unpacker(Tables), unpacker(State), unpacker(Scratch)
# With at most this many agents, each change of a cell checks which agents see it.
FEW = 32


@inlined
def write_cell(t: Tables, s: State, b: int, x: int, y: int, channel: int, value: int) -> None:
    """Write one byte of a cell, and of the copies of the cell in the margin around the map."""
    for i in range(x + t.pad - t.height, t.height + 2 * t.pad, t.height):
        if i < 0:
            continue
        for j in range(y + t.pad - t.width, t.width + 2 * t.pad, t.width):
            if j >= 0:
                s.plane[b, i, j * t.channels + channel] = value


@inlined
def read_cell(t: Tables, s: State, b: int, x: int, y: int, channel: int) -> int:
    """Read one byte of a cell."""
    return s.plane[b, x + t.pad, (y + t.pad) * t.channels + channel]


@inlined
def event_at(t: Tables, s: State, b: int, x: int, y: int) -> int:
    """Return the event (a recipe) whose station is on a cell, or -1."""
    for event in range(t.events):
        if read_cell(t, s, b, x, y, t.channel.first_event + event):
            return event
    return -1


@inlined
def set_agent(t: Tables, s: State, b: int, x: int, y: int, number: int) -> None:
    """Put an agent on a cell and on the copies of the cell. ``number`` is the agent's number + 1; 0
    removes the agent.
    """
    s.occupant[b, x, y] = number
    agent, job = min(number, MAX_UNITS), t.job[number - 1] + 1 if number else 0
    for i in range(x + t.pad - t.height, t.height + 2 * t.pad, t.height):
        if i < 0:
            continue
        for j in range(y + t.pad - t.width, t.width + 2 * t.pad, t.width):
            if j >= 0:
                s.plane[b, i, j * t.channels + t.channel.agent] = agent
                s.plane[b, i, j * t.channels + t.channel.job] = job


@inlined
def is_sparse(t: Tables) -> bool:
    """Return True if so few agents see the map that their windows usually change little. Updating
    the windows is then faster than copying whole windows.
    """
    side = 2 * t.pad + 1
    return t.agents <= FEW and t.agents * side * side <= 2 * t.height * t.width


@inlined
def mark_stale(t: Tables, s: State, b: int, x: int, y: int) -> None:
    """Mark the windows of all agents that see a changed cell as stale, so that they are updated."""
    if is_sparse(t):
        for i in range(t.agents):
            mark_stale_for(t, s, b, i, x, y)


@inlined
def mark_stale_for(t: Tables, s: State, b: int, i: int, x: int, y: int) -> None:
    """Mark the window of one agent as stale if the agent sees a changed cell."""
    down, right = abs(s.position[b, i, 0] - x), abs(s.position[b, i, 1] - y)
    if min(down, t.height - down) <= t.pad and min(right, t.width - right) <= t.pad:
        s.stale[b, i] |= WINDOW_STALE


@inlined
def neighbour(t: Tables, px: int, py: int, direction: int) -> tuple[int, int]:
    """Return the next cell in a direction. The map wraps around at its edges."""
    if direction == UP:
        px = px - 1 if px > 0 else t.height - 1
    elif direction == DOWN:
        px = px + 1 if px < t.height - 1 else 0
    elif direction == LEFT:
        py = py - 1 if py > 0 else t.width - 1
    else:
        py = py + 1 if py < t.width - 1 else 0
    return px, py
