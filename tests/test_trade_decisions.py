"""What people of a village with trades can decide to do, and what comes of it."""

from __future__ import annotations

import math
from collections import deque

import pytest

from bots.agents.piano import Action, ActionSet, Decision, Known
from bots.agents.piano.task import Task
from bots.structured import AnswerError, UnconfirmedError
from tests.test_village import Hand
from tests.trading import RAW, village
from worlds.trades import verbs


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("MINE coal", "MINE coal"),
        ("mine iron", "MINE raw_iron"),
        ("MINE 3 diamonds", "MINE diamond"),
        ("GATHER some logs.", "GATHER oak_log"),
        ("GATHER wheat seeds", "GATHER wheat_seeds"),
        ("CRAFT a wooden pickaxe", "CRAFT wooden_pickaxe"),
        ("CRAFT sticks", "CRAFT stick"),
        ("TILL (now)", "TILL"),
        ("GIVE 2 bread to Ben", "GIVE 2 bread to Ben"),
        ("GIVE a torch to Ben", "GIVE 1 torch to Ben"),
        ("PUT 12 wheat", "PUT 12 wheat"),
        ("TAKE bread", "TAKE 1 bread"),
        ("EAT the bread", "EAT bread"),
        ("GIVE 2 bread to ben because he is hungry", "GIVE 2 bread to Ben"),
    ],
)
def test_decisions_are_read(said, meant):
    actions = ActionSet(verbs(village(Hand(), "Ada", "Ben")))
    action, _ = actions.read_decision(
        f"ACTION: {said}\nABOUT: nothing", Known("Ada", people=["Ben"])
    )
    assert str(action) == meant


@pytest.mark.parametrize(
    "said", ["EAT bread (hungry)", "PUT 12 wheat at the market", "CRAFT sticks, as planned"]
)
def test_a_remark_on_a_decision_is_asked_about(said):
    actions = ActionSet(verbs(village(Hand(), "Ada", "Ben")))
    with pytest.raises(UnconfirmedError):
        actions.read_decision(f"ACTION: {said}\nABOUT: nothing", Known("Ada", people=["Ben"]))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("GIVE 2 bread and 1 stick to Ben", "one thing at a time"),
        ("CRAFT stick, then wooden pickaxe", "one thing at a time"),
        ("MINE cobblestone and coal", "one thing at a time"),
        ("MINE gold", "MINE takes one of: cobblestone"),
        ("CRAFT pickaxe", "CRAFT takes one of"),  # there are three
        ("GIVE bread", "to whom"),
        ("PUT 0 bread", "from 1 to 64"),
        ("TILL the land", "such as 'the land'"),  # these words might be any
        ("CRAFT sticks, since I need a pickaxe", "such as 'since I need a pickaxe'"),
        ("GIVE 2 gold to Ben", "GIVE takes one of"),
        ("GIVE bread (2) to Ben", "a number and an item"),
        ("GIVE some bread to Ben", "a number and an item"),
        ("PUT wheat, 12", "a number and an item"),
    ],
)
def test_decisions_that_mean_nothing_are_refused(said, told):
    actions = ActionSet(verbs(village(Hand(), "Ada")))
    with pytest.raises(AnswerError, match=told):
        actions.read_decision(f"ACTION: {said}")


async def test_a_decision_is_carried_out_and_what_came_of_it_is_left_to_awareness():
    hand, standing, outcomes, told = Hand(), {}, deque(), []
    here = village(hand, "Ada", "Ben")
    actions = ActionSet(verbs(here))
    task = Task(
        "Ada", here.body("Ada"), hand, told.append, lambda *_, **__: None, standing, outcomes
    )

    async def carry_out(verb, argument=""):
        task.begin(Decision(hand.time, Action(verb, argument), ""))
        for _ in range(400):
            await actions.carry_out(task)
            if task.is_done:
                outcome = outcomes.popleft()
                standing[outcome.subject] = outcome.holds
                return outcome.text
            hand.time += 1.0
        raise AssertionError(f"{verb} never ends")

    assert await carry_out("GATHER", "oak_log") == "GATHER oak_log: +2 oak_log"
    assert here.body("Ada").place() == "forest"
    began = hand.time
    assert "did not work: it takes wooden_pickaxe or" in await carry_out("MINE", "coal")
    assert hand.time - began < 10  # nobody goes there for that
    assert await carry_out("GIVE", "1 oak_log to Ben") == "GIVE oak_log to Ben: -1 oak_log"
    assert here.residents["Ben"].holds == {"oak_log": 1}
    assert "there is no Zoe" in await carry_out("GIVE", "1 oak_log to Zoe")
    assert standing["work"].lately(hand.time) == ["MINE coal", "GIVE oak_log"]
    assert "Lately did not work: MINE coal." in standing["work"].text(hand.time)
    assert await carry_out("EXPLORE") == "EXPLORE: done"
    assert math.dist(here.at(0), (0.0, 0.0)) > 50


def test_a_new_trade_is_told_without_a_line_of_code():
    verb = {"BREW": {"announced": "brew"}}
    rule = {
        "BREW beer": {"at": "market", "takes_s": 5, "needs": {"wheat": 2}, "makes": {"beer": 1}}
    }
    here = village(
        Hand(), "Ada", verbs={**RAW["verbs"], **verb}, actions={**RAW["actions"], **rule}
    )  # fmt: skip
    prompt = ActionSet(verbs(here)).prompt
    assert "ACTION: BREW item" in prompt
    assert "BREW at market: beer (2 wheat)." in prompt
