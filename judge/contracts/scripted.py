"""Scripted negotiators, which make alternating offers that approach an even split.

The negotiators use the same messages as a language model, and their numbers can be checked by hand.
Each negotiator begins with an offer in its own favour, concedes something with each message, and
accepts an offer that is close enough to even.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer
from voxpolis.judge.contracts.compiling import ClauseAnswer, Compiled, CompileRequest
from voxpolis.judge.contracts.negotiation import Accept, Propose, Turn, TurnAnswer
from voxpolis.judge.contracts.settlement import (
    Case,
    Critique,
    Finding,
    Payment,
    Ruling,
    settle_exactly,
    terms_of,
)


@dataclass(frozen=True)
class Bargain:
    """A payment that two players negotiate.

    Attributes:
        payer: the player who pays, and wants a low amount.
        receiver: the player who is paid, and wants a high amount.
        even: the amount that gives both players the same reward.
        opening: how far the first offers are from ``even``.
        near: an offer is accepted if it is at most this far from ``even``.
        roles: the first term of the contract, which says what each player does.
        why: the argument for an offer.
        unit: words that follow the amount (" for each mushroom …"), if it is paid per unit; may be
            empty.
        formula: the same as ``unit``, as a factor in a clause (" * held(…)"); may be empty.
        digits: the number of decimals in an offer.
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
        clause = re.compile(rf"{self.payer} pays {self.receiver} (-?[\d.]+)")
        for move in turn.moves:
            for line in move.proposal.clauses if move.proposal else ():
                offer = clause.match(line)
                if offer:
                    yield float(offer[1])


# --- Answers of the judge and the compiler without a language model -------------------------------
#
# A run with scripted minds needs neither, because code settles every contract that code can read.
# An estimate of the number of model calls needs both.

# Payments are rounded to this fraction of an emerald.
_PARTS = 100


class ScriptedJudge:
    """A script that also answers in place of the judge and the compiler."""

    def __init__(self, script: Script, *, is_compiled: bool) -> None:
        """Create the script.

        If ``is_compiled`` is true, players propose contracts only in words, and a compiler adds the
        clauses.
        """
        self._script = script
        self._is_compiled = is_compiled
        self._clauses: list[ClauseAnswer] = []

    def __call__(self, request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, Case):
            return judgement(about)
        if isinstance(about, CompileRequest):
            return Compiled(clauses=self._clauses or None)
        answer = self._script(request)
        if not (self._is_compiled and isinstance(answer, TurnAnswer)):
            return answer
        if not isinstance(answer.move, Propose):
            return answer
        self._clauses = answer.move.clauses
        in_words = answer.move.model_copy(update={"clauses": []})
        return answer.model_copy(update={"move": in_words})


def judgement(case: Case) -> Ruling:
    """Return a ruling with the transfers that the contract's rule computes.

    Without a rule there are no transfers.
    """
    exact = settle_exactly(case)
    payments = [] if exact is None else list(_payments(exact.transfers))
    first, *others = sorted(terms_of(case.contract.text)) or [1]
    reason = "It was kept." if payments else "It was kept, and nothing follows."
    findings = [Finding(term=first, reason=reason, payments=payments)]
    findings += [Finding(term=term, reason="It was kept.", payments=[]) for term in others]
    critiques = [Critique(player=name, critique=f"{name} did as agreed.") for name in case.agents]
    return Ruling(findings=findings, critiques=critiques)


def _payments(transfers: Mapping[str, float]) -> Iterator[Payment]:
    """Yield payments that, apart from rounding, add up to the given transfers."""
    owed = {name: int(-amount * _PARTS) for name, amount in transfers.items() if amount < 0}
    due = {name: int(amount * _PARTS) for name, amount in transfers.items() if amount > 0}
    for payer, receiver in itertools.product(owed, due):
        parts = min(owed[payer], due[receiver])
        if parts:
            paid = {"from": payer, "to": receiver, "amount": parts / _PARTS}
            yield Payment.model_validate(paid)
        owed[payer] -= parts
        due[receiver] -= parts
