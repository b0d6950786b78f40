"""Moves of all agents at once. Arguments: see :mod:`grid.adasociety`."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from voxpolis.grid.adasociety.cells import is_sparse, neighbour, set_agent, show_to
from voxpolis.grid.adasociety.state import PLACE_STALE, WINDOW_STALE, Scratch, State
from voxpolis.grid.adasociety.tables import MOVERS, MOVES, Tables
from voxpolis.grid.core.arrays import SmallInts
from voxpolis.grid.core.jit import inlined
from voxpolis.grid.core.rng import draw

#: Fates of a move: nothing known yet, being looked at, goes, stays.
UNKNOWN, LOOKING, GOES, STAYS = 0, 1, 2, 3


@inlined
def move_all(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts) -> None:
    """All moves at once: of the agents that want a cell one is drawn; one that is blocked stays.

    Moves are legal: no block is ahead.
    Following into a cell that is left and swapping places are moves like any other.
    """
    for i in range(t.agents):
        x.fate[i] = STAYS
        x.target[i] = -1
        if actions[i] >= MOVES:
            continue
        px, py = neighbour(t, s.position[b, i, 0], s.position[b, i, 1], actions[i])
        cell = px * t.width + py
        x.target[i] = cell
        rival = x.wanted[cell]
        if rival and wins(s, b, rival - 1, i):
            continue
        if rival:
            x.fate[rival - 1] = STAYS
        x.wanted[cell] = i + 1
        x.fate[i] = UNKNOWN
    for i in range(t.agents):
        if x.fate[i] == UNKNOWN:
            decide(t, s, x, b, i)
    if is_sparse(t):
        show_moves(t, s, x, b)
    for i in range(t.agents):  # first all leave, then all arrive
        if x.fate[i] == GOES:
            set_agent(t, s, b, s.position[b, i, 0], s.position[b, i, 1], 0)
    for i in range(t.agents):
        if x.target[i] >= 0:
            x.wanted[x.target[i]] = 0
        if x.fate[i] == GOES:
            px, py = x.target[i] // t.width, x.target[i] % t.width
            s.position[b, i, 0], s.position[b, i, 1] = px, py
            set_agent(t, s, b, px, py, i + 1)
            s.stale[b, i] |= PLACE_STALE


@inlined
def show_moves(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Let the windows of those that move, and of those that see it, be made again."""
    still = 0
    for i in range(t.agents):
        if x.fate[i] == GOES:
            s.stale[b, i] |= WINDOW_STALE
        elif not s.stale[b, i] & WINDOW_STALE:
            x.actors[still] = i
            still += 1
    if still == 0:
        return
    for i in range(t.agents):
        if x.fate[i] == GOES:
            for k in range(still):
                show_to(t, s, b, x.actors[k], s.position[b, i, 0], s.position[b, i, 1])
                px, py = x.target[i] // t.width, x.target[i] % t.width
                show_to(t, s, b, x.actors[k], px, py)


@inlined
def wins(s: State, b: int, one: int, other: int) -> bool:
    """Whether the first of two agents that want a cell gets it; each of several is as likely."""
    key, step = s.key[b], s.step[b]
    return bool(draw(key, step, MOVERS, one) < draw(key, step, MOVERS, other))


@inlined
def decide(t: Tables, s: State, x: Scratch, b: int, first: int) -> None:
    """Find out whether an agent, those in its way, and those in theirs can all go."""
    at = first
    while True:
        x.fate[at] = LOOKING
        ahead = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1
        if ahead < 0 or x.fate[ahead] != UNKNOWN:
            break
        at = ahead
    # A free cell, one that is being left, or a ring that turns: all go. Else all stay.
    fate = GOES if ahead < 0 or x.fate[ahead] != STAYS else STAYS
    at = first
    while at >= 0 and x.fate[at] == LOOKING:
        x.fate[at] = fate
        at = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1
