"""The judge: from a contract and an outcome to transfers that sum to zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Question
from voxpolis.bots.models.typed import AnswerError
from voxpolis.front import error_in_words
from voxpolis.judge.case_text import Case, judge_messages
from voxpolis.judge.judgement import Ruling, check_ruling, ruling_type

#: Source: Yocum et al. (2023), temperature of the judge.
TEMPERATURE = 0.1
TOLERANCE = 1e-6
#: What anybody gets or pays at most, which is more than clauses can say: of more than that, numbers
#: lose their tenths.
MOST_EMERALDS = 1e15

#: How a contract is settled. ``exact``: by code wherever it can be, else by the judge model;
#: ``model``: by the judge model; ``both``: exactly, and the model is asked to measure its error.
JudgeKind = Literal["exact", "model", "both"]


class RuleError(ValueError):
    """The code of a contract's rule fails, or returns what is no transfer; one line."""

    is_one_line = True


@dataclass(frozen=True)
class Settlement:
    """A judgement: ``transfers`` (agent → amount received, negative: paid) sum to zero.

    ``method`` is exact (by the contract's rule or clauses), model (by the judge model), or none,
    where there was nothing to settle or nobody who could; ``reasons`` says which. ``critiques`` is
    what the judge has to say to each agent. ``error`` is the judge model's, where both settled:
    half the sum of the differences, the emeralds that its judgement would have misdirected.
    """

    method: Literal["exact", "model", "none"]
    transfers: Mapping[str, float]
    reasons: Sequence[str]
    critiques: Mapping[str, str] = field(default_factory=dict)
    error: float | None = None


async def settle(case: Case, model: ChatModel | None, judge: JudgeKind = "exact") -> Settlement:
    """Return the judgement on a contract.

    Args:
        case: the contract and what came of it.
        model: the judge model; None where there is no language model.
        judge: who settles.

    Raises:
        ModelError: the judge model does not answer.
    """
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
        judged = await _ask_judge(case, model)
    except AnswerError as error:
        judged = Settlement("none", nothing, [f"the judge's answers could not be used: {error}"])
    if exact is None or judge == "model":
        return judged
    apart = sum(abs(judged.transfers[a] - exact.transfers[a]) for a in case.agents) / 2
    reasons = [*exact.reasons, f"the judge model is {apart:g} emeralds off", *judged.reasons]
    return Settlement("exact", exact.transfers, reasons, judged.critiques, apart)


def settle_exactly(case: Case) -> Settlement | None:
    """Settle by the contract's rule; None where it has none.

    Raises:
        RuleError: the rule fails, or returns what is no transfer among the players.
    """
    contract = case.contract
    if contract.rule is None:
        return None
    try:
        returned: object = contract.rule(case.outcome)
        if not isinstance(returned, Mapping):
            raise RuleError(f"it must return what each gets, not {returned!r:.60}")
        transfers = dict(returned)
        _check(transfers, case.agents)
    except Exception as error:  # whatever the code of a scenario's contract does
        why = str(error) if isinstance(error, RuleError) else error_in_words(error)
        raise RuleError(f"the rule of the contract {contract.name}: {why}") from error
    made_of = "clauses" if contract.clauses else "own rule"
    reason = f"settled by the contract's {made_of}"
    limited = _within_means(transfers, case.means)
    if limited != transfers:
        return Settlement("exact", limited, [reason, "nobody pays more than what it has is worth"])
    return Settlement("exact", transfers, [reason])


def _within_means(
    transfers: Mapping[str, float], means: Mapping[str, float] | None
) -> Mapping[str, float]:
    """Transfers with no payment above the payer's means; receivers share what there is."""
    if means is None or all(-amount <= means[agent] for agent, amount in transfers.items()):
        return transfers
    paid = {agent: min(-amount, means[agent]) for agent, amount in transfers.items() if amount < 0}
    share = sum(paid.values()) / -sum(amount for amount in transfers.values() if amount < 0)
    return {
        agent: -paid[agent] if agent in paid else amount * share
        for agent, amount in transfers.items()
    }


async def _ask_judge(case: Case, model: ChatModel) -> Settlement:
    return await ask(
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


def settlement_of(case: Case, ruling: Ruling) -> Settlement:
    """Return the transfers that follow from a judge model's ruling.

    Raises:
        AnswerError: it cannot be used, or takes more than somebody has.
    """
    check_ruling(ruling, case.agents, case.contract.text)
    amounts = dict.fromkeys(case.agents, 0.0)
    for payment in (one for finding in ruling.findings for one in finding.payments):
        amounts[payment.payer] -= payment.amount
        amounts[payment.receiver] += payment.amount
    if _within_means(amounts, case.means) is not amounts:
        raise AnswerError("somebody pays more than it can")
    reasons = [finding.reason for finding in ruling.findings]
    critiques = {one.player: one.critique for one in ruling.critiques if one.player in amounts}
    return Settlement("model", amounts, reasons, critiques)


def _check(transfers: Mapping[str, float], agents: Sequence[str]) -> None:
    if set(transfers) != set(agents):
        raise RuleError(f"transfers must name exactly {', '.join(agents)}")
    if not all(abs(amount) <= MOST_EMERALDS for amount in transfers.values()):
        raise RuleError(f"transfers must be finite, and at most {MOST_EMERALDS:g}")
    if abs(sum(transfers.values())) > TOLERANCE:
        raise RuleError("transfers must sum to zero")
