"""What each of PIANO's modules does."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.test_piano import ACTIONS, Failing, agent, decided, scripted
from voxpolis.bots.agents.piano import (
    FULL,
    Action,
    ActionSet,
    DecideRequest,
    Decision,
    Forecast,
    Goal,
    Heard,
    Insights,
    Known,
    Society,
    Talk,
    TalkRequest,
    digest,
)
from voxpolis.bots.agents.piano.actions import Decide
from voxpolis.bots.agents.piano.bench import ANSWERS
from voxpolis.bots.agents.piano.digest import DIGEST_CHARACTERS
from voxpolis.bots.agents.piano.memory_store import LONG_TERM, SHORT_TERM, MemoryStore
from voxpolis.bots.agents.piano.modules import (
    action_awareness,
    goals,
    perception,
    reflexes,
    self_reflection,
)
from voxpolis.bots.agents.piano.society import MODULES, run_once
from voxpolis.bots.agents.piano.task import Outcome
from voxpolis.bots.models import Completion
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.models.typed import AnswerError, read_answer
from voxpolis.bots.time import SimulatedTime
from voxpolis.records import SimulatedClock, events
from voxpolis.records.measures import coherence

#: Modules that act by themselves when their time has come; all others wait for something.
ACTS = ("controller", "goals")


@pytest.mark.parametrize("name", [name for name in FULL if name not in ACTS])
async def test_a_module_that_has_nothing_to_do_costs_neither_task_nor_question(name, monkeypatch):
    """Each is given something to do at the end, which shows that it was awake."""
    here, asked, tasks, runs = SimulatedTime(SimulatedClock()), [], [], []

    def counted(one, run=MODULES[name]):
        runs.append(name)
        return run(one)

    monkeypatch.setitem(MODULES, name, counted)
    one = agent(here, ScriptedModel(lambda one: asked.append(one.role) or ANSWERS[one.role]))
    one.body.audience = []
    start, society = here.start, Society(here, 0)
    monkeypatch.setattr(here, "start", lambda work: tasks.append(work) or start(work))
    society.add(one, {name: FULL[name]})
    around = asyncio.all_tasks()
    await here.pass_until(100 * FULL[name])
    assert len(runs) >= 100
    assert [asked, tasks, one.notes, one.body.asked, [*one.memory.short]] == [[]] * 5
    assert asyncio.all_tasks() == around
    one.body.audience, one.body.hurt, one.goal = ["Ben"], "a wolf", "To dance."
    one.unjudged.append(Heard(0.0, "Ben", "Hello."))
    for k in range(SHORT_TERM + 1):
        one.memory.add(0.0, f"It was {k}.", 0.5)
    one.outcomes.append(Outcome("law", None, "There is a law."))
    one.task.begin(Decision(0.0, Action("GO", place="temple"), ""))
    state = [len(one.memory.short), one.seen]
    await here.pass_until(101 * FULL[name])
    await society.end()
    assert asked or one.body.asked or state != [len(one.memory.short), one.seen]


# --- Modules -------------------------------------------------------------------------------------


async def test_the_controller_decides_and_skills_carry_it_out():
    one = agent(SimulatedTime(SimulatedClock()), scripted(decide=decided("GIVE", percent=20)))
    await run_once("controller", one)
    assert one.task.action == Action("GIVE", percent=20)
    assert str(one.task.action) == "GIVE 20.0 %"
    await run_once("skill_execution", one)
    assert one.body.asked == ["go temple"]
    one.body.at = "temple"
    await run_once("skill_execution", one)
    assert one.body.asked == ["go temple", "give 0.2"]
    assert one.task.is_done
    assert one.task.needs_decision
    assert one.working[-1].text == "I gave"


async def test_a_liking_of_a_name_that_nobody_has_is_left_out_and_no_other():
    likes = [{"name": name, "liking": n} for name, n in (("Ada", 7), ("Zorro", 3), ("Ben", 8))]
    likes.append({"name": "Cora", "liking": 11})
    answer = json.dumps({"likes": likes, "believes": [{"subject": "tax", "belief": "fair"}]})
    one = agent(SimulatedTime(SimulatedClock()), Failing(answer))
    one.people = ("A0", "Ada", "Ben", "Cora")
    one.unjudged.append(Heard(0.0, "Ben", "Zorro is coming!"))
    await run_once("social_awareness", one)
    assert one.sentiments == {"Ada": 7, "Ben": 8}
    assert one.beliefs == {"tax": "fair"}


class Hand:
    """A time that passes by hand, in which thoughts take none."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        return self.time

    async def call(self, answer, _seconds, _key=0):
        return await answer

    def waits_for(self, _seconds):
        return True


