"""The rules of a commons, compiled.

Plain functions over the arrays of :mod:`grid.commons.state`: ``t`` are the tables, ``s`` the state,
``x`` the scratch, ``b`` the environment's number in the batch, ``i`` a player. Order within a step,
as in Melting Pot: apples grow and the river gets dirty (Clean Up), players turn and move one by one
in a random order, beams, players come back, apples regrow (Harvest).
``tests/commons_reference.py`` has the same in plain Python.
"""

from __future__ import annotations

import numpy as np

from grid.commons.state import (
    APPLE_AT,
    BEAM_LENGTH,
    CLEAN_AT,
    DIRT_AT,
    HEADING_AT,
    PLAYER_AT,
    WALL_AT,
    ZAP_AT,
)
from grid.kernel.chance import below, draw, episode_key
from grid.kernel.compiling import compiled, inlined

FORWARD, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ZAP, CLEAN = 1, 4, 5, 6, 7, 8
#: By action: forward, backward, to the left, to the right, as quarter turns of the heading.
QUARTERS = (0, 0, 2, 3, 1)

#: What a random number is for.
GROWING, DIRTYING, ORDER, COMING_BACK, ENDING, STARTING = 0, 1, 2, 3, 4, 5

APPLE = np.uint64(1 << (8 * APPLE_AT))
DIRT = np.uint64(1 << (8 * DIRT_AT))
WALL = np.uint64(1 << (8 * WALL_AT))
ZAPPED = np.uint64(1 << (8 * ZAP_AT))
CLEANED = np.uint64(1 << (8 * CLEAN_AT))
WHO = np.uint64(0xFF << (8 * PLAYER_AT))
HEADED = np.uint64(0xFF << (8 * HEADING_AT))
BODY = WHO | HEADED
BEAM = ZAPPED | CLEANED
WHO_SHIFT, HEADED_SHIFT = np.uint64(8 * PLAYER_AT), np.uint64(8 * HEADING_AT)
NOTHING = np.uint64(0)
_TO_UNIT = 1.0 / (1 << 53)
_S11 = np.uint64(11)


@inlined
def happens(word, chance):
    """Whether something with a chance happens, out of a random word."""
    return np.float64(word >> _S11) * _TO_UNIT < chance


@inlined
def stand(s, b, i):
    """Put a player's body onto its cell."""
    c = s.cell[b, i]
    body = np.uint64(i + 1) << WHO_SHIFT | np.uint64(s.heading[b, i] + 1) << HEADED_SHIFT
    s.plane[b, c] = (s.plane[b, c] & ~BODY) | body


@compiled
def reset_env(t, s, x, b):
    """Begin the next episode of an environment: players on places and headings that are drawn."""
    s.episode[b] += 1
    s.step[b] = 0
    s.key[b] = episode_key(s.seed[b], s.episode[b])
    for c in range(len(t.ground)):
        s.plane[b, c] = t.ground[c]
    s.out[b] = 0
    s.zap_wait[b] = 0
    s.clean_wait[b] = 0
    s.beam_count[b] = 0
    s.eaten[b] = 0
    s.cleaned[b] = 0
    s.cleaned_now[b] = 0
    s.zapped[b] = 0
    s.dirty[b] = 0
    for k in range(len(t.river)):
        s.dirty[b] += (t.ground[t.river[k]] & DIRT) != NOTHING
    for k in range(len(t.spawns)):
        x.cells[k] = t.spawns[k]
    for i in range(t.players):
        word = draw(s.key[b], 0, STARTING, i)
        other = i + below(word, len(t.spawns) - i)
        x.cells[i], x.cells[other] = x.cells[other], x.cells[i]
        s.cell[b, i] = x.cells[i]
        s.heading[b, i] = np.int64(word & np.uint64(3))
        stand(s, b, i)


