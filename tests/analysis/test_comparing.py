"""Measures and comparisons of runs, and games made from runs."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from voxpolis.analysis.comparing import bootstrap, differences, note_on_comparisons, paired
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


def test_intervals_of_few_values_contain_the_mean_as_often_as_they_say():
    chance, draws = np.random.default_rng(0), 300
    found = [bootstrap(chance.normal(10, 2, 5).tolist()) for _ in range(draws)]
    assert sum(one.low <= 10 <= one.high for one in found) >= 0.9 * draws


def test_conditions_are_compared_seed_by_seed():
    one, other = [13.0, 11.0, 12.0, 14.0, 15.0], [10.0, 9.0, 11.0, 10.0, 10.0]
    found = paired(one, other)
    assert (found.pairs, found.difference.value) == (5, 3)
    assert 1 < found.difference.low < 3 < found.difference.high < 5
    # The differences are 3, 2, 1, 4 and 5, with a standard deviation of sqrt(2.5).
    assert found.effect == pytest.approx(3 / math.sqrt(2.5))
    same = paired(one, [value - 2 for value in one])
    assert (same.effect, same.detectable) == (None, None)
    assert (same.difference.low, same.difference.high) == (2, 2)
    alone = paired([3.0], [1.0])
    assert (alone.difference.value, alone.effect, alone.detectable) == (2, None, None)
    with pytest.raises(ValueError, match="same number of values"):
        paired([1.0], [1.0, 2.0])


@pytest.mark.parametrize("pairs", [2, 3, 5, 10, 20])
def test_a_detectable_difference_is_found_in_four_of_five_studies(pairs):
    values = [float((-1) ** number) for number in range(pairs)]
    detectable = paired(values, [0.0] * pairs).detectable / np.std(values, ddof=1)
    degrees, shift = pairs - 1, detectable * math.sqrt(pairs)
    quantile = scipy.stats.t.ppf(0.975, degrees)
    noncentral = scipy.stats.nct(degrees, shift)
    assert noncentral.sf(quantile) + noncentral.cdf(-quantile) == pytest.approx(0.8, abs=2e-3)


def test_variants_are_compared_with_the_same_variant():
    values = {"m": {"0": 1.0, "1": 2.0}}
    names = ["full-anti", "full-pro", "frozen-anti", "frozen-pro", "other"]
    found = differences(dict.fromkeys(names, values))
    assert [(one["condition"], one["baseline"]) for one in found] == [
        ("full-pro", "full-anti"),
        ("frozen-anti", "full-anti"),
        ("frozen-pro", "full-pro"),
        ("other", "full-anti"),
    ]
    contracts = differences(dict.fromkeys(["none", "1", "1-roles"], values))
    assert {one["baseline"] for one in contracts} == {"none"}


def test_conditions_are_compared_on_the_seeds_that_both_have():
    welfare, gini = "mean.welfare", "mean.gini"
    found = differences({
        "none": {welfare: {"0": 1, "1": 2, "2": 4}, gini: {"0": 0.5}},
        "1": {welfare: {"1": 5, "2": 6, "3": 99}, gini: {"7": 0.1}},
        "2": {welfare: {"0": 1}, "mean.other": {"0": 1}},
    })  # fmt: skip
    told = [(one["condition"], one["measure"], one["difference"]["count"]) for one in found]
    assert told == [("1", welfare, 2), ("2", welfare, 1)]
    assert {one["baseline"] for one in found} == {"none"}
    assert (found[0]["difference"]["value"], found[0]["effect"]) == (
        2.5,
        pytest.approx(3.5355, 1e-4),
    )
    assert differences({}) == differences({"none": {welfare: {"0": 1}}}) == []


def test_many_comparisons_come_with_a_note():
    assert note_on_comparisons(0) == note_on_comparisons(1) == ""
    note = note_on_comparisons(10)
    assert "10 comparisons, not corrected" in note
    assert "about 0.5 of the intervals would exclude 0" in note
    assert "intervals of 99.50 % (Bonferroni)" in note


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
