"""The judge, which turns a contract and the outcome of a game into transfers that sum to zero."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal

from pydantic import Field

from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Message, Question
from voxpolis.bots.models.typed import Answer, AnswerError, narrowed, one_of, text
from voxpolis.bots.prompts import quoted
from voxpolis.front import describe_error
from voxpolis.judge.contracts.clauses import LARGEST_AMOUNT
from voxpolis.judge.contracts.contract import Contract, Outcome
from voxpolis.judge.prompts import messages, render

# --- The answer of the judge model: for each term of the contract a finding with its payments -----

# A numbered line of a contract is a term with this number.
_NUMBERED = re.compile(r"(\d{1,3})[.):]")


class Payment(Answer):
    """Payment of one player to another by a term."""

    payer: str = Field(alias="from", description="Who pays.")
    receiver: str = Field(alias="to", description="Who is paid.")
    amount: float = Field(
        ge=0, le=LARGEST_AMOUNT, allow_inf_nan=False, description="Emeralds, all that is paid."
    )


class Finding(Answer):
    """Consequence of one term of the contract."""

    term: int = Field(description="The term's number.")
    reason: text() = Field(  # type: ignore[valid-type]
        description="One sentence: whether the term was kept, and what follows."
    )
    payments: list[Payment] = Field(description="What is paid by this term; often nothing.")


class Critique(Answer):
    """Critique of a player by the judge."""

    player: str
    critique: text() = Field(  # type: ignore[valid-type]
        description="One or two sentences: what it did well or badly, and what would serve it."
    )


class Ruling(Answer):
    """The judgement on a contract."""

    findings: list[Finding] = Field(min_length=1, description="One for each term, in their order.")
    critiques: list[Critique] = Field(description="One for each player.")


@lru_cache(256)
def ruling_type(agents: tuple[str, ...], contract: str) -> type[Ruling]:
    """Return the type of a ruling about the given players and the contract's terms."""
    player, terms = one_of(agents, "player"), sorted(terms_of(contract))
    payment = narrowed(Payment, payer=player, receiver=player)
    finding = narrowed(Finding, payments=list[payment])  # type: ignore[valid-type]
    if terms:
        finding = narrowed(finding, term=one_of(terms))  # type: ignore[arg-type]
    critique = narrowed(Critique, player=player)
    return narrowed(Ruling, findings=list[finding], critiques=list[critique])  # type: ignore[valid-type]


def terms_of(contract: str) -> set[int]:
    """Return the numbers by which a contract numbers its terms.

    The result is empty unless every line belongs to a numbered term.
    """
    lines = [line for line in contract.splitlines() if line.strip() and line[0] not in " \t"]
    numbers = [int(found[1]) for line in lines if (found := _NUMBERED.match(line))]
    return set(numbers) if len(numbers) == len(lines) else set()


# --- The case that the judge model reads: facts of the game, separate from the players' words -----


@dataclass(frozen=True)
class Case:
    """A case for the judge.

    Attributes:
        outcome: the outcome of the episode according to the world.
        text: the outcome in words. Text that players wrote is quoted (:func:`quoted`).
        means: the maximum that each player can pay, in emeralds; None if there is no limit.
        worth: for each agent, what one piece of each item is worth to the agent, in emeralds.
        values: for each agent, what all items of the agent together are worth to the agent, in
            emeralds.
    """

    contract: Contract
    agents: tuple[str, ...]
    outcome: Outcome
    text: str
    means: Mapping[str, float] | None = None
    setting: str = ""
    worth: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)


def judge_messages(case: Case) -> list[Message]:
    """Build the prompt of the judge model."""
    lines = []
    for agent in case.agents:
        for item, count in case.outcome.held.get(agent, {}).items():
            lines.append(f"- {agent} holds {count} {item}{_worth(case, agent, item, count)}.")
        if agent in case.values:
            lines.append(f"- All that {agent} has is worth {case.values[agent]:g} to {agent}.")
        for item, count in case.outcome.dug.get(agent, {}).items():
            lines.append(f"- {agent} dug {count} {item}.")
        lines.append(f"- {agent} sent {case.outcome.signals.get(agent, 0)} signals.")
    record = case.text
    if case.means is not None:
        most = ", ".join(f"{agent} {amount:g}" for agent, amount in case.means.items())
        record += f"\nNobody can pay more than what it has is worth, in emeralds: {most}."
    return messages(
        "judge",
        players=", ".join(case.agents),
        setting=case.setting or "Nothing is known of the game beyond what follows.",
        holdings="\n".join(lines),
        record=record,
        contract=quoted(case.contract.text),
        examples=render("judge_examples"),
    )


def _worth(case: Case, owner: str, item: str, count: int) -> str:
    worths = {name: own[item] for name in case.agents if item in (own := case.worth.get(name, {}))}
    if owner not in worths:
        return ""
    others = [f"{worth:g} to {agent}" for agent, worth in worths.items() if agent != owner]
    told = f", each worth {worths[owner]:g} emeralds to {owner}"
    told += f" (and {', '.join(others)})" if others else ""
    return f"{told}: {count * worths[owner]:g} in all"


# --------------------------------------------------------------------------------------------------

# The temperature of the judge in Yocum et al. (2023).
TEMPERATURE = 0.1
TOLERANCE = 1e-6
# The maximum that a player can receive or pay, which is more than clauses allow. Above this amount
# floats lose tenths.
MOST_EMERALDS = 1e15

# How contracts are settled. ``exact``: by code if possible, else by the judge model. ``model``: by
# the judge model. ``both``: by code, and the model is also asked, to measure its error.
JudgeKind = Literal["exact", "model", "both"]


class RuleError(ValueError):
    """The code of a contract's rule failed, or returned transfers that are not valid."""

    is_one_line = True


