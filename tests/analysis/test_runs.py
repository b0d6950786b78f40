"""Tables, files and figures from real runs of scripted minds, both whole and damaged.

The runs are played once, and are as short as their figures allow.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import shutil
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import BarContainer
from matplotlib.image import imread
from typer.testing import CliRunner

from tests.analysis.test_learners import write_training
from tests.conftest import run_module
from tests.played import play_all
from voxpolis import analysis
from voxpolis.analysis.__main__ import app
from voxpolis.analysis.figure_styles import SETTINGS, Format, Style
from voxpolis.analysis.figures import FIGURES, FigureError, contracts, save_all
from voxpolis.analysis.figures.drawing import (
    COUNT,
    band,
    episode_ends,
    grouped_bars,
    name_ends,
    new_sheet,
    sheet_of,
    start_at_zero,
)
from voxpolis.analysis.figures.fitting import fit
from voxpolis.analysis.figures.learning import DYNAMIC, STRUCTURES
from voxpolis.analysis.loading import load
from voxpolis.analysis.metrics import (
    conversion_counts,
    tax_compliance,
)
from voxpolis.analysis.report.film import _Captions
from voxpolis.analysis.report.gallery import cards_of
from voxpolis.analysis.report.picture import picture_of
from voxpolis.analysis.report.run_list import Shelf
from voxpolis.analysis.report.watch import follow
from voxpolis.records import RunReader, RunWriter, events, find_runs, read_record
from voxpolis.records.reader import DAMAGED

# A village with a tax season that has no pauses between its parts.
TAXES = {"length_s": 180, "first_season_s": 20, "season_every_s": 40, "feedback_s": 45}
TAXES |= {"amendments_s": 55, "vote_s": 65, "tally_s": 75, "enactment_s": 85}
SHORT = [part for name, value in TAXES.items() for part in ("--set", f"{name}={value}")]
PLAYED = [
    ("double_vein", "--world", "grid", "--contract", "negotiate"),
    ("double_vein", "--world", "grid", "--contract", "none", "--runs", "2"),
    ("adasociety", "--episodes", "1"),
    ("fishing", "--condition", "silent", "--set", "rounds=3"),
    ("commons", "--condition", "full", "--set", "rounds=20"),
    ("commons", "--condition", "bots", "--set", "rounds=8"),
    ("commons", "--game", "clean_up", "--set", "rounds=10"),
    ("crafting_tree", "--world", "grid", "--tree", "adasociety", "--set", "time_limit_s=300"),
    ("taxation", "--condition", "full", "--agents", "6", "--runs", "1", *SHORT),
    ("religion", "--agents", "60", "--set", "length_s=3000", "--set", "faith.conversion=1"),
    ("specialisation", "--agents", "12", "--runs", "1", "--condition", "normal",
     "--set", "length_s=400"),
    ("sentiment", "--condition", "talk", "--runs", "1", "--set", "length_s=300"),
    ("sentiment", "--condition", "chef", "--runs", "1"),
    ("sentiment", "--condition", "society", "--agents", "20", "--runs", "1",
     "--set", "society_s=3600"),
    ("coherence", "--condition", "rumour", "--runs", "1", "--agents", "10",
     "--set", "length_s=300"),
    ("items", "--condition", "together", "--runs", "1", "--agents", "8", "--set", "length_s=120"),
    ("items", "--condition", "full", "--runs", "1", "--agents", "8", "--set", "length_s=120"),
]  # fmt: skip
GAMES = ("contract-easy", "contract-hard", "negotiation-easy", "social-isolation",
         "social-connection", DYNAMIC, *STRUCTURES)  # fmt: skip
pytestmark = pytest.mark.timeout(900)  # seventeen runs and all figures


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Fresh runs of all scenarios."""
    out = tmp_path_factory.mktemp("played")
    play_all(out, PLAYED)
    return out


@pytest.fixture(scope="module")
def runs(folder, tmp_path_factory):
    """The runs, one of them edited to have a different mind, and records of training runs."""
    out = tmp_path_factory.mktemp("runs")
    (alone,) = [one for one in (folder / "items").iterdir()
                if '"full"' in (one / "result.json").read_text()]  # fmt: skip
    other = out / "more" / "by_another_mind"
    other.mkdir(parents=True)
    for name in ("events.jsonl", "result.json"):
        (other / name).write_bytes((alone / name).read_bytes())
    manifest = yaml.safe_load((alone / "run.yaml").read_text()) | {"mind": "another"}
    (other / "run.yaml").write_text(yaml.safe_dump(manifest))
    for number, game in enumerate(GAMES):
        for algorithm in ("ppo", "mappo"):
            write_training(out / f"learn{number}{algorithm}", game, algorithm, 0)
    return analysis.load([folder, out])