@compiled
def grow_by_river(t, s, b):
    """Apples of Clean Up: all empty sites with the same chance, by how clean the river is."""
    rate = t.threshold - s.dirty[b] / len(t.river)
    if rate > 0.0:
        chance = t.growth * min(1.0, rate / t.threshold)
        for k in range(len(t.sites)):
            c = t.sites[k]
            if not s.plane[b, c] & APPLE and happens(draw(s.key[b], s.step[b], GROWING, k), chance):
                s.plane[b, c] |= APPLE
    if s.step[b] <= t.quiet_steps:
        return
    clean = len(t.river) - s.dirty[b]
    word = draw(s.key[b], s.step[b], DIRTYING, 0)
    if clean > 0 and happens(word, t.dirt):
        left = below(draw(s.key[b], s.step[b], DIRTYING, 1), clean)
        for k in range(len(t.river)):
            if not s.plane[b, t.river[k]] & DIRT:
                if left == 0:
                    s.plane[b, t.river[k]] |= DIRT
                    s.dirty[b] += 1
                    break
                left -= 1


@compiled
def regrow(t, s, x, b):
    """Apples of Harvest: each eaten one by how many live apples are near it, all at once."""
    grown = 0
    for k in range(len(t.sites)):
        c = t.sites[k]
        if s.plane[b, c] & APPLE:
            continue
        live = 0
        for o in range(len(t.near)):
            live += (s.plane[b, c + t.near[o]] & APPLE) != NOTHING
        chance = t.regrowth[min(live, 3)]
        if chance > 0.0 and happens(draw(s.key[b], s.step[b], GROWING, k), chance):
            x.cells[grown] = c
            grown += 1
    for k in range(grown):
        s.plane[b, x.cells[k]] |= APPLE


@inlined
def move(t, s, b, i, action, rewards):
    """Turn, or step to a cell that is free; who enters a cell with an apple eats it."""
    c = s.cell[b, i]
    if TURN_LEFT <= action <= TURN_RIGHT:
        turn = 3 if action == TURN_LEFT else 1
        s.heading[b, i] = (s.heading[b, i] + turn) & 3
        stand(s, b, i)
    elif FORWARD <= action <= STEP_RIGHT:
        to = c + t.forward[(s.heading[b, i] + QUARTERS[action]) & 3]
        if not s.plane[b, to] & (WALL | WHO):
            s.plane[b, c] &= ~BODY
            s.cell[b, i] = to
            stand(s, b, i)
            if s.plane[b, to] & APPLE:
                s.plane[b, to] &= ~APPLE
                s.eaten[b, i] += 1
                rewards[i] += 1.0


@inlined
def beam(t, s, x, b, i, is_zap):
    """Fire: three rays next to each other, each as far as its first blocker."""
    f, r = t.forward[s.heading[b, i]], t.forward[(s.heading[b, i] + 1) & 3]
    for side in range(-1, 2):
        c = s.cell[b, i] + side * r
        if side == 0:
            c += f
        for _ in range(BEAM_LENGTH):
            word = s.plane[b, c]
            if word & WALL:
                break
            s.plane[b, c] = word | (ZAPPED if is_zap else CLEANED)
            s.beams[b, s.beam_count[b]] = c
            s.beam_count[b] += 1
            if is_zap and word & WHO:
                x.hit[np.int64((word & WHO) >> WHO_SHIFT) - 1] = 1
                s.zapped[b, i] += 1
                break
            if not is_zap and word & DIRT:
                s.plane[b, c] &= ~DIRT
                s.dirty[b] -= 1
                s.cleaned[b, i] += 1
                s.cleaned_now[b, i] += 1
                break
            c += f


@inlined
def fire_all(t, s, x, b, actions):
    """All beams; who is hit is out when all have been fired."""
    for k in range(t.players):
        x.hit[k] = 0
    for k in range(t.players):
        i = x.order[k]
        plays = s.out[b, i] == 0
        if s.zap_wait[b, i] > 0:
            s.zap_wait[b, i] -= 1
        elif plays and actions[i] == ZAP:
            s.zap_wait[b, i] = t.zap_cooldown
            beam(t, s, x, b, i, True)
        if s.clean_wait[b, i] > 0:
            s.clean_wait[b, i] -= 1
        elif plays and actions[i] == CLEAN and len(t.river) > 0:
            s.clean_wait[b, i] = t.clean_cooldown
            beam(t, s, x, b, i, False)


