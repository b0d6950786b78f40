"""What is attached to an answer, in any role: a closed vocabulary is read, all else asked again.

Composed of framings and answers by the rules alone, in words that no reader knows.
"""

from __future__ import annotations

import json
import random
import re

import pytest
from bots.agents.planner.plan_reading import read_plan

from bots.agents.piano.modules import social_awareness
from bots.structured import AnswerError, UnconfirmedError, said_before
from tests.test_answers import READERS

#: By role: an answer in its form, whether it is a bare word, and whether it is free words.
ANSWERS = {
    "decide": ("ACTION: WORK", False),
    "play": ("GATHER 3 wood", False),
    "bargain": ("PROPOSE 0.6", False),
    "group": ("JOIN GROUP 2", False),
    "ballot": ("yes, no, abstain", True),
    "believes": ("YES", True),
    "kept": ("NO", True),
    "sentiment": ("LESS", True),
    "score": ("7", True),
    "role": ("farmer", True),
    "assess": ("OWES EVERYBODY 20 %", False),
    "social": ("LIKES Ben 7", False),
    "synonyms": ("MERGE grower: farmer", False),
    "topics": ("TOPIC dancing: dance, music", False),
    "goal": ("GOAL: Trade wheat.", False),
    "plan": ("1. Go to the mine.\n2. Dig.", False),
    "reflect": ("1. Ben lies.\n2. Taxes hurt.", False),
    "plans": ("```\nGATHER 6 diamond\nWAIT\n```", False),
    "code": ("```javascript\nawait mineBlock(bot, 'iron_ore', 1);\n```", False),
}
BARE = {role for role, (_, is_bare) in ANSWERS.items() if is_bare}
LISTS = {"plan", "reflect"}
#: Of these the very words take effect, which a reason could limit.
BINDING = {"bargain", "assess"}
#: What leads to an answer, or ends it, in words that say nothing.
READ = (
    "{}",
    "## Decision\n\n{}",
    "**Answer:**\n\n{}",
    "Sure! Here is my answer:\n\n{}",
    "Respuesta final:\n\n{}",
    "{}\n\nLet me know if you need anything else!",
    "{}\n\nReason: the moon is bright, and nothing else.",
    "{}\n\nConfidence: 85%",
    "## Reasoning\n\nThe moon is bright.\n\n## Answer\n\n{}",
    "**Reasoning:** the moon is bright.\n\n**Answer:**\n\n{}",
    "The moon is bright.\n\n**Final answer:**\n\n{}",
)
#: A label or a heading with a word that nobody listed, and what stands behind.
ASKED = (
    "Moonlit wishes:\n\n{}",
    "Moonlit wishes:\n{}",
    "## Moonlit wishes\n\n{}",
    "**Moonlit wishes**\n\n{}",
    "Glorfindel's answer:\n{}",
    "The moon suggests the following.\n\n{}",
    "I shall never do this.\n\n{}",
    "{}\n\nThe moon thinks otherwise.",
    "{}\n\nMoonlit wishes: as above.",
    "{}\n\n(the moon thinks otherwise)",
    "{}\n\n## Moonlit wishes\n\nThe moon thinks otherwise.",
    "```diff\n{}\n```",
)
IN_LINE = ("Moonlit {}", "Moonlit wishes: {}", "{} (moonlit)", "{} - moonlit", "\u274c {}")


def _roles(form: str) -> list[str]:
    """The roles that a form can hold: no fence in a fence, and free words have no inner rules."""
    return [
        role for role, (said, _) in ANSWERS.items() if "```" not in form + said or "```" not in form
    ]


@pytest.mark.parametrize("form", READ)
def test_neutral_words_around_an_answer_are_read(form):
    for role, (said, _) in ANSWERS.items():
        if role not in BINDING or not form.startswith("{}\n\nReason"):
            assert READERS[role](form.format(said)) == READERS[role](said), role


@pytest.mark.parametrize("form", ASKED)
def test_other_words_around_an_answer_are_asked_again(form):
    read = []
    for role in _roles(form):
        said, _ = ANSWERS[role]
        if role in LISTS and form.startswith("{}"):
            continue  # what stands behind a list of free words may be a part of it
        try:
            read.append((role, READERS[role](form.format(said))))
        except AnswerError:
            continue
    assert read == []


@pytest.mark.parametrize("form", IN_LINE)
def test_other_words_in_its_line_are_asked_again(form):
    read = []
    for role, (said, _) in ANSWERS.items():
        if "\n" in said or role in ("goal", "topics") or (said, form[0]) == ("NO", "\u274c"):
            continue  # free words: these are a part of them; a cross agrees with a no
        try:
            read.append((role, READERS[role](form.format(said))))
        except AnswerError:
            continue
    assert read == []


