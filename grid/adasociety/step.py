"""Takes steps in one environment or in many. :mod:`grid.adasociety` explains the arguments."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.cells import (
    is_sparse,
    mark_stale_for,
    neighbour,
    set_agent,
    unpack,
    unpack_scratch,
    unpack_state,
)
from voxpolis.grid.adasociety.groups import (
    change_structure,
    choose_group,
    join,
    negotiate,
    share_rewards,
)
from voxpolis.grid.adasociety.inventory import produce, transfer
from voxpolis.grid.adasociety.legal import is_legal, mask_env
from voxpolis.grid.adasociety.observe import fetch_env, observe_env
from voxpolis.grid.adasociety.reset import reset_env
from voxpolis.grid.adasociety.state import PLACE_STALE, WINDOW_STALE, Scratch, State
from voxpolis.grid.adasociety.tables import ACTORS, MOVERS, MOVES, PRODUCE, STAY, Tables
from voxpolis.grid.core.arrays import Bytes, Flags, Floats, SmallInts
from voxpolis.grid.core.jit import inlined, joined, kernel
from voxpolis.grid.core.packing import Packed
from voxpolis.grid.core.rng import below, draw

# --- Simultaneous moves. Arguments: see :mod:`grid.adasociety` ------------------------------------

# Results of a move: undecided, being decided, the agent moves, the agent stays.
UNKNOWN, LOOKING, GOES, STAYS = 0, 1, 2, 3


@inlined
def move_all(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts) -> None:
    """Carry out all moves at the same time. If several agents want a cell, one of them is drawn.

    The moves must be legal: no block is ahead. A move into a cell that another agent leaves
    succeeds, and so does an exchange of positions. Agents that cannot move stay.
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
            decide_move(t, s, x, b, i)
    if is_sparse(t):
        mark_moves_stale(t, s, x, b)
    for i in range(t.agents):  # all leave first, then all arrive
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
def mark_moves_stale(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Mark the windows of agents that move, and of agents that see them, as stale."""
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
                mark_stale_for(t, s, b, x.actors[k], s.position[b, i, 0], s.position[b, i, 1])
                px, py = x.target[i] // t.width, x.target[i] % t.width
                mark_stale_for(t, s, b, x.actors[k], px, py)


@inlined
def wins(s: State, b: int, one: int, other: int) -> bool:
    """Return True if the first of two agents that want the same cell gets it. This is decided at
    random; both agents have the same chance.
    """
    key, step = s.key[b], s.step[b]
    return bool(draw(key, step, MOVERS, one) < draw(key, step, MOVERS, other))


@inlined
def decide_move(t: Tables, s: State, x: Scratch, b: int, first: int) -> None:
    """Decide whether an agent can move. If another agent is in its way, this depends on whether
    that agent can move, and so on along a chain of agents.
    """
    at = first
    while True:
        x.fate[at] = LOOKING
        ahead = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1
        if ahead < 0 or x.fate[ahead] != UNKNOWN:
            break
        at = ahead
    # All move if the chain ends at a free cell, at a cell that is being left, or in a rotating
    # ring. Otherwise all stay.
    fate = GOES if ahead < 0 or x.fate[ahead] != STAYS else STAYS
    at = first
    while at >= 0 and x.fate[at] == LOOKING:
        x.fate[at] = fate
        at = s.occupant[b, x.target[at] // t.width, x.target[at] % t.width] - 1


# Modes of :func:`step_many`.
STEP, BEGIN, MASK = range(3)
# Batches whose maps exceed a core's cache: observations are prefetched one game ahead.
MUCH = 1 << 22


@kernel(30)
def step_many(
    tables: Packed,
    state: Packed,
    scratch: Packed,
    low: int,
    high: int,
    actions: SmallInts,
    rewards: Floats,
    ended: Flags,
    masks: Bytes,
    what: int,
) -> None:
    """Take a step in the environments ``low`` to ``high`` - 1, and observe them. An environment
    whose episode has ended is reset instead.

    ``actions`` and ``rewards`` are (B, N), ``ended`` is (B,). Windows and ``masks`` (B,
    N, A) are skipped if their first axis has length 0. ``what`` is :data:`STEP`,
    :data:`BEGIN` (only reset environments whose episode has ended) or :data:`MASK` (only rebuild
    all masks).
    """
    t, s, x = unpack(tables), unpack_state(state), unpack_scratch(scratch)
    fetches = what == STEP and len(s.window) > 0 and s.plane.size > MUCH
    for b in range(low, high):
        if fetches and b + 1 < high:
            fetch_env(t, s, b + 1, actions[b + 1])
        if what == BEGIN and not ended[b]:
            continue
        if what != MASK:
            if ended[b]:
                reset_env(t, s, x, b)
                rewards[b] = 0.0
                ended[b] = False
            else:
                ended[b] = step_env(t, s, x, b, actions[b], rewards[b])
            if len(s.window):
                observe_env(t, s, b)
        if len(masks):
            mask_env(t, s, b, masks[b], what == MASK)


@joined
def step_env(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts, rewards: Floats) -> bool:
    """Take one step. Return True if this step ends the episode."""
    for i in range(t.agents):
        x.earned[i] = 0.0
        s.sent[b, i] = -1
        action: int = np.int64(actions[i])  # type: ignore[assignment]  # one type for all callers
        x.chosen[i] = action if is_legal(t, s, b, i, action) else STAY
    if s.step[b] < t.contract_steps:
        choose_group(t, s, b, x.chosen)
    elif s.step[b] < t.negotiation_steps:
        negotiate(t, s, x, b)
    else:
        number = 0
        for i in range(t.agents):
            if x.chosen[i] >= PRODUCE:
                x.actors[number] = i
                number += 1
        for k in range(number - 1, -1, -1):  # agents act one after another in a random order
            other = below(draw(s.key[b], s.step[b], ACTORS, k), k + 1)
            x.actors[k], x.actors[other] = x.actors[other], x.actors[k]
            act(t, s, x, b, x.actors[k], x.chosen[x.actors[k]])
        move_all(t, s, x, b, x.chosen)
    share_rewards(t, s, x, b, rewards)
    s.step[b] += 1
    if len(t.change_steps):
        change_structure(t, s, b)
    return s.step[b] >= t.length


@inlined
def act(t: Tables, s: State, x: Scratch, b: int, i: int, action: int) -> None:
    """Carry out a legal action other than a move."""
    a = t.actions
    if action == PRODUCE:
        produce(t, s, x, b, i)
    elif action < a.message:
        transfer(t, s, x, b, i, action)
    elif action < a.share:
        s.sent[b, i] = action - a.message
    elif action < a.join:
        s.shares[b, i, action - a.share] ^= 1
    else:
        join(s, b, i, action - a.join)
