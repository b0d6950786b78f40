"""Measures and comparisons of runs, and games made from runs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpolis.analysis.comparing import bootstrap, paired
from voxpolis.analysis.games import equilibria, payoff_matrices, schelling, shapley
from voxpolis.analysis.metrics import (
    cost_per_welfare,
    tokens,
)


def test_costs():
    calls = pd.DataFrame({
        "role": ["action", "action", "judge"],
        "prompt_tokens": [10, 20, None],
        "completion_tokens": [1, 2, 3],
        "seconds": [0.5, 0.5, 1],
        "cost": [0.1, 0.2, None],
    })  # fmt: skip
    found = tokens(calls)
    assert found.loc["action", "prompt_tokens"] == 30
    assert found.loc["judge", "calls"] == 1
    assert cost_per_welfare(calls, 3.0) == pytest.approx(0.1)
    assert math.isnan(cost_per_welfare(calls.assign(cost=None), 3.0))


# --- Comparisons, and runs as games ---------------------------------------------------------------


def test_intervals_contain_the_mean_and_shrink_with_more_values():
    chance = np.random.default_rng(0)
    few, many = (bootstrap(chance.normal(10, 2, n).tolist()) for n in (10, 200))
    assert few.low < few.value < few.high
    assert many.high - many.low < few.high - few.low
    assert bootstrap([3.0]).low == bootstrap([3.0]).high == 3.0
    assert (str(bootstrap([3.0])), f"{bootstrap([3.0, 3.0]):.1f}") == ("3", "3.0 [3.0, 3.0]")
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])


def test_conditions_are_compared_seed_by_seed():
    one, other = [70.0 + k for k in range(12)], [60.0 + k for k in range(12)]
    found = paired(one, other)
    assert found.difference.value == 10
    assert found.p_value < 0.001
    assert paired(one, one).p_value == 1
    with pytest.raises(ValueError, match="same number of values"):
        paired([1.0], [1.0, 2.0])


def test_schelling_diagram_shows_a_prisoners_dilemma():
    plays = [("C", "C", 3, 3), ("C", "D", 0, 5), ("D", "C", 5, 0), ("D", "D", 1, 1)] * 2
    rows, columns, one, other = payoff_matrices(plays)
    assert rows == columns == ["C", "D"]
    ((ours, theirs),) = equilibria(one, other)
    assert ours.tolist() == theirs.tolist() == [0, 1]
    with pytest.raises(ValueError, match="never played"):
        payoff_matrices(plays[:3])
    diagram = schelling([{"a": (x == "C", p), "b": (y == "C", q)} for x, y, p, q in plays])
    assert diagram["cooperate"].tolist() == [0, 3]
    assert diagram["defect"].tolist() == [1, 5]


@given(st.lists(st.integers(-5, 20), min_size=1, max_size=12), st.integers(0, 3))
def test_shapley_values_sum_to_the_total(worths, synergy):
    agents = [f"A{i}" for i in range(len(worths))]
    own = dict(zip(agents, worths, strict=True))

    def value(there):
        return sum(own[a] for a in there) + synergy * len(there) ** 2

    found = shapley(agents, value, samples=50)
    assert sum(found.values()) == pytest.approx(value(frozenset(agents)))
    if synergy == 0:
        assert found == pytest.approx(own)