@pytest.mark.parametrize("role", sorted(ANSWERS))
def test_a_bare_word_behind_a_thought_that_may_turn_it_has_a_label(role):
    said, is_bare = ANSWERS[role]
    answer = f"The moon is bright tonight.\n\n{said}"
    if not is_bare:
        if role in BINDING:  # there it is asked about once
            with pytest.raises(UnconfirmedError) as asked:
                READERS[role](answer)
        with said_before(asked.value.value if role in BINDING else None):
            assert READERS[role](answer) == READERS[role](said)
        return
    for thought in ("The moon is bright tonight.", "It depends on the moon.", "Moonlit wishes."):
        with pytest.raises(AnswerError):
            READERS[role](f"{thought}\n\n{said}")
        assert READERS[role](f"{thought}\n\nAnswer: {said}") == READERS[role](said)


OBJECTS = {
    "decide": {"action": "WORK"},
    "play": {"plan": "GATHER 3 wood"},
    "bargain": {"plan": "ACCEPT"},
    "ballot": {"votes": ["yes", "no", "yes"]},
    "believes": {"answer": "YES"},
    "kept": {"kept": "NO"},
    "sentiment": {"sentiment": "LESS"},
    "score": {"score": 7},
    "social": {"likes": {"Ben": 7}},
    "goal": {"goal": "Trade wheat."},
    "plan": {"plan": ["Go.", "Dig."]},
    "reflect": {"insights": ["Ben lies."]},
    "plans": {"program": ["GATHER 6 diamond", "WAIT"]},
    "critic": {"success": True, "critique": "Dig."},
    "judge": {"findings": [{"finding": "Kept.", "payments": []}], "critiques": {}},
}


@pytest.mark.parametrize("role", sorted(OBJECTS))
def test_a_field_that_nobody_asked_for_is_asked_again(role):
    found = OBJECTS[role]
    meant = READERS[role](json.dumps(found))
    for neutral in ({"reason": "The moon is bright."}, {"confidence": 0.8}):
        if role in BINDING and "reason" in neutral:
            with pytest.raises(AnswerError):
                READERS[role](json.dumps({**neutral, **found}))
            continue
        assert READERS[role](json.dumps({**neutral, **found})) == meant
    name = next(iter(found))
    others = [
        {**found, "moonlit": "the moon thinks otherwise"},
        {**found, "moonlit": True},
        {"moonlit": found[name], **{key: one for key, one in found.items() if key != name}},
    ]
    for other in others:
        with pytest.raises(AnswerError):
            READERS[role](json.dumps(other))
    twice = json.dumps(found)[:-1] + f', "{name}": "something else"}}'
    with pytest.raises(AnswerError):
        READERS[role](twice)


@pytest.mark.parametrize(
    "answer",
    [
        "ACCEPT - Bob gives me the wood",
        "ACCEPT\nHe brings the wood.",
        "ACCEPT, given that Bob gives wood",
        "ACCEPT\n\nReason: I want 0.6.",
        "PROPOSE 0.6 because Bob is to get it",
    ],
)
def test_with_what_binds_no_free_words_count_even_if_it_is_said_twice(answer):
    with said_before(read_plan("ACCEPT", ["wood"], ["Ada", "Bob"])), pytest.raises(AnswerError):
        read_plan(answer, ["wood"], ["Ada", "Bob"])


def test_an_answer_all_in_its_form_has_nothing_beside_it(monkeypatch):
    """So that it need not be read again without each of its words."""
    rng = random.Random(5)
    words = "but not now nothing LIKES Ben 7 BELIEVES no change tax is 17.5 % and because - it's or"

    def line():
        said = " ".join(rng.choices(words.split(), k=rng.randint(1, 7)))
        liked = (
            f"LIKES {rng.choice(['Ben', 'Cora', 'Citizen_7', 'now', 'but'])} {rng.randint(0, 11)}"
        )
        return rng.choice([liked, f"BELIEVES tax: {said}", f"BELIEVES {said}"])

    answers = ["\n".join(line() for _ in range(rng.randint(1, 3))) for _ in range(400)]
    form = social_awareness._FORM  # to see that both ways were gone
    in_form = [all(map(form.fullmatch, one.split("\n"))) for one in answers]
    assert 100 < sum(in_form) < 300
    quick = [_social(one) for one in answers]
    monkeypatch.setattr(social_awareness, "_FORM", re.compile("(?!)"))
    assert [_social(f"{one}\n") for one in answers] == quick


def _social(answer):
    try:
        return social_awareness.read_social(answer)
    except AnswerError as error:
        return str(error)
