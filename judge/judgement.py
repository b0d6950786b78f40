"""Reading what a judge model found: a finding for each term, with its payments, and critiques.

It is asked for one JSON object; lines that say the same in words are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bots.structured import (
    AnswerError,
    Names,
    UnconfirmedError,
    only_reading,
    refuse_withdrawn,
    says_how_sure,
    says_whether_it_holds,
    was_said,
)
from bots.structured.outside import BesideError
from judge.finding_checks import ONCE, Found, check_findings
from judge.finding_words import Moved
from judge.judgement_forms import balanced, reckoned, refuse_beside, refuse_note, with_objects
from judge.judgement_lines import LINES, in_lines, payments_in
from judge.judgement_remarks import is_reason
from records.text import caseless

#: The fields of the object that is asked for.
_FIELDS: Names = {"findings": ("finding",), "critiques": ("critique",)}
#: What a term's object may call its payments, and the parts of one.
_PAYMENTS = ("payments", "payment", "transfers", "transfer")
_PARTS = {
    **dict.fromkeys(("from", "payer"), "from"),
    **dict.fromkeys(("to", "receiver", "payee", "recipient"), "to"),
    **dict.fromkeys(("amount", "emeralds"), "amount"),
}
#: Names of fields that say what is paid, and of those that say which term a finding is about.
_PAID = re.compile(r"payments?|transfers?|settlement|total|owed")
_TERMS = ("term", "clause", "number", "id", "index", "no")
#: Names of fields that explain a finding, or say whether its term was kept.
_EXPLAINS = re.compile(
    r"(?:reason|thought|note|comment|remark|explanation|argument)s?|reasoning|rationale|analysis"
    r"|thinking|evidence|basis|calculation|computation|summary|overall|conclusion|consequence|status"
    r"|state|verdict|result|outcome|why|text|quote|rule|description|title|name|contract|episode|scenario"
    r"|(?:is_|was_|term_|condition_)?(?:kept|met|fulfilled|satisfied|breach(?:ed)?|violated|broken"
    r"|valid|binding|final|applie[sd]|applicable|applied|triggered|held|active|effective|in_force)"
)
#: Names of fields that are read, of all objects.
_READ = ("findings", "finding", "critiques", "critique", *_PAYMENTS)
#: Of a payment: what its amount is counted in.
_UNITS = {"currency": "emeralds", "unit": "emeralds", "units": "emeralds"}
#: Remarks of a payment, each of which says no more than why it is made.
_REMARK_NAMES = ("reason", "reasoning", "note", "notes", "comment", "description", "why", "for")
#: An amount that a model wrote as a text.
_AMOUNT = caseless(r"(\d+(?:\.\d+)?)(?: emeralds?)?")


class Payment(BaseModel):
    """What one term of a contract moves, by the judge model's finding."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    payer: str = Field(alias="from")
    receiver: str = Field(alias="to")
    amount: float = Field(ge=0, allow_inf_nan=False, strict=True)


class Finding(BaseModel):
    """What the judge model found of one term; ``term``: its number, empty where none is said.

    ``remarks``: what it says beside the finding. ``is_told``: whether the payments were said of
    this very term.
    """

    model_config = ConfigDict(extra="forbid")

    finding: str
    payments: list[Payment] = []
    term: str = ""
    remarks: str = ""
    is_told: bool = True


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

    @property
    def moved(self) -> Sequence[Moved]:
        """The payments as payer, receiver and amount."""
        return [(one.payer, one.receiver, one.amount) for one in self.payments]


def read_findings(answer: str, agents: Sequence[str], contract: str = "") -> Judgement:
    """Return what a judge model's answer says.

    Args:
        answer: what it says.
        agents: the players.
        contract: its text.

    Raises:
        UnconfirmedError: words beside it may correct it, and the payments were not said before.
        AnswerError: it is not of the form, names others than the players, or contradicts itself;
            see :func:`judge.finding_checks.check_findings`.
    """
    told = with_objects(answer)
    judgement = only_reading(
        told,
        lambda found: _read(found, agents, contract),
        _FIELDS,
        lambda text: in_lines(text, agents),
        sees_others=True,
    )
    fields = {**LINES, **dict.fromkeys(agents, ())}
    try:
        refuse_beside(told, judgement.reasons, judgement.moved, agents, fields)
    except BesideError as problem:
        if not was_said(judgement.moved):
            raise UnconfirmedError(judgement.moved, problem.words) from problem
    return judgement


