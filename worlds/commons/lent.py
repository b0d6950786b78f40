"""What each kind of commons lends to the modules of cooperation; see :mod:`judge.deeds.lent`."""

from __future__ import annotations

from voxpolis.judge.deeds.lent import Lent
from voxpolis.worlds.commons import accounts, claims, river_claims

BY_TREES = Lent(claims.BY_TREES, accounts.BY_TREES, claims.TreeState(3, is_alive=False))
BY_RIVER = Lent(
    river_claims.BY_RIVER,
    accounts.BY_RIVER,
    river_claims.RiverState(river_claims.Dirt(40, or_more=True)),
)