# --- Loading -------------------------------------------------------------------------------------


def test_runs_are_found_and_listed(folder, tmp_path):
    runs = analysis.load(folder)
    assert sorted(runs.runs["scenario"]) == sorted(name for name, *_ in PLAYED)
    assert set(runs.runs["mind"]) == {"scripted"}
    assert runs.runs["finished"].all()
    assert runs.problems.empty
    assert len(analysis.load(str(folder / "double_vein" / "*"))) == 2
    one, *_ = runs.folders
    (tmp_path / "copy").symlink_to(one)
    copied = analysis.load([one, tmp_path / "copy"])
    assert copied.folders == [one]
    assert list(copied.problems["problem"]) == [f"left out: a copy of {one}"]
    shutil.copytree(one, tmp_path / "again")
    manifest = yaml.safe_load((one / "run.yaml").read_text())
    (tmp_path / "again" / "run.yaml").write_text(yaml.safe_dump({**manifest, "replay": str(one)}))
    assert analysis.load([tmp_path / "again", one]).folders == [one], "the replay is left out"
    with (tmp_path / "again" / "events.jsonl").open("a") as file:  # as if `one` had been killed
        file.write("{}\n")
    assert analysis.load([one, tmp_path / "again"]).folders == [one]
    listed = run_module("analysis", "show", str(folder))
    assert listed.stdout.count("scripted") == len(PLAYED)
    assert "negotiate" in listed.stdout


def test_frames_agree_with_the_record(folder):
    """The final values over time equal the rewarded values."""
    runs = analysis.load(folder / "double_vein")
    last = runs.values().sort_values("t").groupby(["run", "episode", "agent"], observed=True).last()
    rewarded = runs.rewards().set_index(["run", "episode", "agent"])["value"]
    assert len(rewarded) == 6
    assert {key: last.loc[key]["value"] for key in rewarded.index} == dict(rewarded)
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


def test_all_frames_of_a_run_in_progress_show_the_same_moment(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}) as writer:
        writer.event(events.Chat, "Ada", text="one")
        early = load(tmp_path)
        assert not early.runs["finished"].any()
        writer.event(events.Chat, "Ada", text="two")
        assert len(early.events("chat")) == 1
        assert len(load(tmp_path).events("chat")) == 2


def test_items_without_value_are_no_welfare(tmp_path):
    """Matrix games pay rewards, and no items."""
    folder = tmp_path / "run"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "matrix", "mind": "scripted"}) as writer:
        writer.event(events.Inventory, "Ada", items={}, value=0.0)
        writer.event(events.Reward, "Ada", value=3.0, transfer=0.0, reward=3.0)
    assert load(tmp_path).values().empty


def test_idle_and_unsound_episodes_do_not_count(tmp_path):
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
    """Write a run's record with attempts, given as numbers and rewards."""
    folder.mkdir()
    with RunWriter(folder, {"contract": "1", "mind": "scripted", **config}) as writer:
        for episode, (attempt, reward) in enumerate(attempts):
            writer.episode = episode
            writer.event(events.EpisodeStarted, run=0, attempt=attempt, seed=7)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0 + episode)
            writer.event(events.Reward, "Gizmo", value=reward, transfer=0.0, reward=reward)
    return folder


def test_episodes_of_a_repetition_are_one_value(tmp_path):
    written(tmp_path / "a", {"scenario": "double_vein"}, ((1, 4.0), (1, 8.0)))
    (axes,) = contracts.reward_by_contract(analysis.load(tmp_path)).axes
    (group,) = axes.get_xticklabels()
    assert f"{COUNT}1" in group.get_text()
    assert [bar.get_height() for bar in axes.patches] == [6.0, 6.0]  # Gizmo, and welfare


