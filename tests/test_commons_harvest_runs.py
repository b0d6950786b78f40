"""Commons Harvest in whole runs, by the command."""

from __future__ import annotations

import random

import pytest

from tests.commons_playing import assert_gone_on_with, assert_replayed, assert_same, played, run_of
from voxpolis.analysis.figures import FIGURES
from voxpolis.analysis.loading import load
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.agents.voyager import minilm
from voxpolis.experiments.loops.commons.game import CommonsGame
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, main
from voxpolis.records import events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import make_persons
from voxpolis.scenarios.commons.scenario import AGENTS
from voxpolis.worlds.commons.sight import Seen, Watcher
from voxpolis.worlds.commons.table import CommonsTable

# --- Whole runs, by the command ------------------------------------------------------------------


def test_the_five_prompts_change_nothing_of_what_scripted_persons_do(tmp_path):
    code, result, record = run_of(tmp_path, "--set", "rounds=12", "--seed", "5")
    assert code == 0
    direct, _, _ = played(5, rounds=12)
    (entry,) = result["runs"]
    assert_same(entry, direct)
    assert entry["acted"] == ["Juan", "Laura", "Pedro"]
    assert result["decisions"]["failed"] == 0
    turns = record.of(events.TurnTaken)
    assert [turn.agent for turn in turns[:4]] == ["Juan", "Laura", "Pedro", "Juan"]


def test_a_run_is_replayed_and_gone_on_with(tmp_path):
    _, result, record = run_of(tmp_path, "--set", "rounds=3", "--condition", "bots", "--runs", "2")
    assert_replayed(tmp_path, result, record)
    assert_gone_on_with(tmp_path, result, record)


def test_meaning_is_refused_where_its_weights_are_not(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    experiment = registry.experiment("commons")
    words = ["--set", "relevance=meaning", "--set", "rounds=1", "--out", str(tmp_path)]
    assert main(experiment, command(experiment).make_context("commons", words).params) == 2
    assert "run make embeddings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("targets", "hit"),
    [({"Laura": 0, "Pedro": 0}, set()), ({"Juan": 1}, set()), ({"Laura": 0}, {"Pedro"})],
)
def test_nobody_is_attacked_who_has_no_part_of_the_attacks(targets, hit):
    scenario = CommonsHarvest(targets=targets, attacks=1, trees=1)
    persons = make_persons({"Juan": scenario.people("none")["Juan"]}, AGENTS, 0)
    seen = {name: Seen("agent", (1, 1), name=name) for name in ("Laura", "Pedro")}
    found = {persons["Juan"]._target(seen, random.Random(seed)) for seed in range(20)}
    assert found - {""} == hit


def test_prompts_hold_what_an_agent_knows_and_no_cell_that_it_does_not_see():
    scenario = CommonsHarvest()
    game: CommonsGame = scenario.played("none")
    table = CommonsTable(game.game, game.players)
    table.reset(0)
    for player, persona in enumerate(game.personas):
        assert isinstance(persona, Persona)
        perceived = Watcher(table, player, 100).perceive(0, "", "")
        sight = perceived.about
        assert {one.cell for one in (*sight.objects, *sight.trees)} <= perceived.view
        assert set(perceived.landmarks) == {f"tree {tree}" for tree in table.trees
                                            if any(s in perceived.view for s in table.sites
                                                   if table.tree_of[s] == tree)}  # fmt: skip
    assert len(table.trees) == 6
    assert len(table.sites) == 64


def test_the_figures_come_out_of_a_record(tmp_path):
    words = ["--condition", "bots", "--set", "rounds=30", "--set", "attacks=0.5"]
    _, result, record = run_of(tmp_path, *words)
    drawn = {name: draw(load([record.folder])) for name, draw in FIGURES.items()}
    found = {name: one for name, one in drawn.items() if one is not None}
    assert {
        "commons_reward",
        "commons_apples_left",
        "commons_attacks",
        "commons_last_apples",
        "commons_hits",
    } == set(found)
    (axes,) = found["commons_reward"].axes
    agents, bots = axes.lines
    (entry,) = result["runs"]
    assert list(agents.get_ydata()) == entry["reward_by_round"]
    assert list(bots.get_ydata()) == entry["bots_by_round"]
    assert "scripted" in found["commons_reward"].get_suptitle()
    assert "bots earn more" in found["commons_attacks"].get_supxlabel()
