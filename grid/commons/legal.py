"""What is legal: the one source of what masks say and of what has an effect.

A step asks :func:`is_legal` for each action that was chosen, and puts to stay in the place of those
that are not. Arguments: see :mod:`grid.commons`.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from voxpolis.grid.commons.cells import NOTHING, WALL
from voxpolis.grid.commons.state import State
from voxpolis.grid.commons.tables import CLEAN, FORWARD, QUARTERS, STAY, STEP_RIGHT, ZAP, Tables
from voxpolis.grid.core.arrays import Bytes
from voxpolis.grid.core.jit import inlined


@inlined
def is_legal(t: Tables, s: State, b: int, i: int, action: int) -> bool:
    """Whether an action of a player is legal now; a move may still be blocked by another player.

    A player that is out can stay only; walls cannot be entered; beams have to be ready.
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
    """Fill ``mask`` (N, A) with 1 where an action is legal."""
    for i in range(t.players):
        for action in range(t.actions):
            mask[i, action] = is_legal(t, s, b, i, action)
