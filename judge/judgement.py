"""What a judge model answers: a finding for each term of a contract, with its payments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import Field

from voxpolis.bots.models.typed import Answer, AnswerError, narrowed, one_of, text
from voxpolis.judge.formal import LARGEST_AMOUNT

#: A line of a contract that begins with a number is a term of this number.
_NUMBERED = re.compile(r"(\d{1,3})[.):]")


class Payment(Answer):
    """What one player pays another by a term."""

    payer: str = Field(alias="from", description="Who pays.")
    receiver: str = Field(alias="to", description="Who is paid.")
    amount: float = Field(
        ge=0, le=LARGEST_AMOUNT, allow_inf_nan=False, description="Emeralds, all that is paid."
    )


class Finding(Answer):
    """What follows from one term of the contract."""

    term: int = Field(description="The term's number.")
    reason: text() = Field(  # type: ignore[valid-type]
        description="One sentence: whether the term was kept, and what follows."
    )
    payments: list[Payment] = Field(description="What is paid by this term; often nothing.")


class Critique(Answer):
    """What a judge has to say to a player."""

    player: str
    critique: text() = Field(  # type: ignore[valid-type]
        description="One or two sentences: what it did well or badly, and what would serve it."
    )


class Ruling(Answer):
    """The judgement on a contract."""

    findings: list[Finding] = Field(min_length=1, description="One for each term, in their order.")
    critiques: list[Critique] = Field(description="One for each player.")


def ruling_type(agents: Sequence[str], contract: str) -> type[Ruling]:
    """Return the type of a ruling that names only the players and the contract's own terms."""
    return _ruling_type(tuple(agents), tuple(sorted(terms_of(contract))))


@lru_cache(256)
def _ruling_type(agents: tuple[str, ...], terms: tuple[int, ...]) -> type[Ruling]:
    player = one_of(agents, "player")
    payment = narrowed(Payment, payer=player, receiver=player)
    finding = narrowed(Finding, payments=list[payment])  # type: ignore[valid-type]
    if terms:
        finding = narrowed(finding, term=one_of(terms))  # type: ignore[arg-type]
    critique = narrowed(Critique, player=player)
    return narrowed(Ruling, findings=list[finding], critiques=list[critique])  # type: ignore[valid-type]


def terms_of(contract: str) -> set[int]:
    """Return the numbers of a contract's terms; none, unless each of its lines belongs to one."""
    lines = [line for line in contract.splitlines() if line.strip() and line[0] not in " \t"]
    numbers = [int(found[1]) for line in lines if (found := _NUMBERED.match(line))]
    return set(numbers) if len(numbers) == len(lines) else set()


def check_ruling(ruling: Ruling, agents: Sequence[str], contract: str) -> None:
    """Refuse a ruling of which it is not clear what it moves.

    Args:
        ruling: what the judge answers.
        agents: the players.
        contract: its text.

    Raises:
        AnswerError: it names somebody else, somebody pays itself, or a term of the contract has no
            finding or two.
    """
    for one in (payment for finding in ruling.findings for payment in finding.payments):
        if not {one.payer, one.receiver} <= set(agents):
            raise AnswerError(f"payments are between {', '.join(agents)}")
        if one.payer == one.receiver:
            raise AnswerError(f"{one.payer} cannot pay {one.payer}: payments are between players")
    found = [finding.term for finding in ruling.findings]
    if len(set(found)) < len(found):
        raise AnswerError("make one finding for each term, with all of its payments")
    terms = terms_of(contract)
    if terms and (others := set(found) - terms):
        raise AnswerError(f"the contract has no term {min(others)}; make no finding on all terms")
    if missing := terms - set(found):
        raise AnswerError(f"there is no finding on term {min(missing)}")
