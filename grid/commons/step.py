"""Takes steps in one environment or in many. :mod:`grid.commons` explains the arguments.

A step has the same order as in Melting Pot. In Clean Up, apples grow and the river gets dirty
first. Then players turn and move one by one in a random order, beams are fired, and players return.
In Harvest, apples regrow last.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from voxpolis.grid.commons.state import Scratch, State
from voxpolis.grid.commons.tables import (
    APPLE_AT,
    BEAM_LENGTH,
    CLEAN,
    CLEAN_AT,
    COMING_BACK,
    DIRT_AT,
    DIRTYING,
    ENDING,
    FORWARD,
    GROWING,
    HEADING_AT,
    ORDER,
    PLAYER_AT,
    QUARTERS,
    STARTING,
    STAY,
    STEP_RIGHT,
    TURN_LEFT,
    TURN_RIGHT,
    WALL_AT,
    ZAP,
    ZAP_AT,
    Tables,
)
from voxpolis.grid.core.arrays import Bytes, Flags, Floats, SmallInts
from voxpolis.grid.core.jit import compiled, inlined, kernel
from voxpolis.grid.core.packing import Packed, unpacker
from voxpolis.grid.core.rng import below, draw, episode_key, happens

# --- Start of an episode. Arguments: see :mod:`grid.commons` --------------------------------------


@compiled
def reset_env(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Start the next episode of an environment. Positions and headings of players are random."""
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


# --- Cells: a word each, one byte per channel. Arguments: see :mod:`grid.commons` -----------------

APPLE = np.uint64(1 << (8 * APPLE_AT))
DIRT = np.uint64(1 << (8 * DIRT_AT))
WALL = np.uint64(1 << (8 * WALL_AT))
ZAPPED = np.uint64(1 << (8 * ZAP_AT))
CLEANED = np.uint64(1 << (8 * CLEAN_AT))
PLAYER = np.uint64(0xFF << (8 * PLAYER_AT))
HEADING = np.uint64(0xFF << (8 * HEADING_AT))
BODY = PLAYER | HEADING
BEAM = ZAPPED | CLEANED
PLAYER_SHIFT, HEADING_SHIFT = np.uint64(8 * PLAYER_AT), np.uint64(8 * HEADING_AT)
NOTHING = np.uint64(0)

# Unpack what :func:`grid.core.packing.pack` has packed.
unpack, unpack_state, unpack_scratch = unpacker(Tables), unpacker(State), unpacker(Scratch)


@inlined
def stand(s: State, b: int, i: int) -> None:
    """Put a player onto its cell."""
    c = s.cell[b, i]
    body = np.uint64(i + 1) << PLAYER_SHIFT | np.uint64(s.heading[b, i] + 1) << HEADING_SHIFT
    s.plane[b, c] = (s.plane[b, c] & ~BODY) | body


# --- Observations. Arguments: see :mod:`grid.commons` ---------------------------------------------


@inlined
def observe_env(t: Tables, s: State, b: int) -> None:
    """Fill the windows with what each player sees. The row that is farthest ahead comes
    first.
    """
    rows, columns = t.ahead + t.behind + 1, 2 * t.sideways + 1
    for i in range(t.players):
        if s.out[b, i]:
            s.window[b, i] = 0
            continue
        own = s.heading[b, i]
        f, r = t.forward[own], t.forward[(own + 1) & 3]
        start = s.cell[b, i] + t.ahead * f - t.sideways * r
        seen, k = s.window[b, i], 0
        for row in range(rows):
            c = start - row * f
            for _ in range(columns):
                word = s.plane[b, c]
                if word & HEADING:  # relative to the observer's heading
                    absolute = np.int64((word & HEADING) >> HEADING_SHIFT) - 1
                    word &= ~HEADING
                    word |= np.uint64(((absolute - own) & 3) + 1) << HEADING_SHIFT
                seen[k] = word
                k += 1
                c += r


@inlined
def describe_env(t: Tables, s: State, b: int) -> None:
    """Update what players observe in addition to their windows, such as their positions."""
    cleaners = 0
    for i in range(t.players):
        cleaners += s.cleaned_now[b, i] > 0
    for i in range(t.players):
        s.position[b, i, 0] = s.cell[b, i] // t.stride - t.margin
        s.position[b, i, 1] = s.cell[b, i] % t.stride - t.margin
        plays = s.out[b, i] == 0
        s.ready[b, i, 0] = plays and s.zap_wait[b, i] == 0
        s.ready[b, i, 1] = plays and s.clean_wait[b, i] == 0 and t.actions > CLEAN
        s.others_cleaned[b, i] = cleaners - (s.cleaned_now[b, i] > 0)


# --- Legality of actions: the single source for masks and effects ---------------------------------
# A step calls :func:`is_legal` for each chosen action and replaces illegal ones by staying.
# Arguments: see :mod:`grid.commons`.


