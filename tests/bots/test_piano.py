"""PIANO agents: concurrent modules, one controller, each module's effect, and failing minds."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter

import pytest

from voxpolis.bots.agents.piano.actions import (
    PERCENT,
    PLACE,
    ActionSet,
    Decide,
    Known,
    Verb,
    announcement,
)
from voxpolis.bots.agents.piano.agent import Agent, Heard
from voxpolis.bots.agents.piano.bench import ANSWERS as ANYTHING
from voxpolis.bots.agents.piano.body import NOTHING_NOTICED
from voxpolis.bots.agents.piano.digest import DIGEST_CHARACTERS, digest
from voxpolis.bots.agents.piano.expectations import Forecast
from voxpolis.bots.agents.piano.memory_store import LONG_TERM, SHORT_TERM
from voxpolis.bots.agents.piano.mind import Mind
from voxpolis.bots.agents.piano.modules import (
    bodily,
)
from voxpolis.bots.agents.piano.modules.goals import Goal
from voxpolis.bots.agents.piano.modules.talking import Talk
from voxpolis.bots.agents.piano.society import FULL, MODULES, Society, run_once
from voxpolis.bots.agents.piano.task import Action, Decision, Outcome
from voxpolis.bots.models import Completion, ModelError
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.models.typed import read_answer
from voxpolis.bots.time import RealTime, SimulatedTime
from voxpolis.records import Clock, SimulatedClock, events


class Stick:
    """A body that is always at its target place, and records the orders it gets."""

    def __init__(self):
        self.at, self.asked, self.held, self.hurt = "work", [], Counter(wheat=10), None
        self.audience = ["Ben"]

    def place(self):
        return self.at

    def near(self):
        return list(self.audience)

    def inventory(self):
        return self.held

    def threat(self):
        return self.hurt

    def notices(self):
        return NOTHING_NOTICED

    def flee(self):
        self.asked.append("flee")
        self.hurt = None

    def finds(self, target):
        return target != "moon"

    def is_at(self, target):
        return target == self.at

    def head_for(self, target):
        if target == "moon":
            raise LookupError(target)
        self.asked.append(f"go {target}")
        return 4.0

    def stop(self):
        self.asked.append("stop")

    def say(self, text):
        self.asked.append(f"say {text}")
        return self.near()


async def plough(task):
    if task.go_to("work"):
        task.body.held["wheat"] += 1
        task.expect_items(1)


async def give(task):
    if task.go_to("temple"):
        task.body.asked.append(f"give {task.action.share}")
        task.happened("I gave")
        task.finish(reconsider=True)


# A scenario's verbs.
ACTIONS = ActionSet(
    [
        Verb("GIVE", PERCENT, give, announcement("giv"), "you carry a part to the temple."),
        Verb("PLOUGH", PLACE, plough, announcement("plough")),
    ]
)


class Noted(Agent):
    """An agent whose recorded events the test can see."""

    notes: list


def agent(time_, model, index=0, timeout_s=5.0, thinking_s=0.0, **fields):
    notes, name = [], f"A{index}"

    def note(kind, **found):
        notes.append((kind, found))

    made = Noted(
        name=name,
        traits="",
        index=index,
        body=Stick(),
        time=time_,
        mind=Mind(model, name, index, time_, note, thinking_s=thinking_s, timeout_s=timeout_s),
        actions=ACTIONS,
        note=note,
        **fields,
    )
    made.notes = notes
    return made


def scripted(**answers):
    return ScriptedModel(lambda request: {**ANYTHING, **answers}[request.role])


def decided(do, about=None, expects=None, **fields):
    return Decide(action=Action(do, **fields), about=about, expects=expects)


# --- Society -------------------------------------------------------------------------------------


class SlowModel:
    """Answers slowly, with unusable text."""

    async def complete(self, request):
        await asyncio.sleep(200)
        return Completion(text="hmm", model="slow")


async def test_a_slow_model_does_not_delay_reflexes():
    here = RealTime(Clock(anchor=time.time()))
    society = Society(here, seed=0)
    agents = [agent(here, SlowModel(), index) for index in range(20)]
    for one in agents:
        society.add(one, {"reflexes": 0.05, "controller": 0.05, "talking": 0.05, "goals": 0.05})
    deadline = time.monotonic() + 100
    for one in agents:
        one.body.hurt = "a wolf"
    while not all("flee" in one.body.asked for one in agents):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
    # All minds are still thinking: no answer has arrived.
    assert all(not one.mind.faults and one.goal == "" for one in agents)
    await society.end()


class Failing:
    def __init__(self, outcome):
        self.outcome = outcome

    async def complete(self, request):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        if self.outcome is None:
            await asyncio.sleep(60)
        return Completion(text=self.outcome, model="failing")


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (ModelError("503"), "error"),
        ("no idea", "no JSON object"),
        (None, "slow"),
    ],
)
async def test_a_failing_mind_makes_its_agent_passive_and_is_counted(outcome, kind):
    here = SimulatedTime(SimulatedClock())
    one = agent(here, Failing(outcome), timeout_s=0.1 if outcome is None else 60.0, thinking_s=0.5)
    other = agent(here, scripted(decide=decided("PLOUGH", place="field")), 1, thinking_s=0.5)
    society = Society(here, 0)
    for each in (one, other):
        society.add(each, {"controller": 1.0, "skill_execution": 1.0})
    await here.pass_until(8.0)
    assert set(one.mind.faults) == {kind}
    assert one.mind.faults[kind] >= 3
    assert not one.mind.answers
    assert one.task.action.do == "REST"
    assert other.task.action.do == "PLOUGH"
    assert other.body.held["wheat"] > 12
    assert not society.broken.done()
    await society.end()


async def test_a_run_depends_only_on_the_seed():
    async def play(seed):
        here = SimulatedTime(SimulatedClock())
        society = Society(here, seed)
        go = decided("GO", place="market")
        model = scripted(decide=go, talk=Talk(say="Hello."), goal=Goal(goal="Be."))
        agents = [agent(here, model, index, thinking_s=0.5) for index in range(5)]
        trace = []
        for one in agents:
            one.note = lambda kind, one=one, **f: trace.append((here.now(), one.name, kind))
            society.add(one, FULL)
        await here.pass_until(60.0)
        await society.end()
        return trace

    assert await play(1) == await play(1)
    assert await play(1) != await play(2)


# Modules that act whenever they are due; all other modules wait for something.
ACTS = ("controller", "goals")


@pytest.mark.parametrize("name", [name for name in FULL if name not in ACTS])
async def test_an_idle_module_starts_no_task_and_asks_no_question(name, monkeypatch):
    """At the end each module gets work, which shows that it was running."""
    here, asked, tasks, runs = SimulatedTime(SimulatedClock()), [], [], []

    def counted(one, run=MODULES[name]):
        runs.append(name)
        return run(one)

    monkeypatch.setitem(MODULES, name, counted)
    one = agent(here, ScriptedModel(lambda one: asked.append(one.role) or ANYTHING[one.role]))
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


async def test_only_the_opinion_about_an_unknown_name_is_dropped():
    likes = [{"name": name, "liking": n} for name, n in (("Ada", 7), ("Zorro", 3), ("Ben", 8))]
    likes.append({"name": "Cora", "liking": 11})
    answer = json.dumps({"likes": likes, "believes": [{"subject": "tax", "belief": "fair"}]})
    one = agent(SimulatedTime(SimulatedClock()), Failing(answer))
    one.people = ("A0", "Ada", "Ben", "Cora")
    one.unjudged.append(Heard(0.0, "Ben", "Zorro is coming!"))
    await run_once("social_awareness", one)
    assert one.sentiments == {"Ada": 7, "Ben": 8}
    assert one.beliefs == {"tax": "fair"}


@pytest.mark.parametrize("broadcast", [True, False])
async def test_speech_depends_on_the_decision_unless_the_broadcast_is_off(broadcast):
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


NOT_THERE = (
    {"do": "GO", "place": "moon"},
    {"do": "VISIT", "person": "everybody"},
)


@pytest.mark.parametrize("action", NOT_THERE)
async def test_an_unknown_name_is_retried_with_the_list_of_valid_names(action):
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


async def test_an_impossible_action_is_reported_and_followed_by_growing_pauses():
    """Repeats a verb that fails immediately, until another verb succeeds."""
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
    bodily.reflexes(one)
    assert one.task.needs_decision  # a bell is a separate cause
    await run_once("controller", one)
    one.task.finish(reconsider=True)
    assert "GIVE 20.0 % (done)" in str(digest(one))
    await run_once("controller", one)
    one.task.refuse("the temple is shut")
    await here.pass_until(now + 2.0)
    assert one.task.needs_decision  # after a success the pause is reset


async def test_a_decision_lasts_until_an_event_or_its_age_limit():
    here = SimulatedTime(SimulatedClock())
    one = agent(here, scripted(decide=decided("GO", place="market")))
    await run_once("controller", one)
    assert not one.task.needs_decision
    await here.pass_until(59.0)
    assert not one.task.needs_decision
    await here.pass_until(60.0)
    assert one.task.needs_decision
    await run_once("controller", one)
    # repeating a decision does not create an event
    assert [kind for kind, _ in one.notes] == [events.Decided]


def test_the_digests_length_is_always_bounded():
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


KNOWN = Known("Ada", ("market",), people=("Ada", "Ben"))


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