def test_a_run_with_only_excluded_repetitions_has_ended_and_draws_nothing(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    with RunWriter(folder, {"scenario": "double_vein", "contract": "1"}) as writer:
        writer.episode = 0
        writer.event(events.EpisodeStarted, run=0, attempt=1, seed=7)
        writer.event(events.Inventory, "Gizmo", items={"iron_ingot": 2}, value=2.0)
        writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0)
        writer.event(events.RunExcluded, reasons=["no judgement"])
        writer.event(events.RunEnded, reason="done")
    (folder / "result.json").write_text('{"runs": [], "error": "1 of 1 run is excluded"}')
    runs = analysis.load(folder)
    assert runs.runs["finished"].all()
    assert contracts.welfare_over_time(runs) is None
    assert contracts.resources_over_time(runs) is None
    assert runs.rewards().groupby("condition")["reward"].mean().empty


def test_only_the_last_attempt_of_an_episode_counts(tmp_path):
    written(tmp_path / "a", {}, attempts=[(1, 0.0), (2, 0.0), (3, 9.0), (1, 8.0)])
    written(tmp_path / "b", {}, attempts=[(1, 7.0)])
    runs = analysis.load(tmp_path)
    assert runs.attempts()["counts"].tolist() == [False, False, True, True, True]
    assert runs.attempts()["repetition"].tolist() == [0] * 5
    assert runs.rewards()["reward"].tolist() == [9.0, 8.0, 7.0]
    assert runs.events("reward")["reward"].tolist() == [0.0, 0.0, 9.0, 8.0, 7.0]
    a, b = map(str, runs.folders)
    assert episode_ends(runs) == {(a, 2): 12.0, (a, 3): 13.0, (b, 0): 10.0}


def test_episodes_of_an_unfinished_repetition_do_not_count(tmp_path):
    """The result of an interrupted run has entries only for finished repetitions."""
    folder = written(tmp_path / "a", {}, attempts=[(1, 3.0), (1, 4.0)])
    entries = [{"condition": "none", "acted": ["Gizmo"], "agents": {"Gizmo": {"reward": 3.0}}}]
    (folder / "result.json").write_text(json.dumps({"runs": entries, "interrupted": True}))
    assert analysis.load(folder).rewards()["reward"].tolist() == [3.0]


def test_an_episode_recorded_twice_counts_once_and_is_a_problem(tmp_path):
    """Versions before November 2026 could replay a finished run into its own record."""
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


def test_damaged_runs_load_up_to_the_damage(folder, tmp_path):
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
    assert by_run[str(torn)] == by_run[str(old)] == len(analysis.load(whole).rewards())
    assert rewards[rewards["run"] == str(old)]["transfer"].isna().all()
    told = {(Path(p["run"]).name, p["file"]) for p in runs.problems.to_dict("records")}
    assert {("cut", "result.json"), ("torn", "run.yaml"), ("empty", "events.jsonl")} <= told


def test_parquet_files_equal_the_frames(folder, tmp_path):
    runs = analysis.load(folder / "double_vein")
    files = runs.to_parquet(tmp_path)
    assert tmp_path / "runs.parquet" in files
    rewards = pd.concat(pd.read_parquet(path) for path in sorted(tmp_path.glob("reward-*.parquet")))
    assert rewards["reward"].tolist() == runs.rewards()["reward"].tolist()
    kinds = {path.name.split("-")[0] for path in tmp_path.glob("*-*.parquet")}
    assert kinds == set(runs.counts()["kind"])


def test_an_empty_folder_is_reported(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run"):
        analysis.load(tmp_path)
    for command in ("show", "figures", "parquet"):
        ran = run_module("analysis", command, str(tmp_path))
        assert ran.returncode == 2
        assert ran.stderr == f"error: there is no run (no run.yaml) in {tmp_path}\n"


# --- Figures -------------------------------------------------------------------------------------


def test_a_single_value_has_no_error_bar():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    grouped_bars(axes, ["a", "b", "c"], {"x": [[1.0], [1.0, 3.0], []], "y": [[2.0], [2.0], [2.0]]})
    bars = [found for found in axes.containers if isinstance(found, BarContainer)]
    whiskers = [bar.errorbar.lines[2][0].get_segments() for bar in bars]
    drawn = [sum(len(line) > 0 and np.isfinite(line).all() for line in one) for one in whiskers]
    assert drawn == [1, 0]
    assert [bar.get_height() for bar in axes.patches[:2]] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([[1.0], [3.0]], "bars: means of episodes"),
        ([[2.0, 2.1], [3.0]], "bars: means of episodes; error bars: 95 %"),
        ([[0.0, 2.0], [3.0]], "cut at the ends of the axis"),
    ],
)
def test_a_caption_describes_the_marks_that_are_there(values, says):
    ((axes,),) = new_sheet(1, 1, (4, 3))
    axes.set_title("Apples\n(minds)")
    grouped_bars(axes, ["a", "b"], {"x": values})
    caption = sheet_of(axes).get_supxlabel()
    assert says in caption
    assert ("error bars" in caption) == (len(values[0]) > 1)
    assert ("cut" in caption) == (values[0][0] == 0)
    assert (
        axes.get_title()
        == f"Apples: highest mean: b (3), lowest: a ({np.mean(values[0]):.3g})\n(minds)"
    )