@dataclass(frozen=True)
class Settlement:
    """A judgement on a contract.

    Attributes:
        method: exact (by the contract's rule or clauses), model (by the judge model), or none
            (there was nothing to settle, or no judge).
        transfers: how much each agent receives (negative: pays). The transfers sum to zero.
        reasons: explains the method and the payments.
        critiques: the judge's comments to each agent.
        error: if code settled and the judge model was asked as well, the number of emeralds that
            the model would have sent to wrong agents (half the sum of the absolute differences).
    """

    method: Literal["exact", "model", "none"]
    transfers: Mapping[str, float]
    reasons: Sequence[str]
    critiques: Mapping[str, str] = field(default_factory=dict)
    error: float | None = None


async def settle(case: Case, model: ChatModel | None, judge: JudgeKind = "exact") -> Settlement:
    """Settle a contract."""
    nothing = dict.fromkeys(case.agents, 0.0)
    if not case.contract.text:
        return Settlement("none", nothing, ["there is no contract"])
    exact = settle_exactly(case)
    if exact is not None and (judge == "exact" or model is None):
        return exact
    if model is None:
        reason = "a contract in free words needs a language model as judge: nothing was transferred"
        return Settlement("none", nothing, [reason])
    try:
        judged = await ask(
            model,
            Question(partial(judge_messages, case)),
            Ruling,
            role="judge",
            agent=None,
            temperature=TEMPERATURE,
            about=case,
            narrow=partial(ruling_type, case.agents, case.contract.text),
            read=partial(settlement_of, case),
        )
    except AnswerError as error:
        judged = Settlement("none", nothing, [f"the judge's answers were unusable: {error}"])
    if exact is None or judge == "model":
        return judged
    apart = sum(abs(judged.transfers[a] - exact.transfers[a]) for a in case.agents) / 2
    reasons = [*exact.reasons, f"the judge model is {apart:g} emeralds off", *judged.reasons]
    return Settlement("exact", exact.transfers, reasons, judged.critiques, apart)


def settle_exactly(case: Case) -> Settlement | None:
    """Settle a contract by its rule. Return None if the contract has no rule.

    Raises:
        RuleError: the rule failed, or returned something other than transfers among the players.
    """
    contract = case.contract
    if contract.rule is None:
        return None
    try:
        returned: object = contract.rule(case.outcome)
        if not isinstance(returned, Mapping):
            raise RuleError(f"it must return the transfer of each player, not {returned!r:.60}")
        transfers = dict(returned)
        if set(transfers) != set(case.agents):
            raise RuleError(f"transfers must name exactly {', '.join(case.agents)}")
        if not all(abs(amount) <= MOST_EMERALDS for amount in transfers.values()):
            raise RuleError(f"transfers must be finite, and at most {MOST_EMERALDS:g}")
        if abs(sum(transfers.values())) > TOLERANCE:
            raise RuleError("transfers must sum to zero")
    except Exception as error:  # a scenario's code can raise any exception
        why = str(error) if isinstance(error, RuleError) else describe_error(error)
        raise RuleError(f"the rule of the contract {contract.name}: {why}") from error
    made_of = "clauses" if contract.clauses else "own rule"
    reason = f"settled by the contract's {made_of}"
    limited = _within_means(transfers, case.means)
    if limited != transfers:
        return Settlement(
            "exact", limited, [reason, "no player pays more than the worth of what it has"]
        )
    return Settlement("exact", transfers, [reason])


def _within_means(
    transfers: Mapping[str, float], means: Mapping[str, float] | None
) -> Mapping[str, float]:
    """Reduce payments, so that no player pays more than it has.

    If the total of the payments becomes smaller in this way, each receiver gets the same fraction
    of what it was owed.
    """
    if means is None or all(-amount <= means[agent] for agent, amount in transfers.items()):
        return transfers
    paid = {agent: min(-amount, means[agent]) for agent, amount in transfers.items() if amount < 0}
    share = sum(paid.values()) / -sum(amount for amount in transfers.values() if amount < 0)
    return {
        agent: -paid[agent] if agent in paid else amount * share
        for agent, amount in transfers.items()
    }


def settlement_of(case: Case, ruling: Ruling) -> Settlement:
    """Convert a ruling of the judge model into transfers.

    Raises:
        AnswerError: a payment is not between two players, a payment exceeds what the payer can pay,
            or a term does not have exactly one finding.
    """
    for one in (payment for finding in ruling.findings for payment in finding.payments):
        if not {one.payer, one.receiver} <= set(case.agents):
            raise AnswerError(f"payments are between {', '.join(case.agents)}")
        if one.payer == one.receiver:
            raise AnswerError(f"{one.payer} cannot pay {one.payer}: payments are between players")
    found, terms = [finding.term for finding in ruling.findings], terms_of(case.contract.text)
    if len(set(found)) < len(found):
        raise AnswerError("make one finding for each term, with all of its payments")
    if terms and (others := set(found) - terms):
        raise AnswerError(f"the contract has no term {min(others)}; make no finding on all terms")
    if missing := terms - set(found):
        raise AnswerError(f"there is no finding on term {min(missing)}")
    amounts = dict.fromkeys(case.agents, 0.0)
    for payment in (one for finding in ruling.findings for one in finding.payments):
        amounts[payment.payer] -= payment.amount
        amounts[payment.receiver] += payment.amount
    if _within_means(amounts, case.means) is not amounts:
        raise AnswerError("a player pays more than it can")
    reasons = [finding.reason for finding in ruling.findings]
    critiques = {one.player: one.critique for one in ruling.critiques if one.player in amounts}
    return Settlement("model", amounts, reasons, critiques)
