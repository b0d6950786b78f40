"""The modules of cooperation in whole runs, by the command, and where a model fails."""

from __future__ import annotations

import random

import pytest

from tests.commons_playing import assert_gone_on_with, assert_replayed, run_of
from tests.cooperating import of, played
from tests.test_commons_cooperation import AGENTS, all_of
from voxpolis.analysis.figures import FIGURES
from voxpolis.analysis.loading import load
from voxpolis.bots.models import Account, AccountedModel, ModelError
from voxpolis.bots.models.model import Completion
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.grid.core.data import GameError
from voxpolis.records import events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import Person

# --- What goes wrong -----------------------------------------------------------------------------


class Failing:
    """Answers as persons do, but for the modules' questions, each of which goes wrong."""

    ROLES = ("induce", "predict", "speak", "reply", "weigh", "rate", "amendments")
    ANSWERS = (
        None,  # the endpoint answers with an error
        "## My thoughts\n\n* I would rather **not** say.",
        '{"hypotheses": 5, "predictions": 3, "act": {"do": "SHOUT"}, "trust": 7, "scores": "good"}',
        "",
    )

    def __init__(self, model):
        self._model, self._draws = model, random.Random(0)

    async def complete(self, request):
        if request.role not in self.ROLES:
            return await self._model.complete(request)
        answer = self._draws.choice(self.ANSWERS)
        if answer is None:
            raise ModelError("status 500")
        return Completion(text=answer, model="broken")


def test_modules_that_get_no_usable_answer_lose_their_turn_and_nothing_else():
    account = Account()
    people = all_of(Person("pacifist"))
    run, _ = played(
        people,
        0,
        "one_tree",
        model=lambda inner: AccountedModel(Failing(inner), account),
        modules="all",
        rounds=12,
        hearing=100,
        amend_every=5,
    )
    plain, _ = played(people, 0, "one_tree", rounds=12)
    assert [e.action for e in of(run, events.TurnTaken)] == [
        e.action for e in of(plain, events.TurnTaken)
    ]
    assert not of(run, events.MessagePassed)
    assert not of(run, events.HypothesisMade)
    assert {e.model for e in of(run, events.ReputationPublished)} == {None}
    assert {e.value for e in of(run, events.ReputationPublished)} == {5.0}
    decisions = account.as_json()
    asked = 3 * 12 + 2 * 3 * 4 + 2 * 3 + 2 * 3  # speak; induce and predict; rate; amendments
    assert decisions["failed"] == asked


# --- Whole runs, by the command ------------------------------------------------------------------

SHORT = ("--set", "rounds=10", "--set", "hearing=100", "--set", "amend_every=4", "--seed", "4")


def test_a_run_with_modules_is_as_without_a_record_is_replayed_and_gone_on_with(tmp_path):
    words = ["--condition", "full", "--set", "base=bots", "--runs", "2", *SHORT]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    assert result["decisions"]["failed"] == 0
    assert result["modules"] == ["understanding", "communication", "constitution", "reputation"]
    scenario = CommonsHarvest(base="bots", rounds=10, hearing=100, amend_every=4)
    run, _ = played(
        scenario.people("full"), 4, "full", base="bots", rounds=10, hearing=100, amend_every=4
    )
    (entry, _) = result["runs"]
    measures = cooperation_measures(
        run.events,
        AGENTS[:2],
        lambda test: scenario.judge_rule("full", run.cooperation.claims[test]),
        scenario.topics("full"),
    )
    assert {name: entry[name] for name in measures} == measures
    assert entry["messages"] > 0
    assert_replayed(tmp_path, result, record)
    assert_gone_on_with(tmp_path, result, record)


def test_modules_are_chosen_by_an_option_and_left_out_by_conditions(tmp_path):
    scenario = CommonsHarvest(modules="reputation, understanding", base="one_tree")
    assert scenario.cooperation("none").modules == ("understanding", "reputation")
    whole = CommonsHarvest(base="one_tree")
    assert whole.cooperation("full-communication").modules == (
        "understanding", "constitution", "reputation",
    )  # fmt: skip
    assert CommonsHarvest().cooperation("none") is None
    assert whole.played("full").game == whole.played("one_tree").game
    with pytest.raises(ValueError, match="there is no module telepathy"):
        CommonsHarvest(modules="telepathy")
    _, result, record = run_of(tmp_path, "--modules", "constitution", "--set", "rounds=1")
    assert result["modules"] == ["constitution"]
    assert len(record.of(events.LawChanged)) == 1


def test_the_figures_of_modules_come_out_of_a_record(tmp_path):
    words = ["--condition", "full", "--set", "base=one_tree", "--set", "keeps.Pedro=0", *SHORT]
    _, result, record = run_of(tmp_path, *words)
    plain = run_of(tmp_path, "--condition", "one_tree", "--set", "rounds=3")[2]
    drawn = FIGURES["commons_cooperation"](load([record.folder, plain.folder]))
    assert [axes.get_ylabel() for axes in drawn.axes] == [
        "trees left", "apples of all agents", "part", "promises",
    ]  # fmt: skip
    (entry,) = result["runs"]
    assert entry["promises_broken"] > 0
    heights = {patch.get_height() for patch in drawn.axes[3].patches}
    assert {entry["promises_kept"], entry["promises_broken"]} <= heights
    points = FIGURES["commons_reputation"](load([record.folder])).axes[0].lines[0]
    assert sorted(points.get_xdata()) == sorted(entry["compliance"].values())
    assert FIGURES["commons_cooperation"](load([plain.folder])) is None
    assert FIGURES["commons_reputation"](load([plain.folder])) is None


@pytest.mark.parametrize("condition", ["full", "full-understanding"])
def test_a_condition_that_says_its_modules_takes_no_others(condition):
    with pytest.raises(GameError, match="says itself which"):
        CommonsHarvest(modules="reputation").played(condition)
