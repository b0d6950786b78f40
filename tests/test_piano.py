"""PIANO agents: time, modules side by side, one controller, and minds that fail."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest

from bots.models import Completion, ModelError
from bots.models.scripted import ScriptedModel
from bots.structured import AnswerError
from bots.agents.piano import (
    ABLATED,
    FULL,
    MODULES,
    Agent,
    Decision,
    RealTime,
    SimulatedTime,
    Society,
    Thinker,
)
from bots.agents.piano.actions import Action, read_decision
from bots.agents.piano.memory_store import LONG_TERM, SHORT_TERM, MemoryStore
from bots.agents.piano.modules import (
    action_awareness,
    controller,
    reflexes,
    skill_execution,
    talking,
)
from bots.agents.piano.thinking import DIGEST_CHARACTERS, digest
from records import Clock, SimulatedClock
from records.measures import coherence
from scenarios.society import ANNOUNCES


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

    def flee(self):
        self.asked.append("flee")
        self.hurt = None

    def is_at(self, target):
        return target == self.at

    def head_for(self, target):
        if target == "moon":
            raise LookupError(target)
        self.asked.append(f"go {target}")
        return 4.0

    def stop(self):
        self.asked.append("stop")

    async def work(self):
        self.held["wheat"] += 1
        return True

    async def pay(self, share):
        self.asked.append(f"pay {share}")
        return {"wheat": 2}

    def say(self, text):
        self.asked.append(f"say {text}")
        return self.near()


def agent(time_, model, index=0, timeout_s=5.0, **fields):
    notes = []
    made = Agent(
        name=f"A{index}",
        traits="",
        index=index,
        body=Stick(),
        time=time_,
        thinker=Thinker(model, 0.5, timeout_s),
        chance=None,
        note=lambda kind, **found: notes.append((kind, found)),
        **fields,
    )
    made.notes = notes
    return made


def scripted(**answers):
    return ScriptedModel(lambda role, *_: answers.get(role, "NOTHING"))


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

    async def complete(self, messages, *, role, agent, temperature, max_tokens):
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
    assert all(not one.faults and one.goal == "" for one in agents)
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

    async def complete(self, messages, *, role, agent, temperature, max_tokens):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        if self.outcome is None:
            await asyncio.sleep(60)
        return Completion(text=self.outcome, model="failing")


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [(ModelError("503"), "error"), ("no idea", "nonsense"), ("", "nonsense"), (None, "slow")],
)
async def test_a_mind_that_fails_makes_its_agent_passive_and_is_counted(outcome, kind):
    here = SimulatedTime(SimulatedClock())
    one = agent(here, Failing(outcome), timeout_s=0.1 if outcome is None else 60.0)
    other = agent(here, scripted(decide="ACTION: WORK\nABOUT: nothing"), 1)
    society = Society(here, 0)
    for each in (one, other):
        society.add(each, {"controller": 1.0, "skill_execution": 1.0})
    await here.pass_until(8.0)
    assert set(one.faults) == {kind}
    assert one.faults[kind] >= 3
    assert one.decision.action.kind == "REST"
    assert other.decision.action.kind == "WORK"
    assert other.body.held["wheat"] > 12
    assert not society.broken.done()
    await society.end()


async def test_what_happens_depends_on_the_seed_alone():
    async def play(seed):
        here = SimulatedTime(SimulatedClock())
        society = Society(here, seed)
        model = scripted(decide="ACTION: GO market\nABOUT: x", talk="Hello.", goal="GOAL: Be.")
        agents = [agent(here, model, index) for index in range(5)]
        trace = []
        for one in agents:
            one.note = lambda kind, one=one, **f: trace.append((here.now(), one.name, kind))
            society.add(one, FULL)
        await here.pass_until(60.0)
        await society.end()
        return trace

    assert await play(1) == await play(1)
    assert await play(1) != await play(2)


# --- Modules -------------------------------------------------------------------------------------


async def test_the_controller_decides_and_skills_carry_it_out():
    one = agent(SimulatedTime(SimulatedClock()), scripted(decide="ACTION: PAY 20 %\nABOUT: tax"))
    one.thinker._seconds = 0.0
    await controller.run(one)
    assert one.decision.action == Action("PAY", share=0.2)
    await skill_execution.run(one)
    assert one.body.asked == ["go chest"]
    one.body.at = "chest"
    await skill_execution.run(one)
    assert one.body.asked == ["go chest", "pay 0.2"]
    assert one.is_done


@pytest.mark.parametrize("broadcast", [True, False])
async def test_speech_is_told_the_decision_unless_the_link_is_taken_away(broadcast):
    asked = []

    def mind(role, _agent, messages):
        asked.append(messages[-1]["content"])
        return "Good day."

    one = agent(SimulatedTime(SimulatedClock()), ScriptedModel(mind), broadcast=broadcast)
    one.thinker._seconds = 0.0
    one.decision = Decision(0.0, Action("GO", "market"), "fish")
    await talking.run(one)
    told = asked[0].splitlines()[1]
    assert ("GO market" in told) == broadcast
    assert ("fish" in told) == broadcast
    assert one.body.asked == ["say Good day."]


async def test_awareness_corrects_a_belief_that_the_world_does_not_bear_out():
    clock = SimulatedClock()
    here = SimulatedTime(clock)
    one = agent(here, scripted(decide="ACTION: GO market\nABOUT: nothing"))
    one.thinker._seconds = 0.0
    await controller.run(one)
    await skill_execution.run(one)
    one.wants_to_decide = False
    await here.pass_until(5.0)
    await action_awareness.run(one)
    assert not one.wants_to_decide  # it may still be on its way
    await here.pass_until(60.0)
    await action_awareness.run(one)
    assert one.wants_to_decide
    assert one.notes[-1][0] == "belief_corrected"


async def test_a_place_that_is_not_there_is_given_up():
    one = agent(SimulatedTime(SimulatedClock()), scripted(decide="ACTION: GO moon\nABOUT: x"))
    one.thinker._seconds = 0.0
    await controller.run(one)
    await skill_execution.run(one)
    assert one.is_done
    assert "There is no moon" in one.working[-1]


async def test_a_bell_interrupts():
    one = agent(SimulatedTime(SimulatedClock()), scripted())
    one.wants_to_decide = False
    one.tell("The bell rings.", urgent=True)
    await reflexes.run(one)
    assert one.wants_to_decide


def test_the_digest_is_bounded_whatever_happens():
    one = agent(SimulatedTime(SimulatedClock()), scripted())
    for number in range(500):
        one.tell("bell " * 400)
        one.working.append("word " * 400)
        one.memory.add(number, "memory " * 400, 0.9)
        one.beliefs[f"b{number}"] = "x" * 100
    one.memory.consolidate()
    assert len(digest(one)) <= DIGEST_CHARACTERS
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
    assert store.recall("the river", 1100.0, 2)[0] == "I nearly drowned in the river"
    assert store.recall("tax", 1100.0, 1) == ["The tax went up"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I will work.", "ACTION"),
        ("ACTION: FLY", "FLY is no action"),
        ("ACTION: PAY", "share"),
        ("ACTION: PAY 150 %", "share"),
        ("ACTION: GO", "where to"),
    ],
)
def test_a_decision_out_of_the_vocabulary_is_refused(answer, told):
    with pytest.raises(AnswerError, match=told):
        read_decision(answer)


def test_decisions_are_read():
    assert read_decision("ACTION: GO to the hall\nABOUT: Nothing") == (Action("GO", "the hall"), "")
    assert read_decision("Well.\nACTION: pay 12.5%\nABOUT: tax")[0].share == 0.125


def test_coherence_counts_what_is_said_and_then_done():
    agreeing = [("said", "I am going to pay my tax."), ("did", "PAY 20 %")]
    lying = [("said", "I will work all day."), ("did", "VISIT Ben")]
    small_talk = [("said", "Nice weather."), ("did", "WORK")]
    doing = [("did", "WORK"), ("said", "I am at my work.")]
    assert coherence(agreeing, ANNOUNCES) == 1.0
    assert coherence(lying, ANNOUNCES) == 0.0
    assert coherence(small_talk, ANNOUNCES) is None
    assert coherence(doing, ANNOUNCES) == 1.0
    assert coherence([*agreeing, *lying], ANNOUNCES) == 0.5
