"""Translation of a contract in words into clauses.

A model writes the clauses, and code checks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from pydantic import Field

from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Message, Question
from voxpolis.bots.models.typed import Answer, AnswerError, maybe, narrowed, one_of
from voxpolis.bots.prompts import quoted
from voxpolis.judge.contracts.clauses import FormalContract, check_clauses, in_words
from voxpolis.judge.contracts.contract import Contract, ContractError, Terms
from voxpolis.judge.prompts import messages

# The temperature of the judge, because the same text should always become the same clauses.
TEMPERATURE = 0.1


class ClauseAnswer(Answer):
    """One payment between two players when the game is over."""

    payer: str = Field(description="Who pays.")
    receiver: str = Field(description="Who is paid.")
    amount: str = Field(description="Emeralds, as an expression: 2 * held(PLAYER, ITEM)")
    condition: maybe(str) = Field(  # type: ignore[valid-type]
        description="A comparison under which the payment is due: dug(PLAYER, ITEM) >= 3. "
        "Without one: always."
    )


class Compiled(Answer):
    """The clauses that say what a contract in words says."""

    clauses: list[ClauseAnswer] | None = Field(
        description="All payments of the contract; null where clauses cannot say one of them, or "
        "where the contract names none."
    )


@dataclass(frozen=True)
class CompileRequest:
    """The data from which the compiler's prompt is built."""

    contract: Contract
    terms: Terms


@lru_cache(256)
def narrow_clause(players: tuple[str, ...]) -> type[ClauseAnswer]:
    """Return the answer type of a clause between the given players."""
    return narrowed(ClauseAnswer, payer=one_of(players), receiver=one_of(players))


@lru_cache(256)
def _compiled_type(players: tuple[str, ...]) -> type[Compiled]:
    return narrowed(Compiled, clauses=list[narrow_clause(players)] | None)  # type: ignore[misc]


def formal_of(clauses: Sequence[ClauseAnswer], terms: Terms) -> FormalContract:
    """Convert the clauses of an answer into a contract that code settles.

    Raises:
        AnswerError: a clause cannot be used or occurs twice.
    """
    parts = [(one.payer, one.receiver, one.amount, one.condition) for one in clauses]
    try:
        formal = check_clauses(parts, terms)
    except ContractError as error:
        raise AnswerError(f"the clauses cannot be used: {error}") from error
    if len(set(formal.lines)) < len(formal.lines):
        raise AnswerError("a clause occurs twice and would be paid twice; write each clause once")
    return formal


async def compile_contract(model: ChatModel, contract: Contract, terms: Terms) -> Contract:
    """Add clauses to a contract in words, and restate the clauses in words.

    Players accept the original words, the clauses and the restatement together, so they know what
    will be settled. Only the clauses are binding. If the contract already has clauses, or the words
    cannot be expressed as clauses, the contract is returned unchanged.
    """
    if contract.is_exact or not contract.text:
        return contract

    def read(answer: Compiled) -> FormalContract | None:
        return formal_of(answer.clauses, terms) if answer.clauses else None

    try:
        formal = await ask(
            model,
            Question(partial(compiler_messages, contract, terms)),
            Compiled,
            role="compiler",
            agent=None,
            temperature=TEMPERATURE,
            about=CompileRequest(contract, terms),
            narrow=partial(_compiled_type, tuple(terms.players)),
            read=read,
        )
    except AnswerError:
        formal = None
    if formal is None:
        return contract
    text = f"{contract.text}\nAs clauses:\n{formal}\nThat is:\n{in_words(formal)}"
    exact = replace(contract, text=text, rule=formal.transfers, clauses=formal.lines)
    return replace(exact, proposed=contract.text)


def compiler_messages(contract: Contract, terms: Terms) -> list[Message]:
    """Build the compiler's prompt."""
    return messages(
        "compiler",
        players=", ".join(terms.players),
        contract=quoted(contract.text),
        items=terms.describe(),
    )
