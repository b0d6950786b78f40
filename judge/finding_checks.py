"""Whether a judge model's findings agree with their payments, and with each other.

Payments are added up: a finding that sums up others would be paid twice, and one that says another
amount than its payments, or a payment that there is not, was not meant as it reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import isclose

from bots.structured import AnswerError
from judge.finding_words import (
    Moved,
    contradiction,
    is_open,
    lacks_payer,
    other_payer,
    says_payment,
)
from records.text import caseless

ONCE = "say of each term once which payments follow, or that none do"
_NO_SUMMARY = (
    "each finding is about one term of the contract, and its payments are added up for you: leave "
    'out what sums up other findings, or give each its "term"'
)
#: A line of a contract that begins with a number is a term of this number.
_NUMBERED = caseless(r"(?:\*\*|#+ *)?(?:(?:term|clause) +)?(\d{1,3})[.):]")
#: How a finding begins that is about others.
_SUMS_UP = caseless(
    r"\W*(?:(?:the|as a|final|overall|in)\s+)*"
    r"(?:net|(?:sub-?)?total|sum(?:mary)?|overall|all in all|in all|altogether|together|combined"
    r"|settlement|balance|conclusion)\b"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
#: What takes back, in a sentence or behind it, that somebody pays.
_NOTHING_FOLLOWS = caseless(
    r"\b(?:no|not|nothing|none|never|nobody|neither|without|zero|unmet|fail(?:s|ed)?|void|would)\b"
    r"|n't\b|\b0\b(?!\.\d)"
)


@dataclass(frozen=True)
class Found:
    """A finding: its term's number (empty: it says none), its words, and its payments.

    ``payments``: payer, receiver and amount of each. ``is_told``: whether the payments were said of
    this very term, and not once for all of them.
    """

    term: str
    words: str
    payments: Sequence[Moved]
    is_told: bool = True


def check_findings(findings: Sequence[Found], agents: Collection[str], contract: str) -> None:
    """Refuse findings of which it is not clear what they move in all.

    Args:
        findings: in their order, with the players' own names.
        agents: the players.
        contract: its text.

    Raises:
        AnswerError: somebody pays itself, a term stands twice or is none of the contract, a finding
            sums up others, or words and payments contradict each other.
    """
    for payer, receiver, _ in (payment for one in findings for payment in one.payments):
        if payer == receiver:
            raise AnswerError(f"{payer} cannot pay {payer}: payments are between players")
    _check_terms(findings, contract)
    whole = [payment for one in findings for payment in one.payments]
    for one in findings:
        _check_words(one, whole, agents)


def _check_terms(findings: Sequence[Found], contract: str) -> None:
    moving = [one for one in findings if any(amount for _, _, amount in one.payments)]
    there = _terms(contract)
    terms = [one.term for one in moving]
    named = [term for term in terms if term]
    if len(set(named)) < len(named):
        raise AnswerError(ONCE)
    for term in named:
        if there and term not in there:
            raise AnswerError(f"the contract has no term {term}; {_NO_SUMMARY}")
    if there and len(moving) > len(there):
        raise AnswerError(f"more findings have payments than the contract has terms; {_NO_SUMMARY}")
    if there and len(named) == len(moving):
        return
    for number, one in enumerate(moving):
        others = [other for other in moving if other is not one]
        is_last = number == len(moving) - 1 and len(others) > 1 and len(named) < len(moving)
        if others and (_SUMS_UP.match(one.words) or (is_last and _is_sum(one, others))):
            raise AnswerError(_NO_SUMMARY)


def _terms(contract: str) -> set[str]:
    """Return the numbers of a contract's terms; none, unless each of its lines belongs to one."""
    lines = [line for line in contract.splitlines() if line.strip() and line[0] not in " \t"]
    numbers = [found[1] for line in lines if (found := _NUMBERED.match(line))]
    return set(numbers) if len(numbers) == len(lines) else set()


def _is_sum(one: Found, others: Sequence[Found]) -> bool:
    """Whether a finding moves what others move together, set off or not."""
    each = [payment for other in others for payment in other.payments]
    return _same(_net(one.payments), _net(each)) or _same(_gross(one.payments), _gross(each))


def _net(payments: Iterable[Moved]) -> dict[tuple[str, str], float]:
    totals: dict[tuple[str, str], float] = {}
    for payer, receiver, amount in payments:
        low, high = sorted((payer, receiver))
        sign = 1 if payer == low else -1
        totals[low, high] = totals.get((low, high), 0.0) + sign * amount
    return totals


def _gross(payments: Iterable[Moved]) -> dict[tuple[str, str], float]:
    totals: dict[tuple[str, str], float] = {}
    for payer, receiver, amount in payments:
        totals[payer, receiver] = totals.get((payer, receiver), 0.0) + amount
    return totals


def _same(one: dict[tuple[str, str], float], other: dict[tuple[str, str], float]) -> bool:
    return all(_close(one.get(pair, 0.0), other.get(pair, 0.0)) for pair in {*one, *other})


def _close(one: float, other: float) -> bool:
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-2)


def _check_words(one: Found, whole: Sequence[Moved], agents: Collection[str]) -> None:
    """Refuse words that say of a payment what the payments do not.

    Without any, no sentence says that a player pays a number, unless it or a later one takes that
    back. With some, see :func:`judge.finding_words.contradiction`.
    """
    payments = one.payments if one.is_told else whole
    if not any(amount for _, _, amount in payments):
        sentences = _SENTENCE.split(one.words)
        said = [n for n, part in enumerate(sentences) if says_payment(part, agents)]
        if said and not any(map(_NOTHING_FOLLOWS.search, sentences[said[-1] :])):
            raise AnswerError(f"the finding {one.words[:60]!r} says that somebody pays, and {ONCE}")
        return
    said_else = contradiction(one.words, payments, agents, is_told=one.is_told)
    if said_else:
        raise AnswerError(
            f"the finding {one.words[:60]!r} says {said_else}, and its payments do not"
        )
    if one.is_told and lacks_payer(one.words, payments, agents):
        raise AnswerError(
            f"the finding {one.words[:60]!r} denies something, and has payments: say in it who "
            "pays, and why"
        )
    other = other_payer(one.words, payments, agents) if one.is_told else ""
    if other:
        raise AnswerError(
            f"the finding {one.words[:60]!r} says that {other} pays, and its payments do not"
        )
    if one.is_told and is_open(one.words, payments, agents):
        payer, receiver, amount = next(moved for moved in payments if moved[2])
        raise AnswerError(
            f"the finding {one.words[:60]!r} has payments, and does not end with what is paid: say "
            f"last who pays whom how much, such as {payer} pays {receiver} {amount:g}"
        )
