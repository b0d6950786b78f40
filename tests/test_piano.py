"""PIANO agents: time, modules side by side, one controller, and minds that fail."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest

from voxpolis.bots.agents.piano import (
    ABLATED,
    FULL,
    MODULES,
    NOTHING_NOTICED,
    PERCENT,
    PLACE,
    Action,
    ActionSet,
    Agent,
    Decide,
    Goal,
    Mind,
    Society,
    Talk,
    Verb,
    announcement,
)
from voxpolis.bots.agents.piano.bench import ANSWERS as ANYTHING
from voxpolis.bots.models import Account, AccountedModel, Completion, ModelError
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.time import RealTime, SimulatedTime
from voxpolis.records import Clock, SimulatedClock


class Stick:
    """A body that stands where it is told, and remembers what was asked of it."""

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


#: A scenario's own verbs.
ACTIONS = ActionSet(
    [
        Verb("GIVE", PERCENT, give, announcement("giv"), "you carry a part to the temple."),
        Verb("PLOUGH", PLACE, plough, announcement("plough")),
    ]
)


class Noted(Agent):
    """An agent that a test sees the notes of."""

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


# --- Time ----------------------------------------------------------------------------------------


async def test_simulated_time_wakes_sleepers_in_order_and_takes_no_time():
    clock = SimulatedClock()
    here, woken = SimulatedTime(clock), []

    async def sleeper(name, key, period):
        while True:
            await here.sleep(period, key)
            woken.append((here.now(), name))

    for name, key, period in (("slow", 2, 1800.0), ("late", 1, 1200.0), ("first", 0, 1200.0)):
        here.start(sleeper(name, key, period))
    await here.pass_until(3600.0)
    assert woken == [
        (1200.0, "first"),
        (1200.0, "late"),
        (1800.0, "slow"),
        (2400.0, "first"),
        (2400.0, "late"),
        (3600.0, "first"),
        (3600.0, "late"),
        (3600.0, "slow"),
    ]
    assert clock.now() == 3600.0


async def test_simulated_time_waits_for_answers_from_outside():
    here, told = SimulatedTime(SimulatedClock()), []

    async def outside(seconds, text):
        await asyncio.sleep(seconds)
        return text

    async def asker(name, real_s, simulated_s):
        text = await here.call(outside(real_s, name), simulated_s)
        told.append((here.now(), text))

    here.start(asker("slow outside", 0.2, 1.0))
    here.start(asker("slow here", 0.0, 5.0))
    await here.pass_until(10.0)
    assert told == [(1.0, "slow outside"), (5.0, "slow here")]


async def test_things_done_together_let_time_pass():
    here, found = SimulatedTime(SimulatedClock()), []

    async def thought(seconds):
        await here.sleep(seconds)
        return seconds

    async def parent():
        found.append(await here.together([thought(3.0), thought(1.0)]))
        found.append(here.now())

    here.start(parent())
    await here.pass_until(10.0)
    assert found == [[3.0, 1.0], 3.0]


# --- Society -------------------------------------------------------------------------------------


class SlowModel:
    """Takes its time, and then says something that nobody can use."""

    async def complete(self, request):
        await asyncio.sleep(200)
        return Completion(text="hmm", model="slow")


async def test_a_slow_model_does_not_hold_up_reflexes():
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
    # All minds are still thinking: no answer has come.
    assert all(not one.mind.faults and one.goal == "" for one in agents)
    await society.end()


def test_an_ablation_is_a_list_without_names():
    assert set(ABLATED) < set(FULL) == set(MODULES)
    assert "social_awareness" not in ABLATED
    assert "goals" not in ABLATED


async def test_a_module_that_is_not_there_is_told():
    here = SimulatedTime(SimulatedClock())
    with pytest.raises(ValueError, match="there is no module telepathy"):
        Society(here, 0).add(agent(here, scripted()), {"telepathy": 1.0})


async def test_a_bug_in_a_module_ends_the_society():
    here = SimulatedTime(SimulatedClock())
    society, one = Society(here, 0), agent(here, scripted())
    one.body.place = lambda: 1 / 0
    society.add(one, {"perception": 1.0})
    await here.pass_until(5.0)
    with pytest.raises(ZeroDivisionError):
        society.broken.result()
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
        ("", "empty answer"),
        (None, "slow"),
    ],
)
async def test_a_mind_that_fails_makes_its_agent_passive_and_is_counted(outcome, kind):
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


class Waited:
    """A model whose answers have to be waited for."""

    def __init__(self, model):
        self.complete = model.complete


ANSWERS = (
    [decided("REST", "sleep")],
    ["Hm.", decided("REST")],
    ["Hm.", "Well.", "I cannot help with that."],
    [ModelError("it is broken")],
    ["Hm.", ModelError("it is broken")],
)


@pytest.mark.parametrize("answers", ANSWERS)
async def test_a_mind_that_answers_at_once_is_asked_like_one_that_is_waited_for(answers):
    async def outcome(wrapped):
        asked, left = [], list(answers)

        def script(request):
            asked.append((request.attempt, request.max_tokens, list(request.messages)))
            answer = left.pop(0)
            if isinstance(answer, ModelError):
                raise answer
            return answer

        model = AccountedModel(wrapped(ScriptedModel(script)), Account())
        one = agent(SimulatedTime(SimulatedClock()), model)
        work = MODULES["controller"](one)
        is_waited_for = work is not None
        if is_waited_for:
            await work
        counted = model.account.as_json(), model.pending, one.mind.faults, one.mind.answers
        return is_waited_for, (asked, one.notes, str(one.task.action), counted)

    (waits, late), (is_waiting, once) = await outcome(Waited), await outcome(lambda model: model)
    assert (waits, is_waiting) == (True, False)
    assert once == late
    assert len(once[0]) == len(answers)


async def test_what_happens_depends_on_the_seed_alone():
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
