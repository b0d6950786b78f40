"""What a contract game records of its institutions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from experiments.contract_protocol import AgentOutcome
from judge import Contract
from judge.negotiation import Move
from judge.settlement import Settlement
from records import events


def note_contract(note: Callable[..., object], contract: Contract) -> None:
    """Record the contract in force."""
    note(
        events.ContractAgreed,
        name=contract.name,
        text=contract.text,
        clauses=list(contract.clauses),
    )


def note_move(note: Callable[..., object], move: Move) -> None:
    """Record a player's turn in a negotiation."""
    if move.thought:
        note(events.HiddenThought, move.player, text=move.thought)
    note(
        events.NegotiationMessage,
        move.player,
        text=move.message,
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
