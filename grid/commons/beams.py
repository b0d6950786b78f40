"""Beams that zap and clean, and players that are out. Arguments: see :mod:`grid.commons`."""

from __future__ import annotations

import numpy as np

from voxpolis.grid.commons.cells import (
    BODY,
    CLEANED,
    DIRT,
    PLAYER,
    PLAYER_SHIFT,
    WALL,
    ZAPPED,
    stand,
)
from voxpolis.grid.commons.state import Scratch, State
from voxpolis.grid.commons.tables import BEAM_LENGTH, CLEAN, COMING_BACK, ZAP, Tables
from voxpolis.grid.core.jit import compiled, inlined
from voxpolis.grid.core.rng import below, draw


@inlined
def fire_all(t: Tables, s: State, x: Scratch, b: int) -> None:
    """All beams; players that are hit are out when all have been fired.

    While a player is out its beams do not get ready.
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
    """Take players that were hit out of the game, and back those that were out long enough.

    ``out_for`` is how many whole steps lie between the hit and the one that brings a player back.
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