@compiled
def come_back(t, s, x, b):
    """Take who was hit out of the game; who was out long enough comes back where there is room."""
    for i in range(t.players):
        if x.hit[i]:
            s.plane[b, s.cell[b, i]] &= ~BODY
            s.out[b, i] = t.out_for
    for i in range(t.players):
        if s.out[b, i] == 0 or x.hit[i]:
            continue
        if s.out[b, i] > 1:
            s.out[b, i] -= 1
            continue
        free = 0
        for k in range(len(t.spawns)):
            if not s.plane[b, t.spawns[k]] & WHO:
                x.cells[free] = t.spawns[k]
                free += 1
        if free == 0:
            continue
        word = draw(s.key[b], s.step[b], COMING_BACK, i)
        s.cell[b, i] = x.cells[below(word, free)]
        s.heading[b, i] = np.int64(word & np.uint64(3))
        s.out[b, i] = 0
        stand(s, b, i)


@inlined
def is_over(t, s, b):
    """Whether the episode ends by chance after this step."""
    step = s.step[b]
    if step < t.least or step % t.interval:
        return False
    return happens(draw(s.key[b], step, ENDING, 0), t.ending)


@compiled
def step_env(t, s, x, b, actions, rewards):
    """One step; true where the episode ends with it by chance."""
    s.step[b] += 1
    for k in range(s.beam_count[b]):
        s.plane[b, s.beams[b, k]] &= ~BEAM
    s.beam_count[b] = 0
    if len(t.river):
        grow_by_river(t, s, b)
    for i in range(t.players):
        x.order[i] = i
        rewards[i] = 0.0
        s.cleaned_now[b, i] = 0
    for k in range(t.players - 1, -1, -1):
        other = below(draw(s.key[b], s.step[b], ORDER, k), k + 1)
        x.order[k], x.order[other] = x.order[other], x.order[k]
    for k in range(t.players):
        i = x.order[k]
        if s.out[b, i] == 0:
            move(t, s, b, i, actions[i], rewards)
    fire_all(t, s, x, b, actions)
    come_back(t, s, x, b)
    if len(t.regrowth):
        regrow(t, s, x, b)
    return is_over(t, s, b)


@inlined
def observe_env(t, s, b, window):
    """Fill ``window`` (N, cells): what each player sees, the farthest row ahead first."""
    rows, columns = t.ahead + t.behind + 1, 2 * t.sideways + 1
    for i in range(t.players):
        if s.out[b, i]:
            window[i] = 0
            continue
        own = s.heading[b, i]
        f, r = t.forward[own], t.forward[(own + 1) & 3]
        start = s.cell[b, i] + t.ahead * f - t.sideways * r
        seen, k = window[i], 0
        for row in range(rows):
            c = start - row * f
            for _ in range(columns):
                word = s.plane[b, c]
                if word & HEADED:  # as it is turned towards the one who looks
                    absolute = np.int64((word & HEADED) >> HEADED_SHIFT) - 1
                    word &= ~HEADED
                    word |= np.uint64(((absolute - own) & 3) + 1) << HEADED_SHIFT
                seen[k] = word
                k += 1
                c += r


@inlined
def mask_env(t, s, b, mask):
    """Fill ``mask`` (N, actions) with 1 where an action would have an effect, and for to stay."""
    for i in range(t.players):
        mask[i] = 0
        mask[i, 0] = 1
        if s.out[b, i]:
            continue
        for action in range(FORWARD, STEP_RIGHT + 1):
            to = s.cell[b, i] + t.forward[(s.heading[b, i] + QUARTERS[action]) & 3]
            mask[i, action] = (s.plane[b, to] & WALL) == NOTHING
        mask[i, TURN_LEFT] = 1
        mask[i, TURN_RIGHT] = 1
        mask[i, ZAP] = s.zap_wait[b, i] == 0
        if t.actions > CLEAN:
            mask[i, CLEAN] = s.clean_wait[b, i] == 0


@compiled
def step_many(t, s, x, low, high, actions, rewards, terminated, truncated, window, masks):
    """Step environments ``low`` to below ``high``; one that had ended begins anew instead.

    ``window`` and ``masks`` may have no environments at all: then they are left out.
    """
    for b in range(low, high):
        if terminated[b] or truncated[b]:
            reset_env(t, s, x, b)
            rewards[b] = 0.0
            terminated[b] = False
            truncated[b] = False
        else:
            terminated[b] = step_env(t, s, x, b, actions[b], rewards[b])
            truncated[b] = s.step[b] >= t.most and not terminated[b]
        if len(window):
            observe_env(t, s, b, window[b])
        if len(masks):
            mask_env(t, s, b, masks[b])
