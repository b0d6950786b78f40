"""Items: architectures differ as published, and kinds over time are those that rates predict."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

from tests.conftest import ROOT
from tests.endpoint import answering
from tests.typed_endpoint import deciding
from voxpolis import analysis
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.analysis.figures.items import items_by_architecture, items_by_model
from voxpolis.bots.agents.piano import FULL
from voxpolis.experiments.run.command import command
from voxpolis.records import events, read_record
from voxpolis.scenarios import items
from voxpolis.scenarios.items.scenario import LAND
from voxpolis.server import vanilla


def played(out, *words):
    """Play the scenario by its command; return its result."""
    settings = ["--json", "--out", str(out), *words]
    done = CliRunner().invoke(command(items.EXPERIMENT), settings)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout.strip().splitlines()[-1])


def settings(**fields):
    return [word for name, value in fields.items() for word in ("--set", f"{name}={value}")]


# --- Architectures --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lonely(tmp_path_factory):
    """Runs of one gatherer by condition, of twenty seeds each."""
    found = {}
    for condition in ("full", "no_action_awareness", "baseline"):
        out = tmp_path_factory.mktemp(condition)
        short = settings(agents=1, length_s=1200)
        result = played(out, "--condition", condition, "--runs", "20", *short)
        found[condition] = result["runs"]
    return found


@pytest.mark.parametrize(
    ("more", "less"), [("full", "no_action_awareness"), ("no_action_awareness", "baseline")]
)
def test_architectures_are_in_the_published_order(lonely, more, less):
    kinds = {name: [run["items"] for run in runs] for name, runs in lonely.items()}
    found = stats.ttest_rel(kinds[more], kinds[less], alternative="greater")
    assert found.pvalue < 0.01


def test_how_often_actions_succeed_is_recovered(lonely):
    """Who has all modules tries nothing that cannot be done: ``success`` alone decides."""
    true, hits = 0.8, 0
    for run in lonely["full"]:
        tried = run["actions_done"] + run["actions_failed"]
        margin = 1.96 * (true * (1 - true) / tried) ** 0.5
        hits += abs(run["actions_done"] / tried - true) <= margin
    assert hits >= 18


# --- Against a chain ------------------------------------------------------------------------------


def path():
    """The actions of somebody who never fails, with the kinds after each: from the file alone."""
    rules = yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"]
    makers = {}
    for name, rule in rules.items():
        for item in rule.get("makes", {}):
            makers.setdefault(item, name)
    held, had, done = Counter(), set(), []

    def get(item):
        """Return the next action towards one more of an item."""
        rule = rules[makers[item]]
        tools = rule.get("tools", [])
        if tools and not any(held[tool] for tool in tools):
            return get(tools[0])
        short = [need for need, count in rule.get("needs", {}).items() if held[need] < count]
        return get(short[0]) if short else makers[item]

    for item in makers:
        while item not in had:
            name = get(item)
            held.subtract(rules[name].get("needs", {}))
            held.update(rules[name]["makes"])
            had.update(rules[name]["makes"])
            done.append((rules[name]["takes_s"], len(had)))
    return done


def expected_kinds(q, overhead_s, times, step_s=0.5):
    """The chain's expectation: each action is tried until it works, with chance q each time."""
    longest = round(max(times) / step_s)
    at = np.zeros(longest + 1)  # how likely it is that the actions so far ended at each moment
    at[0] = 1.0
    mean, before = np.zeros(longest + 1), 0
    for takes, kinds_now in path():
        cycle = round((takes + overhead_s) / step_s)
        ended = np.zeros_like(at)
        for moment in range(cycle, longest + 1):
            ended[moment] = q * at[moment - cycle] + (1 - q) * ended[moment - cycle]
        mean += (kinds_now - before) * np.cumsum(ended)
        at, before = ended, kinds_now
        if not ended.any():
            break
    return [mean[round(t / step_s)] for t in times]