@pytest.mark.parametrize(
    ("series", "says"),
    [
        ({"x": [[5.0]]}, "mean: 5"),
        ({"x": [[5.0]], "y": [[2.0]]}, "highest mean: x (5), lowest: y (2)"),
        ({"x": [[5.0], [5.0]]}, "mean: 5 for all"),
        ({"x": [[5.0], []]}, "mean: 5 in 1 of 2 groups"),
        ({"x": [None, [5.0]], "y": [[1.0], [2.0]]}, "mean (x): 5 in 1 of 2 groups"),
        ({"x": [[], []]}, ""),
    ],
)
def test_a_title_states_the_means(series, says):
    ((axes,),) = new_sheet(1, 1, (4, 3))
    grouped_bars(axes, ["a", "b"][: len(series["x"])], series)
    assert axes.get_title() == says


def test_a_caption_describes_a_band_only_if_there_is_one():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    band(axes, 0, "a", pd.DataFrame({0: [1.0, 2.0]}))
    assert sheet_of(axes).get_supxlabel() == "lines: means of episodes"
    band(axes, 1, "b", pd.DataFrame({0: [1.0, 2.0], 1: [1.0, 5.0]}))
    assert sheet_of(axes).get_supxlabel().endswith("; bands: lowest to highest")
    name_ends(axes)
    assert axes.get_title() == "highest value at the end: b (3.5), lowest: a (2)"


def test_bars_without_values_say_why_and_unequal_numbers_are_listed():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    series = {"x": [[1.0, 2.0], [1.0], [3.0], []], "y": [[1.0], [], None, []]}
    grouped_bars(axes, ["a", "b", "c", "d"], series)
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert names == [f"a ({COUNT}2,\u00a01)", f"b ({COUNT}1)", f"c ({COUNT}1)", f"d ({COUNT}0)"]
    assert [text.get_text().strip() for text in axes.texts] == ["no data", "n/a", "no data"]
    assert "n: in the order of the bars" in sheet_of(axes).get_supxlabel()


@pytest.mark.parametrize(("values", "is_cut"), [([20.0, 21.0], False), ([10.0, 90.0], True)])
def test_an_axis_ends_at_the_largest_possible_value_only_if_needed(values, is_cut):
    ((axes,),) = new_sheet(1, 1, (4, 3))
    grouped_bars(axes, ["a"], {"x": [values]}, most=100)
    assert (axes.get_ylim()[1] == 100) == is_cut


def test_lines_at_zero_are_inside_the_axes():
    ((axes,),) = new_sheet(1, 1, (4, 3))
    axes.plot([0, 1], [0, 0])
    start_at_zero(axes)
    low, high = axes.get_ylim()
    assert low < 0 < high


def test_a_shared_axis_contains_the_lines_of_all_panels():
    (panels,) = new_sheet(1, 2, (8, 3))
    for axes, highest in zip(panels, (9, 20), strict=True):
        axes.plot([0, 1], [0, highest])
        start_at_zero(axes)
    assert panels[0].get_ylim()[1] > 20


def test_panels_below_each_other_show_equal_names_once():
    panels = new_sheet(2, 1, (4, 6), is_one_scale=False)
    for (axes,) in panels:
        grouped_bars(axes, ["a", "b"], {"x": [[1.0], [2.0]]})
    assert fit(sheet_of(panels[0][0]), 4)
    names = [[tick.get_text() for tick in axes.get_xticklabels()] for (axes,) in panels]
    assert names == [["", ""], [f"a ({COUNT}1)", f"b ({COUNT}1)"]]


