"""Institutions that any scenario can call: negotiation, settlement of a contract, votes on a law.

Each asks the players or the judge, and records what comes of it.
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

# Records an event: its class, the agent, and its fields.
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
    """Let players agree on a contract of their own, and record each move and what was agreed.

    Args:
        run: the repetition.
        briefings: what each player is told of the game, by player, in the order of turns.
        terms: what formal clauses may name.
        rounds: messages in all.
        past: what came of earlier episodes, which all players know.
        compiled: have a model make clauses of what is proposed in words only.
        note: records events; None: the run does.

    Returns:
        the contract, without words where none was agreed on, and how the negotiation went.

    Raises:
        ModelError: a model does not answer.
    """
    note = note or run.note
    _check_players(run, briefings)
    if rounds < 1:
        raise LackingError("negotiate() needs one round at least")
    negotiation = await judge.negotiate(
        run.model,
        briefings,
        terms,
        rounds,
        lambda move: _note_move(note, move),
        past=past,
        compiled=compiled,
    )
    run.note_failures(list(briefings))
    contract = negotiation.agreed or Contract("negotiated", "")
    note_contract(note, contract)
    return contract, negotiation


async def settle(
    run: Run, case: Case, kind: JudgeKind = "exact", *, note: Note | None = None
) -> Settlement:
    """Settle a contract: its transfers sum to zero. By code where it can be, else by a judge model.

    Raises:
        ModelError: the judge model does not answer.
    """
    formal = getattr(case.contract.rule, "__self__", None)
    if isinstance(formal, FormalContract):
        lacking = formal.terms.counts.keys() - case.outcome.counted.keys()
        if lacking:
            raise LackingError(f"settle() needs the counts {', '.join(sorted(lacking))}")
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
    """Let each voter propose an amendment, and all vote on them; return the law that holds then.

    Raises:
        ModelError: a model does not answer.
    """
    _check_players(run, [voter.name for voter in voters])
    voted = await hold_vote(run.model, law, voters, run.note)
    run.note_failures([voter.name for voter in voters])
    for name, value in voted.parameters.items():  # scripted minds are not held to limits before
        low, high = law.limits.get(name, (math.inf, -math.inf))
        if law.parameters.get(name) != value and not low <= value <= high:
            raise LackingError(f"the vote sets {name} to {value:g}, which the limits do not allow")
    return voted


def _check_players(run: Run, names: Collection[str]) -> None:
    """Raise a LackingError unless the names are of players, each once."""
    if strange := {*names} - run.agents.keys():
        raise LackingError(f"{', '.join(map(str, strange))} takes part, and does not play")
    if not names or len({*names}) < len(names):
        raise LackingError("players take part each once, and one at least")


def note_contract(note: Note, contract: Contract) -> None:
    """Record the contract in force."""
    clauses = list(contract.clauses)
    note(events.ContractAgreed, name=contract.name, text=contract.text, clauses=clauses)


def _note_move(note: Note, move: Move) -> None:
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
