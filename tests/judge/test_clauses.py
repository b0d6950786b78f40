"""Clauses are settled like equivalent Python expressions."""

from __future__ import annotations

import random
import re

import pytest

from voxpolis.judge import Outcome, Terms, parse_clauses

PLAYERS, TERMS = ("Ann", "Bob"), Terms(("Ann", "Bob"), {"iron": 12, "diamond": 6})


def clause(rng: random.Random) -> str:
    payer, receiver = rng.sample(PLAYERS, 2)
    item = rng.choice(("iron", "diamond"))
    amounts = (
        f"{rng.uniform(-20, 60):.1f}",
        f"{rng.randint(0, 4)} * held({payer}, {item}) - {rng.randint(-9, 20)}",
        f"min({rng.randint(0, 90)}, {rng.randint(0, 5)} * held({receiver}, {item}))",
    )
    conditions = ("", f" if held({receiver}, {item}) > 0", f" if dug({payer}, {item}) == 0")
    return f"{payer} pays {receiver} {rng.choice(amounts)}{rng.choice(conditions)}"


def settled(lines: list[str], outcome: Outcome) -> dict[str, float]:
    names = {name: name for name in (*PLAYERS, *TERMS.items)}
    names |= {
        "held": lambda player, item: outcome.held[player][item],
        "dug": lambda player, item: outcome.dug[player][item],
        "min": min,
    }
    gets = dict.fromkeys(PLAYERS, 0.0)
    for line in lines:
        told = re.fullmatch(r"(\w+) pays (\w+) (.+?)(?: if (.+))?", line).groups()
        payer, receiver, amount, condition = told
        if condition is None or eval(condition, {}, names):
            gets[payer] -= eval(amount, {}, names)
            gets[receiver] += eval(amount, {}, names)
    return gets


def test_clauses_are_settled_like_python_expressions():
    rng = random.Random(1)

    def counts():
        return {item: rng.choice((0, rng.randint(1, most))) for item, most in TERMS.items.items()}

    for _ in range(500):
        lines = [clause(rng) for _ in range(rng.randint(1, 3))]
        outcome = Outcome({p: counts() for p in PLAYERS}, {p: counts() for p in PLAYERS})
        found = parse_clauses("\n".join(lines), TERMS).transfers(outcome)
        assert found == pytest.approx(settled(lines, outcome)), lines