def _read(found: dict[str, Any], agents: Sequence[str], contract: str) -> Judgement:
    try:
        said = _Answer.model_validate(_as_asked(found, agents))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise AnswerError(f"{place}: {first['msg']}") from error
    moved = [[_between(payment, agents) for payment in term.payments] for term in said.findings]
    terms = [
        Found(
            term.term,
            "\n".join(part for part in (term.finding, term.remarks) if part),
            [(one.payer, one.receiver, one.amount) for one in own],
            term.is_told,
        )
        for term, own in zip(said.findings, moved, strict=True)
    ]
    check_findings(terms, agents, contract)
    reasons = [term.finding for term in said.findings]
    payments = [one for own in moved for one in own]
    judgement = Judgement(reasons, payments, _critiques(said.critiques, agents))
    for name, text in _notes(found, agents).items():
        refuse_note(name, text, reasons, judgement.moved, agents)
    return judgement


def _notes(found: dict[str, Any], agents: Sequence[str]) -> dict[str, str]:
    """Return what an object says in fields of its own behind its findings, or to no player."""
    whole = _lowered(found)
    names = list(whole)
    at = next((n for n, name in enumerate(names) if name in ("findings", "finding")), 0)
    own = (*_READ, *_PARTS, *_TERMS)
    told = [name for name in names[at + 1 :] if name not in own and isinstance(whole[name], str)]
    notes = {name: whole[name] for name in told if not says_how_sure(name, whole[name])}
    critiques = whole.get("critiques")
    others = critiques.items() if isinstance(critiques, dict) else ()
    return notes | {
        str(name): text for name, text in others if isinstance(text, str) and name not in agents
    }


def _between(payment: Payment, agents: Sequence[str]) -> Payment:
    """Return a payment with the players' own names.

    Raises:
        AnswerError: it names somebody else.
    """
    known = {name.casefold(): name for name in agents}
    names = (payment.payer, payment.receiver)
    payer, receiver = (known.get(name.strip().casefold()) for name in names)
    if payer is None or receiver is None:
        raise AnswerError(f"payments are between {', '.join(agents)}")
    return payment.model_copy(update={"payer": payer, "receiver": receiver})


def _critiques(found: object, agents: Sequence[str]) -> Mapping[str, str]:
    """Return the critiques that can be used; a judgement stands without them."""
    if not isinstance(found, dict):
        return {}
    pairs = ((agent, found.get(agent)) for agent in agents)
    return {agent: text for agent, text in pairs if isinstance(text, str) and text}


# --- Objects --------------------------------------------------------------------------------------


def _as_asked(found: dict[str, Any], agents: Sequence[str]) -> dict[str, Any]:
    """Return a judge model's object with its terms as a list, and their payments as objects.

    Payments are said of each term, or once for all of them, as in lines.

    Raises:
        AnswerError: nothing is said of payments, or too much, or one cannot be read.
    """
    whole = _lowered(found)
    terms = whole.get("findings")
    if isinstance(terms, str):
        terms = {"finding": terms}
    if isinstance(terms, dict):
        terms = [terms]
    if not isinstance(terms, list) or not terms:
        return whole
    asked = [{"finding": term} if isinstance(term, str) else term for term in terms]
    if not all(isinstance(term, dict) for term in asked):
        return whole
    asked = [_lowered(term) for term in asked]
    said: list[list[Any] | None] = [_said_payments(term, agents) for term in asked]
    of_all = _said_payments(whole, agents)
    of_one = of_all is None and sum(one is not None for one in said) == 1
    if all(one is None for one in said) and of_all is not None:
        said = [of_all, *(None for _ in asked[1:])]
        of_one = True
    elif of_all and of_all not in ([], [one for term in said for one in term or []]):
        raise AnswerError(ONCE)
    if sum(one is not None for one in said) not in (1, len(said)):
        raise AnswerError(ONCE)
    for told, one in zip(asked, said, strict=True):
        refuse_withdrawn(told if one else {}, moves=True)
    refuse_withdrawn(whole, moves=any(said))
    _remarks(whole)
    findings = [
        {
            "finding": term.get("finding"),
            "payments": one or [],
            "term": _term(term),
            "remarks": _remarks(term, is_term=True, moves=bool(one)),
            "is_told": not of_one or len(said) == 1,
        }
        for term, one in zip(asked, said, strict=True)
    ]
    return {"findings": findings, "critiques": whole.get("critiques")}


