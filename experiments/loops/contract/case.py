"""What a contract game's judge decides on, and what is recorded of institutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from voxpolis.experiments.loops.contract.outcome_text import outcome_text
from voxpolis.experiments.loops.contract.protocol import (
    AgentOutcome,
    ContractScenario,
    counts_of,
    values_of,
)
from voxpolis.judge import Case, Contract, Outcome
from voxpolis.judge.contracts.negotiation import Move
from voxpolis.judge.contracts.settlement import Settlement
from voxpolis.records import events
from voxpolis.worlds.protocol import Account


def judge_case(
    scenario: ContractScenario, contract: Contract, account: Account, seen: Sequence[events.Event]
) -> Case:
    """Return what the judge decides on: all that is known of an episode, and what it is worth."""
    counts, values = counts_of(scenario, account), values_of(scenario, account)
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


def note_contract(note: Callable[..., object], contract: Contract) -> None:
    """Record the contract in force."""
    note(
        events.ContractAgreed,
        name=contract.name,
        text=contract.text,
        clauses=list(contract.clauses),
    )


def note_move(note: Callable[..., object], move: Move) -> None:
    """Record a player's turn in a negotiation; that it leaves is told behind its message."""
    left = "(leaves the negotiation)" if move.leaves else ""
    if move.thought:
        note(events.HiddenThought, move.player, text=move.thought)
    note(
        events.NegotiationMessage,
        move.player,
        text=" ".join(filter(None, (move.message, left))),
        proposal=move.proposal.text if move.proposal else None,
        accepts=move.accepts,
    )


def note_judgement(
    note: Callable[..., object], settlement: Settlement, outcomes: Mapping[str, AgentOutcome]
) -> None:
    """Record what was judged, and what each agent got."""
    note(
        events.Judgement,
        method=settlement.method,
        transfers=dict(settlement.transfers),
        reasons=list(settlement.reasons),
        critiques=dict(settlement.critiques),
        error=settlement.error,
    )
    for agent, outcome in outcomes.items():
        note(events.Transfer, agent, amount=outcome.transfer)
        note(
            events.Reward,
            agent,
            value=outcome.value,
            transfer=outcome.transfer,
            reward=outcome.reward,
        )
