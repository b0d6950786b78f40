"""Figures of compared conditions out of one command."""

from __future__ import annotations

import json

from analysis.figures import save_all
from tests.conftest import run_module

TREES = ("--conditions", "one_tree,one_tree_coop", "--runs", "2", "--json")


def test_a_comparison_draws_what_the_figures_of_its_own_runs_are(tmp_path):
    """The folder of an earlier run beside them is not drawn in."""
    out, figures = str(tmp_path / "runs"), tmp_path / "figures"
    run_module("scenarios.commons", "--condition", "one_tree_selfish", "--out", out)
    options = (*TREES, "--out", out, "--figures", str(figures))
    done = run_module("experiments", "compare", "commons", *options)
    assert done.returncode == 0, done.stderr
    assert "drawn in" in done.stderr
    folders = [result["run_dir"] for result in json.loads(done.stdout)["conditions"]]
    assert len(folders) == 2
    again = list(save_all(folders, tmp_path / "again"))
    assert {path.name for path in again} == {path.name for path in figures.iterdir()}
    assert {"commons_reward.png", "commons_attacks.svg"} <= {path.name for path in again}
    for path in again:
        assert path.read_bytes() == (figures / path.name).read_bytes(), path.name


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_played(tmp_path):
    taken = tmp_path / "file"
    taken.write_text("")
    options = (*TREES, "--out", str(tmp_path / "runs"), "--figures", str(taken / "figures"))
    done = run_module("experiments", "compare", "commons", *options)
    assert done.returncode == 2
    assert f"cannot write to {taken / 'figures'}" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()