def _term(found: dict[str, Any]) -> str:
    """Return the number of the term that a finding is about; empty: it does not say one."""
    told = (found[name] for name in _TERMS if isinstance(found.get(name), int | str))
    return next((number[0] for one in told if (number := re.match(r"\d+", str(one)))), "")


def _remarks(found: dict[str, Any], *, is_term: bool = False, moves: bool = False) -> str:
    """Return what an object says in fields that nobody asked for.

    Raises:
        AnswerError: one says what is paid, or may change it: a number, a list, an object.
    """
    remarks = []
    for name, value in found.items():
        if name in (*_READ, *_PARTS, *_TERMS) or value is None or value in ("", [], {}):
            continue
        if says_how_sure(name, value):
            continue
        if value is False and moves:
            raise AnswerError(f'say in the finding what follows, and leave out "{name[:30]}"')
        is_remark = isinstance(value, bool) or (
            isinstance(value, str) and not _AMOUNT.fullmatch(value.strip())
        )
        if _PAID.search(name) or not is_remark:
            raise AnswerError(f'say what is paid in "payments" only, not in "{name[:30]}"')
        is_note = name in _REMARK_NAMES and name not in ("reason", "reasoning", "why")
        if is_term and is_note and not is_reason(str(value), {}):
            raise AnswerError(f'say in the finding what follows, and leave out "{name[:30]}"')
        if not (_EXPLAINS.fullmatch(name) or says_whether_it_holds(name)):
            raise AnswerError(f'an object has no field "{name[:30]}"; leave it out')
        remarks += [value] if isinstance(value, str) else []
    return "\n".join(remarks)


def _lowered(found: dict[str, Any]) -> dict[str, Any]:
    return {str(key).strip().lower(): value for key, value in found.items()}


def _said_payments(found: dict[str, Any], agents: Sequence[str]) -> list[Any] | None:
    """Return what an object says of payments, under whichever name; None: nothing.

    Raises:
        AnswerError: it says two things.
    """
    told = [found[name] for name in _PAYMENTS if name in found]
    one = {asked: found[name] for name, asked in _PARTS.items() if name in found}
    told += [one] if one else []
    read = [_payments_as_asked(value, agents) for value in told]
    if any(other != read[0] for other in read):
        raise AnswerError(ONCE)
    return read[0] if read else None


def _payments_as_asked(said: Any, agents: Sequence[str]) -> list[Any]:
    if isinstance(said, dict) and (moved := balanced(said, agents)) is not None:
        return moved
    if not isinstance(said, list):
        said = [] if said is None else [said]
    return [one for payment in said for one in _payment_as_asked(payment, agents)]


def _payment_as_asked(said: Any, agents: Sequence[str]) -> Iterator[Any]:
    """Yield the payments of a list's item: an object, or a text such as ``A pays B 2``."""
    if isinstance(said, str):
        yield from payments_in(said, agents)
        return
    if not isinstance(said, dict):
        raise AnswerError(f"payments: {str(said)[:60]!r} is not of the form A pays B 2")
    payment: dict[str, Any] = {}
    fields = _lowered(said)
    way = {asked: fields[name] for name, asked in _PARTS.items() if name in fields}
    for name, value in fields.items():
        if name in _UNITS and str(value).strip().lower().rstrip("s") + "s" == _UNITS[name]:
            continue
        is_text = name in _REMARK_NAMES and isinstance(value, str | None)
        if is_text and is_reason(value or "", way):
            continue
        part = _PARTS.get(name)
        if part is None or payment.setdefault(part, value) != value:
            raise AnswerError(
                f'a payment has one "from", one "to" and one "amount", which is what is paid in '
                f'all; leave out "{name[:30]}"'
            )
    amount = payment.get("amount")
    number = _AMOUNT.fullmatch(amount.strip()) if isinstance(amount, str) else None
    said_amount = reckoned(amount) if isinstance(amount, str) and not number else None
    if number or said_amount is not None:
        payment["amount"] = float(number[1]) if number else said_amount
    yield payment
