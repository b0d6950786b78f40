"""Conditions of runs and their names."""

from __future__ import annotations

import json

import pytest
from matplotlib.container import BarContainer
from typer.testing import CliRunner

from voxpolis import analysis
from voxpolis.analysis.__main__ import app
from voxpolis.analysis.conditions import ASIDE, Case, Played, condition_of_manifest, names_of
from voxpolis.analysis.figures.contracts import reward_by_contract
from voxpolis.analysis.figures.drawing import COUNT, sheet_of
from voxpolis.analysis.report.gallery import cards_of
from voxpolis.analysis.report.run_list import Shelf
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.study.compare import _jobs
from voxpolis.records import RunWriter, events
from voxpolis.records.outcome import outcome

GAME = {
    "scenario": "double_vein",
    "world": "grid",
    "mind": "scripted",
    "contract": {"name": "none", "text": ""},
    "config": {"greed": 1, "manners": {}, "values": {"Gizmo": {"iron": 4.0}}},
    "options": {"memory": "last", "compiled": False, "human": [], "hosts": None, "speed": None},
    "agents": {"Gizmo": "code_writer", "Glitch": "code_writer"},
    "models": {"default": {"model": "scripted"}},
    "language_model": False,
}
ASKED = {"mind": "openai", "language_model": True}


def changed(name, **parts):
    return {name: {**GAME[name], **parts}}


def asking(**models):
    return {**ASKED, "models": {"default": {"model": "a"}, **models}}


def names(*changes):
    """Return the names of runs that differ from the base game in these ways."""
    manifests = [{**GAME, **change} for change in changes]
    return names_of(
        [
            Case(
                m["contract"]["name"],
                m["scenario"],
                m["world"],
                m["mind"],
                condition_of_manifest(m),
            )
            for m in manifests
        ]
    )


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({}, {"seed": 4, "runs": 2}, ["none", "none"]),
        ({}, changed("options", hosts=2, speed=5.0), ["none", "none"]),
        ({}, changed("config", greed=2), ["none, greed=1", "none, greed=2"]),
        ({}, changed("config", manners={"Ann": {"lies": 1}}), ["none", "none, manners.Ann.lies=1"]),
        ({}, changed("options", memory="all"), ["none, memory=last", "none, memory=all"]),
        (
            {"agents": {"Gizmo": "planner", "Glitch": "code_writer"}},
            {"agents": {"Gizmo": "code_writer", "Glitch": "planner"}},
            ["none, Gizmo planner, Glitch code_writer", "none, Gizmo code_writer, Glitch planner"],
        ),
        (
            {"agents": dict.fromkeys("ABCDE", "piano")},
            {"agents": {**dict.fromkeys("ABCDE", "piano"), "C": "voyager"}},
            ["none, piano", "none, piano, but C voyager"],
        ),
        (
            {"mind": "scripted, human", **changed("agents", Glitch="human")},
            changed("options", human=["Glitch"]),
            ["none, Gizmo code_writer, Glitch human", "none, code_writer"],
        ),
        ({}, asking(), ["none, scripted", "none, openai"]),
        (asking(), asking(roles={"judge": {"model": "b"}}), ["none", "none, roles.judge.model=b"]),
        (
            asking(default={"model": "a", "temperature": 0.2, "base_url": "http://here/v1"}),
            asking(default={"model": "a", "base_url": "http://there/v1"}),
            ["none, temperature=0.2", "none"],
        ),
        (
            {"contract": {"name": "mine", "text": "All is shared."}},
            {"contract": {"name": "mine", "text": "Nothing is shared."}},
            ["mine (text 1)", "mine (text 2)"],
        ),
    ],
)  # fmt: skip
def test_runs_share_a_condition_only_if_their_settings_are_equal(one, other, told):
    assert names(one, other) == told


@pytest.mark.parametrize("odd", [None, 3, "text", [1], {"a": [{"b": None}]}, {3: {"x": []}}])
def test_manifests_of_any_structure_give_a_condition(odd):
    parts = ("config", "options", "agents", "models", "server", "contract")
    played = condition_of_manifest({**ASKED, **dict.fromkeys(parts, odd)})
    assert isinstance(played, Played)
    assert len(names_of([Case("x", None, None, None, played)] * 2)) == 2