def test_payoffs_are_compared_over_all_rounds(tmp_path):
    """The last round says little about curves that alternate."""
    for name, totals in (("high", (9.0, 9.0, 1.0)), ("low", (2.0, 2.0, 2.0))):
        (tmp_path / name).mkdir()
        manifest = {"scenario": "public_goods", "mind": "scripted", "condition": name}
        with RunWriter(tmp_path / name, manifest) as writer:
            writer.episode = 0
            writer.event(events.EpisodeStarted, run=0, attempt=1, seed=0)
            for number, total in enumerate(totals, 1):
                payoffs = {"Ann": total, "Ben": 0.0}
                writer.event(events.PayoffsMade, round=number, payoffs=payoffs)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0)
    (axes,) = contracts.payoffs_by_round(analysis.load(tmp_path)).axes
    assert axes.get_title() == "highest mean over rounds: high (6.33), lowest: low (2)"


def test_items_over_time_count_episodes_in_titles(folder):
    drawn = contracts.resources_over_time(analysis.load(folder / "double_vein"))
    labels = [text.get_text() for legend in drawn.legends for text in legend.get_texts()]
    assert labels
    assert not any(COUNT in label for label in labels)
    assert len(labels) == len(set(labels))
    numbers = [axes.get_title().split(f"({COUNT}")[1][0] for axes in drawn.axes]
    assert sorted(numbers) == ["1", "1", "2", "2"]


def test_scenarios_never_share_axes(tmp_path):
    """Scenarios have different units and durations."""
    for scenario in ("cleanup", "harvest"):
        written(tmp_path / scenario, {"scenario": scenario, "world": "grid"})
    drawn = contracts.reward_by_contract(analysis.load(tmp_path))
    titles = [axes.get_title().partition(":")[0] for axes in drawn.axes]
    assert titles == ["cleanup", "harvest"]
    one, other = drawn.axes
    assert not one.get_shared_y_axes().joined(one, other)
    assert [len(axes.patches) for axes in drawn.axes] == [2, 2], "Gizmo, and welfare"


@pytest.mark.parametrize("kind", Format)
def test_a_figure_fits_a_column_and_is_reproducible(tmp_path, kind):
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


# --- Measures ------------------------------------------------------------------------------------


def test_tax_compliance_follows_the_law(folder):
    runs = analysis.load(folder / "taxation")
    found = tax_compliance(runs.events("tax_paid"), runs.events("season_opened"))
    assert len(found) == len(runs.events("season_opened")) > 2
    assert (found["payers"] > 0.6).all()
    assert found["paid"].corr(found["asked"]) > 0.8


def test_conversion_counts_add_up(folder):
    runs = analysis.load(folder / "religion")
    ((_, result),) = runs.results()
    (run,) = result["runs"]
    last = conversion_counts(runs.events("converted")).iloc[-1]
    assert (last["direct"], last["indirect"]) == (run["direct"], run["indirect"])


# Width of a figure in a two-column paper, in inches.
WIDTH = 3.3
# These figures use the same drawing code as tested ones.
ALIKE = {f"adasociety_{number}" for number in (8, 12, 13, 14)}


# The widest texts: names of panels, labels, numbers below an axis.
WIDE = ("resources_over_time", "feedback_and_votes", "where_the_faith_is", "commons_hits",
        "rumour_over_time", "commons_reward")  # fmt: skip


@pytest.mark.parametrize(("style", "names"), [(Style.PAPER, FIGURES.keys() - ALIKE),
                                              (Style.SLIDES, WIDE)])  # fmt: skip
def test_texts_in_figures_never_overlap_other_texts_or_data(runs, style, names):
    found = {}
    with mpl.rc_context(dict(SETTINGS[style])), warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in sorted(names):
            figure = FIGURES[name](runs)
            assert figure is not None, name
            assert fit(figure, WIDTH), name
            assert figure.get_size_inches()[0] == WIDTH
            if faults := faults_of(figure):
                found[name] = faults
    assert found == {}


def test_a_figure_too_narrow_for_its_texts_is_reported():
    ((axes,),) = new_sheet(1, 1, (6.4, 4.0))
    axes.set_yticks([0], ["a name that takes more than the whole figure has"])
    assert fit(sheet_of(axes), 6.4)
    assert not fit(sheet_of(axes), 1.0)


