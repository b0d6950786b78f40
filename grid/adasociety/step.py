"""A step of one environment, and of many. Arguments: see :mod:`grid.adasociety`."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from grid.adasociety.cells import unpack
from grid.adasociety.groups import (
    change_structure,
    choose_group,
    join,
    negotiate,
    share_rewards,
)
from grid.adasociety.inventory import produce, transfer
from grid.adasociety.movement import move_all
from grid.adasociety.observe import observe_env
from grid.adasociety.state import Scratch, State
from grid.adasociety.tables import ACTORS, FIRST_PICK, PRODUCE, Tables
from grid.core.arrays import Bytes, Flags, Floats, SmallInts
from grid.core.jit import compiled, inlined
from grid.core.packing import Packed
from grid.core.rng import below, draw


@compiled
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
) -> int:
    """Step environments ``low`` to below ``high``, but those that just began anew, and observe all.

    ``actions`` and ``rewards`` (B, N), ``ended`` (B,); ``window`` (B, N, S, S C), or with no
    environments at all: then it is left out. Returns how many have ended.
    """
    t = unpack(packed)
    number = 0
    for b in range(low, high):
        ended[b] = not ended[b] and step_env(t, s, x, b, actions[b], rewards[b])
        number += ended[b]
        if len(window):
            observe_env(t, s, b, window[b])
    return number


@compiled
def step_env(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts, rewards: Floats) -> bool:
    """One step; true where the episode ends with it."""
    for i in range(t.agents):
        x.earned[i] = 0.0
        s.sent[b, i] = -1
    if s.step[b] < t.contract_steps:
        choose_group(t, s, b, actions)
    elif s.step[b] < t.negotiation_steps:
        negotiate(t, s, b, actions)
    else:
        number = 0
        for i in range(t.agents):
            if actions[i] >= PRODUCE and actions[i] < t.actions.total:
                x.actors[number] = i
                number += 1
        for k in range(number - 1, -1, -1):  # in a random order, one after another
            other = below(draw(s.key[b], s.step[b], ACTORS, k), k + 1)
            x.actors[k], x.actors[other] = x.actors[other], x.actors[k]
            act(t, s, x, b, x.actors[k], actions[x.actors[k]])
        move_all(t, s, x, b, actions)
    share_rewards(t, s, x, b, rewards)
    s.step[b] += 1
    if len(t.change_steps):
        change_structure(t, s, b)
    return s.step[b] >= t.length


@inlined
def act(t: Tables, s: State, x: Scratch, b: int, i: int, action: int) -> None:
    """Do what is no move; what is not legal has no effect."""
    a = t.actions
    if action == PRODUCE:
        produce(t, s, x, b, i)
    elif FIRST_PICK <= action < a.message:
        transfer(t, s, x, b, i, action)
    elif action < a.join:
        if action < a.share:
            if action - a.message != i:
                s.sent[b, i] = action - a.message
        elif action - a.share != i:
            s.shares[b, i, action - a.share] ^= 1
    elif action < a.request:
        join(s, b, i, action - a.join)
