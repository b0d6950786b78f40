"""The beginning of an episode. Arguments: see :mod:`grid.commons`."""

from __future__ import annotations

import numpy as np

from voxpolis.grid.commons.cells import DIRT, NOTHING, stand
from voxpolis.grid.commons.state import Scratch, State
from voxpolis.grid.commons.tables import STARTING, Tables
from voxpolis.grid.core.jit import compiled
from voxpolis.grid.core.rng import below, draw, episode_key


@compiled
def reset_env(t: Tables, s: State, x: Scratch, b: int) -> None:
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
