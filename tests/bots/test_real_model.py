"""A real language model plays: SmolLM2-135M with llama.cpp's server, on this machine.

It decides badly. The tests check that its answers are valid if the server enforces schemas, and
that its runs finish. ``make test-model`` prints the figures.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.conftest import run_module
from voxpolis.bots.models import local
from voxpolis.records import read_record

# Maximum fraction of failed decisions.
MAX_FAILED_SHARE = 0.05
# Short games for a model that produces about ten tokens per second, as typed commands.
GAMES = {
    "matrix": "--world grid --agent planner --episodes 1 --set time_limit_s=2",
    "adasociety": "--condition exploration --set agents.explorer=1 --set length=4",
    "fishing": "--condition talk --set agents=2 --set rounds=1",
    "commons": "--condition coop --set rounds=1",
    "taxation": (
        "--world grid --condition no_vote --agents 2 --influencers none --runs 1 "
        "--set length_s=6 --set first_season_s=2 --set modules={controller: 2, talking: 4, "
        "perception: 1, skill_execution: 1}"
    ),
    "double_vein": (
        "--world grid --agent planner --condition negotiate --rounds 2 --set time_limit_s=4 "
        "--set max_attempts=1"
    ),
}
# The suite plays the game that takes seconds; ``make test-model`` plays all.
SHORT = ("fishing",)
IS_WHOLE = bool(os.environ.get("VOXPOLIS_TEST_MODEL"))
# Several seeds per game: a game has few decisions, so one failure would weigh too much.
SEEDS = range(3) if IS_WHOLE else range(1)


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    """The server's address, and a settings file for a very small model."""
    local.install()
    settings = tmp_path_factory.mktemp("model") / "models.yaml"
    one = {"model": local.MODEL, "max_tokens": 200, "thought": False, "temperature": 0.2}
    # Without this, a model as small as this repeats one sentence until its tokens are used up.
    one["extra_body"] = {"dry_multiplier": 0.8, "repeat_penalty": 1.1}
    settings.write_text(yaml.safe_dump({"default": one}))
    # One thread in the suite: on a busy machine, two threads would wait for each other.
    with local.serving(threads=2 if IS_WHOLE else 1) as url:
        yield url, settings


@pytest.fixture(scope="module")
def counted():
    """Numbers of requested and failed decisions in all games."""
    return Counter()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", GAMES if IS_WHOLE else SHORT)
def test_a_real_model_plays_to_the_end(name, seed, endpoint, counted, tmp_path, capsys):
    url, settings = endpoint
    words = GAMES[name].split(" --")
    options = [words[0], *(f"--{word}" for word in words[1:])]
    told = [part for option in options for part in option.split(" ", 1)]
    told += ["--base-url", url, "--models", str(settings), "--concurrency", "2", "--json"]
    told += ["--request-timeout", "300", "--seed", str(seed)]
    done = run_module(f"scenarios.{name}", *told, "--out", str(tmp_path), timeout=580)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout.strip().splitlines()[-1])
    decisions = result["decisions"]
    calls = [call for call in read_record(Path(result["run_dir"])).calls if "answer" in call]
    tokens = sum(call["completion_tokens"] for call in calls)
    seconds = sum(call["seconds"] for call in calls)
    with capsys.disabled():
        print(
            f"\n{name}, seed {seed}: {decisions['asked']} decisions, {decisions['failed']} failed, "
            f"{len(calls)} calls, {tokens} answer tokens, {seconds:.0f} s of calls"
        )
    assert decisions["asked"] > 0
    counted.update(asked=decisions["asked"], failed=decisions["failed"])
    assert {call["form"] for call in calls} == {"json_schema"}
    assert result["runs"], done.stderr


def test_nearly_all_answers_have_the_requested_types(counted):
    assert counted["asked"] > 0
    assert counted["failed"] <= MAX_FAILED_SHARE * counted["asked"], counted
