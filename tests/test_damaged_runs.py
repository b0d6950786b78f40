"""Damaged results and events of small real runs: every command of ``analysis`` has lines for it."""

from __future__ import annotations

import json
import os
import random
import shutil
import warnings
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.played import play_all
from voxpolis.analysis.__main__ import app
from voxpolis.analysis.loading import load
from voxpolis.analysis.report.film import _Captions
from voxpolis.analysis.report.shelf import Shelf
from voxpolis.analysis.report.watch import follow
from voxpolis.records import RunReader, find_runs

TAXES = {"length_s": 180, "first_season_s": 20, "season_every_s": 40, "feedback_s": 45}
TAXES |= {"amendments_s": 55, "vote_s": 65, "tally_s": 75, "enactment_s": 85}
SHORT = [part for name, value in TAXES.items() for part in ("--set", f"{name}={value}")]
PLAYED = [
    ("double_vein", "--world", "grid", "--runs", "2", "--contract", "negotiate"),
    ("adasociety", "--episodes", "2"),
    ("commons", "--set", "rounds=4"),
    ("commons", "--game", "clean_up", "--set", "rounds=4"),
    ("crafting_tree", "--world", "grid", "--until", "shovel"),
    ("sentiment", "--condition", "talk", "--runs", "2"),
    ("specialisation", "--agents", "6", "--set", "length_s=100"),
    ("taxation", "--condition", "full", "--agents", "6", "--runs", "1", *SHORT),
    ("religion", "--agents", "60", "--set", "length_s=200", "--set", "faith.conversion=0.3"),
]
#: What stands where something else should.
WRONG = [None, True, -1, 0.5, 10**17, -(10**17), 10**30, 1e300, "", "x", "$\\frac{$", "_x"]
WRONG += [[], {}, [None], {"a": []}, [[1]], {"x": None}, [1, 2, 3], "y" * 5000]


def put_wrong(rng, found):
    """Put something wrong somewhere into data, or take something away, in place."""
    while True:
        keys = list(found) if isinstance(found, dict) else list(range(len(found)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = found[key]
        if isinstance(inner, list | dict) and inner and rng.random() < 0.8:
            found = inner
            continue
        if rng.random() < 0.2:
            del found[key]
        else:
            found[key] = rng.choice(WRONG)
        return


def damage(folder, rng):
    """Damage a run's result and some of its events."""
    path = folder / "result.json"
    result = json.loads(path.read_text())
    for _ in range(rng.choice([0, 1, 1, 3])):
        runs = result.get("runs")
        put_wrong(rng, runs if rng.random() < 0.7 and isinstance(runs, list) else result)
    path.write_text(json.dumps(rng.choice(WRONG) if rng.random() < 0.05 else result))
    lines = (folder / "events.jsonl").read_text().splitlines()
    for _ in range(rng.choice([0, 5, 50])):
        at = rng.randrange(len(lines))
        event = json.loads(lines[at])
        put_wrong(rng, event)
        how = rng.random()
        if how < 0.2:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif how < 0.3:
            del lines[at]
        else:
            lines[at] = json.dumps(event, separators=(",", ":"))
    if rng.random() < 0.2:  # another version, without a field
        events = [json.loads(line) for line in lines]
        one = rng.choice(events)
        name = rng.choice([*one, "t"])
        events = [{n: v for n, v in e.items() if n != name or e.get("kind") != one.get("kind")}
                  for e in events]  # fmt: skip
        lines = [json.dumps(event, separators=(",", ":")) for event in events]
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n")
    if rng.random() < 0.2:
        words = [f"{name}: {rng.choice(['5', '[a]', '{a: 1}', '2001-01-01', 'yes', '$x'])}\n"
                 for name in ("scenario", "world", "mind", "contract", "seed")]  # fmt: skip
        (folder / "run.yaml").write_text("".join(words))


def lines_of(*arguments):
    """What a command says, where it ends as commands do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of letters that the font lacks, and lines without points
        ran = CliRunner().invoke(app, [str(part) for part in arguments])
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    assert ran.exit_code in (0, 2), ran.output
    assert "Traceback" not in ran.output
    return ran.output.splitlines()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Small runs of many scenarios, as they are."""
    out = tmp_path_factory.mktemp("played")
    play_all(out, PLAYED)
    return out


@pytest.mark.parametrize("seed", range(3))
def test_every_command_has_lines_for_damaged_runs(played, tmp_path, seed):
    runs = tmp_path / "runs"
    shutil.copytree(played, runs)
    rng = random.Random(seed)
    folders = find_runs(runs)
    for folder in folders:
        damage(folder, rng)
    try_all(runs, tmp_path)
    for folder in folders:
        _Captions(folder)
        for _, data in follow(folder, lambda: True):
            json.dumps(data)
    assert Shelf(runs).page()


def try_all(runs: Path, out: Path) -> None:
    """Every command on damaged runs."""
    lines_of("show", runs)
    lines_of("figures", runs, "--out", out / "figures", "--format", "svg")
    lines_of("parquet", runs, "--out", out / "parquet")
    lines_of("report", runs, "--out", out / "reports")
    found = load(runs)
    for frame in ("runs", "problems"):
        assert getattr(found, frame) is not None
    for frame in ("counts", "attempts", "rewards", "transfers", "inventories", "values",
                  "positions", "calls"):  # fmt: skip
        assert getattr(found, frame)() is not None


def test_one_run_with_a_wrong_result_does_not_stop_the_others(played, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(played / "religion", runs / "religion")
    (whole,) = find_runs(runs)
    shutil.copytree(whole, bad := runs / "religion" / "bad")
    odd = {"runs": [[], None, 3, {"rewards": "x"}], "mean": [], "episodes": "x"}
    (bad / "result.json").write_text(json.dumps(odd))
    told = lines_of("figures", runs, "--out", tmp_path / "out", "--format", "svg")
    assert f"{bad}/result.json: mean: no object" in told
    assert f"{bad}/result.json: runs 1: no object" in told
    assert str(tmp_path / "out" / "memes_by_town.svg") in told
    (bad / "result.json").write_text(json.dumps({"runs": [{"memes": {"town": {"x": "y"}}}]}))
    told = lines_of("figures", runs, "--only", "memes_by_town", "--out", tmp_path / "out")
    assert any(line.startswith(f"{bad}/result.json: runs 1, memes town x: ") for line in told)


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ("[1, 2]", "no object"),
        ('{"mean": {"welfare": 1e400}}', "mean welfare is no number, or one beyond 10^18"),
        ('{"mean": {"welfare": NaN}}', "mean welfare is no number, or one beyond 10^18"),
        ('{"runs": 3}', "runs: no list"),
    ],
)
def test_a_wrong_result_is_a_problem(played, tmp_path, result, says):
    shutil.copytree(find_runs(played / "double_vein")[0], tmp_path / "run")
    (tmp_path / "run" / "result.json").write_text(result)
    assert f"{tmp_path}/run/result.json: {says}" in lines_of("show", tmp_path / "run")


WORDS = {"announced": {"kept": None}, "promised": {"kept": "x"}, "claimed": {"denied": 1}}


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"runs": [{"feedback": {"anti": None}}]}, "runs 1, feedback anti: "),
        ({"runs": [{"rumour": [{"after_s": 1}]}]}, "runs 1, rumour 0 lately: Field required"),
        ({"runs": [{"words_and_deeds": WORDS}]}, "runs 1, words_and_deeds promised kept: "),
        ({"runs": [{"by_observers": []}]}, "runs 1, over_time: Field required"),
    ],
    ids=str,
)
def test_what_no_figure_can_take_is_left_out_and_told(tmp_path, result, says):
    (tmp_path / "run.yaml").write_text("scenario: made_up\n")
    (tmp_path / "result.json").write_text(json.dumps(result))
    runs = load(tmp_path)
    assert list(runs.results()) == []
    assert runs.problems["problem"].iloc[0].startswith(says)


