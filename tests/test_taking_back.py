"""Answers that are taken back: readers by ways of taking back by where it is done, and remarks."""

from __future__ import annotations

import re

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError, UnconfirmedError, complete_parsed, said_before
from tests.test_answers import ALONE, READERS

FINDING = (
    '{"findings": [{"finding": "Gizmo pays 5.", "payments": '
    '[{"from": "Gizmo", "to": "Glitch", "amount": 5}]}]}'
)
#: A whole answer in each role, as it stands before more in its line.
ANSWERED = {
    "believes": "YES.",
    "kept": "YES.",
    "sentiment": "LESS.",
    "score": "7.",
    "decide": "ACTION: PAY 20 %.",
    "goal": "GOAL: Trade wheat.",
    "ballot": "1: yes\n2: no\n3: yes.",
    "judge": FINDING,
    "reflect": "- Ben lies.\n- Taxes hurt.",
    "plan": "1. Dig.\n2. Sell.",
    "amendments": "***Amendment1***\nLower the tax.\nSET tax_rate = 0.1.",
    "compile": "1. SET tax_rate = 0.08\n2. JUDGE.",
    "assess": "OWES Ada 20 %\nOWES Ben 10 %.",
    "social": "LIKES Ben 7\nBELIEVES Ben: is honest.",
    "play": "GATHER 3 wood.",
    "group": "JOIN GROUP 1.",
    "plans": "GATHER 1 diamond.",
    "code": "```javascript\nawait bot.chat('a');\n```",
    "role": "farmer.",
}
TAKES_BACK = [
    "On reflection, NO.",
    "Actually, no.",
    "Actually, I'd rather work.",
    "Wait, no.",
    "Correction: the other one.",
    "**Correction:** 3",
    "Scratch that.",
    "I take that back.",
    "Please disregard the above.",
    "Hmm, actually not.",
    "Hmm, the amount is 4.",
    "However, since the term was kept, nobody pays.",
    "Ignore that JSON; the amount is 4 emeralds.",
    "This is only a draft.",
    "Note: please ignore my answer above.",
    "On second thought I'd rather work.",
    "I changed my mind.",
    "Oops, I misread it.",
    "That answer was wrong.",
    "Korrektur: 4 statt 5.",
    "\u66f4\u6b63\uff1a\u5e94\u4e3a4\u3002",
]
REMARKS = [
    "I hope this helps!",
    "No further comment.",
    "Thank you for waiting.",
    "Still, I like the village.",
    "This is my final answer.",
    "Note: this follows the requested format.",
    "Ich hoffe, das hilft.",
    "J'esp\u00e8re que cela aide.",
    "\u5e0c\u671b\u5bf9\u4f60\u6709\u5e2e\u52a9\u3002",
]
#: What takes back nothing, in words that may: whoever says it is asked again.
MAY_TAKE_BACK = [
    "Actually, I am glad to do so.",
    "Actually, that is fine with me.",
    "However, I will keep an eye on it.",
    "It was wrong of him to go.",
    'Ben said: "Actually, no."',
    "Ben says: Actually, no.",
    "\u201cOn reflection, no\u201d is what Ben said.",
]
PLACES = {
    "line": "{}\n{}",
    "paragraph": "{}\n\n{}",
    "closing": "{}\n\nI hope this helps!\n\n{}",
    "same line": "{} {}",
}


def bare(role):
    """A role's answer alone: no full stop behind it."""
    return ANSWERED[role].removesuffix(".")


def read_by(reader, answer):
    """What a reader reads; None: it asks again."""
    try:
        return reader(answer)
    except AnswerError:
        return None


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("said", TAKES_BACK)
def test_what_is_taken_back_is_no_answer(place, said):
    read = []
    for role, stopped in ANSWERED.items():
        answer = stopped if place == "same line" else bare(role)
        READERS[role](bare(role))
        try:
            read.append((role, READERS[role](PLACES[place].format(answer, said))))
        except AnswerError:
            continue
    assert read == []


