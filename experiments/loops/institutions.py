"""Institutions that any scenario can call: the negotiation of a contract, its settlement, and votes
on a law.

Each institution asks the players or the judge, and records the outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from voxpolis import judge
from voxpolis.experiments.run.scenario import LackingError, Run
from voxpolis.judge import (
    Case,
    Contract,
    FormalContract,
    JudgeKind,
    Negotiation,
    Settlement,
    Terms,
)
from voxpolis.judge.contracts.negotiation import ROUNDS, Move
from voxpolis.judge.law.assembly import Voter, hold_vote
from voxpolis.judge.law.constitution import Constitution
from voxpolis.records import events

# Records an event, given its class, the agent and its fields.
Note = Callable[..., object]


async def negotiate(
    run: Run,
    briefings: dict[str, str],
    terms: Terms,
    rounds: int = ROUNDS,
    *,
    past: str = "",
    compiled: bool = False,
    note: Note | None = None,
) -> tuple[Contract, Negotiation]:
    """Let players negotiate a contract, and record each of their moves and the agreement.

    Args:
        run: the repetition.
        briefings: description of the game for each player, in turn order.
        terms: the names to which formal clauses can refer.
        rounds: total number of messages.
        past: outcomes of earlier episodes, which all players know.
        compiled: whether a model turns proposals in words into clauses.
        note: records events; by default, the run records them.

    Returns:
        The contract, whose text is empty if there was no agreement; and the course of the
        negotiation.

    Raises:
        ModelError: a model does not answer.
    """
    note = note or run.note
    _check_players(run, briefings)
    if rounds < 1:
        raise LackingError("negotiate() needs at least one round")

    def note_move(move: Move) -> None:
        run.note_failures(list(briefings))  # an answer that failed comes before its move
        _note_move(note, move)

    negotiation = await judge.negotiate(
        run.model, briefings, terms, rounds, note_move, past=past, compiled=compiled
    )
    run.note_failures(list(briefings))
    contract = negotiation.agreed or Contract("negotiated", "")
    note_contract(note, contract)
    return contract, negotiation


async def settle(
    run: Run, case: Case, kind: JudgeKind = "exact", *, note: Note | None = None
) -> Settlement:
    """Settle a contract, by code if this is possible and by a judge model otherwise. The transfers
    sum to zero.

    Raises:
        ModelError: the judge model does not answer.
    """
    formal = getattr(case.contract.rule, "__self__", None)
    if isinstance(formal, FormalContract):
        lacking = formal.terms.counts.keys() - case.outcome.counted.keys()
        if lacking:
            raise LackingError(f"settle() lacks the counts {', '.join(sorted(lacking))}")
    has_judge = run.choice.is_language_model or run.choice.is_counted
    settlement = await judge.settle(case, run.model if has_judge else None, kind)
    run.note_failures(case.agents)
    (note or run.note)(
        events.Judgement,
        method=settlement.method,
        transfers=dict(settlement.transfers),
        reasons=list(settlement.reasons),
        critiques=dict(settlement.critiques),
        error=settlement.error,
    )
    return settlement


async def vote(run: Run, law: Constitution, voters: Sequence[Voter]) -> Constitution:
    """Ask each voter for an amendment, let all voters vote on each amendment, and return the
    resulting law.

    Raises:
        ModelError: a model does not answer.
    """
    _check_players(run, [voter.name for voter in voters])
    voted = await hold_vote(run.model, law, voters, run.note)
    run.note_failures([voter.name for voter in voters])
    # scripted minds have not been checked against the limits
    for name, value in voted.parameters.items():
        low, high = law.limits.get(name, (math.inf, -math.inf))
        if law.parameters.get(name) != value and not low <= value <= high:
            raise LackingError(f"the vote sets {name} to {value:g}, outside the limits of the law")
    return voted


def _check_players(run: Run, names: Collection[str]) -> None:
    """Raise a LackingError unless the names are different players of the run."""
    if strange := {*names} - run.agents.keys():
        raise LackingError(f"{', '.join(map(str, strange))} takes part, but is not a player")
    if not names or len({*names}) < len(names):
        raise LackingError("at least one player must take part, and each only once")


def note_contract(note: Note, contract: Contract) -> None:
    """Record the contract that applies from now on."""
    clauses = list(contract.clauses)
    note(events.ContractAgreed, name=contract.name, text=contract.text, clauses=clauses)


def _note_move(note: Note, move: Move) -> None:
    """Record a turn of a negotiation. If the player leaves, the recorded text says so."""
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