def test_kinds_over_time_are_those_of_a_markov_chain(tmp_path):
    times = (200, 400, 700, 1000)
    quick = ("perception", "action_awareness", "goals", "planning", "controller", "skill_execution")
    every = dict.fromkeys(FULL, 300) | dict.fromkeys(quick, 0.5)
    near = json.dumps(every).replace('"', "")
    chosen = settings(
        **{"agents": 10, "length_s": 1000, "thinking_s": 0, "success": 0.8, "modules": near},
        **{"trades.scale": 0.01},
    )
    result = played(tmp_path, "--condition", "full", "--runs", "2", *chosen)
    record = read_record(Path(result["run_dir"]))
    obtained = record.of(events.ItemObtained)
    starts = {one.episode: one.t for one in record.of(events.EpisodeStarted)}
    expected = expected_kinds(0.8, 0.5, times)
    for time, wanted in zip(times, expected, strict=True):
        got = sum(one.t - starts[one.episode] <= time for one in obtained) / (10 * 2)
        assert got == pytest.approx(wanted, rel=0.05)
    drawn = {path.stem for path in save_all(record.folder, tmp_path, formats=[Format.PNG])}
    assert drawn == {"items_by_architecture", "technology_tree"}
    (axes,) = items_by_architecture(analysis.load(record.folder)).axes
    line = next(one for one in axes.lines if one.get_label() == "full")
    assert line.get_ydata()[-1] == pytest.approx(result["runs"][0]["items"], rel=0.1)
    assert any("published" in one.get_label() for one in axes.lines)


# --- The land ------------------------------------------------------------------------------------

DATA = ROOT / "node_modules" / "minecraft-data" / "minecraft-data" / "data"


def data_of(kind):
    """A file of the version's own data."""
    paths = json.loads((DATA / "dataPaths.json").read_text(encoding="utf-8"))["pc"]
    file = DATA / paths[vanilla.VERSION][kind] / f"{kind}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_recipes_are_those_of_the_version():
    names = {one["id"]: one["name"] for one in data_of("items")}
    recipes = data_of("recipes")
    ids = {name: str(number) for number, name in names.items()}
    for name, rule in yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"].items():
        verb, _, item = name.partition(" ")
        if verb != "CRAFT":
            continue
        forms = []
        for recipe in recipes[ids[item]]:
            rows = recipe.get("inShape") or [recipe["ingredients"]]
            needs = Counter(names[cell] for row in rows for cell in row if cell is not None)
            is_big = len(rows) > 2 or max(map(len, rows)) > (2 if "inShape" in recipe else 4)
            forms.append((needs, {item: recipe["result"]["count"]}, is_big))
        needs_table = rule.get("tools") == ["crafting_table"]
        assert (Counter(rule["needs"]), rule["makes"], needs_table) in forms, name


# --- Danger --------------------------------------------------------------------------------------


def lost(tmp_path, name, modules):
    chosen = settings(agents=4, length_s=300, danger=8, thinking_s=5, modules=modules)
    result = played(tmp_path / name, "--condition", "together", "--runs", "4", *chosen)
    drawn = {path.stem for path in save_all(result["run_dir"], tmp_path, formats=[Format.PNG])}
    assert drawn == {"items_together", "technology_tree"}
    return [run["items_lost"] for run in result["runs"]]


def test_who_has_no_reflexes_loses_things_to_wolves_while_it_thinks(tmp_path):
    own = dict(items.Items().modules)
    numb = {name: period for name, period in own.items() if name != "reflexes"}
    quick, slow = (lost(tmp_path, n, str(m).replace("'", "")) for n, m in (("a", own), ("b", numb)))
    assert all(more > 2 * less for more, less in zip(slow, quick, strict=True))
    assert min(slow) > 10


def test_two_models_are_two_curves_and_one_is_no_figure(tmp_path):
    """Figure 13; the second condition makes two more."""
    small = ("--runs", "1", "--agents", "3", *settings(length_s=90))
    with answering(deciding("strict")) as endpoint:
        for model, condition in (("large", "full"), ("large", "baseline"), ("small", "full")):
            assert (
                not [*tmp_path.glob("items/*")] or items_by_model(analysis.load(tmp_path)) is None
            )
            named = ("--base-url", endpoint.url, "--model", model, "--condition", condition)
            played(tmp_path, *small, *named)
    runs = analysis.load(tmp_path)
    assert set(runs.runs["model"]) == {"small", "large"}
    legend = items_by_model(runs).axes[0].get_legend()
    drawn = {text.get_text() for text in legend.get_texts()} - {"published, full: 17 at 30 min"}
    assert drawn == {"large, baseline", "large, full", "small, full"}
