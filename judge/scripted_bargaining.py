"""Scripted negotiators: alternating offers around the even split, computed from stated values.

They negotiate for real, through the same messages as a language model, and their numbers can be
checked by hand: each opens some way off in its own favour, gives way with each message, and accepts
what is near enough to even.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voxpolis.judge.compiling import ClauseAnswer
from voxpolis.judge.negotiation import Accept, Propose, Turn, TurnAnswer


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

    def answer(self, turn: Turn) -> TurnAnswer:
        """Return what a scripted negotiator answers in its turn."""
        offers, left = list(self._offers(turn)), turn.left
        is_near = bool(offers) and abs(offers[-1] - self.even) <= self.near
        if turn.open is not None and (is_near or left == 1):
            note = f"{self.even:g} would be even."
            return TurnAnswer(note=note, message="I agree.", move=Accept(proposal=turn.open))
        distance = self.opening * (left - 1) / max(left + len(turn.moves) - 1, 1)
        sign = -1 if turn.player == self.payer else 1
        offer = round(self.even + sign * distance, self.digits)
        payment = f"{self.payer} pays {self.receiver} {offer:g} emeralds{self.unit}."
        clause = ClauseAnswer(
            payer=self.payer,
            receiver=self.receiver,
            amount=f"{offer:g}{self.formula}",
            condition=None,
        )
        terms = [self.roles, f"When the episode ends, {payment}"]
        return TurnAnswer(
            note=f"{self.even:g} would leave both of us the same.",
            message=f"{self.why} I propose {offer:g}.",
            move=Propose(terms=terms, clauses=[clause]),
        )

    def _offers(self, turn: Turn) -> Iterator[float]:
        """Yield the amounts that were proposed so far, by the proposals' clauses."""
        clause = re.compile(rf"{self.payer} pays {self.receiver} (-?[\d.]+)")
        for move in turn.moves:
            for line in move.proposal.clauses if move.proposal else ():
                offer = clause.match(line)
                if offer:
                    yield float(offer[1])