#: Of these what follows in the same line is more of their free words.
FREE = {"goal", "reflect", "plan", "social"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("said", MAY_TAKE_BACK)
def test_whoever_may_take_it_back_is_asked_again(place, said):
    read = {}
    for role, stopped in ANSWERED.items():
        answer = stopped if place == "same line" else bare(role)
        read[role] = read_by(READERS[role], PLACES[place].format(answer, said))
    found = {role for role, reading in read.items() if reading is not None}
    assert found == (FREE if place == "same line" else set())
    word = max(re.findall(r"\w+", said), key=len)
    assert all(word in str(read[role]) for role in found)


#: Of these what follows in a line of its own is more of the answer, or no remark of any kind.
OPEN = {"social", "amendments", "reflect", "plan"}
#: Beside these nothing may be said at all (``bots.structured.outside``).
BINDING = {"judge", "compiler", "compile", "assess", "bargain"}


def said_twice(role, answer):
    """What is read of an answer that is given again where free words stand beside it."""
    try:
        return READERS[role](answer)
    except UnconfirmedError as asked:
        with said_before(asked.value):
            return READERS[role](answer)


@pytest.mark.parametrize("place", ["line", "paragraph"])
@pytest.mark.parametrize("said", REMARKS)
def test_other_remarks_take_nothing_back(place, said):
    read, plain = {}, {}
    for role in set(ANSWERED) - OPEN - BINDING:
        plain[role] = READERS[role](bare(role))
        read[role] = said_twice(role, PLACES[place].format(bare(role), said))
    assert read == plain


@pytest.mark.parametrize("role", sorted(OPEN))
@pytest.mark.parametrize("said", REMARKS)
def test_remarks_are_read_as_they_would_be_by_the_reader_alone(role, said):
    answer = f"{bare(role)}\n\n{said}"
    assert read_by(READERS[role], answer) == read_by(ALONE[role], answer)


@pytest.mark.parametrize(
    ("role", "answer", "reading"),
    [
        ("believes", "She prays to the gods of our village.\n\nAnswer: YES", True),
        ("believes", "Is it YES? Wait, she mocks it.\n\nAnswer: NO", False),
        ("believes", "Hmm, she says so. Actually, she prays.\n\nAnswer: YES", True),
        ("code", "```js\n// Wait, then go.\nawait b();\n```", "// Wait, then go.\nawait b();"),
        ("plan", "1. Wait, then dig.\n2. Sell.", ["Wait, then dig.", "Sell."]),
        ("reflect", "- Ben lies.\n- On reflection, he may change.", None),
        ("talk", "I sell it for five. Actually, four.", "I sell it for five. Actually, four."),
        ("feedback", "Too high.\n\nActually, no.", "Too high. Actually, no."),
        ("decide", "ACTION: WORK\nABOUT: my answer to Ben", "WORK | my answer to Ben"),
        ("goal", '{"thought": "Dig. Actually, no.", "goal": "Trade wheat"}', "Trade wheat"),
    ],
)
def test_an_answer_behind_a_thought_holds_and_words_are_words(role, answer, reading):
    assert READERS[role](answer) == (ALONE[role](answer) if reading is None else reading)


@pytest.mark.parametrize(
    ("role", "answer"),
    [
        ("play", "WAIT\n\nActually no, GATHER 3 wood"),
        ("believes", "Is it YES? Wait, she mocks it.\n\nNO"),
        ("believes", "Hmm, she says so. Actually, she prays.\n\nYES"),
        ("believes", "YES. Actually, yes, she does.\nYES"),
        ("code", "```js\na();\n```\nOn reflection:\n```js\nb();\n```"),
    ],
)
def test_which_of_two_answers_holds_is_asked(role, answer):
    with pytest.raises(AnswerError):
        READERS[role](answer)


async def test_whoever_took_it_back_is_asked_again_and_told_why():
    answers = iter(["YES\n\nOn reflection, NO.", "NO"])
    asked = []

    def answering(request):
        asked.append(request.messages)
        return next(answers)

    question = [{"role": "user", "content": "Does she?\n# Your answer\nYES or NO"}]
    how = {"role": "judge", "agent": None, "temperature": 0.0}
    model = ScriptedModel(answering)
    assert await complete_parsed(model, question, ALONE["believes"], **how) is False
    assert "it takes back what it says, with 'On reflection, NO.'" in asked[1][-1]["content"]
