"""A judge model's judgement in lines: ``Finding: …``, and below it ``Payments: A pays B 2``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from bots.structured import AnswerError, Names, said_fields
from judge.finding_checks import ONCE
from records.text import caseless

#: The fields of lines that say the same.
LINES: Names = {
    "findings": (),
    "finding": ("term", "clause"),
    "payments": ("transfers",),
    "payment": ("transfer",),
    "from": ("payer",),
    "to": ("receiver",),
    "amount": ("emeralds",),
    "critiques": ("critique",),
}
_LINK = r"\s*(?:pays|owes|gives|->|=>|\u2192|to)\s*"
_NOTHING = caseless(r"(?:none|nothing|no (?:payments?|transfers?)|0|n/a|\[\s*\]|-)?")


@dataclass
class _Term:
    """A finding in lines: ``said`` is how often it says what it moves."""

    finding: str
    payments: list[dict[str, Any]] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)


def in_lines(answer: str, agents: Sequence[str]) -> dict[str, Any]:
    """Return the object that lines stand for: ``Finding: …``, ``Payments: A pays B 2``.

    Payments are said of each term, or once for all of them: what repeats them is refused, since
    they would be added up.

    Raises:
        AnswerError: there is no finding, nothing is said of payments, or one cannot be read.
    """
    terms: list[_Term] = []
    critiques: dict[str, str] = {}
    for name, text in said_fields(answer, {**LINES, **dict.fromkeys(agents, ())}):
        if name in ("findings", "finding"):
            terms += [_Term(text)] if text else []
        elif name == "critiques" or name in agents:
            critiques |= {name: text} if name in agents else {}
        elif terms:
            _take(terms[-1], name, text, agents)
    if not terms:
        raise AnswerError("the answer is not a JSON object")
    with_payments = sum(1 for term in terms if term.said)
    is_repeated = any(term.said["payments"] + bool(term.said["payment"]) > 1 for term in terms)
    if is_repeated or with_payments not in (1, len(terms)):
        raise AnswerError(ONCE)
    findings = [
        {"finding": term.finding, **({"payments": term.payments} if term.said else {})}
        for term in terms
    ]
    return {"findings": findings, "critiques": critiques}


def _take(term: _Term, name: str, text: str, agents: Sequence[str]) -> None:
    """Add what a line says of a term's payments."""
    if name in ("payments", "payment"):
        term.said[name] += 1
        term.payments += payments_in(text, agents)
    elif name == "from":
        term.said["payment"] += not term.said
        term.payments.append({name: text})
    elif term.payments:
        term.payments[-1][name] = text


def payments_in(text: str, agents: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the payments of a text, such as ``A pays B 2 emeralds; B → A: 1``."""
    who = "|".join(map(re.escape, agents))
    amount = r"(?P<n{}>\d+(?:\.\d+)?)(?: emeralds?)?"
    form = caseless(
        rf"(?:from )?(?P<a1>{who}){_LINK}(?P<b1>{who})[\s:,=(]*{amount.format(1)}\)?"
        rf"|(?P<a2>{who}) (?:pays|owes|gives) {amount.format(2)} to (?P<b2>{who})"
        rf"|{amount.format(3)} from (?P<a3>{who}) to (?P<b3>{who})"
    )
    for part in re.split(r"[;\n]|,\s+(?=[A-Za-z])", text):
        said = part.strip(" .,*")
        found = form.fullmatch(said)
        if found is None and not _NOTHING.fullmatch(said):
            raise AnswerError(f"payments: {said[:60]!r} is not of the form A pays B 2")
        if found is not None:
            way = next(n for n in "123" if found[f"a{n}"])
            amount_said = float(found[f"n{way}"])
            yield {"from": found[f"a{way}"], "to": found[f"b{way}"], "amount": amount_said}
