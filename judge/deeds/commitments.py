"""Conversion of the terms in an answer into promises and payments.

The terms of an offer belong together: if one term cannot be binding, the model is asked again for
the whole offer. A promise cannot be binding if it demands nothing or is impossible, or if the same
agent makes two different promises about the same deeds.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from voxpolis.bots.models.typed import Answer, AnswerError, line, narrowed, one_of
from voxpolis.judge.contracts.clauses import (
    MAX_CHARACTERS,
    Clause,
    FormalContract,
    check_clauses,
    kind_of,
)
from voxpolis.judge.contracts.contract import ContractError, Terms
from voxpolis.judge.deeds.account import PAYMENT, Account, Deeds, Form
from voxpolis.judge.deeds.promises import Commitments, Promise

# Maximum count in a promise. No deed in any game is done so often.
MOST_COUNTED = 100_000
# Maximum duration of a promise, in rounds.
MOST_ROUNDS = 1000
# Maximum number of promises in an agreement; also the maximum number of payments.
MOST_PROMISES = 4

# Returns how often an agent can do a form's deed to a thing in a round, or has done it at most so
# far. None means that this is not known yet.
Most = Callable[[Form, int], int | None]


class PaymentAnswer(Answer):
    """A payment when the game is over."""

    form: Literal["payment"] = "payment"
    payer: str = Field(description="Who pays.")
    receiver: str = Field(description="Who is paid.")
    amount: str = Field(description="A number, or an expression over counts: 2 * COUNT(NAME)")
    condition: str | None = Field(
        default=None, description="A comparison of counts: COUNT(NAME) >= 3. Null: always."
    )


_FIELDS: Mapping[str, Any] = {
    "number": Annotated[int, Field(ge=0, le=MOST_COUNTED)],
    "until": Annotated[int, Field(ge=1, le=MOST_COUNTED, description="The last round of it.")],
}


@lru_cache(256)
def term_types(
    forms: tuple[Form, ...], names: tuple[str, ...], things: tuple[int, ...]
) -> tuple[type[Answer], ...]:
    """Return the answer types of terms: one for each form of promises, and one for payments."""
    who, expression = one_of(names), line(MAX_CHARACTERS)
    thing: Any = Literal[things] if things else int
    kinds: dict[str, Any] = {**_FIELDS, "by": who, "other": who, "thing": thing}
    promises: Iterable[Any] = (
        create_model(  # type: ignore[call-overload]
            form.name,
            __base__=Answer,
            __doc__=form.words,
            form=(Literal[form.name], ...),
            **{name: (kinds[name], ...) for name in ("by", *form.of, "until")},
        )
        for form in forms
    )
    payment = narrowed(
        PaymentAnswer, payer=who, receiver=who, amount=expression, condition=expression | None
    )
    return (*promises, payment)


def stated_maximum(form: Form, _thing: int) -> int | None:
    """Return the maximum number of deeds per round that the form of a promise states."""
    return form.most


def payable(account: Account, players: Sequence[str], things: Iterable[int]) -> Terms:
    """Return the players and counts that the clauses of payments can name in a world."""
    counts = dict.fromkeys(Deeds(account).counts(players, things), MOST_COUNTED)
    return Terms(players, {}, counts=counts)


def read_terms(
    account: Account,
    terms: Sequence[Mapping[str, Any]],
    parties: Sequence[str],
    things: Iterable[int],
    now: int,
    most: Most = stated_maximum,
) -> Commitments:
    """Convert the terms of an offer into promises and payments.

    Args:
        account: how the world counts what agents do.
        terms: objects of the types that :func:`term_types` returns.
        parties: the agent that makes the offer and the agent that receives it.
        things: the numbers of the things that exist.
        now: the current round.
        most: returns the maximum number of deeds per round for a form and a thing.

    Raises:
        AnswerError: a term cannot be binding. The message is written for the agent that makes the
            offer.
    """
    things = tuple(things)
    promises: dict[object, Promise] = {}
    paid: list[Mapping[str, Any]] = []
    for one in terms:
        if one["form"] == PAYMENT:
            paid += [] if one in paid else [one]
            continue
        promise = _promise(account, one)
        if problem := _problem(promise, parties, things, now, most(promise.form, promise.thing)):
            raise AnswerError(f'"{promise}": {problem}')
        if promises.setdefault(promise.about, promise) != promise:
            raise AnswerError(f'"{promises[promise.about]}" and "{promise}": promise it once')
    if max(len(promises), len(paid)) > MOST_PROMISES:
        raise AnswerError(
            f"terms: at most {MOST_PROMISES} promises, and the same number of payments"
        )
    payments = _payments(paid, payable(account, parties, things)) if paid else None
    return Commitments(tuple(promises.values()), payments)


def say(promise: Promise) -> dict[str, Any]:
    """Convert a promise into the JSON object of an answer."""
    return {
        "form": promise.form.name,
        **{name: getattr(promise, name) for name in ("by", *promise.form.of, "until")},
    }


def _promise(account: Account, answer: Mapping[str, Any]) -> Promise:
    form = next(one for one in account.forms if one.name == answer["form"])
    given = {name: answer[name] for name in form.of}
    return Promise(form, answer["by"], answer["until"], **given)


def _problem(
    promise: Promise, parties: Sequence[str], things: Sequence[int], now: int, most: int | None
) -> str:
    others = [name for name in parties if name != promise.by]
    if promise.by not in parties or ("other" in promise.form.of and promise.other not in others):
        return f"terms bind only {' and '.join(parties)}"
    if "thing" in promise.form.of and promise.thing not in things:
        return f"there is no number {promise.thing}"
    if not now <= promise.until <= now + MOST_ROUNDS:
        return (
            f"it is round {now}; a promise lasts until this round or one of the next {MOST_ROUNDS}"
        )
    rounds = promise.until - now + 1
    if promise.form.at_least:
        if promise.number == 0:
            return "to do something 0 times or more demands nothing"
        limit = promise.form.most
        can_be = limit is None or promise.number <= limit * rounds
        return "" if can_be else f"no agent can do that more than {limit} times in a round"
    if promise.number == 0 or (most is not None and promise.number < most * rounds):
        return ""
    if most is None:
        return "it is not known yet how often that can be done in a round; promise 0, or later"
    told = "can do" if promise.form.most is not None else "has done"
    return f"it demands nothing: no agent {told} more than {most} of that in a round"


def _payments(paid: Sequence[Mapping[str, Any]], terms: Terms) -> FormalContract:
    parts = [(one["payer"], one["receiver"], one["amount"], one["condition"]) for one in paid]
    try:
        contract = check_clauses(parts, terms)
    except ContractError as error:
        raise AnswerError(str(error)) from error
    known: dict[object, Clause] = {}
    # Two different amounts for the same deed and condition are a mistake.
    for one in contract.clauses:
        condition = ast.unparse(one.condition) if one.condition else ""
        other = known.setdefault((*kind_of(one, terms), condition), one)
        if str(other) != str(one):
            raise AnswerError(f'"{other}" and "{one}": state once how much is paid')
    return contract
