"""A step of one environment, and of many. Arguments: see :mod:`grid.commons`.

Order within a step, as in Melting Pot: apples grow and the river gets dirty (Clean Up), players
turn and move one by one in a random order, beams, players come back, apples regrow (Harvest).
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from voxpolis.grid.commons.beams import come_back, fire_all
from voxpolis.grid.commons.cells import APPLE, BEAM, BODY, PLAYER, stand, unpack
from voxpolis.grid.commons.growth import grow_by_river, regrow
from voxpolis.grid.commons.legal import is_legal, mask_env
from voxpolis.grid.commons.observe import observe_env
from voxpolis.grid.commons.reset import reset_env
from voxpolis.grid.commons.state import Scratch, State
from voxpolis.grid.commons.tables import (
    ENDING,
    FORWARD,
    ORDER,
    QUARTERS,
    STAY,
    STEP_RIGHT,
    TURN_LEFT,
    TURN_RIGHT,
    Tables,
)
from voxpolis.grid.core.arrays import Bytes, Flags, Floats, SmallInts, Words
from voxpolis.grid.core.jit import compiled, inlined, kernel
from voxpolis.grid.core.packing import Packed
from voxpolis.grid.core.rng import below, draw, happens


@kernel(6)
def step_many(
    packed: Packed,
    s: State,
    x: Scratch,
    low: int,
    high: int,
    actions: SmallInts,
    rewards: Floats,
    terminated: Flags,
    truncated: Flags,
    window: Words,
    masks: Bytes,
    begin_only: bool,
) -> None:
    """Step environments ``low`` to below ``high``; one that had ended begins anew instead.

    With ``begin_only`` nothing but those that begin anew is touched.

    ``actions`` and ``rewards`` (B, N), ``terminated`` and ``truncated`` (B,); ``window`` (B, N,
    cells) and ``masks`` (B, N, A) may have no environments at all: then they are left out.
    """
    t = unpack(packed)
    for b in range(low, high):
        if terminated[b] or truncated[b]:
            reset_env(t, s, x, b)
            rewards[b] = 0.0
            terminated[b] = False
            truncated[b] = False
        elif begin_only:
            continue
        else:
            terminated[b] = step_env(t, s, x, b, actions[b], rewards[b])
            truncated[b] = s.step[b] >= t.most and not terminated[b]
        if len(window):
            observe_env(t, s, b, window[b])
        if len(masks):
            mask_env(t, s, b, masks[b])


@compiled
def step_env(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts, rewards: Floats) -> bool:
    """One step; true where the episode ends with it by chance."""
    s.step[b] += 1
    for k in range(s.beam_count[b]):
        s.plane[b, s.beams[b, k]] &= ~BEAM
    s.beam_count[b] = 0
    if len(t.river):
        grow_by_river(t, s, b)
    for i in range(t.players):
        x.order[i] = i
        x.chosen[i] = actions[i] if is_legal(t, s, b, i, actions[i]) else STAY
        rewards[i] = 0.0
        s.cleaned_now[b, i] = 0
    for k in range(t.players - 1, -1, -1):
        other = below(draw(s.key[b], s.step[b], ORDER, k), k + 1)
        x.order[k], x.order[other] = x.order[other], x.order[k]
    for k in range(t.players):
        i = x.order[k]
        move(t, s, b, i, x.chosen[i], rewards)
    fire_all(t, s, x, b)
    come_back(t, s, x, b)
    if len(t.regrowth):
        regrow(t, s, x, b)
    return is_over(t, s, b)


@inlined
def move(t: Tables, s: State, b: int, i: int, action: int, rewards: Floats) -> None:
    """Turn, or step to a cell where no player stands; one that enters a cell with an apple eats it.

    It is legal: no wall is there.
    """
    c = s.cell[b, i]
    if TURN_LEFT <= action <= TURN_RIGHT:
        turn = 3 if action == TURN_LEFT else 1
        s.heading[b, i] = (s.heading[b, i] + turn) & 3
        stand(s, b, i)
    elif FORWARD <= action <= STEP_RIGHT:
        to = c + t.forward[(s.heading[b, i] + QUARTERS[action]) & 3]
        if not s.plane[b, to] & PLAYER:
            s.plane[b, c] &= ~BODY
            s.cell[b, i] = to
            stand(s, b, i)
            if s.plane[b, to] & APPLE:
                s.plane[b, to] &= ~APPLE
                s.eaten[b, i] += 1
                rewards[i] += 1.0


@inlined
def is_over(t: Tables, s: State, b: int) -> bool:
    """Whether the episode ends by chance after this step."""
    step = s.step[b]
    if step < t.least or step % t.interval:
        return False
    return happens(draw(s.key[b], step, ENDING, 0), t.ending)
