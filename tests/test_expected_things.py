"""Things are named in what is expected of a decision as in the decision itself."""

from __future__ import annotations

import pytest

from bots.agents.piano import ActionSet, Known
from bots.structured import AnswerError
from tests.test_trades import village
from tests.test_village import Hand
from worlds.minecraft.trades.doing import do_verb
from worlds.trades import verbs


def expected(action, said, free=()):
    """What a decision in the shipped village expects, in words; ``free``: verbs beside its own."""
    actions = ActionSet([*verbs(village(Hand(), "Ada", "Ben")), *free])
    answer = f"ACTION: {action}\nEXPECT: {said}"
    known = Known("Ada", ("market",), ("Ben",))
    return str(actions.read_expected(answer, actions.read_decision(answer, known)[0], known))


@pytest.mark.parametrize(
    ("action", "said", "told"),
    [
        ("CRAFT planks", "+4 planks within 20 s", "+4 oak_planks within 20 s"),
        ("GATHER logs", "+2 logs within 40 s", "+2 oak_log within 40 s"),
        ("GATHER seeds", "+1 seeds", "+1 wheat_seeds within 60 s"),
        ("GATHER wheat seed", "+1 wheat_seed", "+1 wheat_seeds within 60 s"),
        ("CRAFT oak_fence", "+3 fences, -4 Oak Planks", "+3 oak_fence, -4 oak_planks within 60 s"),
        ("CRAFT stone_pickaxe", "+1 pickaxe", "+1 stone_pickaxe within 60 s"),
        ("GIVE 2 bread to Ben", "-2 bread, at Ben", "-2 bread, at Ben within 60 s"),
        ("REST", "nothing", "None"),
    ],
)
def test_things_are_named_in_expectations_as_in_decisions(action, said, told):
    assert expected(action, said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("+1 pickaxe", "pickaxe may be iron_pickaxe, stone_pickaxe, wooden_pickaxe; name one"),
        ("+2 wood", "wood is nothing that anybody can hold here"),
        ("+4 planks, +1 oak_planks", "the same thing twice"),
    ],
)
def test_an_expectation_of_no_thing_or_of_several_is_asked_for_again(said, told):
    with pytest.raises(AnswerError, match=told):
        expected("GATHER apple", said)


def test_a_program_of_ones_own_may_bring_what_no_action_does():
    async def carry(_task):
        return None

    free = [do_verb(carry)]
    assert expected("DO dig some dirt", "+3 dirt", free) == "+3 dirt within 60 s"
    assert expected("DO fell a tree", "+3 logs", free) == "+3 oak_log within 60 s"