def test_a_failing_figure_is_reported_and_the_rest_are_drawn(runs, tmp_path, monkeypatch):
    monkeypatch.setitem(FIGURES, "mine", lambda _: {}["x"])
    with pytest.raises(FigureError, match=r"mine \(KeyError in test_runs\.py, line \d+: 'x'"):
        list(save_all(runs, tmp_path, ("mine", "tax_paid_by_season")))
    assert {path.name for path in tmp_path.iterdir()} >= {"tax_paid_by_season.png"}


# Allowed overlap of text boxes in pixels, because boxes have padding around letters.
SLACK = 2.0


def corners(text, renderer):
    """Return the corners of a text's rotated box, in pixels."""
    box, turned = text.get_window_extent(renderer), text.get_rotation()
    middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    text.set_rotation(0)
    level = text.get_window_extent(renderer)
    text.set_rotation(turned)
    wide, high = max(0.0, level.width / 2 - SLACK), max(0.0, level.height / 2 - SLACK)
    along = np.array([math.cos(math.radians(turned)), math.sin(math.radians(turned))])
    across = np.array([-along[1], along[0]])
    return [middle + a * wide * along + b * high * across
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]  # fmt: skip


def of_box(box):
    return [np.array(at) for at in ((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1),
                                    (box.x0, box.y1))]  # fmt: skip


def overlap(one, other):
    """Return whether two rectangles, given by corners, overlap."""
    for rectangle in (one, other):
        for start, end in itertools.pairwise([*rectangle[:3]]):
            edge = end - start
            if not edge.any():
                continue
            of_one, of_other = ([float(corner @ edge) for corner in each] for each in (one, other))
            if max(of_one) <= min(of_other) or max(of_other) <= min(of_one):
                return False
    return True


def texts_of(drawn):
    """Return the visible texts outside and inside the axes' areas."""
    outside = [text for text in (drawn._suptitle, drawn._supxlabel) if text is not None]
    within = []
    for legend in drawn.legends:
        outside += [*legend.get_texts(), legend.get_title()]
    for axes in drawn.axes:
        if axes.get_legend() is not None:
            outside += axes.get_legend().get_texts()
        outside += [axes.title, axes.xaxis.label, axes.yaxis.label] if axes.axison else [axes.title]
        within += axes.texts
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            near = (high - low) * 1e-6
            for tick in axis.get_major_ticks():
                if low - near <= tick.get_loc() <= high + near:
                    outside += [tick.label1, tick.label2]
    return tuple(
        [text for text in some if text.get_visible() and text.get_text().strip()]
        for some in (outside, within)
    )


def faults_of(drawn):
    """Return descriptions of a figure's layout faults."""
    drawn.draw_without_rendering()
    renderer = FigureCanvasAgg(drawn).get_renderer()
    outside, within = texts_of(drawn)
    boxes = {text: corners(text, renderer) for text in (*outside, *within)}
    wide, high = drawn.get_size_inches() * drawn.dpi
    found = []
    for text, box in boxes.items():
        if any(x < -1 or y < -1 or x > wide + 1 or y > high + 1 for x, y in box):
            found.append(f"cut off at the edge: {text.get_text()!r}")
    for one, other in itertools.combinations(boxes, 2):
        if overlap(boxes[one], boxes[other]):
            found.append(f"over each other: {one.get_text()!r} and {other.get_text()!r}")
    for axes in drawn.axes:
        area = of_box(axes.get_window_extent(renderer))
        found += [f"over a panel: {text.get_text()!r}" for text in outside
                  if overlap(boxes[text], area)]  # fmt: skip
        panel = axes.get_window_extent(renderer)
        if axes.get_subplotspec() is not None and min(panel.width, panel.height) < 0.4 * drawn.dpi:
            found.append(f"a panel of {panel.width:.0f} by {panel.height:.0f} pixels")
    return found


# Values of wrong types or ranges.
WRONG = [None, True, -1, 0.5, 10**17, -(10**17), 10**30, 1e300, "", "x", "$\\frac{$", "_x"]
WRONG += [[], {}, [None], {"a": []}, [[1]], {"x": None}, [1, 2, 3], "y" * 5000]


