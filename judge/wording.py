"""Clauses in words, so that players can see what the clauses say that were made of their text."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from voxpolis.judge.formal import Clause, FormalContract

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "is",
    ast.NotEq: "is not",
    ast.Lt: "is less than",
    ast.LtE: "is at most",
    ast.Gt: "is more than",
    ast.GtE: "is at least",
}
_OBSERVABLES = {
    "held": "the {1} that {0} holds",
    "dug": "the {1} that {0} has dug",
    "signals": "the signals that {0} has sent",
}
_CHOICES = {"min": "the least of", "max": "the most of"}


def in_words(contract: FormalContract) -> str:
    """What the clauses say, a numbered sentence each."""
    sentences = (_clause(clause) for clause in contract.clauses)
    return "\n".join(f"{n}. {sentence}" for n, sentence in enumerate(sentences, start=1))


def _clause(clause: Clause) -> str:
    told = f"{clause.payer} pays {clause.receiver} {_words(clause.amount)} emeralds"
    return f"{told}, if {_words(clause.condition)}." if clause.condition else f"{told}."


def _words(node: ast.expr) -> str:
    """An expression that ``judge.formal`` has checked, in words."""
    match node:
        case ast.Constant(value=value):
            return str(value)
        case ast.UnaryOp(op=op, operand=operand):
            return f"{'minus' if isinstance(op, ast.USub) else 'not'} {_inner(operand)}"
        case ast.BinOp(left=left, op=op, right=right):
            return f"{_inner(left)} {_OPERATORS[type(op)]} {_inner(right)}"
        case ast.BoolOp(op=op, values=values):
            word = " and " if isinstance(op, ast.And) else " or "
            return word.join(_inner(value) for value in values)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [left, *others]
            pairs = zip(sides, ops, sides[1:], strict=False)
            return " and ".join(
                f"{_inner(a)} {_COMPARISONS[type(op)]} {_inner(b)}" for a, op, b in pairs
            )
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, args)
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _call(name: str, args: Sequence[ast.expr]) -> str:
    if name in _CHOICES:
        return f"{_CHOICES[name]} {' and '.join(_inner(arg) for arg in args)}"
    return _OBSERVABLES[name].format(*(ast.unparse(arg) for arg in args))


def _inner(node: ast.expr) -> str:
    """A part of an expression; in brackets where it has parts itself."""
    compound = isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare)
    return f"({_words(node)})" if compound else _words(node)
