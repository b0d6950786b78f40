"""What players see. Arguments: see :mod:`grid.commons`."""

from __future__ import annotations

import numpy as np

from voxpolis.grid.commons.cells import HEADING, HEADING_SHIFT
from voxpolis.grid.commons.state import State
from voxpolis.grid.commons.tables import Tables
from voxpolis.grid.core.arrays import Words
from voxpolis.grid.core.jit import inlined


@inlined
def observe_env(t: Tables, s: State, b: int, window: Words) -> None:
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
                if word & HEADING:  # as it is turned towards the one that looks
                    absolute = np.int64((word & HEADING) >> HEADING_SHIFT) - 1
                    word &= ~HEADING
                    word |= np.uint64(((absolute - own) & 3) + 1) << HEADING_SHIFT
                seen[k] = word
                k += 1
                c += r
