"""Figures of compared conditions out of one command."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from matplotlib.figure import Figure

from analysis.figures import save_all
from analysis.figures.commons import commons_hits, commons_reward, conditions_of
from analysis.figures.drawing import band
from analysis.loading import Runs, load
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


def test_conditions_of_another_figure_have_a_panel_of_their_own(tmp_path):
    names, out = "aware,bots,one_tree,none,full", str(tmp_path / "runs")
    words = ("--conditions", names, "--set", "rounds=2", "--out", out, "--json")
    done = run_module("experiments", "compare", "commons", *words)
    folders = [result["run_dir"] for result in json.loads(done.stdout)["conditions"]]
    asked = [axes.get_title() for axes in commons_reward(load(folders)).axes]
    assert asked[:5] == ["a selfish one, announced", "bots", "one tree", "personalities", "modules"]
    hits = commons_hits(load(folders))
    panels = [axes.get_title() for axes in hits.axes if axes.get_title()]
    assert 0 < len(panels) < 5
    assert f"run folders: {len(panels)}" in hits.get_suptitle()  # those that it draws
    found = [axes.get_title() for axes in commons_reward(load(out)).axes]  # as published
    assert found[:5] == ["personalities", "one tree", "bots", "a selfish one, announced", "modules"]


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


def test_a_victim_has_one_colour_in_all_panels_of_hits_and_no_two_lines_look_alike(tmp_path):
    out = str(tmp_path)
    settings = ("--set", "rounds=40", "--set", "attacks=0.3")
    run_module("scenarios.commons", "--condition", "none", "--out", out, *settings)
    run_module("scenarios.commons", "--condition", "bots", "--out", out, *settings)
    runs = Runs(sorted((tmp_path / "commons").iterdir()))
    drawn = commons_hits(runs)
    colours, players = {}, {}
    for axes in drawn.axes:
        attackers = [label.get_text() for label in axes.get_xticklabels()]
        players[axes.get_title()] = set(attackers)
        for bars in axes.containers:
            if hasattr(bars, "patches") and any(bar.get_height() > 0 for bar in bars):
                victim = bars.get_label().removeprefix("on ")
                assert len(attackers) == len(bars)
                colours.setdefault(victim, set()).add(bars[0].get_facecolor())
    assert len(players) == 2
    assert players["none"] != players["bots (scripted bots)"]
    assert {"Juan", "Laura", "Ana"} <= colours.keys()
    assert all(len(found) == 1 for found in colours.values())
    assert len({min(found) for found in colours.values()}) == len(colours)
    axes = Figure().subplots()
    for number in range(40):
        band(axes, number, str(number), pd.DataFrame({"a": [1.0, 2.0]}))
    looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in axes.lines}
    assert len(looks) == 40


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