async def test_goals_and_insights_are_asked_for_when_there_is_news():
    asked, hand = [], Hand()
    said = {"goal": Goal(goal="Rest."), "reflect": Insights(insights=("Ben likes me.",))}
    model = ScriptedModel(lambda request: asked.append(request.role) or said[request.role])
    one = agent(hand, model)

    async def think():
        """What is asked for when both modules have run."""
        asked.clear()
        await run_once("goals", one)
        await self_reflection.run(one)
        return asked

    assert await think() == ["goal"]  # there is nothing yet to reflect on
    hand.time = 30.0
    assert await think() == []
    for number in range(3):
        one.hear("Ben", f"I like you, {number}.")
    perception.run(one)
    assert await think() == ["goal", "reflect"]
    assert await think() == []
    one.sentiments["Ben"] = 9
    assert await think() == ["goal"]
    one.tell("The bell rings.")
    assert await think() == ["goal"]
    hand.time += goals.STANDS_FOR_S
    assert await think() == ["goal"]
    one.hear("Ben", "Hello.")
    perception.run(one)
    assert await think() == ["goal", "reflect"]


async def test_a_mind_is_told_the_typed_value_that_its_prompt_says():
    asked = []

    def mind(request):
        asked.append(request)
        return decided("REST") if request.role == "decide" else Talk(say="Good day.")

    one = agent(SimulatedTime(SimulatedClock()), ScriptedModel(mind), places=("market",))
    one.tell("The bell rings.", about=("bell", 3))
    await run_once("controller", one)
    await run_once("talking", one)
    decide, talk = (request.about for request in asked)
    assert isinstance(decide, DecideRequest)
    assert [notice.about for notice in decide.digest.notices] == [("bell", 3)]
    assert decide.places == ("market",)
    assert isinstance(talk, TalkRequest)
    assert talk.decision == one.task.decision
    rules, moment = (message["content"] for message in asked[0].messages)
    assert "Notice, 0 s ago: The bell rings." in moment
    for text in ("market", "GIVE (percent): you carry a part to the temple.", "REST: "):
        assert text in rules


@pytest.mark.parametrize("broadcast", [True, False])
async def test_speech_is_told_the_decision_unless_the_link_is_taken_away(broadcast):
    asked = []

    def mind(request):
        asked.append(request.messages[-1]["content"])
        return Talk(say="Good day.")

    one = agent(SimulatedTime(SimulatedClock()), ScriptedModel(mind), broadcast=broadcast)
    one.task.begin(Decision(0.0, Action("GO", place="market"), "fish"))
    await run_once("talking", one)
    told = asked[0].splitlines()[0]
    assert ("GO market" in told) == broadcast
    assert ("fish" in told) == broadcast
    assert one.body.asked == ["say Good day."]


async def test_awareness_corrects_a_belief_that_the_world_does_not_bear_out():
    clock = SimulatedClock()
    here = SimulatedTime(clock)
    one = agent(here, scripted(decide=decided("GO", place="market")))
    await run_once("controller", one)
    await run_once("skill_execution", one)
    await here.pass_until(5.0)
    action_awareness.run(one)
    assert not one.task.needs_decision  # it may still be on its way
    await here.pass_until(59.0)
    action_awareness.run(one)
    assert one.task.is_done
    assert one.notes[-1][0] is events.BeliefCorrected
    assert "GO market (did nothing: I wanted to be at market by now" in str(digest(one))
    assert one.task.needs_decision  # it took longer than any pause


NOT_THERE = (
    {"do": "GO", "place": "moon"},
    {"do": "VISIT", "person": "everybody"},
    {"do": "GO", "place": "the library"},
    {"do": "VISIT", "person": "A0"},
)


