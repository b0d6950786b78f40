"""Formal contracts: clauses that code can settle, beside or instead of words.

A clause is one line::

    Gizmo pays Glitch 2 * held(Gizmo, iron) if dug(Gizmo, diamond) == 0

An amount is an arithmetic expression over observables, a condition a comparison of such, joined by
``and``, ``or``, ``not``. Observables: ``held(player, item)`` at the end, ``dug(player, item)``,
``signals(player)``, and what else the terms of a game count (``eaten(player, 3)``); functions
``min`` and ``max``. Each clause is a transfer from one player to
another, so that all sum to zero whatever happens. Python's own parser reads the expressions;
nothing is evaluated that is not listed here.

A contract is a function from the outcome to transfers: Christoffersen et al., "Get It in Writing"
(2023).
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voxpolis.judge.contracts.contract import ContractError, Counts, Outcome, Terms
from voxpolis.records.text import caseless, one_line

#: A clause whose white space is single spaces: with any, matching could take cubic time.
_CLAUSE = re.compile(r"(?:\d+ ?[.)] ?)?(\w+) pays (\w+) (.+?)(?: emeralds?)?(?: if (.+))?")
MAX_CLAUSES = 20
MAX_CHARACTERS = 500
#: Of all clauses together, empty lines included.
MAX_TEXT = 2 * MAX_CLAUSES * MAX_CHARACTERS
#: How deep expressions can be nested.
MAX_DEPTH = 64
#: No amount may be able to get larger than this, in emeralds.
LARGEST_AMOUNT = 1e6
#: No part of an amount or condition may be able to get larger than this: far from where numbers
#: lose their units, and further from infinity.
LARGEST_VALUE = 1e12


#: Payer, receiver, amount and condition of a clause as they are written; None: it always holds.
Parts = tuple[str, str, str, str | None]


@dataclass(frozen=True)
class Clause:
    """One transfer: ``payer`` pays ``receiver`` an amount, if a condition holds (None: always)."""

    payer: str
    receiver: str
    amount: ast.expr
    condition: ast.expr | None

    def __str__(self) -> str:
        text = f"{self.payer} pays {self.receiver} {ast.unparse(self.amount)}"
        return f"{text} if {ast.unparse(self.condition)}" if self.condition else text


@dataclass(frozen=True)
class FormalContract:
    """Clauses that were checked against the terms of a game."""

    clauses: tuple[Clause, ...]
    terms: Terms

    def transfers(self, outcome: Outcome, most: float = LARGEST_VALUE) -> dict[str, float]:
        """Return what each player gets (> 0) or pays (< 0), in emeralds; they sum to zero.

        A negative amount of a clause flows back; none is more than ``most`` either way. A count
        counts up to what the terms say that there can be, because the clauses were checked for no
        more.
        """
        outcome = _within(outcome, self.terms)
        totals = dict.fromkeys(self.terms.players, 0.0)
        for clause in self.clauses:
            if clause.condition is not None and not _holds(clause.condition, outcome):
                continue
            amount = max(-most, min(most, float(_value(clause.amount, outcome))))
            totals[clause.payer] -= amount
            totals[clause.receiver] += amount
        return totals

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(map(str, self.clauses))

    def __str__(self) -> str:
        return "\n".join(f"{n}. {clause}" for n, clause in enumerate(self.clauses, start=1))


#: Signs of arithmetic as people write them, and the words that join conditions.
_SIGNS = str.maketrans(
    {"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!="}  # noqa: RUF001
)
_WORDS = caseless(r"\b(?:and|or|not)\b")
_EQUALS = re.compile(r"(?<![<>=!])=(?!=)")


def parse_clauses(text: str, terms: Terms) -> FormalContract:
    """Read clauses, one a line, and check them.

    Raises:
        ContractError: a line is no clause, names what there is not, or its amount has no bound or
            no value for some outcome that can be reached. The message is for who wrote it.
    """
    if len(text) > MAX_TEXT:
        raise ContractError(f"the clauses are longer than {MAX_TEXT} characters")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return check_clauses([split_clause(line) for line in lines], terms)


def split_clause(line: str) -> Parts:
    """Return payer, receiver, amount and condition (None: always) of one line.

    Raises:
        ContractError: the line is no clause.
    """
    found = _CLAUSE.fullmatch(line.rstrip(".")) if len(line) <= MAX_CHARACTERS else None
    if found is None:
        told = one_line(line[:80])
        raise ContractError(f'"{told}" is not of the form: PLAYER pays PLAYER AMOUNT [if …]')
    payer, receiver, amount, condition = found.groups()
    return payer, receiver, amount, condition


def check_clauses(clauses: Sequence[Parts], terms: Terms) -> FormalContract:
    """Check clauses: payer, receiver, amount and condition of each.

    Raises:
        ContractError: see :func:`parse_clauses`.
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
        raise ContractError(f'"{line}": the amount can pass {LARGEST_AMOUNT:g}')
    if clause.condition is not None:
        _check_condition(clause.condition, terms)
    return clause


