"""Scripted negotiators: alternating offers around the even split, computed from stated values.

They negotiate for real, through the same messages as a language model, and their numbers can be
checked by hand: each opens some way off in its own favour, gives way with each message, and accepts
what is near enough to even.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judge.negotiation import Turn

_PROPOSAL = """\
[thinking] {even:g} would leave both of us the same.
[message] {why} I propose {offer:g}.
[contract]
{roles}
2. When the episode ends, {payer} pays {receiver} {offer:g} emeralds{unit}.
[clauses]
{payer} pays {receiver} {offer:g}{formula}
[clauses end]
[contract end]"""


@dataclass(frozen=True)
class Bargain:
    """One payment that two players bargain over.

    Attributes:
        payer: who pays, and wants the amount low.
        receiver: who is paid, and wants it high.
        even: the amount that leaves both the same.
        opening: how far from that the first offers are.
        near: what is this near to even is accepted.
        roles: the contract's first term, who does what.
        why: what is said for it.
        unit: what the amount is for, in words (" for each mushroom …"), or nothing.
        formula: the same in a clause (" * held(…)"), or nothing.
        digits: decimals of an offer.
    """

    payer: str
    receiver: str
    even: float
    opening: float
    near: float
    roles: str
    why: str
    unit: str = ""
    formula: str = ""
    digits: int = 0

    def answer(self, turn: Turn) -> str:
        """Return what a scripted negotiator says in its turn."""
        offers, left = list(self._offers(turn)), turn.left
        if offers and (abs(offers[-1] - self.even) <= self.near or left == 1):
            return f"[thinking] {self.even:g} would be even.\n[message] I agree.\n[accept]"
        distance = self.opening * (left - 1) / max(left + len(turn.moves) - 1, 1)
        sign = -1 if turn.player == self.payer else 1
        offer = round(self.even + sign * distance, self.digits)
        return _PROPOSAL.format(
            even=self.even,
            why=self.why,
            offer=offer,
            roles=self.roles,
            payer=self.payer,
            receiver=self.receiver,
            unit=self.unit,
            formula=self.formula,
        )

    def _offers(self, turn: Turn) -> Iterator[float]:
        """Yield the amounts that were proposed so far, by the proposals' clauses."""
        clause = re.compile(rf"{self.payer} pays {self.receiver} (-?[\d.]+)")
        for move in turn.moves:
            for line in move.proposal.clauses if move.proposal else ():
                offer = clause.match(line)
                if offer:
                    yield float(offer[1])
