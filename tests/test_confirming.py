"""Free words beside an answer: it is asked for again, and counts if the same is said once more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bots.models import ScriptedModel
from bots.structured import (
    AnswerError,
    UnconfirmedError,
    complete_parsed,
    said_before,
    settled,
)
from tests.test_answers import READERS

#: By role: an answer, another one, and a sentence that says the contrary of the first.
ANSWERS = {
    "ballot": ("yes, no, yes", "no, no, yes", "I want the law to stay the way it is."),
    "believes": ("YES", "NO", "He makes fun of it."),
    "kept": ("NO", "YES", "She did exactly that."),
    "sentiment": ("LESS", "MORE", "That is what Ben wants."),
    "score": ("2", "9", "They invite each other to supper."),
    "decide": ("ACTION: WORK", "ACTION: REST", "I am off to rest."),
    "play": ("GATHER 3 wood", "WAIT", "Stone is the better choice."),
    "goal": ("GOAL: Build a house.", "GOAL: Trade wheat.", "I reached it and want to farm."),
    "plans": ("```\nGATHER 6 diamond\n```", "```\nWAIT\n```", "Glitch takes them."),
    "code": (
        "```javascript\nawait bot.waitForTicks(1)\n```",
        "```javascript\nawait bot.waitForTicks(2)\n```",
        "This is a sketch.",
    ),
}


async def ask(role: str, answers: list[str]) -> tuple[Any, list[str]]:
    """What is read of a mind that answers so, and what it was told each time but the first."""
    told: list[str] = []

    def answer(request):
        if request.attempt:
            told.append(request.messages[-1]["content"])
        return answers[request.attempt]

    how = {"role": "any", "agent": "Ada", "temperature": 0.0}
    question = [{"role": "user", "content": "What?\n# Your answer\nAn answer."}]
    return await complete_parsed(ScriptedModel(answer), question, READERS[role], **how), told


@pytest.mark.parametrize("role", ANSWERS)
async def test_what_is_said_again_is_meant(role):
    said, other, words = ANSWERS[role]
    meant, explained = READERS[role](said), f"{said}\n\n{words}"
    found, told = await ask(role, [explained, explained])
    assert found == meant
    assert len(told) == 1
    assert "only your answer itself counts" in told[0]
    assert words[:20] in told[0]
    assert (await ask(role, [explained, other]))[0] == READERS[role](other)
    changed = [explained, f"{other}\n\n{words}", f"{other}\n\n{words}"]
    assert (await ask(role, changed))[0] == READERS[role](other)


def test_what_people_say_to_each_other_is_no_courtesy_of_a_model():
    for speech in (
        "I'm sorry about the misunderstanding.\n\nCan we still be friends, Ben?",
        "Thank you for your patience, I understand.\n\nI will bring the bread.",
    ):
        assert READERS["talk"](speech) == " ".join(speech.split())
    assert READERS["talk"]("Hello Ben!\nThis plan is good.") == "Hello Ben! This plan is good."
    assert READERS["reflect"]("1. This plan fails.\n2. Ben lies.") == [
        "This plan fails.",
        "Ben lies.",
    ]
    assert READERS["plan"]("Confirm the plan.\nGo to work.") == ["Confirm the plan.", "Go to work."]


async def test_an_answer_that_only_refers_to_another_is_asked_for_once_more():
    found, told = await ask(
        "kept goal", ["GOAL: KEEP\n\nI am not done.", "Yes, I mean it so.", "KEEP"]
    )
    assert (found, len(told)) == ("You dig.", 2)
    assert "that is no answer by itself" in told[1]
    found, told = await ask("goal", ["GOAL: Dig.\n\nI need it.", "My answer stays the same: Dig."])
    assert (found, len(told)) == ("Dig.", 1)


#: Free words, which nobody says twice in the same way.
FREE = ("goal", "plans", "code")


@pytest.mark.parametrize("role", FREE)
async def test_of_free_words_the_second_is_taken(role):
    said, other, words = ANSWERS[role]
    found, told = await ask(role, [f"{one}\n\n{words}" for one in (said, other)])
    assert (found, len(told)) == (READERS[role](other), 1)


@pytest.mark.parametrize("role", [role for role in ANSWERS if role not in FREE])
async def test_who_says_another_thing_each_time_has_said_nothing(role):
    said, other, words = ANSWERS[role]
    with pytest.raises(UnconfirmedError):
        await ask(role, [f"{one}\n\n{words}" for one in (said, other, said)])


async def test_an_answer_that_cannot_be_read_comes_between():
    """What was said before it is said anew."""
    explained = "LESS - that is what Ben wants"
    found, told = await ask("sentiment", ["whatever is said", explained, explained])
    assert (found, len(told)) == (READERS["sentiment"]("LESS"), 2)
    found, told = await ask("sentiment", [explained, "whatever is said", explained])
    assert (found, len(told)) == (READERS["sentiment"]("LESS"), 2)


@pytest.mark.parametrize(
    "lead",
    [
        "You're right, only the answer itself counts. Here it is again:",
        "I apologize for the confusion. Here is my answer:",
        "My answer remains the same:",
        "To confirm:",
    ],
)
@pytest.mark.parametrize("role", ["ballot", "believes", "decide", "score", "play"])
async def test_who_confirms_politely_has_confirmed(role, lead):
    said, _, words = ANSWERS[role]
    found, told = await ask(role, [f"{said}\n\n{words}", f"{lead}\n\n{said}"])
    assert (found, len(told)) == (READERS[role](said), 1)
    assert READERS[role](f"{lead}\n\n{said}") == READERS[role](said)


#: An answer that binds, by role, as it is read elsewhere.
BINDING = {
    "judge": json.dumps(
        {
            "findings": [
                {
                    "finding": "Glitch pays Gizmo 5.",
                    "payments": [{"from": "Glitch", "to": "Gizmo", "amount": 5}],
                }
            ],
            "critiques": {"Gizmo": "Good.", "Glitch": "Good."},
        }
    ),
    "assess": "OWES EVERYBODY 20 %",
    "bargain": "ACCEPT",
    "compiler": "Gizmo pays Glitch 10",
    "amendments": "***Amendment1***\nThe tax rate is 10 %.\nSET tax_rate = 0.1",
}


@pytest.mark.parametrize("role", BINDING)
def test_courtesies_above_an_answer_are_no_part_of_it(role):
    """In the words of a model that was told to answer in the form, and with nothing else."""
    meant = settled(READERS[role])(BINDING[role])
    for lead in (
        "I apologize for the confusion. Here is the corrected response:",
        "Apologies for the extra text. Here is just the answer:",
        "You're right. Only the answer:",
        "Sorry about that! Here is the JSON object only:",
        "Sure, here is the answer again:",
        "I'll provide the answer in the requested format:",
        "Here is my answer without any additional text:",
        "Thank you for the clarification.",
        "I understand. I will give only the answer.",
        "My answer stays the same:",
        "Oops, my bad for the extra chatter! Here's just the answer:",
        "Right, no commentary this time:",
        "Sorry about that! Same answer, without the extras:",
        "Okay, here's the trimmed version:",
        "As requested, with nothing else:",
        "Same as before, minus the notes:",
        "Whoops! Let me clean that up:",
    ):
        assert settled(READERS[role], again=True)(f"{lead}\n\n{BINDING[role]}") == meant, lead
    others = [
        *("I would only say this:", "Not my answer:", "Glitch's answer:", "If Glitch pays:"),
        *("Right, for 5 rounds:", "Okay, under protest:", "Understood, I withdraw my answer:"),
        *("Sure, as long as Glitch stays out:", "Here is the answer of somebody else:"),
        *("Noted. Here is what he said:", "Okay, without Glitch:", "Sorry, my former answer:"),
    ]
    for lead in others if role != "amendments" else ():  # these are voted on as they are shown
        with pytest.raises(AnswerError):
            settled(READERS[role], again=True)(f"{lead}\n\n{BINDING[role]}")


@pytest.mark.parametrize(
    "ballot", ["yes (in winter), no, yes", '{"votes": ["yes (in winter)", "no", "yes"]}']
)
def test_a_remark_within_a_ballot_is_free_words(ballot):
    with pytest.raises(UnconfirmedError) as asked:
        READERS["ballot"](ballot)
    with said_before(asked.value.value):
        assert READERS["ballot"](ballot) == ["yes", "no", "yes"]


@pytest.mark.parametrize(
    "program",
    [
        "GATHER 6 diamond  # Glitch mines these",
        "GATHER 6 diamond  # this is a backup",
        "# Only a sketch\nGATHER 6 diamond",
    ],
)
def test_a_remark_in_a_program_is_free_words_beside_it(program):
    with pytest.raises(UnconfirmedError) as asked:
        READERS["plans"](f"```\n{program}\n```")
    with said_before(asked.value.value):
        assert READERS["plans"](f"```\n{program}\n```") == ["GATHER 6 diamond"]
    READERS["plans"]("```\nGATHER 6 diamond  # all 6, the most valuable\n```")


@pytest.mark.parametrize("label", ["Only if", "Condition", "Glitch's part", "What I will never do"])
def test_a_label_is_free_words_but_beside_what_binds(label):
    for role in ("decide", "play", "believes"):
        said = ANSWERS[role][0]
        for answer in (f"{label}:\n{said}", f"{said}\n\n{label}: Ben comes."):
            with pytest.raises(UnconfirmedError) as asked:
                READERS[role](answer)
            with said_before(asked.value.value):
                assert READERS[role](answer) == READERS[role](said)
    for answer in (f"{label}:\nPROPOSE 0.6", f"PROPOSE 0.6\n\n{label}: Ben comes."):
        with pytest.raises(AnswerError) as refused, said_before(READERS["bargain"]("PROPOSE 0.6")):
            READERS["bargain"](answer)
        assert not isinstance(refused.value, UnconfirmedError), answer


def test_a_thought_above_what_binds_is_asked_about_unless_the_answer_is_called_so():
    read, said = READERS["bargain"], "PROPOSE 0.6"
    with pytest.raises(UnconfirmedError) as asked:
        read(f"Only if Ben pays first.\n\n{said}")
    with said_before(asked.value.value):
        assert read(f"Ben pays first, I am sure.\n\n{said}") == read(said)
    assert read(f"Ben may pay.\n\nFinal answer:\n\n{said}") == read(said)


@pytest.mark.parametrize(
    ("role", "said", "remarked"),
    [
        ("score", "7", "7. They get along well."),
        ("social", "LIKES Ben 6", "LIKES Ben 6. He was friendly to me today."),
        ("play", "GATHER 1 wood", "GATHER 1 wood \u2013 a hammer needs one of each"),
        ("sentiment", "NEITHER", "NEITHER. The speaker does not mention the tax."),
        ("ballot", "yes, no, yes", "yes (if the poor are exempt), no, yes"),
        ("believes", "YES", "Yes, Ada believes in it."),
        ("score", "5", "There is no interaction between them, so 5."),
        ("score", "8", "I would rate how Ben feels about Ada as **8**."),
        ("role", "farmer", "farmer (most goals are about wheat)"),
        ("talk", "SILENT", "SILENT\n\nNobody is near."),
        ("decide", "ACTION: WORK", '{"action": "WORK, unless Ben comes"}'),
    ],
)
def test_a_remark_that_a_role_does_not_take_is_asked_about(role, said, remarked):
    meant = READERS[role](said)
    with pytest.raises(UnconfirmedError) as asked:
        READERS[role](remarked)
    with said_before(asked.value.value):
        assert READERS[role](remarked) == meant


@pytest.mark.parametrize(
    ("role", "answer"),
    [
        ("decide", "ACTION: WORK? No, REST."),
        ("play", "GATHER 3 wood; CRAFT 1 hammer"),
        ("social", "LIKES Ben 5 \u2013 raised to 7"),
        ("score", "8 (or 9)"),
        ("ballot", "1. yes (I mean no)\n2. no\n3. no"),
        ("bargain", "ACCEPT, given that Ben pays"),
        ("sentiment", "It is not MORE."),
        ("ballot", "I cannot vote YES."),
        ("role", "farmer? No, miner."),
        ("role", "farmer -> miner"),
        ("talk", "Ben, why are you SILENT?"),
        ("bargain", "PROPOSE 0.6 because Ben pays"),
    ],
)
def test_a_remark_that_may_be_the_answer_or_limits_what_binds_is_refused(role, answer):
    with pytest.raises(AnswerError) as refused:
        READERS[role](answer)
    assert not isinstance(refused.value, UnconfirmedError)


def test_what_is_said_twice_is_said_once():
    views = READERS["social"]("LIKES Ben 5\nLIKES Ada 6\nLIKES Ben 5")
    assert views == READERS["social"]("LIKES Ben 5\nLIKES Ada 6")


def test_words_that_lead_to_a_program_are_free_ones():
    program = ANSWERS["plans"][0]
    for lead in ("What I will NOT do:", "My strategy is simple, the iron pickaxe first:"):
        with pytest.raises(UnconfirmedError) as asked:
            READERS["plans"](f"{lead}\n\n{program}")
        with said_before(asked.value.value):
            assert READERS["plans"](f"{lead}\n\n{program}") == READERS["plans"](program)
    lead = "I take the iron pickaxe first and then do this:"
    assert READERS["plans"](f"{lead}\n\n{program}") == READERS["plans"](program)
