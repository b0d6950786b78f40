"""From records to tables, figures and files: what is there, and what is broken."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import BarContainer
from matplotlib.image import imread
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

from tests.conftest import run_module
from voxpolis import analysis
from voxpolis.analysis.__main__ import app
from voxpolis.analysis.figure_styles import Format, Style
from voxpolis.analysis.figures import FIGURES, contracts, save_all
from voxpolis.analysis.figures.drawing import (
    episode_ends,
    grouped_bars,
    legend_below,
    new_sheet,
    sheet_of,
    with_conditions,
)
from voxpolis.analysis.metrics import (
    conversion_counts,
    judge_error,
    negotiation_length,
    tax_compliance,
)
from voxpolis.analysis.progress import Progress
from voxpolis.records import RunWriter, events, read_record


def made(name, *options):
    ran = run_module(f"scenarios.{name}", *options, "--json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Real runs of four scenarios, made now."""
    out = tmp_path_factory.mktemp("runs")
    for contract in ("none", "negotiate"):
        options = ("--world", "grid", "--runs", "3", "--contract", contract, "--out", str(out))
        made("double_vein", *options)
    made("adasociety", "--mind", "scripted", "--episodes", "2", "--out", str(out))
    short = {"length_s": 180, "first_season_s": 20, "season_every_s": 40, "feedback_s": 45}
    short |= {"amendments_s": 55, "vote_s": 65, "tally_s": 75, "enactment_s": 85}
    settings = [part for key, value in short.items() for part in ("--set", f"{key}={value}")]
    options = ("--condition", "full", "--runs", "2", "--agents", "6", "--out", str(out))
    made("taxation", *options, *settings)
    made("religion", "--agents", "200", "--set", "length_s=600", "--set", "faith.conversion=0.3",
         "--out", str(out))  # fmt: skip
    return out


# --- Loading -------------------------------------------------------------------------------------


def test_runs_are_found_and_told(folder):
    runs = analysis.load(folder)
    assert len(runs) == 5
    told = runs.runs
    assert sorted(told["scenario"]) == [
        "adasociety", "double_vein", "double_vein", "religion", "taxation",
    ]  # fmt: skip
    assert set(told["mind"]) == {"scripted"}
    assert told["finished"].all()
    assert set(told["contract"].dropna()) == {"none", "negotiate"}
    assert runs.problems.empty
    assert len(analysis.load(str(folder / "double_vein" / "*"))) == 2


def test_frames_hold_what_the_record_holds(folder):
    runs = analysis.load(folder / "double_vein")
    rewards = runs.rewards()
    for path in runs.folders:
        record = read_record(path)
        mine = rewards[rewards["run"] == str(path)]
        assert mine["reward"].tolist() == [e.reward for e in record.of(events.Reward)]
        assert mine["agent"].tolist() == [e.agent for e in record.of(events.Reward)]
    assert set(rewards["contract"]) == {"none", "negotiate"}
    held = runs.inventories()
    last = held.sort_values("t").groupby(["run", "episode", "agent", "item"], observed=True).last()
    for path in runs.folders:
        final = {}
        for event in read_record(path).of(events.Inventory):
            final[event.episode, event.agent] = event.items
        for (episode, agent), items in final.items():
            for item, count in items.items():
                assert last.loc[(str(path), episode, agent, item)]["count"] == count
    positions = runs.positions()
    assert {"x", "y", "z", "t", "agent"} <= set(positions)
    counts = runs.counts()
    assert counts[counts["kind"] == "reward"]["count"].sum() == len(rewards)


def test_values_over_time_end_in_the_values_that_were_rewarded(folder):
    runs = analysis.load(folder / "double_vein")
    last = runs.values().sort_values("t").groupby(["run", "episode", "agent"], observed=True).last()
    rewarded = runs.rewards().set_index(["run", "episode", "agent"])["value"]
    assert len(rewarded) == 12
    for key, value in rewarded.items():
        assert last.loc[key]["value"] == value


def test_what_was_built_is_in_the_record(folder):
    runs = analysis.load(folder)
    built = runs.events("world_built").merge(runs.runs[["run", "scenario"]], on="run")
    first = built.groupby("scenario").first()
    assert len(first.loc["double_vein", "blocks"]["iron_ore"]) == 12
    assert set(first.loc["adasociety", "blocks"]) >= {"wood", "stone"}
    assert first.loc["taxation", "places"] == {"chest": [0.0, 0.0, 0.0]}
    assert "Meadowbrook" in first.loc["religion", "places"]


