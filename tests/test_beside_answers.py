"""What stands beside an answer in a box is never read past: it is harmless, or asked for again."""

from __future__ import annotations

import json

import pytest

from bots.structured import AnswerError, UnconfirmedError
from bots.structured.taking_back import settled
from tests.cooperation_readers import COOPERATING

OFFER = {
    "Act": "OFFER",
    "To": "Bo",
    "Message": "m",
    "Terms": "Ada does not attack Bo until round 20",
}
REPLY = {"Trust": [0.5, 0.5], "Answer": "ACCEPT"}
PREDICTED = {"test": "tree 3 has apples", "probability": 0.9}
INDUCED = {"text": "x", "kind": "world", "test": "tree 3 has apples"}
LIMITING = {
    "Condition": "only if Bo pays 3",
    "unless": "Bo attacks",
    "Decision": "REFUSE",
    "Final answer": "REFUSE",
    "Accept": False,
    "Counteroffer": "you pay 5",
    "valid": False,
    "cancelled": "after round 5",
    "note": "not if Bo attacks",
    "expected": False,
    "status": "refuted",
    "holds": "no",
    "negated": True,
}
HARMLESS = {
    "reasoning": "Bo would never attack, unless hungry.",
    "confidence": 0.8,
    "id": 1,
    "valid": True,
    "conditions": [],
    "remarks": "none",
}
#: What binds takes no note beside it.
BINDING = ("speak", "reply to offer")
ASKED = {
    "speak": lambda more: {**OFFER, **more},
    "reply to offer": lambda more: {**REPLY, **more},
    "predict": lambda more: {"Predictions": [{**PREDICTED, **more}]},
    "induce": lambda more: {"Hypotheses": [{**INDUCED, **more}]},
}


def read(role, said):
    return settled(COOPERATING[role])(said)


@pytest.mark.parametrize("role", ASKED)
def test_a_field_that_was_not_asked_for_is_harmless_or_asked_to_be_left_out(role):
    plain = read(role, json.dumps(ASKED[role]({})))
    for name, value in HARMLESS.items():
        if (role, name) != ("predict", "confidence"):  # there it is the chance itself
            assert read(role, json.dumps(ASKED[role]({name: value}))) == plain, name
    note = json.dumps(ASKED[role]({"note": "it is best for both"}))
    with pytest.raises(AnswerError) as asked:
        read(role, note)
    assert isinstance(asked.value, UnconfirmedError) is (role not in BINDING)
    for name, value in LIMITING.items():
        with pytest.raises(AnswerError):
            read(role, json.dumps(ASKED[role]({name: value})))


@pytest.mark.parametrize("role", ASKED)
@pytest.mark.parametrize("name", ["wenn", "Sofern", "qux", "my real answer", "2nd", "gegenangebot"])
def test_a_field_of_a_name_that_nobody_thought_of_is_asked_about(role, name):
    with pytest.raises(
        AnswerError, match=r"leave out|is a list|differently|only your answer itself counts"
    ):
        read(role, json.dumps(ASKED[role]({name: "if Bo pays"})))


@pytest.mark.parametrize("form", [("[", "]"), ('{"a":', "}")])
def test_an_answer_that_nests_deeply_is_read_or_refused(form):
    begins, ends = form
    for depth in (50, 900, 990, 5000):
        said = f'{{"a": {begins * depth}1{ends * depth}}}'
        assert settled(str)(said) == said


@pytest.mark.parametrize("name", ["text", "statement"])
def test_a_name_of_an_inner_field_is_none_of_the_object_that_binds(name):
    for role in BINDING:
        with pytest.raises(AnswerError, match="leave out"):
            read(role, json.dumps(ASKED[role]({name: "only if Bo pays"})))


@pytest.mark.parametrize("role", BINDING)
def test_nothing_that_could_limit_it_stands_beside_what_binds(role):
    said = json.dumps(ASKED[role]({}))
    plain = read(role, said)
    assert (
        read(role, f"I think that Bo is fair.\n\nHere is my answer:\n```json\n{said}\n```") == plain
    )
    for beside in (
        "{}\nOnly until round 5.",
        "{}\n**Answer:** REFUSE",
        "I would never say this:\n{}",
        "{} only if Bo pays",
        "{} because Bo pays 5 first",
        "{}\n\nReason: it holds only until round 3.",
        "{}\n\nBecause Bo pays 5 first.",
        "{}\n\n## Why\n\nOnly if Bo pays.",
    ):
        with pytest.raises(AnswerError):
            read(role, beside.replace("{}", said))


@pytest.mark.parametrize(
    "said",
    [
        "[ ] yes\n[x] no",
        "- [x] no\n- [ ] yes",
        "No: [x]\nYes: [ ]",
        "\u274c yes",
        "```diff\n- yes\n+ no\n```",
        '{"vote": "yes", "condition": "if the tax falls"}',
        '{"steps": [{"plan": "WAIT", "skip": true}]}',
    ],
)
def test_what_is_ticked_crossed_changed_or_limited_is_asked_again_whoever_reads(said):
    with pytest.raises(AnswerError):
        settled(str)(said)


@pytest.mark.parametrize(
    "said",
    [
        "- [ ] dig\n- [ ] eat",
        "```js\nconst a = [ ]\na[x]\n```",
        '{"vote": "yes", "conditions": "none"}',
    ],
)
def test_lists_to_do_programs_and_empty_fields_are_read(said):
    assert settled(str)(said) == said