@pytest.mark.parametrize("action", NOT_THERE)
async def test_what_is_not_there_is_asked_for_again_with_what_is(action):
    asked = []

    class Wrong:
        async def complete(self, request):
            asked.append(request.messages[-1]["content"])
            answer = {"action": action, "about": None, "expects": None}
            return Completion(json.dumps(answer), "m")

    here = SimulatedTime(SimulatedClock())
    one = agent(here, Wrong(), places=("market",), people=("A0", "Ben", "Zoe"))
    await run_once("controller", one)
    assert len(asked) == 3
    assert ("'Ben' or 'Zoe'" if action["do"] == "VISIT" else "'market'") in asked[-1]
    assert one.mind.faults == {"invalid answer": 1}
    assert not one.task.needs_decision


async def test_a_place_that_only_the_body_knows_is_found_where_none_has_a_name():
    here = SimulatedTime(SimulatedClock())
    for place, faults in (("hill", {}), ("moon", {"invalid answer": 1})):
        answer = {"action": {"do": "GO", "place": place}, "about": " ", "expects": None}
        one = agent(here, Failing(json.dumps(answer)))
        await run_once("controller", one)
        assert one.mind.faults == faults
        assert str(one.task.action) == ("REST" if faults else f"GO {place}")


async def test_what_cannot_be_done_is_told_recorded_and_waited_after_ever_longer():
    """A verb that refuses at once, decided for again and again, until something succeeds."""
    here = SimulatedTime(SimulatedClock())
    one = agent(here, scripted(decide=decided("GIVE", percent=20)))
    now, pauses = 0.0, []
    for _ in range(8):
        await run_once("controller", one)
        one.task.refuse("the temple is shut")
        assert "GIVE 20.0 % (did nothing: the temple is shut)" in str(digest(one))
        began = now
        while not one.task.needs_decision:
            now += 1.0
            await here.pass_until(now)
        pauses.append(now - began)
    assert pauses == [2, 4, 8, 16, 32, 64, 120, 120]
    refusals = [fields for kind, fields in one.notes if kind is events.DecisionRefused]
    assert refusals == [{"action": "GIVE 20.0 %", "reason": "the temple is shut"}] * 8
    assert one.task.failures == {"GIVE": 8}
    assert "GIVE did nothing: the temple is shut" in one.working[-1].text
    one.task.refuse("the temple is shut")
    one.tell("The bell rings.", urgent=True)
    reflexes.run(one)
    assert one.task.needs_decision  # a bell is a cause of its own
    await run_once("controller", one)
    one.task.finish(reconsider=True)
    assert "GIVE 20.0 % (done)" in str(digest(one))
    await run_once("controller", one)
    one.task.refuse("the temple is shut")
    await here.pass_until(now + 2.0)
    assert one.task.needs_decision  # after a success the pause is the first one


async def test_a_bell_interrupts():
    one = agent(SimulatedTime(SimulatedClock()), scripted(decide=decided("REST")))
    await run_once("controller", one)
    one.tell("Somebody sings.")
    reflexes.run(one)
    assert not one.task.needs_decision
    one.tell("The bell rings.", urgent=True)
    reflexes.run(one)
    assert one.task.needs_decision


async def test_a_decision_stands_until_there_is_a_cause_or_it_is_old():
    here = SimulatedTime(SimulatedClock())
    one = agent(here, scripted(decide=decided("GO", place="market")))
    await run_once("controller", one)
    assert not one.task.needs_decision
    await here.pass_until(59.0)
    assert not one.task.needs_decision
    await here.pass_until(60.0)
    assert one.task.needs_decision
    await run_once("controller", one)
    assert [kind for kind, _ in one.notes] == [events.Decided]  # the same again is no news


async def test_the_same_once_more_is_another_decision():
    one = agent(SimulatedTime(SimulatedClock()), scripted(decide=decided("REST")))
    await run_once("controller", one)
    one.task.finish(reconsider=True)
    await run_once("controller", one)
    assert [kind for kind, _ in one.notes] == [events.Decided] * 2
    assert coherence([("did", "REST"), ("said", "I'll go to a."), ("did", "REST"), ("did", "GO a")],
                     one.actions.announcements) == 1.0  # fmt: skip