def test_every_option_not_listed_in_aside_distinguishes_conditions():
    """A new option distinguishes conditions unless it is added to ASIDE."""
    options = set(RunOptions.model_fields)
    assert options >= ASIDE
    assert options - ASIDE == {"human", "episodes", "wait_for_minds"}


def test_figures_and_lists_separate_agent_kinds_and_memory(tmp_path):
    """Regression: code writers and planners shared one bar."""
    kinds = {"code_writer": (66.0, 64.0), "planner": (42.0,)}
    for kind, rewards in kinds.items():
        for number, reward in enumerate(rewards):
            agents = {"Gizmo": kind, "Glitch": kind}
            folder = tmp_path / "double_vein" / f"{kind}-{number}"
            folder.mkdir(parents=True)
            with RunWriter(folder, {**GAME, "agents": agents}) as writer:
                writer.event(events.EpisodeStarted, run=0, attempt=1, seed=number)
                fields = {"value": reward, "transfer": 0.0, "reward": reward}
                writer.event(events.EpisodeEnded, reason="time_limit", seconds=10.0)
                writer.event(events.Reward, "Gizmo", **fields)
    (axes,) = reward_by_contract(analysis.load(tmp_path)).axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [
        f"none, code_writer ({COUNT}2)",
        f"none, planner ({COUNT}1)",
    ]
    assert "highest mean (welfare): none, code_writer (65), lowest" in axes.get_title()
    assert "bars: means of repetitions; error bars: 95 %" in sheet_of(axes).get_supxlabel()
    welfare = next(
        c for c in axes.containers if isinstance(c, BarContainer) and c.get_label() == "welfare"
    )
    assert [bar.get_height() for bar in welfare] == [65.0, 42.0]
    shown = CliRunner().invoke(app, ["show", str(tmp_path)]).stdout
    assert {card.agents for card in cards_of(Shelf(tmp_path).runs())} == set(kinds)
    for kind in kinds:
        assert f" none, {kind} " in shown


@pytest.mark.parametrize(("action", "counts"), [("set", True), ("pause", False)])
def test_an_intervention_changes_the_condition(tmp_path, action, counts):
    result = {"runs": [{"reward": {"Gizmo": 1.0}}]}
    for number in (0, 1):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        with RunWriter(folder, GAME) as writer:
            if number:
                writer.event(events.Intervention, "Gizmo", action=action, by="Eve", text="greed=2")
                result["interventions"] = 1
        (folder / "result.json").write_text(json.dumps(result))
    runs = analysis.load(tmp_path)
    assert list(runs.runs["settings"]) == ["", "interventions=1" if counts else ""]
    told = [outcome({"scenario": "double_vein"}, found) for _, found in runs.results()]
    assert ["1 intervention from outside" in one for one in told] == [False, True]
    alone = analysis.load(tmp_path / "1")
    assert list(alone.runs["settings"]) == ["interventions=1" if counts else ""], "it is told alone"


def test_a_comparison_accepts_a_setting_that_only_some_conditions_use(tmp_path):
    """Other conditions ignore the setting; a setting that no condition uses is refused."""
    experiment = registry.scenario("coherence")
    options = ["--world", "grid", "--set", "rumour_s=9", "--set=length_s=20"]
    jobs, _ = _jobs(experiment, "full,rumour", options)
    given = {job.condition: "rumour_s=9" in job.arguments for job in jobs}
    assert given == {"full": False, "rumour": True}
    kept = [{"--set=length_s=20", "length_s=20"} & {*job.arguments} for job in jobs]
    assert all(kept)
    with pytest.raises(UsageError, match="rumour_s has no effect under --condition full"):
        _jobs(experiment, "full", options)
    (tmp_path / "file.yaml").write_text("rumour_s: 9")
    with pytest.raises(UsageError, match="rumour_s has no effect under --condition full"):
        _jobs(experiment, "full,rumour", ["--config", str(tmp_path / "file.yaml")])
    with pytest.raises(UsageError, match="success has no effect under --world minecraft"):
        _jobs(registry.scenario("items"), "full", ["--world", "minecraft", "--set", "success=1"])
