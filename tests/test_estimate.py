"""What a run would cost, before anything is paid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments import registry
from experiments.command import command
from experiments.estimate import estimate
from records import read_record

TINY = {
    "double_vein": ["--contract", "1", "--runs", "2"],
    "cleanup": ["--set", "time_limit_s=60"],
    "harvest": ["--set", "time_limit_s=60"],
    "crafting_tree": ["--tree", "adasociety", "--minutes", "1"],
    "matrix": ["--episodes", "2"],
    "adasociety": ["--condition", "contract-easy", "--set", "length=40"],
    "taxation": ["--condition", "frozen", "--agents", "3", "--runs", "2", "--set", "length_s=90"],
    "religion": ["--set", "agents=8", "--set", "length_s=90"],
}


@pytest.mark.parametrize("name", registry.names())
def test_an_estimate_is_what_a_scripted_run_asks(name, tmp_path):
    """It needs no key, writes nothing, and counts each call that a record of the same run has."""
    made = command(registry.experiment(name))
    words = ["--world", "grid", *TINY[name], "--out", str(tmp_path), "--json"]
    done = CliRunner().invoke(made, [*words, "--estimate", "--model", "gpt-4o"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout.strip().splitlines()[-1])["estimate"]
    assert list(tmp_path.iterdir()) == []
    everything = told.pop("all")
    for field in ("calls", "prompt_tokens", "answer_tokens"):
        assert everything[field] == sum(role[field] for role in told.values()) > 0
    assert everything["dollars"] > 0
    if name in ("matrix", "adasociety", "crafting_tree", "double_vein"):
        result = json.loads(CliRunner().invoke(made, words).stdout.strip().splitlines()[-1])
        calls = read_record(Path(result["run_dir"])).calls
        assert everything["calls"] == len(calls)


def test_an_unknown_price_is_no_zero(tmp_path):
    done = CliRunner().invoke(estimate, ["matrix", "--model", "my-own"])
    assert done.exit_code == 0, done.output
    row = done.stdout.strip().splitlines()[-1]
    assert row.startswith("| matrix")
    assert "| unknown |" in row
