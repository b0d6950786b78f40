"""What a world or a scenario lends to the modules of cooperation and to institutions, in one value.

A language of claims, so that code settles what agents suppose and say, and an account of deeds, so
that it settles what they promise and what the law takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voxpolis.judge.deeds.account import Account
from voxpolis.judge.deeds.claims import Claim, Language


@dataclass(frozen=True)
class Lent:
    """What a world lends.

    Attributes:
        claims: its language of claims.
        account: its account of deeds.
        example: a claim about how things are there, where one is shown.
    """

    claims: Language
    account: Account
    example: Claim[Any]
