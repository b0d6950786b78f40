"""What conditions of a contract game show beside each other, against numbers by hand."""

from __future__ import annotations

import re

import pytest

from experiments import registry
from experiments.contract_comparison import sheets
from experiments.contract_experiment import ContractExperiment
from tests.conftest import ROOT

OPTIMUM = 80.0


def result(condition, *episodes, unsound=0):
    """A result with a repetition of each tuple of episodes: (welfare, Gini)."""
    runs = [
        {"episode": number, "welfare": welfare, "gini": gini, "sound": True}
        for repetition in episodes
        for number, (welfare, gini) in enumerate(repetition, start=1)
    ]
    runs += [{"episode": 1, "welfare": 0.0, "gini": 0.0, "sound": False}] * unsound
    return {"condition": condition, "welfare_optimum": OPTIMUM, "runs": runs}


def test_gains_are_told_by_episode():
    alone = result("none", [(60, 0.4), (70, 0.4)], [(60, 0.4), (70, 0.4)])
    agreed = result("1", [(70, 0.1), (80, 0.1)], [(75, 0.1), (None, None)], unsound=2)
    once = result("2", [(40, 0.1)])
    (found,) = sheets([alone, agreed, once])
    assert found.as_json() == {
        "1": {
            "all episodes": pytest.approx((75 - 65) / (80 - 65)),
            "episode 1": pytest.approx((72.5 - 60) / (80 - 60)),
            "episode 2": pytest.approx(1.0),
        },
        "2": {
            "all episodes": pytest.approx((40 - 65) / 15),
            "episode 1": pytest.approx((40 - 60) / 20),
            "episode 2": None,
        },
    }


def test_roles_and_transfer_are_told_apart():
    found = list(
        sheets(
            [
                result("none", [(60, 0.4)]),
                result("1-roles", [(78, 0.3)]),
                result("1-transfer", [(62, 0.1)]),
                result("1", [(80, 0.0)]),
            ]
        )
    )
    assert [sheet.name for sheet in found] == ["surplus", "factorial 1"]
    welfare, gini = found[1].rows["welfare"], found[1].rows["gini"]
    assert welfare == [60, 78, 62, 80, 18, 2, 0]
    assert gini == pytest.approx([0.4, 0.3, 0.1, 0.0, -0.1, -0.3, 0.0])


@pytest.mark.parametrize("name", ["double_vein", "cleanup", "harvest"])
def test_what_is_compared_with_was_measured(name):
    """The baselines that a comparison shows are rows of the tables of the documentation."""
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    experiment = registry.experiment(name)
    assert isinstance(experiment, ContractExperiment)
    conditions = {*experiment.conditions}
    for by_name in experiment.settings.measured.values():
        assert set(by_name) <= conditions
        for condition, known in by_name.items():
            row = rf"\| (?:{condition}|`python -m .+ --contract {condition} .+`) \|.*{known}"
            assert re.search(row, text)


def test_what_was_not_played_is_not_told():
    assert list(sheets([result("1", [(80, 0.0)])])) == []
    (found,) = sheets([result(None, [(80, 0.1)]), result("1", [(None, None)])])
    assert found.rows == {"1": [None]}
