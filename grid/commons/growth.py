"""How apples grow and the river gets dirty. Arguments: see :mod:`grid.commons`."""

from __future__ import annotations

from voxpolis.grid.commons.cells import APPLE, DIRT, NOTHING
from voxpolis.grid.commons.state import Scratch, State
from voxpolis.grid.commons.tables import DIRTYING, GROWING, Tables
from voxpolis.grid.core.jit import compiled
from voxpolis.grid.core.rng import below, draw, happens


@compiled
def grow_by_river(t: Tables, s: State, b: int) -> None:
    """Apples of Clean Up: all empty sites alike, by how clean the river is."""
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
    """Apples of Harvest: each eaten one by how many live apples are near it, all at once."""
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
