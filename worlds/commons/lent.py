"""What each kind of commons lends to the modules of cooperation; see :mod:`judge.lent`."""

from __future__ import annotations

from judge.lent import Lent
from worlds.commons import accounts, claims, river_claims

BY_TREES = Lent(claims.BY_TREES, accounts.BY_TREES, "tree 3 has no apple")
BY_RIVER = Lent(river_claims.BY_RIVER, accounts.BY_RIVER, "river is 40 % dirty or more")