def put_wrong(rng, found):
    """Replace or remove a random value in nested data, in place."""
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
    if rng.random() < 0.2:  # like an older version, without a field
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
    """Return a command's output lines; the command must end without an error."""
    with warnings.catch_warnings():
        # warnings about letters missing in the font, and about lines without points
        warnings.simplefilter("ignore")
        ran = CliRunner().invoke(app, [str(part) for part in arguments])
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    assert ran.exit_code in (0, 2), ran.output
    assert "Traceback" not in ran.output
    return ran.output.splitlines()


@pytest.fixture(scope="module")
def played(folder, tmp_path_factory):
    """The smallest run of each scenario."""
    out = tmp_path_factory.mktemp("smallest")
    for scenario in folder.iterdir():
        smallest = min(find_runs(scenario), key=lambda run: (run / "events.jsonl").stat().st_size)
        shutil.copytree(smallest, out / scenario.name / smallest.name)
    return out


def test_every_command_handles_damaged_runs(played, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(played, runs)
    rng = random.Random(0)
    folders = find_runs(runs)
    for folder in folders:
        damage(folder, rng)
    try_all(runs, tmp_path)
    for folder in folders:
        _Captions(folder)
        for _, data in follow(folder, lambda: True):
            json.dumps(data)
    assert len(cards_of(Shelf(runs).runs())) == len(folders)
    assert all(picture_of(folder).endswith("</svg>") for folder in folders)


def try_all(runs: Path, out: Path) -> None:
    """Run every command on damaged runs."""
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


def test_an_invalid_result_does_not_stop_other_runs(played, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(played / "religion", runs / "religion")
    (whole,) = find_runs(runs)
    shutil.copytree(whole, bad := runs / "religion" / "bad")
    (bad / "run.yaml").write_text("scenario: religion\nseed: 1\n")
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
        ("[1, 2]", DAMAGED),
        ("[1, ", DAMAGED),
        ('{"mean": {"welfare": 1e400}}', "mean welfare is not a number, or is beyond 10^18"),
        ('{"mean": {"welfare": NaN}}', "mean welfare is not a number, or is beyond 10^18"),
        ('{"runs": 3}', "runs: no list"),
    ],
)
def test_an_invalid_result_is_a_problem(played, tmp_path, result, says):
    shutil.copytree(find_runs(played / "double_vein")[0], tmp_path / "run")
    (tmp_path / "run" / "result.json").write_text(result)
    assert f"{tmp_path}/run/result.json: {says}" in lines_of("show", tmp_path / "run")


WORDS = {"announced": {"kept": None}, "promised": {"kept": "x"}, "claimed": {"denied": 1}}


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"runs": [{"feedback": {"anti": None}}]}, "runs 1, feedback anti: "),
        ({"runs": [{"rumour": [{"after_s": 1}]}]}, "runs 1, rumour 0 lately: Field required"),
        ({"runs": [{"statements": WORDS}]}, "runs 1, statements promised kept: "),
        ({"runs": [{"by_observers": []}]}, "runs 1, over_time: Field required"),
    ],
    ids=str,
)
def test_values_that_figures_cannot_show_are_left_out_and_reported(tmp_path, result, says):
    (tmp_path / "run.yaml").write_text("scenario: made_up\n")
    (tmp_path / "result.json").write_text(json.dumps(result))
    runs = load(tmp_path)
    assert list(runs.results()) == []
    assert runs.problems["problem"].iloc[0].startswith(says)


COMMON = {"t": 1.0, "episode": 0, "agent": "Gizmo"}
CHUNK = {"kind": "land_seen", "x": 0, "z": 0, "names": ["stone"], "heights": [60] * 256}
CHUNK |= {"tops": [0] * 256, "above": []}


@pytest.mark.parametrize(
    ("events", "says", "left"),
    [
        ([{"kind": "odd", f"f{k}": k} for k in range(200)], "more than 100 fields", 96),
        ([{"kind": f"k{k}"} for k in range(300)], "more than 100 unknown kinds", 100),
        ([{"kind": "died", "agent": f"a{k}"} for k in range(5005)], "more than 5,000 agents", 5000),
        ([CHUNK], "", 1),
        ([CHUNK | {"tops": [7] * 256}], "not in names", 0),
        ([CHUNK | {"tops": [0] * 9}], "different numbers of columns", 0),
        ([CHUNK | {"heights": [10**9] * 256}], "no usable land_seen: heights 0", 0),
        ([{"kind": "position", "position": [1e14, 0, 0]}], "no usable position: position 0", 0),
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
