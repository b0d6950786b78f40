"""What a decision expects, what the world says came of it, and what is believed without looking."""

from __future__ import annotations

import pytest

from bots.agents.piano import FULL, DecideRequest, Society, digest
from bots.agents.piano.belief import LOOKS_EVERY_S
from bots.agents.piano.expecting import MISSED, Ended, Forecast, read_forecast
from bots.agents.piano.modules import action_awareness, perception
from bots.agents.piano.modules.action_awareness import AVOIDED, AVOIDED_S
from bots.agents.piano.society import run_once
from bots.models.scripted import ScriptedModel
from bots.structured import AnswerError
from bots.time import SimulatedTime
from records import SimulatedClock, events
from tests.test_piano import agent, scripted

PLACES = ("market", "the Old Mill", "Ben")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("+3 cobblestone within 40 s", "+3 cobblestone within 40 s"),
        ("**+3 cobblestone** within 40 seconds.", "+3 cobblestone within 40 s"),
        ("3 more oak planks, -1 oak_log in 10 s", "+3 oak_planks, -1 oak_log within 10 s"),
        ("I will have 2 sticks within 1 minute", "+2 sticks within 60 s"),
        ("1 stone_pickaxe and 2 coal", "+1 stone_pickaxe, +2 coal within 60 s"),
        ("at the market within 20 s", "at market within 20 s"),
        ("I will be at old mill", "at the Old Mill within 60 s"),
        ("+1 bread, at market, within 30 s", "+1 bread, at market within 30 s"),
        ("at Ben's house within 20 s", "at Ben within 20 s"),
        ("+2 wheat within 40 s, because Ben sows", "+2 wheat within 40 s"),
        ("Within the next 30 s: +1 bread + 2 wheat", "+1 bread, +2 wheat within 30 s"),
        ("nothing new, I only rest", "None"),
        ("nothing", "None"),
        ("N/A", "None"),
        ("lose 3 wheat", "-3 wheat within 60 s"),
        ("I will give away 3 wheat and 1 bread", "-3 wheat, -1 bread within 60 s"),
        ("3 fewer wheat within 5 s", "-3 wheat within 5 s"),
        ("3 wheat less", "-3 wheat within 60 s"),
        ("lose 2 wheat and get 1 bread", "-2 wheat, +1 bread within 60 s"),
        ("+2 wheat (I hold 5 now) within 40 s", "+2 wheat within 40 s"),
        ("three wheat in two minutes", "+3 wheat within 120 s"),
        ("wheat +3 within 40 s", "+3 wheat within 40 s"),
        ("wheat: +3, oak log -1", "+3 wheat, -1 oak_log within 60 s"),
        ("give 3 wheat to Ben within 40 s", "-3 wheat within 40 s"),
        ("take 2 bread from Cora", "+2 bread within 60 s"),
        ("plant 3 seeds and deposit 1 wheat", "-3 seeds, -1 wheat within 60 s"),
        ("at least 3 wheat within 40 s", "+3 wheat within 40 s"),
    ],
)
def test_what_is_expected_is_read_as_people_say_it(said, expected):
    assert str(read_forecast(said, PLACES)) == expected


@pytest.mark.parametrize(
    "said",
    [
        "to be happy",
        "+2 thing within 40 s",
        "at place within 40 s",
        "2-3 wheat within 40 s",
        "+2 to +4 wheat",
        "up to 3 wheat in 40 s",
        "2 wheat to the market",
        "2 wheat or 1 bread",
        "hold 7 wheat within 40 s",
        "Ben gives me 2 wheat",
        "2 wheat to Ben",
        "not 2 wheat",
        "+2 wheat within 30-60 s",
        "+2 Weizen innerhalb von 40 s",
        "+2 wheat 40 s",
        "+2 wheat within 40 s, unless Ben takes it",
        "+5 wheat less within 40 s",
        "not at market within 40 s",
        "at old mill or market within 40 s",
        "Ben at market within 40 s",
        "at marketplace within 40 s",
        "at market, at old mill",
        "+2 wheat within 40 s within 20 s",
    ],
)
def test_what_expects_nothing_that_can_be_seen_is_refused(said):
    with pytest.raises(AnswerError, match="EXPECT takes"):
        read_forecast(said, PLACES)


