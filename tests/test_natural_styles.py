"""A model that answers as chat models do plays every scenario: five styles, over HTTP."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from experiments import registry
from experiments.command import command, prepare
from experiments.runner import play
from tests.endpoint import deciding, serving
from tests.styles import STYLES

MOST_FAILED = 0.05


def settings(*fields):
    return [word for field in fields for word in ("--set", field)]


SHORT = {
    "double_vein": ["--contract", "1"],
    "cleanup": ["--contract", "1", *settings("time_limit_s=90")],
    "harvest": ["--contract", "1", *settings("time_limit_s=60")],
    "crafting_tree": ["--tree", "adasociety", *settings("time_limit_s=60")],
    "matrix": ["--episodes", "2"],
    "adasociety": ["--condition", "contract-easy", *settings("length=30")],
    "taxation": [
        *("--condition", "full", "--agents", "3", "--influencers", "anti", "--runs", "1"),
        *settings("influencers=1", "length_s=60", "first_season_s=5", "season_every_s=30"),
        *settings("feedback_s=20", "amendments_s=22", "vote_s=24", "tally_s=26"),
        *settings("enactment_s=28", "radius_blocks=12", "window_s=15"),
    ],
    "religion": [
        "--runs",
        "1",
        *settings("agents=8", "priests=2", "length_s=200", "town_radius_blocks=8"),
    ],
}


#: By scenario: whether a result shows that the agents did what it is about.
ACTED = {
    "double_vein": lambda run: (
        run["agents"]["Gizmo"]["iron"] and run["agents"]["Glitch"]["diamond"]
    ),
    "cleanup": lambda run: run["welfare"] > 0,
    "harvest": lambda run: run["welfare"] > 0,
    "crafting_tree": lambda run: all(agent["items"] >= 2 for agent in run["agents"].values()),
    "matrix": lambda run: run["welfare"] == 6,
    "adasociety": lambda run: run["reward"] > 0 and run["degrees"]["group_out_max"] >= 4,
    "taxation": lambda run: run["tax_share_before"] > 0.1 and run["law_version"] == 2,
    "religion": lambda run: run["exposures"] > 0,
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", registry.names())
async def test_a_model_of_any_style_plays(name, style, tmp_path):
    experiment = registry.experiment(name)
    with serving(deciding(style)) as endpoint:
        words = ["--world", "grid", *SHORT[name], "--out", str(tmp_path)]
        words += ["--base-url", endpoint.url, "--model", "local"]
        values = command(experiment).make_context(name, words).params
        run = await asyncio.to_thread(prepare, experiment, values)
        code, result = await play(run)
    decisions = result["decisions"]
    assert code == 0, result.get("error")
    assert decisions["asked"] > 0
    assert decisions["failed"] <= MOST_FAILED * decisions["asked"], decisions
    assert all(ACTED[name](one) for one in result["runs"]), json.dumps(result["runs"])
    assert Path(result["run_dir"], "result.json").exists()
