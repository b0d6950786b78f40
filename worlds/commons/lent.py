"""What each kind of commons lends to the modules of cooperation; see :mod:`judge.deeds.lent`."""

from __future__ import annotations

from voxpolis.judge.deeds.lent import Lent
from voxpolis.worlds.commons.claims import RIVER_CLAIMS, TREE_CLAIMS, Dirt, RiverState, TreeState

BY_TREES = Lent(TREE_CLAIMS, TREE_ACCOUNT, TreeState(3, is_alive=False))
BY_RIVER = Lent(RIVER_CLAIMS, RIVER_ACCOUNT, RiverState(Dirt(40, or_more=True)))