def _parse(text: str) -> ast.expr:
    """Return an expression; signs as on paper are those of code, AND is and, = is ==.

    Raises:
        ContractError: it is none, or Python's parser would leave a part of it out as a remark.
    """
    if "#" in text:
        raise ContractError(f'"{one_line(text[:80])}" holds a #: write no remark in a clause')
    code = _WORDS.sub(lambda word: word[0].lower(), text.translate(_SIGNS).strip())
    try:
        with warnings.catch_warnings(action="ignore"):  # of text that is no good Python
            parsed = ast.parse(_EQUALS.sub("==", code), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ContractError(f'"{one_line(text[:80])}" is no expression') from error
    if _depth(parsed) > MAX_DEPTH:
        raise ContractError(f'"{one_line(text[:80])}" is nested more than {MAX_DEPTH} deep')
    return parsed


def _by_usual_names(root: ast.expr, terms: Terms) -> ast.expr:
    calls = (node for node in ast.walk(root) if isinstance(node, ast.Call))
    for name in (arg for call in calls for arg in call.args if isinstance(arg, ast.Name)):
        name.id = terms.called.get(name.id, name.id)
    return root


def _depth(root: ast.expr) -> int:
    """How deep an expression is nested, counted without recursion."""
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


# --- What expressions are made of ----------------------------------------------------------------

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
    """The least and the largest value that an amount can have, over all reachable outcomes.

    Each operation rounds monotonically, so that what is computed later stays within its bounds.

    Raises:
        ContractError: it is made of something that is not listed, can divide by zero, or one of
            its parts can pass ``LARGEST_VALUE``.
    """
    low, high = _bounds_of_parts(node, terms)
    if not -LARGEST_VALUE <= low <= high <= LARGEST_VALUE:
        raise ContractError(f'"{ast.unparse(node)[:80]}" can pass {LARGEST_VALUE:g}')
    return low, high


def _bounds_of_parts(node: ast.expr, terms: Terms) -> Interval:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            if not -LARGEST_VALUE <= value <= LARGEST_VALUE:  # an int may be too large for a float
                raise ContractError(f"a number can pass {LARGEST_VALUE:g}")
            return float(value), float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            low, high = _bounds(operand, terms)
            return -high, -low
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _combine(op, _bounds(left, terms), _bounds(right, terms), node)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CHOICES and args:
            all_bounds = [_bounds(arg, terms) for arg in args]
            choose = _CHOICES[name]
            return choose(low for low, _ in all_bounds), choose(high for _, high in all_bounds)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return 0.0, float(_most(name, _names(args, node), terms))
    raise ContractError(f'"{ast.unparse(node)[:80]}" is no amount')


def _combine(op: ast.operator, left: Interval, right: Interval, node: ast.expr) -> Interval:
    if isinstance(op, ast.Div) and right[0] <= 0 <= right[1]:
        raise ContractError(f'"{ast.unparse(node)}" can divide by zero')
    corners = [_ARITHMETIC[type(op)](a, b) for a in left for b in right]
    return min(corners), max(corners)


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
            raise ContractError(f'"{ast.unparse(node)[:80]}" is no condition')


def _most(name: str, arguments: Sequence[str], terms: Terms) -> int:
    told = _spelled(name, arguments)
    if told in terms.counts:
        return terms.counts[told]
    wanted = {"held": 2, "dug": 2, "signals": 1}.get(name)
    if wanted is None:
        counted = (count.partition("(")[0] for count in terms.counts)
        there = ", ".join(dict.fromkeys(("held", "dug", "signals", *counted, "min", "max")))
        raise ContractError(f"there is no {told}; there are: {there}")
    if len(arguments) != wanted:
        raise ContractError(f"{told} needs a player{' and an item' if wanted == 2 else ''}")
    if arguments[0] not in terms.players:
        raise ContractError(f"{told}: there is no player {arguments[0]}")
    if wanted == 1:
        return terms.most_signals
    if arguments[1] not in terms.items:
        raise ContractError(f"{told}: there is no item {arguments[1]}: {', '.join(terms.items)}")
    return terms.items[arguments[1]]


def _spelled(name: str, arguments: Sequence[str]) -> str:
    return f"{name}({', '.join(arguments)})"


def _names(args: Sequence[ast.expr], node: ast.expr) -> list[str]:
    names = [_argument(arg) for arg in args]
    if not all(names):
        raise ContractError(f'"{ast.unparse(node)[:80]}" needs names of players and items')
    return names


def _argument(node: ast.expr) -> str:
    """A name, or a whole number that stands for a thing; empty: it is neither."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return str(number)
    return ""


def _holds(node: ast.expr, outcome: Outcome) -> bool:
    match node:
        case ast.BoolOp(op=op, values=values):
            each = (_holds(value, outcome) for value in values)
            return all(each) if isinstance(op, ast.And) else any(each)
        case ast.UnaryOp(operand=operand):
            return not _holds(operand, outcome)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value(side, outcome) for side in (left, *others)]
            pairs = zip(ops, sides, sides[1:], strict=False)
            return all(_COMPARISONS[type(op)](a, b) for op, a, b in pairs)
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _value(node: ast.expr, outcome: Outcome) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(operand=operand):
            return -_value(operand, outcome)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, outcome), _value(right, outcome))
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CHOICES:
            return _CHOICES[name](_value(arg, outcome) for arg in args)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _observe(name, _names(args, node), outcome)
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _observe(name: str, arguments: Sequence[str], outcome: Outcome) -> float:
    told = _spelled(name, arguments)
    if told in outcome.counted:
        return outcome.counted[told]
    if name == "signals":
        return outcome.signals.get(arguments[0], 0)
    counts = outcome.held if name == "held" else outcome.dug
    return counts.get(arguments[0], {}).get(arguments[1], 0)


def _within(outcome: Outcome, terms: Terms) -> Outcome:
    """An outcome with no count below 0 or above what the terms say that there can be."""

    def bounded(counts: Counts) -> Counts:
        return {
            player: {
                item: min(max(own.get(item, 0), 0), most) for item, most in terms.items.items()
            }
            for player, own in counts.items()
        }

    signals = {
        player: min(max(count, 0), terms.most_signals) for player, count in outcome.signals.items()
    }
    counted = {
        told: min(max(outcome.counted.get(told, 0), 0), most) for told, most in terms.counts.items()
    }
    return Outcome(bounded(outcome.held), bounded(outcome.dug), signals, counted)


# --- Whether two payments are the same in other words, or for the same kind of deed ---------------
#
# ``0.5 * eaten(Ada)`` and ``eaten(Ada) / 2`` are the same; ``eaten(Ada)`` is another amount for it.

#: Up to which counts outcomes are drawn: small and large ones, so that limits show.
_MOST = (1, 2, 3, 7, 13, 31, 97, 499, 997)
#: Behind the point, of what an amount comes to.
_DIGITS = 6


def sense_of(clause: Clause, terms: Terms) -> tuple[object, ...]:
    """Return what is the same for clauses that pay the same under the same condition.

    Amounts are compared by what they come to for drawn counts, within what the terms say that there
    can be; one that comes to nothing for all of them is compared by its words.
    """
    amounts = _amounts(clause, terms)
    told = tuple(map(abs, amounts)) if any(amounts) else (ast.unparse(clause.amount),)
    condition = ast.unparse(clause.condition) if clause.condition else ""
    return *_direction(clause, amounts), told, condition


def kind_of(clause: Clause, terms: Terms) -> tuple[object, ...]:
    """Return what is the same for clauses of one payer to one receiver for the same kind of deed.

    That is what their amounts and conditions count, whatever they do with it.
    """
    parts = (clause.amount, clause.condition)
    counted = {
        ast.unparse(node)
        for part in parts
        for node in (ast.walk(part) if part else ())
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in ("min", "max")
    }
    return *_direction(clause, _amounts(clause, terms)), frozenset(counted)


def _amounts(clause: Clause, terms: Terms) -> tuple[float, ...]:
    """Return what a clause comes to for drawn counts, whatever its condition."""
    always = FormalContract((Clause(clause.payer, clause.receiver, clause.amount, None),), terms)
    return tuple(
        round(always.transfers(_drawn(terms, most))[clause.receiver], _DIGITS) for most in _MOST
    )


def _direction(clause: Clause, amounts: tuple[float, ...]) -> tuple[str, str, bool]:
    """Return who pays whom, and whether it may flow back; what only flows back is turned round."""
    low, high = min(amounts), max(amounts)
    if low < 0 >= high:
        return clause.receiver, clause.payer, False
    return clause.payer, clause.receiver, low < 0 < high


def _drawn(terms: Terms, most: int) -> Outcome:
    """Return an outcome whose counts follow from their names."""

    def count(name: str, there_are: int) -> int:
        return zlib.crc32(f"{most} {name}".encode()) % (min(most, there_are) + 1)

    def items(what: str) -> dict[str, dict[str, int]]:
        return {
            player: {item: count(f"{what} {player} {item}", n) for item, n in terms.items.items()}
            for player in terms.players
        }

    signals = {player: count(f"signals {player}", terms.most_signals) for player in terms.players}
    counted = {name: count(name, n) for name, n in terms.counts.items()}
    return Outcome(items("held"), items("dug"), signals, counted)


# --- Clauses in words, so that players can see what the clauses say that were made of their text --

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
    """What the clauses say, a numbered sentence each."""
    sentences = (_clause(clause) for clause in contract.clauses)
    return "\n".join(f"{n}. {sentence}" for n, sentence in enumerate(sentences, start=1))


def _clause(clause: Clause) -> str:
    told = f"{clause.payer} pays {clause.receiver} {_words(clause.amount)} emeralds"
    return f"{told}, if {_words(clause.condition)}." if clause.condition else f"{told}."


def _words(node: ast.expr) -> str:
    """An expression that ``judge.contracts.clauses`` has checked, in words."""
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
            return _call(name, args)
    raise AssertionError(f"not checked: {ast.dump(node)}")


def _call(name: str, args: Sequence[ast.expr]) -> str:
    if name in _CHOICES_IN_WORDS:
        return f"{_CHOICES_IN_WORDS[name]} {' and '.join(_inner(arg) for arg in args)}"
    return _OBSERVABLES[name].format(*(ast.unparse(arg) for arg in args))


def _inner(node: ast.expr) -> str:
    """A part of an expression; in brackets where it has parts itself."""
    compound = isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare)
    return f"({_words(node)})" if compound else _words(node)