def test_a_run_whose_settings_are_no_file_is_listed(played, tmp_path):
    shutil.copytree(find_runs(played / "double_vein")[0], tmp_path / "run")
    (tmp_path / "run" / "run.yaml").unlink()
    os.mkfifo(tmp_path / "run" / "run.yaml")
    assert f"{tmp_path}/run/run.yaml: not a regular file" in lines_of("show", tmp_path)


COMMON = {"t": 1.0, "episode": 0, "agent": "Gizmo"}
CHUNK = {"kind": "land_seen", "x": 0, "z": 0, "names": ["stone"], "heights": [60] * 256}
CHUNK |= {"tops": [0] * 256, "above": []}


@pytest.mark.parametrize(
    ("events", "says", "left"),
    [
        ([{"kind": "odd"} | {f"f{k}": k for k in range(200)}], "more than 100 fields", 0),
        ([{"kind": "odd", f"f{k}": k} for k in range(200)], "more than 100 fields", 96),
        ([{"kind": f"k{k}"} for k in range(300)], "more than 100 kinds", 100),
        ([{"kind": "died", "agent": f"a{k}"} for k in range(5005)], "more than 5,000 agents", 5000),
        ([CHUNK], "", 1),
        ([CHUNK | {"heights": [10**9] * 256}], "no usable land_seen: heights 0", 0),
        ([CHUNK | {"above": [[0, 0, 0, -(10**9), 10**9]]}], "no usable land_seen: above 0 3", 0),
        ([CHUNK | {"tops": [7] * 256}], "a block has no name", 0),
        ([{"kind": "position", "position": [1e14, 0, 0]}], "no usable position: position 0", 0),
        ([{"kind": "position", "position": [1, 2]}], "no usable position: position 2", 0),
        ([{"kind": "block_dug", "block": 5, "position": [0, 0, 0]}], "no usable block_dug", 0),
        ([{"kind": "died", "t": 1e17}], "not a whole event", 0),
        ([{"kind": "odd", "n": 10**30}], "n is a number beyond 10^18", 0),
    ],
)
def test_events_are_within_bounds(tmp_path, monkeypatch, events, says, left):
    monkeypatch.setattr("records.reader.MOST_AGENTS", 5000)
    lines = [json.dumps(COMMON | event, separators=(",", ":")) + "\n" for event in events]
    (tmp_path / "events.jsonl").write_text("".join(lines))
    reader = RunReader(tmp_path)
    assert len(list(reader.events())) == left
    assert says in str(next(iter(reader.problems), ""))
    assert bool(says) == bool(reader.problems)
