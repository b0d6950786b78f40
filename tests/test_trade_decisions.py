"""What people of a village with trades can decide to do, and what comes of it."""

from __future__ import annotations

import json
import math
from collections import deque

import pytest

from bots.agents.piano import Action, ActionSet, Decide, Decision, Known
from bots.agents.piano.task import Task
from bots.models.typed import AnswerError, read_answer
from tests.trading import RAW, village
from tests.worlds.test_village import Hand
from worlds.trades import verbs

DECISIONS = {
    "MINE coal": {"do": "MINE", "item": "coal"},
    "TILL": {"do": "TILL"},
    "EAT bread": {"do": "EAT", "item": "bread"},
    "PUT 12 wheat": {"do": "PUT", "count": 12, "item": "wheat"},
    "TAKE 1 bread": {"do": "TAKE", "count": 1, "item": "bread"},
    "GIVE 2 bread to Ben": {"do": "GIVE", "count": 2, "item": "bread", "person": "Ben"},
}
KNOWN = Known("Ada", people=["Ada", "Ben"])


def read(action):
    kind = ActionSet(verbs(village(Hand(), "Ada", "Ben"))).decision(KNOWN)
    found = read_answer(kind, json.dumps({"action": action}))
    return Decide.model_validate(found.model_dump()).action


@pytest.mark.parametrize("meant", DECISIONS)
def test_decisions_are_values_with_a_name(meant):
    assert str(read(DECISIONS[meant])) == meant


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"do": "MINE", "item": "gold"}, "cobblestone"),
        ({"do": "CRAFT", "item": "pickaxe"}, "wooden_pickaxe"),
        ({"do": "GIVE", "count": 1, "item": "bread"}, "person"),
        ({"do": "GIVE", "count": 1, "item": "bread", "person": "Ada"}, "Ben"),
        ({"do": "PUT", "count": 0, "item": "bread"}, "greater than or equal to 1"),
        ({"do": "PUT", "count": 65, "item": "bread"}, "less than or equal to 64"),
        ({"do": "FLY"}, "GIVE"),
    ],
)
def test_decisions_that_mean_nothing_are_refused(action, told):
    with pytest.raises(AnswerError, match=told):
        read(action)


async def test_a_decision_is_carried_out_and_what_came_of_it_is_left_to_awareness():
    hand, standing, outcomes, told = Hand(), {}, deque(), []
    here = village(hand, "Ada", "Ben")
    actions = ActionSet(verbs(here))
    task = Task(
        "Ada", here.body("Ada"), hand, told.append, lambda *_, **__: None, standing, outcomes
    )

    async def carry_out(verb, *needs):
        task.begin(Decision(hand.time, Action(verb, *needs), ""))
        for _ in range(400):
            await actions.carry_out(task)
            if task.is_done:
                outcome = outcomes.popleft()
                standing[outcome.subject] = outcome.holds
                return outcome.text
            hand.time += 1.0
        raise AssertionError(f"{verb} never ends")

    assert await carry_out("GATHER", 0, "oak_log") == "GATHER oak_log: +2 oak_log"
    assert here.body("Ada").place() == "forest"
    began = hand.time
    assert "did not work: it takes wooden_pickaxe or" in await carry_out("MINE", 0, "coal")
    assert hand.time - began < 10  # nobody goes there for that
    assert await carry_out("GIVE", 1, "oak_log", "Ben") == "GIVE oak_log to Ben: -1 oak_log"
    assert here.residents["Ben"].holds == {"oak_log": 1}
    assert "there is no Zoe" in await carry_out("GIVE", 1, "oak_log", "Zoe")
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
    assert "BREW (item): at market: beer (2 wheat)." in prompt
