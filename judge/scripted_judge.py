"""What judge and compiler would be asked, where no language model is: code says what they answer.

A run of scripted minds asks neither, since code settles what code can read. Whoever counts what a
language model would be asked needs both.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping

from bots.models import ChatRequest
from bots.models.scripted import Script
from judge.case_text import Case
from judge.compiling import IMPOSSIBLE, CompileRequest
from judge.negotiation import Turn
from judge.settlement import settle_exactly

_CLAUSES = re.compile(r"\[clauses\]\n(.*?)\n\[clauses end\]\n", re.DOTALL)
#: Emeralds are said with so many parts of one.
_PARTS = 100


class JudgedScript:
    """Answers as a script, and as judge and compiler besides."""

    def __init__(self, script: Script, *, is_compiled: bool) -> None:
        """``is_compiled``: whether players propose in words only, and a compiler is asked."""
        self._script = script
        self._is_compiled = is_compiled
        self._clauses = ""

    def __call__(self, request: ChatRequest) -> str:
        """Return the answer: what code says, where a judge or a compiler is asked."""
        about = request.about
        if isinstance(about, Case):
            return judgement(about)
        if isinstance(about, CompileRequest):
            return self._clauses or IMPOSSIBLE
        answer = self._script(request)
        if not self._is_compiled or not isinstance(about, Turn):
            return answer
        found = _CLAUSES.search(answer)
        self._clauses = found[1] if found else ""
        return _CLAUSES.sub("", answer)


def judgement(case: Case) -> str:
    """Return a judge's answer that moves what the contract's rule moves; nothing without one."""
    exact = settle_exactly(case)
    payments = [] if exact is None else list(_payments(exact.transfers))
    told = "; ".join(f"{one['from']} pays {one['to']} {one['amount']:g}" for one in payments)
    finding = f"It was kept: {told}." if told else "It was kept, and nothing follows."
    return json.dumps(
        {
            "findings": [{"term": 1, "finding": finding, "payments": payments}],
            "critiques": {agent: f"{agent} did as agreed." for agent in case.agents},
        }
    )


def _payments(transfers: Mapping[str, float]) -> Iterator[dict[str, str | float]]:
    """Yield payments that come to some transfers, but for fractions of a hundredth."""
    owed = {name: int(-amount * _PARTS) for name, amount in transfers.items() if amount < 0}
    due = {name: int(amount * _PARTS) for name, amount in transfers.items() if amount > 0}
    for payer, receiver in itertools.product(owed, due):
        parts = min(owed[payer], due[receiver])
        if parts:
            yield {"from": payer, "to": receiver, "amount": parts / _PARTS}
        owed[payer] -= parts
        due[receiver] -= parts
