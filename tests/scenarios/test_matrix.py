"""Repeated 2 by 2 games: outcomes of strategies follow from the payoff table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from voxpolis.records import events, read_record
from voxpolis.scenarios.matrix import Matrix

SERVER_OPTIONS = ["--speed", "10"]


def play(out, *options, **environment):
    return result_of(
        run_module("scenarios.matrix", "--out", str(out), "--json", *options, **environment)
    )


def rewards(result):
    return [
        tuple(run["agents"][name]["reward"] for name in ("Ann", "Bob")) for run in result["runs"]
    ]


def strategies(ann, bob):
    return ["--set", f"strategies.Ann={ann}", "--set", f"strategies.Bob={bob}"]


# Computed by hand, four rounds each.
EXPECTED = {
    ("prisoners_dilemma", "alternate", "tit_for_tat"): [(3, 3), (5, 0), (0, 5), (5, 0)],
    ("prisoners_dilemma", "alternate", "grim"): [(3, 3), (5, 0), (0, 5), (1, 1)],
    ("stag_hunt", "always(hare)", "tit_for_tat"): [(3, 0), (3, 3), (3, 3), (3, 3)],
    ("chicken", "always(straight)", "grim"): [(4, 2), (0, 0), (0, 0), (0, 0)],
    ("battle_of_the_sexes", "alternate", "alternate"): [(2, 1), (1, 2), (2, 1), (1, 2)],
}


@pytest.mark.parametrize(("game", "ann", "bob"), EXPECTED)
def test_strategies_earn_what_the_table_says(tmp_path, game, ann, bob):
    options = ["--world", "grid", "--game", game, "--episodes", "4", *strategies(ann, bob)]
    result = play(tmp_path, *options, VOXPOLIS_SERVER=str(tmp_path / "none"))
    assert rewards(result) == EXPECTED[game, ann, bob]
    assert result["welfare_optimum"] == max(
        sum(pair) for row in Matrix(game=game).payoffs.payoffs for pair in row
    )


def test_custom_payoff_table_is_played(tmp_path):
    config = tmp_path / "game.yaml"
    config.write_text(
        "table: {actions: [left, right], payoffs: [[[7, 1], [0, 0]], [[0, 0], [1, 7]]]}"
    )
    options = ["--world", "grid", "--config", str(config), "--episodes", "2"]
    result = play(tmp_path, *options, *strategies("always(right)", "tit_for_tat"))
    assert rewards(result) == [(0, 0), (1, 7)]
    shown = run_module("scenarios.matrix", "--config", str(config), "--show-prompts").stdout
    assert "- you left, Bob left: you 7, Bob 1" in shown


def test_random_strategies_depend_on_the_seed(tmp_path):
    options = ["--world", "grid", "--episodes", "6", *strategies("random(0.5)", "random(0.5)")]
    runs = [rewards(play(tmp_path, *options, "--seed", seed)) for seed in ("1", "1", "2")]
    assert runs[0] == runs[1] != runs[2]


def test_two_real_bots_step_on_plates(server, tmp_path):
    options = ["--episodes", "2", *strategies("always(defect)", "tit_for_tat")]
    result = play(tmp_path, *options)
    assert rewards(result) == [(5, 0), (1, 1)]
    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    asked = [call["messages"][0]["content"] for call in record.calls if call["agent"] == "Bob"]
    assert any("round 1: you cooperate, Ann defect: you 0, Ann 5" in text for text in asked)
    again = play(tmp_path, "--replay", result["run_dir"], VOXPOLIS_SERVER=str(tmp_path / "none"))
    assert again["runs"] == result["runs"]
    assert record.of(events.PositionSampled)
