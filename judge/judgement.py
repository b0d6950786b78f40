"""Reading what a judge model found: a finding for each term, with its payments, and critiques.

It is asked for one JSON object; lines that say the same in words are read, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bots.structured import AnswerError, Names, only_reading, said_fields

#: The fields of the object that is asked for.
_FIELDS: Names = {"findings": ("finding",), "critiques": ("critique",)}
#: The fields of lines that say the same.
_LINES: Names = {
    "findings": (),
    "finding": ("term", "clause"),
    "payments": ("transfers",),
    "payment": ("transfer",),
    "from": ("payer",),
    "to": ("receiver",),
    "amount": ("emeralds",),
    "critiques": ("critique",),
}
#: An amount that a model wrote as a text.
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)(?: emeralds?)?", re.IGNORECASE)
_LINK = r"\s*(?:pays|owes|gives|->|=>|\u2192|to)\s*"
_NOTHING = re.compile(
    r"(?:none|nothing|no (?:payments?|transfers?)|0|n/a|\[\s*\]|-)?", re.IGNORECASE
)


class Payment(BaseModel):
    """What one term of a contract moves, by the judge model's finding."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    payer: str = Field(alias="from")
    receiver: str = Field(alias="to")
    amount: float = Field(ge=0, allow_inf_nan=False, strict=True)


class Finding(BaseModel):
    """What the judge model found of one term."""

    model_config = ConfigDict(extra="ignore")

    finding: str
    payments: list[Payment] = []


class _Answer(BaseModel):
    """The judge model's answer: a finding for each term, and a critique for each player."""

    model_config = ConfigDict(extra="ignore")

    findings: list[Finding] = Field(min_length=1)
    critiques: object = None


@dataclass(frozen=True)
class Judgement:
    """What a judge model found; ``payments`` are between players, by their own names.

    ``reasons`` has a sentence for each term, ``critiques`` what there is to say to each player.
    """

    reasons: Sequence[str]
    payments: Sequence[Payment]
    critiques: Mapping[str, str] = field(default_factory=dict)


def read_findings(answer: str, agents: Sequence[str]) -> Judgement:
    """Return what a judge model's answer says.

    Raises:
        AnswerError: it is not of the form, or names others than the players.
    """
    return only_reading(
        answer,
        lambda found: _read(found, agents),
        _FIELDS,
        lambda text: _in_lines(text, agents),
    )


def _read(found: dict[str, Any], agents: Sequence[str]) -> Judgement:
    try:
        said = _Answer.model_validate(_as_asked(found))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise AnswerError(f"{place}: {first['msg']}") from error
    known = {name.casefold(): name for name in agents}
    payments = []
    for one in (payment for term in said.findings for payment in term.payments):
        payer, receiver = (known.get(n.strip().casefold()) for n in (one.payer, one.receiver))
        if payer is None or receiver is None:
            raise AnswerError(f"payments are between {', '.join(agents)}")
        payments.append(one.model_copy(update={"payer": payer, "receiver": receiver}))
    reasons = [term.finding for term in said.findings]
    return Judgement(reasons, payments, _critiques(said.critiques, agents))


def _critiques(found: object, agents: Sequence[str]) -> Mapping[str, str]:
    """Return the critiques that can be used; a judgement stands without them."""
    if not isinstance(found, dict):
        return {}
    pairs = ((agent, found.get(agent)) for agent in agents)
    return {agent: text for agent, text in pairs if isinstance(text, str) and text}


# --- Objects --------------------------------------------------------------------------------------


def _as_asked(found: dict[str, Any]) -> dict[str, Any]:
    """Return a judge model's object with a single term as a list, and amounts as numbers."""
    terms = found.get("findings")
    if isinstance(terms, str):
        terms = {"finding": terms}
    if isinstance(terms, dict):
        terms = [terms]
    if not isinstance(terms, list):
        return found
    terms = [{"finding": term} if isinstance(term, str) else term for term in terms]
    asked = [_term_as_asked(term) if isinstance(term, dict) else term for term in terms]
    is_last = asked and isinstance(asked[-1], dict)
    if is_last and not any(isinstance(term, dict) and term.get("payments") for term in asked):
        asked[-1] = _term_as_asked({**asked[-1], "payments": found.get("payments")})
    return {**found, "findings": asked}


def _term_as_asked(found: dict[str, Any]) -> dict[str, Any]:
    term = {str(key).lower(): value for key, value in found.items()}
    payments = term.get("payments") or []
    if isinstance(payments, dict):
        payments = [payments]
    if not isinstance(payments, list):
        return term
    return {**term, "payments": [_payment_as_asked(one) for one in payments]}


def _payment_as_asked(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    payment = {str(key).lower(): value for key, value in found.items()}
    amount = payment.get("amount")
    number = _AMOUNT.fullmatch(amount.strip()) if isinstance(amount, str) else None
    return {**payment, "amount": float(number[1])} if number else payment


# --- Lines ----------------------------------------------------------------------------------------


@dataclass
class _Term:
    """A finding in lines: ``said`` is how often it says what it moves."""

    finding: str
    payments: list[dict[str, Any]] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)


def _in_lines(answer: str, agents: Sequence[str]) -> dict[str, Any]:
    """Return the object that lines stand for: ``Finding: …``, ``Payments: A pays B 2``.

    Payments are said of each term, or once for all of them: what repeats them is refused, since
    they would be added up.

    Raises:
        AnswerError: there is no finding, nothing is said of payments, or one cannot be read.
    """
    terms: list[_Term] = []
    critiques: dict[str, str] = {}
    for name, text in said_fields(answer, {**_LINES, **dict.fromkeys(agents, ())}):
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
        raise AnswerError("say of each term once which payments follow, or that none do")
    findings = [{"finding": term.finding, "payments": term.payments} for term in terms]
    return {"findings": findings, "critiques": critiques}


def _take(term: _Term, name: str, text: str, agents: Sequence[str]) -> None:
    """Add what a line says of a term's payments."""
    if name in ("payments", "payment"):
        term.said[name] += 1
        term.payments += _payments(text, agents)
    elif name == "from":
        term.said["payment"] += not term.said
        term.payments.append({name: text})
    elif term.payments:
        term.payments[-1][name] = text


def _payments(text: str, agents: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the payments of a text, such as ``A pays B 2 emeralds; B → A: 1``."""
    who = "|".join(map(re.escape, agents))
    amount = r"(?P<n{}>\d+(?:\.\d+)?)(?: emeralds?)?"
    form = re.compile(
        rf"(?:from )?(?P<a1>{who}){_LINK}(?P<b1>{who})[\s:,=(]*{amount.format(1)}\)?"
        rf"|(?P<a2>{who}) (?:pays|owes|gives) {amount.format(2)} to (?P<b2>{who})"
        rf"|{amount.format(3)} from (?P<a3>{who}) to (?P<b3>{who})",
        re.IGNORECASE,
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
