"""Expectations of decisions, their outcomes in the world, and beliefs that are not checked."""

from __future__ import annotations

import pytest

from tests.bots.test_piano import agent, decided, scripted
from voxpolis.bots.agents.piano.digest import digest
from voxpolis.bots.agents.piano.expectations import LOOKS_EVERY_S, MISSED, Ended, Forecast
from voxpolis.bots.agents.piano.modules import action_awareness, bodily
from voxpolis.bots.agents.piano.modules.action_awareness import AVOIDED, AVOIDED_S
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.society import FULL, Society, run_once
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.time import SimulatedTime
from voxpolis.records import SimulatedClock, events

PLACES = ("market", "mill")


@pytest.mark.parametrize(
    ("items", "place", "after", "is_there", "outcome"),
    [
        ({"coal": 3}, "", {"log": 2, "coal": 3}, False, "met"),
        ({"coal": 3}, "", {"log": 2, "coal": 1}, False, "partly"),
        ({"coal": 3}, "", {"log": 2}, False, "missed"),
        ({"coal": 3}, "", {"log": 1}, False, "other"),
        ({"coal": 1, "log": -2}, "", {"coal": 1}, False, "met"),
        ({"coal": 1}, "mill", {"log": 2, "coal": 1}, False, "partly"),
        ({}, "mill", {"log": 2}, True, "met"),
        ({}, "mill", {"log": 2}, False, "missed"),
    ],
)
def test_outcomes_follow_the_state_of_the_world(items, place, after, is_there, outcome):
    ended = Ended("MINE", Forecast(items, place), {"log": 2}, after, is_there, is_over=True)
    assert ended.outcome() == outcome


def test_being_hurt_counts_as_a_different_outcome():
    ended = Ended("MINE", Forecast({"coal": 1}), {}, {}, is_there=False, is_over=True, hurt=3.0)
    assert ended.outcome() == "other"
    assert "3 health lost" in ended.in_words()


async def _decided(one):
    one.task.reconsider()
    await run_once("controller", one)


async def test_awareness_notes_misses_and_avoids_an_action_after_two_misses():
    here = SimulatedTime(SimulatedClock())
    answer = decided("PLOUGH", None, Forecast({"wheat": 2}, within_s=10), place="market")
    one = agent(here, scripted(decide=answer), places=PLACES)
    await _decided(one)
    assert one.notes[-1][1]["expects"] == "+2 wheat within 10 s"
    one.body.held["wheat"] += 2
    one.task.finish()
    action_awareness.run(one)
    assert one.notes[-1][0] is events.ExpectationEnded
    assert one.notes[-1][1]["outcome"] == "met"
    for second in (20.0, 40.0):  # the agent obtains nothing, twice
        await _decided(one)
        await here.pass_until(second - 5.0)
        action_awareness.run(one)
        outcomes = [told["outcome"] for kind, told in one.notes if kind is events.ExpectationEnded]
        assert outcomes.count(MISSED) == second // 20
        assert one.task.is_done
        assert one.task.needs_decision
    assert "nothing came of it" in one.working[-1].text
    assert "Stop trying PLOUGH market this way" in str(digest(one))
    assert one.standing[AVOIDED].now(here.now()) == ["PLOUGH market"]
    await here.pass_until(40.0 + AVOIDED_S)
    assert "Stop trying" not in str(digest(one))


async def test_without_awareness_expectations_are_believed_until_the_next_look():
    here = SimulatedTime(SimulatedClock())
    asked = []

    def mind(request):
        asked.append(request)
        expects = Forecast({"wheat": 2, "seed": -1}, within_s=10)
        return decided("PLOUGH", None, expects, place="market")

    one = agent(here, ScriptedModel(mind), places=PLACES)
    society = Society(here, seed=0)
    modules = {name: 1e6 for name in FULL if name != "action_awareness"}
    society.add(one, modules)
    one.body.held["seed"] = 1
    bodily.perception(one)
    await _decided(one)
    await here.pass_until(11.0)
    bodily.perception(one)
    assert one.seen.inventory == {"wheat": 12, "seed": 0}
    assert one.body.inventory() == {"wheat": 10, "seed": 1}
    assert "You hold: 12 wheat." in str(digest(one))
    await here.pass_until(LOOKS_EVERY_S)
    bodily.perception(one)
    assert one.seen.inventory == {"wheat": 10, "seed": 1}
    assert isinstance(asked[0].about, DecideRequest)
    await society.end()


async def test_an_expectation_ends_when_the_decision_changes():
    here = SimulatedTime(SimulatedClock())
    first = decided("PLOUGH", None, Forecast({"wheat": 1}, within_s=5), place="market")
    answers = iter([first, decided("REST")])
    model = ScriptedModel(lambda _request: next(answers))
    one = agent(here, model, places=PLACES)
    await _decided(one)
    await _decided(one)
    await here.pass_until(6.0)
    action_awareness.run(one)
    assert [kind for kind, _ in one.notes] == [events.Decided, events.Decided]
