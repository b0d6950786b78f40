"""Whether two payments are the same in other words, or for the same kind of deed.

``0.5 * eaten(Ada)`` and ``eaten(Ada) / 2`` are the same; ``eaten(Ada)`` is another amount for it.
"""

from __future__ import annotations

import ast
import zlib

from voxpolis.judge.contract import Outcome, Terms
from voxpolis.judge.formal import Clause, FormalContract

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
