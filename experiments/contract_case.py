"""From an episode's account to what the judge decides on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from experiments.contract_protocol import ContractScenario
from experiments.outcome_text import outcome_text
from judge import Case, Contract, Outcome
from records import events
from worlds.protocol import Account


def judge_case(
    scenario: ContractScenario, contract: Contract, account: Account, seen: Sequence[events.Event]
) -> Case:
    """Return what the judge decides on: all that is known of an episode, and what it is worth."""
    counts, values = scenario.count(account), scenario.value(account)
    return Case(
        contract,
        scenario.agents,
        _outcome(scenario, account, counts),
        outcome_text(account.inventories, seen),
        None if scenario.may_owe else values,
        scenario.setting(),
        scenario.worth(),
        values,
    )


def _outcome(
    scenario: ContractScenario, account: Account, counts: Mapping[str, Mapping[str, int]]
) -> Outcome:
    """Return an account in the terms of formal clauses."""
    names, log = scenario.dug, account.log
    dug = {
        agent: Counter({names[b]: n for b, n in log.of(agent, "dug").items() if b in names})
        for agent in counts
    }
    return Outcome(counts, dug, log.signals)