@inlined
def is_legal(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Return True if an action of a player is legal. A legal move may still be blocked by another
    player.

    A player that is out of the game can only stay. Walls cannot be entered. A beam can only be
    fired after its cooldown.
    """
    if action == STAY:
        return True
    if s.out[b, i] > 0:
        return False
    if FORWARD <= action <= STEP_RIGHT:
        to = s.cell[b, i] + t.forward[(s.heading[b, i] + QUARTERS[action]) & 3]
        return (s.plane[b, to] & WALL) == NOTHING
    if action == ZAP:
        return s.zap_wait[b, i] == 0
    if action == CLEAN:
        return s.clean_wait[b, i] == 0
    return True


@inlined
def mask_env(t: Tables, s: State, b: int, mask: Bytes) -> None:
    """Fill ``mask`` (N, A) with 1 for legal actions and 0 for other actions."""
    for i in range(t.players):
        for action in range(t.actions):
            mask[i, action] = is_legal(t, s, b, i, action)


# --- Beams that zap and clean, and players that are out. Arguments: see :mod:`grid.commons` -------


@inlined
def fire_all(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Fire all beams. Players that are hit stay on the map until the last beam has been fired.

    While a player is out of the game, its cooldowns do not advance.
    """
    for k in range(t.players):
        x.hit[k] = 0
    for k in range(t.players):
        i = x.order[k]
        if s.out[b, i]:
            continue
        if x.chosen[i] == ZAP:
            s.zap_wait[b, i] = t.zap_cooldown
            beam(t, s, x, b, i, True)
        elif s.zap_wait[b, i] > 0:
            s.zap_wait[b, i] -= 1
        if x.chosen[i] == CLEAN:
            s.clean_wait[b, i] = t.clean_cooldown
            beam(t, s, x, b, i, False)
        elif s.clean_wait[b, i] > 0:
            s.clean_wait[b, i] -= 1


@inlined
def beam(t: Tables, s: State, x: Scratch, b: int, i: int, is_zap: bool) -> None:
    """Fire one beam, which consists of three parallel rays. Each ray ends at the first cell that
    blocks it.
    """
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
            if is_zap and word & PLAYER:
                x.hit[np.int64((word & PLAYER) >> PLAYER_SHIFT) - 1] = 1
                s.zapped[b, i] += 1
                break
            if not is_zap and word & DIRT:
                s.plane[b, c] &= ~DIRT
                s.dirty[b] -= 1
                s.cleaned[b, i] += 1
                s.cleaned_now[b, i] += 1
                break
            c += f


@compiled
def come_back(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Remove the players that were hit, and bring back players whose time out of the game is over.

    ``out_for`` is the number of whole steps between the hit and the return.
    """
    for i in range(t.players):
        if x.hit[i]:
            s.plane[b, s.cell[b, i]] &= ~BODY
            s.out[b, i] = t.out_for + 1
    for i in range(t.players):
        if s.out[b, i] == 0 or x.hit[i]:
            continue
        if s.out[b, i] > 1:
            s.out[b, i] -= 1
            continue
        free = 0
        for k in range(len(t.spawns)):
            if not s.plane[b, t.spawns[k]] & PLAYER:
                x.cells[free] = t.spawns[k]
                free += 1
        if free == 0:
            continue
        word = draw(s.key[b], s.step[b], COMING_BACK, i)
        s.cell[b, i] = x.cells[below(word, free)]
        s.heading[b, i] = np.int64(word & np.uint64(3))
        s.out[b, i] = 0
        stand(s, b, i)


# --- Growth of apples and dirt. Arguments: see :mod:`grid.commons` --------------------------------


@compiled
def grow_by_river(t: Tables, s: State, b: int) -> None:
    """Grow apples in Clean Up. All empty sites have the same probability, which depends on the
    river.
    """
    rate = t.threshold - s.dirty[b] / len(t.river)
    if rate > 0.0:
        probability = t.growth * min(1.0, rate / t.threshold)
        for k in range(len(t.sites)):
            c = t.sites[k]
            if s.plane[b, c] & APPLE:
                continue
            if happens(draw(s.key[b], s.step[b], GROWING, k), probability):
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
def regrow(t: Tables, s: State, x: Scratch, b: int) -> None:
    """Regrow eaten apples in Harvest. The probability depends on the number of apples nearby."""
    grown = 0
    for k in range(len(t.sites)):
        c = t.sites[k]
        if s.plane[b, c] & APPLE:
            continue
        live = 0
        for o in range(len(t.near)):
            live += (s.plane[b, c + t.near[o]] & APPLE) != NOTHING
        probability = t.regrowth[min(live, 3)]
        if probability > 0.0 and happens(draw(s.key[b], s.step[b], GROWING, k), probability):
            x.cells[grown] = c
            grown += 1
    for k in range(grown):
        s.plane[b, x.cells[k]] |= APPLE


@kernel(6)
def step_many(
    tables: Packed,
    state: Packed,
    scratch: Packed,
    low: int,
    high: int,
    actions: SmallInts,
    rewards: Floats,
    terminated: Flags,
    truncated: Flags,
    masks: Bytes,
    begin_only: bool,
) -> None:
    """Take a step in the environments ``low`` to ``high`` - 1. An environment whose episode has
    ended is reset instead.

    If ``begin_only`` is True, environments whose episode has ended are reset, and the others are
    left as they are. ``actions`` and ``rewards`` are (B, N), ``terminated`` and ``truncated`` are
    (B,). Windows and ``masks`` (B, N, A) are skipped if their first axis has
    length 0.
    """
    t, s, x = unpack(tables), unpack_state(state), unpack_scratch(scratch)
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
        describe_env(t, s, b)
        if len(s.window):
            observe_env(t, s, b)
        if len(masks):
            mask_env(t, s, b, masks[b])


@compiled
def step_env(t: Tables, s: State, x: Scratch, b: int, actions: SmallInts, rewards: Floats) -> bool:
    """Take one step. Return True if the episode ends by chance."""
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
    """Let a player turn, or move to a cell without a player and eat the apple there.

    The caller ensures that the player does not move into a wall.
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
    """Draw whether the episode ends by chance after this step."""
    step = s.step[b]
    if step < t.least or step % t.interval:
        return False
    return happens(draw(s.key[b], step, ENDING, 0), t.ending)
