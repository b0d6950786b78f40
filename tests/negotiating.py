"""Negotiators' answers as values."""

from __future__ import annotations

from voxpolis.judge.contracts.compiling import ClauseAnswer
from voxpolis.judge.contracts.negotiation import Accept, Propose, Talk, TurnAnswer


def said(message=None, move=None, note=None):
    """Return a turn's answer; an answer without a move only talks."""
    return TurnAnswer(note=note, message=message, move=move or Talk())


def clause(payer, receiver, amount, condition=None):
    return ClauseAnswer(payer=payer, receiver=receiver, amount=str(amount), condition=condition)


def offer(*terms, clauses=(), message=None, note=None):
    return said(message, Propose(terms=list(terms), clauses=list(clauses)), note)


def accept(number, message=None):
    return said(message, Accept(proposal=number))
