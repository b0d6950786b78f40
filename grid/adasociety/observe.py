"""What agents see, and what they may do. Arguments: see :mod:`grid.adasociety`."""

from __future__ import annotations

from grid.adasociety.cells import look, neighbour, unpack
from grid.adasociety.inventory import can_dump, can_pick, can_produce
from grid.adasociety.state import MOVES_NEXT, OFFER, PARTNER, Scratch, State
from grid.adasociety.tables import MOVES, PRODUCE, SPLITS, STAY, Ground, Tables
from grid.core.arrays import Bytes
from grid.core.jit import compiled, inlined
from grid.core.packing import Packed


@compiled
def mask_many(
    packed: Packed, s: State, x: Scratch, low: int, high: int, mask: Bytes, anew: bool
) -> None:
    """Masks (B, N, A) of environments ``low`` to below ``high``; see :func:`mask_env`."""
    t = unpack(packed)
    for b in range(low, high):
        mask_env(t, s, b, mask[b], anew)


@compiled
def map_many(packed: Packed, s: State, low: int, high: int, window: Bytes, maps: Bytes) -> None:
    """Fill ``maps`` (B, N, H, W C) with what each agent and those that share with it see.

    ``window`` (B, N, S, S C) is what each sees around itself.
    """
    t = unpack(packed)
    for b in range(low, high):
        for i in range(t.agents):
            maps[b, i] = 0
            uncover(t, s, b, i, window[b, i], maps[b, i])
            for j in range(len(s.shares[b])):
                if s.shares[b, j, i]:
                    uncover(t, s, b, j, window[b, j], maps[b, i])


@inlined
def observe_env(t: Tables, s: State, b: int, window: Bytes) -> None:
    """Fill ``window`` (N, 2 pad + 1, (2 pad + 1) C) with what each agent sees around itself."""
    side, row = 2 * t.pad + 1, (2 * t.pad + 1) * t.channels
    for i in range(t.agents):
        left = s.position[b, i, 1] * t.channels
        seen = s.sees[b, i]
        skip = t.pad - t.sight[i]
        for k in range(side):
            out = window[i, k]
            if k < skip or k >= side - skip:
                out[:] = 0
                continue
            source = s.plane[b, s.position[b, i, 0] + k, left : left + row]
            for byte in range(row):
                out[byte] = source[byte] & seen[byte]


@compiled
def uncover(t: Tables, s: State, b: int, i: int, window: Bytes, canvas: Bytes) -> None:
    """Lay an agent's window (S, S C) onto a map (H, W C); what others saw there stays."""
    side, channels = 2 * t.pad + 1, t.channels
    for k in range(side):
        x = (s.position[b, i, 0] + k - t.pad) % t.height
        for q in range(side):
            y = (s.position[b, i, 1] + q - t.pad) % t.width
            for c in range(channels):
                canvas[x, y * channels + c] |= window[k, q * channels + c]


@inlined
def mask_env(t: Tables, s: State, b: int, mask: Bytes, anew: bool) -> None:
    """Fill ``mask`` (N, A) with 1 where an action would have an effect, and for to stay.

    Unless it is made ``anew``, ``mask`` holds that of the step before.
    """
    a, step = t.actions, s.step[b]
    # In play messages and sharing stay as they are: a game of 1000 agents has 2000 of them.
    is_new = anew or step <= max(t.contract_steps, t.negotiation_steps)
    for i in range(t.agents):
        if is_new:
            mask[i] = 0
        mask[i, STAY] = 1
        if step < t.contract_steps:
            if s.order[b, step % t.agents] == i:
                mask[i, STAY] = 0
                mask[i, a.join : a.join + t.groups] = 1
        elif step < t.negotiation_steps:
            mask_bargain(t, s, b, i, mask[i])
        else:
            mask_play(t, s, b, i, mask[i])
            if is_new:
                mask_talk(t, i, mask[i])


@inlined
def mask_bargain(t: Tables, s: State, b: int, i: int, mask: Bytes) -> None:
    """What an agent can do in the negotiation stage: ``mask`` (A,)."""
    a = t.actions
    if s.bargain[b, i, PARTNER] < 0:
        for j in range(t.agents):
            mask[a.request + j] = j != i and s.bargain[b, j, PARTNER] < 0
    elif s.bargain[b, i, MOVES_NEXT]:
        mask[a.propose : a.propose + SPLITS] = 1
        mask[a.accept] = s.bargain[b, i, OFFER] > 0
        mask[a.end] = 1


@inlined
def mask_play(t: Tables, s: State, b: int, i: int, mask: Bytes) -> None:
    """What an agent can do in play: ``mask`` (A,). A move may still be blocked by another agent."""
    a = t.actions
    for direction in range(MOVES):
        px, py = neighbour(t, s.position[b, i, 0], s.position[b, i, 1], direction)
        mask[direction] = look(t, s, b, px, py, t.channel.ground) != Ground.BLOCK
    mask[PRODUCE] = can_produce(t, s, b, i) >= 0
    for resource in range(t.resources):
        mask[a.pick + resource] = can_pick(t, s, b, i, resource)
        mask[a.dump + resource] = can_dump(t, s, b, i, resource)
    if t.contract_steps == 0:
        mask[a.join : a.request] = 1
        if s.group[b, i, 0] >= 0 and s.group[b, i, 1] < 0 and a.join < a.request:
            mask[a.join + s.group[b, i, 0]] = 0


@inlined
def mask_talk(t: Tables, i: int, mask: Bytes) -> None:
    """Messages and sharing with everybody but oneself: ``mask`` (A,)."""
    a = t.actions
    mask[a.message : a.join] = 1
    if a.message < a.share:
        mask[a.message + i] = 0
    if a.share < a.join:
        mask[a.share + i] = 0