@pytest.mark.parametrize("has_eyes", [True, False])
async def test_who_decides_sees_its_hands_as_they_are(has_eyes):
    """Perception ran before the last action was over; who has no perception never looks."""
    told = []

    def mind(request):
        told.append(request.about.digest)
        return decided("REST")

    here = SimulatedTime(SimulatedClock())
    one, society = agent(here, ScriptedModel(mind)), Society(here, 0)
    society.add(one, {name: 1e6 for name in FULL if has_eyes or name != "perception"})
    perception.run(one)
    one.body.held = {"bread": 2}
    await run_once("controller", one)
    assert [state.seen.inventory for state in told] == [{"bread": 2} if has_eyes else {}]
    await society.end()


def test_the_digest_is_bounded_whatever_happens():
    one = agent(SimulatedTime(SimulatedClock()), scripted())
    for number in range(500):
        one.tell("bell " * 400)
        one.happened("word " * 400)
        one.memory.add(number, "memory " * 400, 0.9)
        one.beliefs[f"b{number}"] = "x" * 100
    one.memory.consolidate()
    assert len(str(digest(one))) <= DIGEST_CHARACTERS
    assert len(one.memory.short) == SHORT_TERM
    assert len(one.memory.long) == LONG_TERM


def test_memories_are_found_by_relevance_recency_and_importance():
    store = MemoryStore()
    store.add(0.0, "The river is full of fish", 0.4)
    store.add(1000.0, "The tax went up", 0.4)
    store.add(1000.0, "I nearly drowned in the river", 0.9)
    for number in range(SHORT_TERM):
        store.add(1001.0 + number, "filler", 0.0)
    store.consolidate()
    assert store.recall("the river", 1100.0, 2)[0].text == "I nearly drowned in the river"
    assert [memory.text for memory in store.recall("tax", 1100.0, 1)] == ["The tax went up"]


KNOWN = Known("Ada", ("market",), people=("Ada", "Ben"))


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"do": "FLY"}, "GIVE"),
        ({"do": "GIVE"}, "percent"),
        ({"do": "GIVE", "percent": 150}, "100"),
        ({"do": "GIVE", "percent": 12.5}, "integer"),
        ({"do": "GO"}, "place"),
    ],
)
def test_a_decision_out_of_the_vocabulary_is_refused(action, told):
    with pytest.raises(AnswerError, match=told):
        read_answer(ACTIONS.decision(KNOWN), json.dumps({"action": action}))


def test_decisions_are_values():
    kind = ACTIONS.decision(KNOWN)
    expects = {"item": "wheat", "amount": -2, "place": "market", "within_s": 9}
    answer = {"action": {"do": "GIVE", "percent": 12}, "about": "tax", "expects": expects}
    found = Decide.model_validate(read_answer(kind, json.dumps(answer)).model_dump())
    forecast = Forecast({"wheat": -2}, "market", 9)
    assert found == Decide(action=Action("GIVE", percent=12), about="tax", expects=forecast)
    assert ACTIONS.decision(KNOWN) is kind
    nothing = {**expects, "item": None, "amount": 0, "place": None}
    answer = {"action": {"do": "REST"}, "about": "", "expects": nothing}
    found = Decide.model_validate(read_answer(kind, json.dumps(answer)).model_dump())
    assert found == decided("REST")


def test_verbs_are_the_scenarios_own_beside_the_general_ones():
    with pytest.raises(AnswerError, match="'VISIT', 'REST', 'GO'"):
        read_answer(ActionSet().decision(KNOWN), '{"action": {"do": "GIVE", "percent": 20}}')
    with pytest.raises(AnswerError, match="'REST', 'GO'"):  # where there is nobody to visit
        read_answer(ActionSet().decision(Known("Ada")), '{"action": {"do": "VISIT"}}')


def test_coherence_counts_what_is_said_and_then_done():
    agreeing = [("said", "I am going to give my share."), ("did", "GIVE 20 %")]
    lying = [("said", "I will plough all day."), ("did", "VISIT Ben")]
    small_talk = [("said", "Nice weather."), ("did", "PLOUGH")]
    doing = [("did", "PLOUGH"), ("said", "I am ploughing.")]
    words = ACTIONS.announcements
    assert coherence(agreeing, words) == 1.0
    assert coherence(lying, words) == 0.0
    assert coherence(small_talk, words) is None
    assert coherence(doing, words) == 1.0
    assert coherence([*agreeing, *lying], words) == 0.5