@pytest.mark.parametrize(
    ("items", "place", "after", "is_there", "outcome"),
    [
        ({"coal": 3}, "", {"log": 2, "coal": 3}, False, "met"),
        ({"coals": 3}, "", {"log": 2, "coal": 4}, False, "met"),
        ({"coal": 3}, "", {"log": 2, "coal": 1}, False, "partly"),
        ({"coal": 3}, "", {"log": 2}, False, "missed"),
        ({"coal": 3}, "", {"log": 1}, False, "other"),
        ({"coal": 3}, "", {"log": 2, "sand": 1}, False, "other"),
        ({"coal": 1, "log": -2}, "", {"coal": 1}, False, "met"),
        ({"coal": 1}, "mill", {"log": 2, "coal": 1}, False, "partly"),
        ({}, "mill", {"log": 2}, True, "met"),
        ({}, "mill", {"log": 2}, False, "missed"),
    ],
)
def test_outcomes_follow_from_the_worlds_account(items, place, after, is_there, outcome):
    ended = Ended("MINE", Forecast(items, place), {"log": 2}, after, is_there, is_over=True)
    assert ended.outcome() == outcome


def test_who_was_hurt_instead_got_something_else():
    ended = Ended("MINE", Forecast({"coal": 1}), {}, {}, is_there=False, is_over=True, hurt=3.0)
    assert ended.outcome() == "other"
    assert "3 health lost" in ended.in_words()


async def _decided(one):
    one.task.reconsider()
    await run_once("controller", one)


async def test_awareness_notes_what_did_not_come_and_avoids_what_failed_twice():
    here = SimulatedTime(SimulatedClock())
    answer = "ACTION: PLOUGH market\nABOUT: nothing\nEXPECT: +2 wheat within 10 s"
    one = agent(here, scripted(decide=answer), places=PLACES)
    await _decided(one)
    assert one.notes[-1][1]["expects"] == "+2 wheat within 10 s"
    one.body.held["wheat"] += 2
    one.task.finish()
    action_awareness.run(one)
    assert one.notes[-1][0] is events.ExpectationEnded
    assert one.notes[-1][1]["outcome"] == "met"
    for second in (20.0, 40.0):  # nothing comes, twice
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


async def test_without_awareness_what_was_expected_is_believed_until_one_looks():
    here = SimulatedTime(SimulatedClock())
    asked = []

    def mind(request):
        asked.append(request)
        return "ACTION: PLOUGH market\nABOUT: x\nEXPECT: +2 wheat, -1 seed within 10 s"

    one = agent(here, ScriptedModel(mind), places=PLACES)
    society = Society(here, seed=0)
    modules = {name: 1e6 for name in FULL if name != "action_awareness"}
    society.add(one, modules)
    one.body.held["seed"] = 1
    perception.run(one)
    await _decided(one)
    await here.pass_until(11.0)
    perception.run(one)
    assert one.seen.inventory == {"wheat": 12, "seed": 0}
    assert one.body.inventory() == {"wheat": 10, "seed": 1}
    assert "You hold: 12 wheat." in str(digest(one))
    await here.pass_until(LOOKS_EVERY_S)
    perception.run(one)
    assert one.seen.inventory == {"wheat": 10, "seed": 1}
    assert isinstance(asked[0].about, DecideRequest)
    await society.end()


async def test_who_changes_its_mind_is_held_to_nothing():
    here = SimulatedTime(SimulatedClock())
    answers = iter(["PLOUGH market\nEXPECT: +1 wheat within 5 s", "REST"])
    model = ScriptedModel(lambda _request: f"ACTION: {next(answers)}")
    one = agent(here, model, places=PLACES)
    await _decided(one)
    await _decided(one)
    await here.pass_until(6.0)
    action_awareness.run(one)
    assert [kind for kind, _ in one.notes] == [events.Decided, events.Decided]
