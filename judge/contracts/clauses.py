"""Formal contracts, whose clauses code can settle. A contract can have clauses, words, or both.

A clause is one line::

    Gizmo pays Glitch 2 * held(Gizmo, iron) if dug(Gizmo, diamond) == 0

An amount is an arithmetic expression over observables, the numbers that the game counts. A
condition consists of comparisons of such expressions, joined by ``and``, ``or`` and ``not``. The
observables are ``held(player, item)`` at the end of the game, ``dug(player, item)``,
``signals(player)``, and any further counts that the terms of a game name, such as ``eaten(player,
3)``. The functions ``min`` and ``max`` are available. Every clause moves an amount from one player
to another, so the transfers of all players always sum to zero. Python's own parser reads the
expressions; only the node types listed below are evaluated.

The idea that a contract is a function from the outcome to transfers is from Christoffersen et al.,
"Get It in Writing" (2023).
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from voxpolis.judge.contracts.contract import ContractError, Outcome, Terms
from voxpolis.records.text import caseless, one_line

# Repeated spaces have been collapsed before this is applied; otherwise matching could take cubic
# time.
_CLAUSE = re.compile(r"(?:\d+ ?[.)] ?)?(\w+) pays (\w+) (.+?)(?: emeralds?)?(?: if (.+))?")
MAX_CLAUSES = 20
MAX_CHARACTERS = 500
# Maximum length of all clauses together, including empty lines, in characters.
MAX_TEXT = 2 * MAX_CLAUSES * MAX_CHARACTERS
# Maximum depth to which an expression may be nested.
MAX_DEPTH = 64
# No amount may exceed this number of emeralds.
LARGEST_AMOUNT = 1e6
# No part of an expression may exceed this value. Up to this size, floats can tell consecutive
# integers apart.
LARGEST_VALUE = 1e12


# The payer, the receiver, the amount and the condition of a clause as text. If the condition is
# None, the clause always applies.
Parts = tuple[str, str, str, str | None]


@dataclass(frozen=True)
class Clause:
    """One payment: ``payer`` pays ``receiver`` an amount if a condition holds (None: always)."""

    payer: str
    receiver: str
    amount: ast.expr
    condition: ast.expr | None

    def __str__(self) -> str:
        text = f"{self.payer} pays {self.receiver} {ast.unparse(self.amount)}"
        return f"{text} if {ast.unparse(self.condition)}" if self.condition else text


@dataclass(frozen=True)
class FormalContract:
    """Clauses that have been checked against the names and limits of a game."""

    clauses: tuple[Clause, ...]
    terms: Terms

    def transfers(self, outcome: Outcome, most: float = LARGEST_VALUE) -> dict[str, float]:
        """Return how many emeralds each player receives (negative: pays).

        The transfers sum to zero.

        If the amount of a clause is negative, the receiver pays. No payment exceeds ``most``,
        whichever of the two players pays. Counts are limited to the maximum in the terms, because
        the clauses were checked only for counts up to that maximum.
        """
        counts = {
            name: min(max(outcome.counts.get(name, 0), 0), most)
            for name, most in self.terms.most.items()
        }
        totals = dict.fromkeys(self.terms.players, 0.0)
        for clause in self.clauses:
            if clause.condition is not None and not _holds(clause.condition, counts):
                continue
            amount = max(-most, min(most, float(_value(clause.amount, counts))))
            totals[clause.payer] -= amount
            totals[clause.receiver] += amount
        return totals

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(map(str, self.clauses))

    def __str__(self) -> str:
        return "\n".join(f"{n}. {clause}" for n, clause in enumerate(self.clauses, start=1))


# Mathematical signs and capitalised words that people write, with their spelling in Python.
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!="}  # noqa: RUF001
)
_WORDS = caseless(r"\b(?:and|or|not)\b")
_EQUALS = re.compile(r"(?<![<>=!])=(?!=)")


def parse_clauses(text: str, terms: Terms) -> FormalContract:
    """Parse clauses, one per line, and check them.

    Raises:
        ContractError: a line is not a clause, names something unknown, or has an amount that is
            unbounded or undefined for a possible outcome. The message is written for the author.
    """
    if len(text) > MAX_TEXT:
        raise ContractError(f"the clauses are longer than {MAX_TEXT} characters")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return check_clauses([split_clause(line) for line in lines], terms)


def split_clause(line: str) -> Parts:
    """Split a line into payer, receiver, amount and condition (None: the clause always applies).

    Raises:
        ContractError: the line is not a clause.
    """
    found = _CLAUSE.fullmatch(line.rstrip(".")) if len(line) <= MAX_CHARACTERS else None
    if found is None:
        told = one_line(line[:80])
        raise ContractError(f'"{told}" is not of the form: PLAYER pays PLAYER AMOUNT [if …]')
    payer, receiver, amount, condition = found.groups()
    return payer, receiver, amount, condition


def check_clauses(clauses: Sequence[Parts], terms: Terms) -> FormalContract:
    """Check clauses that are already split into payer, receiver, amount and condition.

    Raises:
        ContractError: a clause cannot be used; see :func:`parse_clauses`.
    """
    if not clauses:
        raise ContractError("there are no clauses")
    if len(clauses) > MAX_CLAUSES:
        raise ContractError(f"there are more than {MAX_CLAUSES} clauses")
    return FormalContract(tuple(_checked(*parts, terms) for parts in clauses), terms)


def _checked(payer: str, receiver: str, amount: str, condition: str | None, terms: Terms) -> Clause:
    line = f"{payer} pays {receiver} {amount}" + (f" if {condition}" if condition else "")
    if len(line) > MAX_CHARACTERS:
        raise ContractError(f"a clause is longer than {MAX_CHARACTERS} characters")
    line = one_line(line)
    for name in (payer, receiver):
        if name not in terms.players:
            raise ContractError(f'"{line}": there is no player {one_line(name)}')
    if payer == receiver:
        raise ContractError(f'"{line}": {payer} cannot pay {payer}')
    paid = _by_usual_names(_parse(amount), terms)
    held = _by_usual_names(_parse(condition), terms) if condition else None
    clause = Clause(payer, receiver, paid, held)
    low, high = _bounds(clause.amount, terms)
    if max(abs(low), abs(high)) > LARGEST_AMOUNT:
        raise ContractError(f'"{line}": the amount can exceed {LARGEST_AMOUNT:g}')
    if clause.condition is not None:
        _check_condition(clause.condition, terms)
    return clause


def _parse(text: str) -> ast.expr:
    """Parse an expression.

    The expression may use mathematical signs, ``AND`` for ``and``, and ``=`` for ``==``.

    Raises:
        ContractError: the text is not an expression, or contains a comment, which Python's parser
            would skip.
    """
    if "#" in text:
        raise ContractError(
            f'"{one_line(text[:80])}" contains a #: comments are not allowed in a clause'
        )
    code = _WORDS.sub(lambda word: word[0].lower(), text.translate(_SIGNS).strip())
    try:
        with warnings.catch_warnings(action="ignore"):  # malformed text can cause a SyntaxWarning
            parsed = ast.parse(_EQUALS.sub("==", code), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(f'"{one_line(text[:80])}" is not an expression') from error
    if _depth(parsed) > MAX_DEPTH:
        raise ContractError(f'"{one_line(text[:80])}" is nested more than {MAX_DEPTH} levels deep')
    return parsed


def _by_usual_names(root: ast.expr, terms: Terms) -> ast.expr:
    calls = (node for node in ast.walk(root) if isinstance(node, ast.Call))
    for name in (arg for call in calls for arg in call.args if isinstance(arg, ast.Name)):
        name.id = terms.aliases.get(name.id, name.id)
    return root


def _depth(root: ast.expr) -> int:
    """Return how deeply an expression is nested. The function works without recursion."""
    depth, nodes = 0, [root]
    while nodes:
        depth += 1
        nodes = [
            child
            for node in nodes
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr)
        ]
    return depth


# --- Expressions ----------------------------------------------------------------------------------

Interval = tuple[float, float]

_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CHOICES: dict[str, Callable[..., float]] = {"min": min, "max": max}


def _bounds(node: ast.expr, terms: Terms) -> Interval:
    """Return the minimum and the maximum of an amount over all possible outcomes.

    The bounds also hold for the rounded values that a settlement computes, because rounding never
    changes the order of two numbers.

    Raises:
        ContractError: the expression contains something other than the allowed node types, can
            divide by zero, or has a part that can exceed ``LARGEST_VALUE``.
    """
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            if not -LARGEST_VALUE <= value <= LARGEST_VALUE:  # an int may be too large for a float
                raise ContractError(f"a number can exceed {LARGEST_VALUE:g}")
            low = high = float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            least, largest = _bounds(operand, terms)
            low, high = -largest, -least
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            sides = _bounds(left, terms), _bounds(right, terms)
            if isinstance(op, ast.Div) and sides[1][0] <= 0 <= sides[1][1]:
                raise ContractError(f'"{ast.unparse(node)}" can divide by zero')
            corners = [_ARITHMETIC[type(op)](a, b) for a in sides[0] for b in sides[1]]
            low, high = min(corners), max(corners)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CHOICES and args:
            all_bounds = [_bounds(arg, terms) for arg in args]
            low, high = map(_CHOICES[name], zip(*all_bounds, strict=True))
        case ast.Call(func=ast.Name(), keywords=[]):
            low, high = 0.0, float(_most(node, terms))
        case _:
            raise ContractError(f'"{ast.unparse(node)[:80]}" is not an amount')
    if not -LARGEST_VALUE <= low <= high <= LARGEST_VALUE:
        raise ContractError(f'"{ast.unparse(node)[:80]}" can exceed {LARGEST_VALUE:g}')
    return low, high


def _check_condition(node: ast.expr, terms: Terms) -> None:
    match node:
        case ast.BoolOp(values=values):
            for value in values:
                _check_condition(value, terms)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _check_condition(operand, terms)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(
            type(op) in _COMPARISONS for op in ops
        ):
            for side in (left, *others):
                _bounds(side, terms)
        case _:
            raise ContractError(f'"{ast.unparse(node)[:80]}" is not a condition')


def _most(node: ast.expr, terms: Terms) -> int:
    told = ast.unparse(node)
    if told in terms.most:
        return terms.most[told]
    counted = (count.partition("(")[0] for count in terms.counts)
    known = ("held(PLAYER, ITEM)", "dug(PLAYER, ITEM)", "signals(PLAYER)", *counted, "min", "max")
    named = f"players: {', '.join(terms.players)}; items: {', '.join(terms.items) or 'none'}"
    there = ", ".join(dict.fromkeys(known))
    raise ContractError(f"there is no {told[:80]}; there are: {there}; {named}")


def _holds(node: ast.expr, counts: Mapping[str, int]) -> bool:
    match node:
        case ast.BoolOp(op=op, values=values):
            each = (_holds(value, counts) for value in values)
            return all(each) if isinstance(op, ast.And) else any(each)
        case ast.UnaryOp(operand=operand):
            return not _holds(operand, counts)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value(side, counts) for side in (left, *others)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return all(_COMPARISONS[type(op)](a, b) for op, a, b in pairs)
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _value(node: ast.expr, counts: Mapping[str, int]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(operand=operand):
            return -_value(operand, counts)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, counts), _value(right, counts))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CHOICES:
            return _CHOICES[name](_value(arg, counts) for arg in args)
        case ast.Call():
            return counts[ast.unparse(node)]
    raise AssertionError(f"not checked: {ast.dump(node)}")


def kind_of(clause: Clause, terms: Terms) -> tuple[object, ...]:
    """Return a key that payments between the same two players for the same deed have in common.

    The key contains the counts that occur in the amount and in the condition, but not how these
    counts are combined. If the amount can only be negative, the key is that of a payment in the
    opposite direction. A payment whose sign can vary has a separate key.
    """
    low, high = _bounds(clause.amount, terms)
    pair = (clause.payer, clause.receiver)
    counted = {
        ast.unparse(node)
        for part in (clause.amount, clause.condition)
        for node in (ast.walk(part) if part else ())
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in _CHOICES
    }
    return *(pair[::-1] if low < 0 >= high else pair), low < 0 < high, frozenset(counted)


# --- Clauses in words, so that players can check the clauses that were made from their text -------

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
}
_IN_WORDS: dict[type[ast.cmpop], str] = {
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
_CHOICES_IN_WORDS = {"min": "the least of", "max": "the most of"}


def in_words(contract: FormalContract) -> str:
    """Return the clauses in words, one numbered sentence per clause."""
    sentences = []
    for number, clause in enumerate(contract.clauses, start=1):
        told = f"{clause.payer} pays {clause.receiver} {_words(clause.amount)} emeralds"
        told += f", if {_words(clause.condition)}" if clause.condition else ""
        sentences.append(f"{number}. {told}.")
    return "\n".join(sentences)


def _words(node: ast.expr) -> str:
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
                f"{_inner(a)} {_IN_WORDS[type(op)]} {_inner(b)}" for a, op, b in pairs
            )
        case ast.Call(func=ast.Name(id=name), args=args):
            if name in _CHOICES_IN_WORDS:
                return f"{_CHOICES_IN_WORDS[name]} {' and '.join(_inner(arg) for arg in args)}"
            return _OBSERVABLES[name].format(*(ast.unparse(arg) for arg in args))
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _inner(node: ast.expr) -> str:
    """Write a part of an expression in words, in brackets if it contains an operator."""
    compound = isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare)
    return f"({_words(node)})" if compound else _words(node)
