"""What each kind of commons lends to the modules of cooperation, in one place.

A language of claims, so that code settles what agents suppose and say, and an account of deeds, so
that it settles what they promise and what the law takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.deeds import Account
from worlds.commons import accounts, claims, river_claims
from worlds.commons.claims import Claims


@dataclass(frozen=True)
class Lent:
    """What a world lends.

    Attributes:
        claims: its language of claims.
        account: its account of deeds.
        example: a claim about how its map is, where one is shown.
    """

    claims: Claims
    account: Account
    example: str


BY_TREES = Lent(claims.BY_TREES, accounts.BY_TREES, "tree 3 has no apple")
BY_RIVER = Lent(river_claims.BY_RIVER, accounts.BY_RIVER, "river is 40 % dirty or more")
