"""A step of one environment, and of many. Arguments: see :mod:`grid.adasociety`."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from voxpolis.grid.adasociety.cells import unpack
from voxpolis.grid.adasociety.groups import (
    change_structure,
    choose_group,
    join,
    negotiate,
    share_rewards,
)
from voxpolis.grid.adasociety.inventory import produce, transfer
from voxpolis.grid.adasociety.legal import is_legal, mask_env
from voxpolis.grid.adasociety.movement import move_all
from voxpolis.grid.adasociety.observe import fetch_env, observe_env
from voxpolis.grid.adasociety.reset import reset_env
from voxpolis.grid.adasociety.state import Scratch, State
from voxpolis.grid.adasociety.tables import ACTORS, PRODUCE, STAY, Tables
from voxpolis.grid.core.arrays import Bytes, Flags, Floats, SmallInts
from voxpolis.grid.core.jit import inlined, joined, kernel
from voxpolis.grid.core.packing import Packed
from voxpolis.grid.core.rng import below, draw

#: What :func:`step_many` does.
STEP, BEGIN, MASK = range(3)
#: Maps of a batch that no core's own cache holds: what is seen is asked for a game ahead.
MUCH = 1 << 22


@kernel(30)
def step_many(
    packed: Packed,
    s: State,
    x: Scratch,
    low: int,
    high: int,
    actions: SmallInts,
    rewards: Floats,
    ended: Flags,
    window: Bytes,
    masks: Bytes,
    what: int,
) -> None:
    """Step environments ``low`` to below ``high``, and observe all; ended ones begin anew instead.

    ``actions`` and ``rewards`` (B, N), ``ended`` (B,); ``window`` (B, N, S, S C) and ``masks`` (B,
    N, A), or with no environments at all: then they are left out. ``what`` is :data:`STEP`,
    :data:`BEGIN`: nothing but those that begin anew is touched, or :data:`MASK`: nothing is done
    but make all masks anew.
    """
    t = unpack(packed)
    fetches = what == STEP and len(window) > 0 and s.plane.size > MUCH
    for b in range(low, high):
        if fetches and b + 1 < high:
            fetch_env(t, s, b + 1, actions[b + 1], window)
        if what == BEGIN and not ended[b]:
            continue
        if what != MASK:
            if ended[b]:
                reset_env(t, s, x, b)
                rewards[b] = 0.0
                ended[b] = False
            else:
                ended[b] = step_env(t, s, x, b, actions[b], rewards[b])
            if len(window):
                observe_env(t, s, b, window[b])
        if len(masks):
            mask_env(t, s, b, masks[b], what == MASK)


@joined
def step_env(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts, rewards: Floats) -> bool:
    """One step; true where the episode ends with it."""
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
        for k in range(number - 1, -1, -1):  # in a random order, one after another
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
    """Do what is no move, and legal."""
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
