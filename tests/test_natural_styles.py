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
    "adasociety": ["--condition", "contract-easy", *settings("length=60")],
    "taxation": [
        *("--condition", "full", "--agents", "4", "--influencers", "anti"),
        *settings("influencers=1", "length_s=150", "first_season_s=20", "season_every_s=50"),
        *settings("feedback_s=75", "amendments_s=80", "vote_s=85", "tally_s=90"),
        *settings("enactment_s=95"),
    ],
    "religion": settings("agents=8", "priests=2", "length_s=240", "town_radius_blocks=8"),
}


def acted(name, result):
    """Whether a result shows that the agents did what the scenario is about."""
    run = result["runs"][-1]
    match name:
        case "double_vein":
            return run["agents"]["Gizmo"]["iron"] > 0 and run["agents"]["Glitch"]["diamond"] > 0
        case "cleanup" | "harvest":
            return run["welfare"] > 0
        case "crafting_tree":
            return sum(agent["distinct"] for agent in run["agents"].values()) >= 2
        case "matrix":
            return [one["welfare"] for one in result["runs"]] == [6, 6]
        case "adasociety":
            return run["reward"] > 0 and run["degrees"]["group"] > 0
        case "taxation":
            return run["tax_share_before"] > 0.1 and run["law_version"] == 2
        case "religion":
            return run["exposures"] > 0
    raise AssertionError(name)


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
    assert acted(name, result), json.dumps(result["runs"])
    assert Path(result["run_dir"], "result.json").exists()
