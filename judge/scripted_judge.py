"""What judge and compiler would answer, where no language model is: code says it.

A run of scripted minds asks neither, since code settles what code can read. An estimate of what a
language model would be asked needs both.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer
from voxpolis.judge.case_text import Case
from voxpolis.judge.compiling import ClauseAnswer, Compiled, CompileRequest
from voxpolis.judge.judgement import Critique, Finding, Payment, Ruling, terms_of
from voxpolis.judge.negotiation import Propose, TurnAnswer
from voxpolis.judge.settlement import settle_exactly

#: Emeralds are said with so many parts of one.
_PARTS = 100


class JudgedScript:
    """Answers as a script, and as judge and compiler besides."""

    def __init__(self, script: Script, *, is_compiled: bool) -> None:
        """``is_compiled``: whether players propose in words only, and a compiler is asked."""
        self._script = script
        self._is_compiled = is_compiled
        self._clauses: list[ClauseAnswer] = []

    def __call__(self, request: ChatRequest) -> Answer | str:
        """Return the answer: what code says, where a judge or a compiler is asked."""
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
    """Return a ruling that moves what the contract's rule moves; nothing without one."""
    exact = settle_exactly(case)
    payments = [] if exact is None else list(_payments(exact.transfers))
    first, *others = sorted(terms_of(case.contract.text)) or [1]
    reason = "It was kept." if payments else "It was kept, and nothing follows."
    findings = [Finding(term=first, reason=reason, payments=payments)]
    findings += [Finding(term=term, reason="It was kept.", payments=[]) for term in others]
    critiques = [Critique(player=name, critique=f"{name} did as agreed.") for name in case.agents]
    return Ruling(findings=findings, critiques=critiques)


def _payments(transfers: Mapping[str, float]) -> Iterator[Payment]:
    """Yield payments that come to some transfers, but for fractions of a hundredth."""
    owed = {name: int(-amount * _PARTS) for name, amount in transfers.items() if amount < 0}
    due = {name: int(amount * _PARTS) for name, amount in transfers.items() if amount > 0}
    for payer, receiver in itertools.product(owed, due):
        parts = min(owed[payer], due[receiver])
        if parts:
            paid = {"from": payer, "to": receiver, "amount": parts / _PARTS}
            yield Payment.model_validate(paid)
        owed[payer] -= parts
        due[receiver] -= parts
