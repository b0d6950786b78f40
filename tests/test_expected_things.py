"""Things are named in what is expected of a decision as in the decision itself."""

from __future__ import annotations

import pytest

from bots.agents.piano import ActionSet, ArgumentForm, Known, Verb, announcement
from bots.structured import AnswerError
from tests.test_trades import village
from tests.test_village import Hand
from worlds.minecraft.trades.doing import do_verb
from worlds.trades import verbs

NEVER = announcement("never")


async def carry(_task):
    """Do nothing."""


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
        ("SMELT cod", "+2 cod", "+2 cooked_cod within 60 s"),
        ("SMELT cod", "-1 cod, +1 cooked cod", "-1 cod, +1 cooked_cod within 60 s"),
        ("CRAFT oak_pressure_plate", "oak pressure plate: +1", "+1 oak_pressure_plate within 60 s"),
    ],
)
def test_things_are_named_in_expectations_as_in_decisions(action, said, told):
    assert expected(action, said) == told


@pytest.mark.parametrize("item", ["light_weighted_pressure_plate", "flint_and_steel"])
def test_things_of_many_words_may_be_written_with_spaces(item):
    """A thing of four words, and one with a word that else ends a thing."""
    own = Verb("FORGE", ArgumentForm("item", lambda _, text: text, things=(item,)), carry, NEVER)
    name = item.replace("_", " ")
    assert expected(f"FORGE {item}", f"+1 {name} within 9 s", [own]) == f"+1 {item} within 9 s"
    assert expected(f"FORGE {item}", f"{name}s: +2", [own]) == f"+2 {item} within 60 s"


#: How models label what they expect, and the lines before that.
LABELS = ("EXPECT: ", "EXPECTS: ", "Expectation: ", "EXPECT ", "EXPECT → ", "**EXPECT** ")
OTHERS = ("ACTION: {}\nABOUT: {}", "ACTION {}\nABOUT {}", "{}\nABOUT → {}")


@pytest.mark.parametrize("label", [*LABELS, "EXPECT\t", "Expected -> ", "- expect = "])
@pytest.mark.parametrize("others", OTHERS)
def test_what_is_expected_is_labelled_as_the_decision_is(label, others):
    actions = ActionSet(verbs(village(Hand(), "Ada", "Ben")))
    answer = f"{others.format('GATHER apple', 'the harvest')}\n{label}+1 apple within 40 s"
    action, about = actions.read_decision(answer)
    told = actions.read_expected(answer, action, Known("Ada"))
    assert (str(action), about, str(told)) == (
        "GATHER apple",
        "the harvest",
        "+1 apple within 40 s",
    )


@pytest.mark.parametrize("line", ["EXEPCT: +1 apple", "3) +1 apple", "I expect +1 apple"])
def test_what_is_labelled_otherwise_is_asked_for_again(line):
    """A label of its own is asked to be left out; free words are asked about."""
    with pytest.raises(AnswerError, match=r"leave out|only your answer itself counts"):
        ActionSet(verbs(village(Hand(), "Ada"))).read_decision(f"ACTION: GATHER apple\n{line}")


@pytest.mark.parametrize(
    "said", ["N/A", "n/a.", "null", "—", "…", "none", "No subject", "nothing in particular"]
)
def test_no_subject_and_no_expectation_are_said_in_many_ways(said):
    actions, known = ActionSet(verbs(village(Hand(), "Ada"))), Known("Ada")
    for form in (
        "ACTION: REST\nABOUT: {0}\nEXPECT: {0}",
        '{{"action": "REST", "about": "{0}", "expect": "{0}"}}',
    ):
        answer = form.format(said)
        action, about = actions.read_decision(answer, known)
        assert (about, actions.read_expected(answer, action, known)) == ("", None)


@pytest.mark.parametrize(
    "said", ["null and void", "Nothing, but Ben lies", "none of the above", "无"]
)
def test_a_subject_that_begins_as_none_is_one(said):
    actions = ActionSet(verbs(village(Hand(), "Ada")))
    assert actions.read_decision(f"ACTION: REST\nABOUT: {said}")[1] == said


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
    free = [do_verb(carry)]
    assert expected("DO dig some dirt", "+3 dirt", free) == "+3 dirt within 60 s"
    assert expected("DO fell a tree", "+3 logs", free) == "+3 oak_log within 60 s"
