"""Figures of compared conditions out of one command."""

from __future__ import annotations

import json

import pytest

from analysis.figures import save_all
from analysis.figures.commons import conditions_of
from analysis.loading import load
from tests.conftest import run_module

#: Of short games: what is drawn, and in which order, does not depend on their length.
SHORT = ("--set", "rounds=6")
TREES = ("--conditions", "one_tree,one_tree_coop", "--runs", "1", "--json", *SHORT)


def test_a_comparison_draws_what_the_figures_of_its_own_runs_are(tmp_path):
    """The folder of an earlier run beside them is not drawn in."""
    out, figures = str(tmp_path / "runs"), tmp_path / "figures"
    run_module("scenarios.commons", "--condition", "one_tree_selfish", "--out", out, *SHORT)
    options = (*TREES, "--out", out, "--figures", str(figures))
    done = run_module("experiments", "compare", "commons", *options)
    assert done.returncode == 0, done.stderr
    assert "drawn in" in done.stderr
    folders = [result["run_dir"] for result in json.loads(done.stdout)["conditions"]]
    assert len(folders) == 2
    assert order_of(load(folders)) == ["one_tree", "one_tree_coop"]
    assert order_of(load(reversed(folders))) == ["one_tree_coop", "one_tree"]
    assert order_of(load(out)) == ["one_tree", "one_tree_coop", "one_tree_selfish"]  # played first
    drawn = {path.name for path in figures.iterdir()}
    assert {"commons_reward.png", "commons_attacks.svg"} <= drawn
    for path in save_all(folders, tmp_path / "again", ("commons_reward", "commons_attacks")):
        assert path.read_bytes() == (figures / path.name).read_bytes(), path.name


def order_of(runs):
    return [name for name, _, _ in conditions_of(runs)]


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_played(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    options = (*TREES, "--out", str(tmp_path / "runs"), "--figures", str(taken / "figures"))
    done = run_module("experiments", "compare", "commons", *options)
    assert done.returncode == 2
    assert f"cannot write to {taken / 'figures'}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("bots", "kind"), [("scripted", "scripted bots"), ("trained", "trained bots")]
)
def test_a_comparison_says_what_background_players_are(bots, kind, tmp_path):
    conditions = "one_tree,bots" if bots == "scripted" else "bots"  # others have none to train
    words = ("--conditions", conditions, "--set", "rounds=8", "--set", f"bots={bots}")
    done = run_module("experiments", "compare", "commons", *words, "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"bots: Ana, Luis, {kind}" in done.stdout
    assert done.stdout.count("Ana, Luis") == 1