def test_runs_of_different_minds_are_different_conditions(tmp_path):
    for mind in ("scripted", "random"):
        options = ("--game", "contract-easy", "--agent", mind, "--runs", "1")
        made("adasociety", *options, "--out", str(tmp_path))
    told = with_conditions(analysis.load(tmp_path))["condition"]
    assert set(told) == {"contract-easy, scripted", "contract-easy, random"}


def test_runs_of_different_worlds_and_scenarios_are_different_conditions(tmp_path):
    for scenario, world in (("cleanup", "grid"), ("cleanup", "minecraft"), ("harvest", "grid")):
        written(tmp_path / f"{scenario} {world}", {"scenario": scenario, "world": world})
    told = with_conditions(analysis.load(tmp_path))["condition"]
    assert set(told) == {"cleanup: 1, grid", "cleanup: 1, minecraft", "harvest: 1, grid"}
    told = with_conditions(analysis.load(tmp_path), [str(tmp_path / "harvest grid")])["condition"]
    assert told.tolist() == ["1"]


def test_runs_with_other_settings_are_different_conditions(tmp_path):
    for greed in (1, 2):
        config = {"scenario": "double_vein", "config": {"greed": greed, "values": {"iron": 1}}}
        written(tmp_path / f"greed {greed}", config)
    runs = analysis.load(tmp_path)
    assert runs.runs["settings"].tolist() == ["greed=1", "greed=2"]
    assert set(with_conditions(runs)["condition"]) == {"1, greed=1", "1, greed=2"}
    assert analysis.load(tmp_path / "greed 1").runs["settings"].tolist() == [""]


def test_what_a_sweep_played_is_found_by_the_path_that_it_prints(tmp_path):
    runs = tmp_path / "runs"
    (runs / "none-1" / "double_vein").mkdir(parents=True)
    written(runs / "none-1" / "double_vein" / "one", {"scenario": "double_vein"})
    with pytest.raises(FileNotFoundError):
        analysis.load(tmp_path)
    (tmp_path / "plan.json").write_text("{}")
    assert len(analysis.load(tmp_path)) == len(analysis.load(runs)) == 1


def test_what_nobody_did_counts_as_little_as_what_a_machine_could_not_play(tmp_path):
    folder = written(tmp_path / "a", {"scenario": "double_vein"}, ((1, 5.0), (1, 7.0)))
    idle = {"acted": ["Gizmo"], "welfare": None}
    played = {"acted": ["Gizmo", "Glitch"], "welfare": 7.0}
    (folder / "result.json").write_text(json.dumps({"runs": [idle, played]}))
    assert analysis.load(folder).rewards()["reward"].tolist() == [7.0]
    (folder / "result.json").write_text(json.dumps({"runs": [played], "unfinished": True}))
    runs = analysis.load(folder)
    assert runs.rewards()["reward"].tolist() == [5.0, 7.0]
    assert not runs.runs["finished"].any()


def written(folder, config, attempts=((1, 5.0),)):
    """A run's record of attempts, each with its number and its reward."""
    folder.mkdir()
    with RunWriter(folder, {"contract": "1", "mind": "scripted", **config}) as writer:
        for episode, (attempt, reward) in enumerate(attempts):
            writer.episode = episode
            writer.event(events.EpisodeStarted, run=0, attempt=attempt, seed=7)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0 + episode)
            writer.event(events.Reward, "Gizmo", value=reward, transfer=0.0, reward=reward)
    return folder


def test_an_episode_is_its_last_attempt(tmp_path):
    written(tmp_path / "a", {}, attempts=[(1, 0.0), (2, 0.0), (3, 9.0), (1, 8.0)])
    written(tmp_path / "b", {}, attempts=[(1, 7.0)])
    runs = analysis.load(tmp_path)
    assert runs.attempts()["counts"].tolist() == [False, False, True, True, True]
    assert runs.attempts()["repetition"].tolist() == [0] * 5
    assert runs.rewards()["reward"].tolist() == [9.0, 8.0, 7.0]
    assert runs.events("reward")["reward"].tolist() == [0.0, 0.0, 9.0, 8.0, 7.0]
    a, b = map(str, runs.folders)
    assert episode_ends(runs) == {(a, 2): 12.0, (a, 3): 13.0, (b, 0): 10.0}


def test_an_episode_that_was_played_twice_counts_once_and_is_a_problem(tmp_path):
    """Versions before November 2026 could play a finished run again into its own record."""
    folder = written(tmp_path / "a", {}, attempts=[(1, 3.0)])
    with RunWriter.reopen(folder) as writer:
        writer.first_episode = 0
        writer.event(events.RunResumed)
        writer.event(events.EpisodeStarted, run=0, attempt=1, seed=7)
        writer.event(events.EpisodeEnded, reason="time_limit", seconds=9.0)
        writer.event(events.Reward, "Gizmo", value=8.0, transfer=0.0, reward=8.0)
    runs = analysis.load(folder)
    assert runs.attempts()["counts"].tolist() == [False, True]
    assert runs.rewards()["reward"].tolist() == [8.0]
    assert "episode 0 was played more than once" in " ".join(runs.problems["problem"])


