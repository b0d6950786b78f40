"""Computes the observations of agents. :mod:`grid.adasociety` explains the arguments."""

from __future__ import annotations

from typing import NamedTuple

from voxpolis.grid.adasociety.cells import is_sparse, neighbour, unpack, unpack_state
from voxpolis.grid.adasociety.state import WINDOW_STALE, State
from voxpolis.grid.adasociety.tables import MOVES, Tables
from voxpolis.grid.core.arrays import Bytes, SmallInts
from voxpolis.grid.core.jit import compiled, inlined, kernel
from voxpolis.grid.core.packing import Packed
from voxpolis.grid.core.prefetch import LINE, prefetch


class Frame(NamedTuple):
    """The sizes of a map and of the windows that agents see of it."""

    height: int
    width: int
    pad: int
    channels: int


@inlined
def observe_env(t: Tables, s: State, b: int) -> None:
    """Fill the windows with the surroundings of each agent.

    If there are few agents, only the windows that may have changed are copied. With many agents
    everything is copied, because nearly everything changes.
    """
    side, row = 2 * t.pad + 1, (2 * t.pad + 1) * t.channels
    keeps = is_sparse(t)
    for i in range(t.agents):
        if keeps:
            if not s.stale[b, i] & WINDOW_STALE:
                continue
            s.stale[b, i] &= ~WINDOW_STALE & 255
        left = s.position[b, i, 1] * t.channels
        seen = s.sees[b, i]
        skip = t.pad - t.sight[i]
        for k in range(side):
            out = s.window[b, i, k]
            if k < skip or k >= side - skip:
                out[:] = 0
                continue
            source = s.plane[b, s.position[b, i, 0] + k, left : left + row]
            for byte in range(row):
                out[byte] = source[byte] & seen[byte]


@inlined
def fetch_env(t: Tables, s: State, b: int, actions: SmallInts) -> None:
    """Prefetch the rows of the map around each agent into the cache, because they are far apart in
    memory.

    If an agent does not move, its window usually stays as it is, so only the agent's cell is
    fetched. ``actions`` (N,) are the next actions of the agents.
    """
    line, row = s.plane.shape[2], (2 * t.pad + 1) * t.channels
    start = b * s.plane.shape[1] * line
    keeps = is_sparse(t)
    for i in range(t.agents):
        if keeps and actions[i] >= MOVES and not s.stale[b, i] & WINDOW_STALE:
            middle = (s.position[b, i, 1] + t.pad) * t.channels
            cell = start + (s.position[b, i, 0] + t.pad) * line + middle
            prefetch(s.plane, cell)
            prefetch(s.plane, cell + t.channels - 1)
            continue
        if actions[i] < MOVES:  # occupants of this cell and of the target are also needed
            px, py = s.position[b, i, 0], s.position[b, i, 1]
            prefetch(s.occupant, ((b * t.height + px) * t.width + py) * 4)
            px, py = neighbour(t, px, py, actions[i])
            prefetch(s.occupant, ((b * t.height + px) * t.width + py) * 4)
        corner = start + s.position[b, i, 0] * line + s.position[b, i, 1] * t.channels
        for k in range(2 * t.pad + 1):
            first = corner + k * line
            for byte in range(first, first + row - 1, LINE):
                prefetch(s.plane, byte)
            prefetch(s.plane, first + row - 1)
        if keeps:  # the machine's own prefetcher stops at gaps
            own, side = (b * t.agents + i) * row, 2 * t.pad + 1
            for byte in range(own, own + row, LINE):
                prefetch(s.sees, byte)
            for byte in range(own * side, (own + row) * side, LINE):
                prefetch(s.window, byte)


@kernel(3)
def map_many(
    tables: Packed,
    state: Packed,
    scratch: Packed,
    low: int,
    high: int,
    maps: Bytes,
    drawn_at: SmallInts,
    drawn_of: Bytes,
) -> None:
    """Fill ``maps`` (B, N, H, W C) with what each agent sees, and what others share with it.

    First, windows of the last drawing that will not be drawn over are cleared. ``drawn_at`` (B, N,
    2) has the position of each agent in that drawing, and ``drawn_of`` (B, N, N) is 1 if the first
    agent's window was on the second agent's map; it is (B, 0, 0) if agents cannot share. At the
    end, both arrays are set for the new drawing.
    """
    t, s = unpack(tables), unpack_state(state)
    frame = Frame(t.height, t.width, t.pad, t.channels)
    fits = 2 * t.pad < min(t.height, t.width)  # no cell is in a window twice
    for b in range(low, high):
        for i in range(t.agents):
            before, now = drawn_at[b, i], s.position[b, i]
            stays = fits and before[0] == now[0] and before[1] == now[1]
            if not stays:
                wipe(frame, before, maps[b, i])
            for j in range(len(s.shares[b])):
                if drawn_of[b, j, i]:
                    wipe(frame, drawn_at[b, j], maps[b, i])
            uncover(frame, now, s.window[b, i], maps[b, i], stays)
            for j in range(len(s.shares[b])):
                if s.shares[b, j, i]:
                    uncover(frame, s.position[b, j], s.window[b, j], maps[b, i], False)
        for i in range(t.agents):
            for k in range(2):
                drawn_at[b, i, k] = s.position[b, i, k]
            for j in range(len(s.shares[b])):
                drawn_of[b, i, j] = s.shares[b, i, j]


@compiled
def uncover(frame: Frame, place: SmallInts, window: Bytes, canvas: Bytes, over: bool) -> None:
    """Copy the window (S, S C) of an agent at ``place`` onto a map (H, W C). S is the window's
    side.

    If ``over`` is True, the window replaces that part of the map. Otherwise the two are combined
    with a bitwise or.
    """
    side = 2 * frame.pad + 1
    whole, row = frame.width * frame.channels, side * frame.channels
    for k in range(side):
        line = canvas[(place[0] + k - frame.pad) % frame.height]
        source = window[k]
        at, done = ((place[1] - frame.pad) % frame.width) * frame.channels, 0
        while done < row:  # in one piece, or in several if the window crosses the map's edge
            part = min(row - done, whole - at)
            out, seen = line[at : at + part], source[done : done + part]
            if over:
                for byte in range(part):
                    out[byte] = seen[byte]
            else:
                for byte in range(part):
                    out[byte] |= seen[byte]
            done += part
            at = 0


@compiled
def wipe(frame: Frame, place: SmallInts, canvas: Bytes) -> None:
    """Clear the part of a map (H, W C) that is covered by the window of an agent at ``place``."""
    side = 2 * frame.pad + 1
    whole, row = frame.width * frame.channels, side * frame.channels
    for k in range(side):
        line = canvas[(place[0] + k - frame.pad) % frame.height]
        at, left = ((place[1] - frame.pad) % frame.width) * frame.channels, row
        while left > 0:
            part = min(left, whole - at)
            line[at : at + part] = 0
            left -= part
            at = 0
