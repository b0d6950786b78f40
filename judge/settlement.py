"""The judge: from a contract and an outcome to transfers that sum to zero."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bots.asking import ask
from bots.models import ChatModel
from bots.parsing import AnswerError, read_object
from bots.prompts import render
from judge.contract import Contract, Inventories

#: Source: Yocum et al. (2023), temperature of the judge.
TEMPERATURE = 0.1
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Settlement:
    """A judgement: ``transfers`` (agent → amount received, negative: paid) sum to zero.

    ``method`` is exact (by the contract's rule), model (by the judge model), or none, where there
    was nothing to settle or nobody who could; ``reasons`` says which.
    """

    method: Literal["exact", "model", "none"]
    transfers: Mapping[str, float]
    reasons: Sequence[str]


async def settle(
    contract: Contract,
    agents: Sequence[str],
    inventories: Inventories,
    outcome: str,
    model: ChatModel | None,
) -> Settlement:
    """Settle a contract.

    Args:
        contract: what was agreed.
        agents: the players.
        inventories: what each holds at the end, by the server's own account.
        outcome: the same and what happened, in words, for the judge model.
        model: judges a contract that has no rule; None where there is no language model.

    Raises:
        ModelError: the judge model does not answer.
    """
    if contract.rule is not None:
        transfers = dict(contract.rule(inventories))
        _check(transfers, agents)
        return Settlement("exact", transfers, ["settled by the contract's own rule"])
    nothing = dict.fromkeys(agents, 0.0)
    if not contract.text:
        return Settlement("none", nothing, ["there is no contract"])
    if model is None:
        reason = "a contract in free words needs a language model as judge: nothing was transferred"
        return Settlement("none", nothing, [reason])
    try:
        return await _ask_judge(contract, agents, outcome, model)
    except AnswerError as error:
        return Settlement("none", nothing, [f"the judge's answers could not be used: {error}"])


async def _ask_judge(
    contract: Contract, agents: Sequence[str], outcome: str, model: ChatModel
) -> Settlement:
    prompt = render("judge", players=", ".join(agents), contract=contract.text, outcome=outcome)

    def read(answer: str) -> Settlement:
        return _read_judgement(read_object(answer), agents)

    return await ask(
        model,
        [{"role": "user", "content": prompt}],
        read,
        role="judge",
        agent=None,
        temperature=TEMPERATURE,
    )


def _read_judgement(found: dict[str, Any], agents: Sequence[str]) -> Settlement:
    transfers, findings = found.get("transfers"), found.get("findings")
    if not isinstance(transfers, dict) or not isinstance(findings, list):
        raise AnswerError('the object needs "transfers" (an object) and "findings" (a list)')
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in transfers.values()):
        raise AnswerError("every transfer must be a number")
    amounts = {name: float(amount) for name, amount in transfers.items()}
    try:
        _check(amounts, agents)
    except ValueError as error:
        raise AnswerError(str(error)) from error
    return Settlement("model", amounts, [str(finding) for finding in findings])


def _check(transfers: Mapping[str, float], agents: Sequence[str]) -> None:
    if set(transfers) != set(agents):
        raise ValueError(f"transfers must name exactly {', '.join(agents)}")
    if not all(math.isfinite(amount) for amount in transfers.values()):
        raise ValueError("transfers must be finite")
    if abs(sum(transfers.values())) > TOLERANCE:
        raise ValueError("transfers must sum to zero")