def test_broken_runs_load_as_far_as_they_go(folder, tmp_path):
    whole = analysis.load(folder / "double_vein").folders[0]
    cut, torn, old, empty = (tmp_path / name for name in ("cut", "torn", "old", "empty"))
    for path in (cut, torn, old):
        shutil.copytree(whole, path)
    data = (whole / "events.jsonl").read_bytes()
    (cut / "events.jsonl").write_bytes(data[: len(data) // 2])
    (cut / "result.json").unlink()
    lines = data.splitlines(keepends=True)
    (torn / "events.jsonl").write_bytes(b"".join([*lines[:5], b"\x00\xff{]\n", *lines[5:]]))
    (torn / "run.yaml").write_text("scenario: [")
    older = [json.loads(line) for line in lines]
    for event in older:
        event.pop("transfer", None)
    (old / "events.jsonl").write_text(
        "".join(json.dumps(e, separators=(",", ":")) + "\n" for e in older)
    )
    empty.mkdir()
    (empty / "run.yaml").write_text("scenario: double_vein\n")
    runs = analysis.load(tmp_path)
    assert len(runs) == 4
    runs.counts()
    told = {(Path(p["run"]).name, p["file"], p["line"]) for p in runs.problems.to_dict("records")}
    assert ("cut", "events.jsonl", len(data[: len(data) // 2].splitlines())) in told
    assert ("torn", "events.jsonl", 6) in told
    rewards = runs.rewards()
    by_run = rewards.groupby("run", observed=True).size()
    assert by_run[str(torn)] == by_run[str(old)] == 6
    assert rewards[rewards["run"] == str(old)]["transfer"].isna().all()
    told = {(Path(p["run"]).name, p["file"]) for p in runs.problems.to_dict("records")}
    assert {("cut", "result.json"), ("torn", "run.yaml"), ("empty", "events.jsonl")} <= told


def test_parquet_holds_the_same(folder, tmp_path):
    runs = analysis.load(folder / "double_vein")
    files = runs.to_parquet(tmp_path)
    assert tmp_path / "runs.parquet" in files
    rewards = pd.concat(pd.read_parquet(path) for path in sorted(tmp_path.glob("reward-*.parquet")))
    assert rewards["reward"].tolist() == runs.rewards()["reward"].tolist()
    kinds = {path.name.split("-")[0] for path in tmp_path.glob("*-*.parquet")}
    assert kinds == set(runs.counts()["kind"])


def test_nothing_there_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run"):
        analysis.load(tmp_path)
    for command in ("show", "figures", "parquet"):
        ran = run_module("analysis", command, str(tmp_path))
        assert ran.returncode == 2
        assert ran.stderr == f"error: there is no run in {tmp_path}\n"


# --- Figures -------------------------------------------------------------------------------------


def test_every_figure_is_drawn(folder, tmp_path):
    paths = list(save_all(folder, tmp_path))
    drawn = {path.stem for path in paths}
    # These have tests of their own, and so have the items of a crafting tree.
    elsewhere = {"coherence", "commons", "cooperation", "learning", "likeability"}
    elsewhere |= {"items", "sentiment", "specialisation"}
    others = {n for n, draw in FIGURES.items() if draw.__module__.split(".")[-1] in elsewhere}
    assert drawn == set(FIGURES) - others - {"items_over_time"}
    for path in paths:
        if path.suffix == ".png":
            picture = Image.open(path)
            assert picture.height > 300
            assert len(picture.getcolors(picture.width * picture.height)) > 20
        else:
            assert "minds: scripted" in path.read_text()


def test_one_value_has_no_whisker():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    grouped_bars(axes, ["a", "b", "c"], {"x": [[1.0], [1.0, 3.0], []], "y": [[2.0], [2.0], [2.0]]})
    bars = [found for found in axes.containers if isinstance(found, BarContainer)]
    whiskers = [bar.errorbar.lines[2][0].get_segments() for bar in bars]
    drawn = [sum(len(line) > 0 and np.isfinite(line).all() for line in one) for one in whiskers]
    assert drawn == [1, 0]
    assert [bar.get_height() for bar in axes.patches[:2]] == [1.0, 2.0]


def test_scenarios_share_no_axis(tmp_path):
    """What one counts has other units and lengths than what another does."""
    for scenario in ("cleanup", "harvest"):
        written(tmp_path / scenario, {"scenario": scenario, "world": "grid"})
    drawn = contracts.reward_by_contract(analysis.load(tmp_path))
    assert [axes.get_title() for axes in drawn.axes] == ["cleanup", "harvest"]
    one, other = drawn.axes
    assert not one.get_shared_y_axes().joined(one, other)
    assert [len(axes.patches) for axes in drawn.axes] == [2, 2], "Gizmo, and welfare"


@pytest.mark.parametrize("kind", Format)
def test_a_figure_fits_a_papers_column_and_is_the_same_each_time(tmp_path, kind):
    written(tmp_path / "run", {"scenario": "cleanup", "world": "grid"})

    def draw(folder):
        (path,) = save_all(
            tmp_path, tmp_path / folder, ["reward_by_contract"], [kind], Style.PAPER, 3.3
        )
        return path

    one, other = draw("one"), draw("other")
    data = one.read_bytes()
    assert data == other.read_bytes()
    if kind == Format.PNG:
        assert imread(one).shape[1] == 3.3 * 300
    elif kind == Format.PDF:
        assert b"/FontFile2" in data, "fonts are inside"
        assert b"/MediaBox [ 0 0 237.6" in data
    else:
        assert b'width="237.6pt"' in data
        assert b"<text" not in data


def test_long_names_stand_aslant():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    grouped_bars(axes, ["a contract with a name that is long"] * 2, {"x": [[1.0], [2.0]]})
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {25}


@pytest.mark.parametrize("command", ["figures", "report", "watch"])
def test_help_shows_examples_as_they_are_typed(command):
    shown = CliRunner().invoke(app, [command, "--help"]).output
    examples = shown.partition("Examples:\n")[2].splitlines()
    assert examples[0].startswith(f"    python -m analysis {command}")
    assert "\\b" not in shown


def test_a_figure_that_there_is_not(tmp_path):
    written(tmp_path / "run", {"scenario": "cleanup"})
    done = CliRunner().invoke(app, ["figures", str(tmp_path), "--only", "nothing"])
    assert done.exit_code == 2
    assert "there is no figure nothing; there are: reward_by_contract" in done.output


def test_in_a_pipe_there_is_a_line_every_ten_seconds():
    seconds = iter([0.0, 4.0, 11.0, 12.0, 30.0])
    told = StringIO()
    with Progress("a", 200, Console(file=told), lambda: next(seconds)) as progress:
        for done in (10, 50, 60, 150):
            progress.at(done)
    assert told.getvalue().splitlines() == ["a: 25%, about 33 s left", "a: 75%, about 10 s left"]


def test_the_command_draws_and_lists(folder, tmp_path):
    ran = run_module("analysis", "figures", str(folder / "taxation"), "--out", str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert "tax_paid_by_season.svg" in ran.stdout
    listed = run_module("analysis", "show", str(folder))
    assert listed.stdout.count("scripted") == 5
    assert "negotiate" in listed.stdout


# --- Measures ------------------------------------------------------------------------------------


def test_the_judges_error_and_negotiations(folder):
    judgements = pd.DataFrame({"error": [None, 2.0, -4.0]})
    assert judge_error(judgements) == 3
    runs = analysis.load(folder / "double_vein")
    assert judge_error(runs.events("judgement")) is None
    lengths = negotiation_length(runs.events("negotiation_message"))
    assert len(lengths) == 3
    assert (lengths >= 2).all()


def test_tax_compliance_follows_the_law(folder):
    runs = analysis.load(folder / "taxation")
    found = tax_compliance(runs.events("tax_paid"), runs.events("season_opened"))
    assert len(found) == 4 * 4
    assert (found["payers"] > 0.6).all()
    assert found["paid"].corr(found["asked"]) > 0.8


def test_conversions_add_up(folder):
    runs = analysis.load(folder / "religion")
    ((_, result),) = runs.results()
    (run,) = result["runs"]
    last = conversion_counts(runs.events("converted")).iloc[-1]
    assert (last["direct"], last["indirect"]) == (run["direct"], run["indirect"])


def test_a_legend_below_is_below_the_longest_name():
    """Names of conditions that are turned reached into it."""
    ((axes,),) = new_sheet(1, 1, (6.4, 4.0))
    names = ["coherence: rumour, code_writer, agents=6", "coherence: rumour, planner, agents=10"]
    grouped_bars(axes, names, {"kept": [[1.0], [2.0]], "broken": [[2.0], [1.0]]}, rotation=20)
    legend_below(axes, 2)
    drawn = sheet_of(axes)
    drawn.draw_without_rendering()
    lowest = min(label.get_window_extent().y0 for label in axes.get_xticklabels())
    assert axes.get_legend().get_window_extent().y1 <= lowest + 1
