"""What stands around what agents of a commons answer: it says nothing, or it is asked for again.

Written from the rule alone: what is attached to an answer is of a closed vocabulary, free prose may
stand above it in a paragraph of its own, and an object has the fields that were asked for. Each
framing is put around each role's answers, in JSON and in Markdown.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from judge.promised_words import read_commitments

from bots.agents.cooperation.exchanges import SpeakRequest
from bots.agents.generative.prompts import read_act, read_plan, read_react, read_three
from bots.structured import AnswerError, UnconfirmedError, said_before
from judge.assembly import ProposalRequest, Voter
from judge.penalties import first_constitution
from tests.cooperation_readers import COOPERATING, LANGUAGE, MOMENT
from tests.test_cooperation_styles import SAID
from worlds.commons.accounts import BY_TREES

CLAIM = {"text": "Tree 3 lives", "test": "tree 3 has apples"}


def _acts(answer):
    def legal(words, _perception):
        if words not in ("stay put", "explore (7, 1)"):
            raise AnswerError("no action")
        return words

    return read_act(answer, None, legal)


def _speaks(answer):
    def binding(terms, parties):
        return read_commitments(BY_TREES, terms, parties, (1, 2, 3), 2).forms

    language = replace(LANGUAGE, read_terms=binding)
    return SpeakRequest(MOMENT, ("Bo", "Cy"), language).read(answer)


LAW = ProposalRequest(Voter("Ada", "", "", ""), first_constitution(BY_TREES, 3, 1, 3))
READERS = {
    **COOPERATING,
    "speak": _speaks,
    "react": read_react,
    "aims": read_plan,
    "three": lambda answer: read_three(answer, "question"),
    "act": _acts,
    "amendments": LAW.read,
}
#: By role: what is answered.
SPOKEN = {
    **{role: [said] for role, said in SAID.items()},
    "speak": [
        SAID["speak"],
        {
            "Reasoning": "Peace is good.",
            "Act": "OFFER",
            "To": "Bo",
            "Message": "Peace?",
            "Terms": "Ada does not attack Bo until round 9",
        },
    ],
    "react": [{"Reasoning": "All is well.", "Answer": False}],
    "aims": [{"Reasoning": "I am hungry.", "Goals": "Apples", "Plan": "I take what is near."}],
    "act": [{"Opportunities": "Apples.", "Threats": "None.", "Answer": "explore (7, 1)"}],
}


def _marked_down(said):
    """An object of texts and numbers in bold labels; None: it holds others."""
    if any(isinstance(value, list | dict) for value in said.values()):
        return None
    return "\n".join(f"**{key}:** {value}" for key, value in said.items())


ANSWERS = [
    (role, told)
    for role, objects in SPOKEN.items()
    for said in objects
    for told in (json.dumps(said), json.dumps(said, indent=2), _marked_down(said))
    if told
]
ANSWERS += [
    ("induce", "1. tree 3 has apples\n2. Bo takes last apple"),
    ("predict", "- tree 4 has apples: 0.9\n- Bo takes last apple: 30 %"),
    ("predict", "| Test | Probability |\n|---|---|\n| tree 4 has apples | 0.9 |"),
    ("check", "1. true\n2. unknown"),
    ("weigh", "- Claim 1: 0.5\n- Claim 2: 0.7"),
    ("rate", "| Name | Score |\n|---|---|\n| Bo | 6 |\n| Cy | 3 |"),
    ("amendments", "***Amendment1***\nIt costs more.\nSET last_apple_fine = 8"),
]
#: What chat models put around an answer that says nothing.
NEUTRAL = [
    "## Answer\n\n{}",
    "### Final answer\n{}",
    "**Answer:**\n\n{}",
    "My final answer:\n{}",
    "Sure! Here is my answer:\n\n{}",
    "Hier ist meine Antwort:\n\n{}",
    "Aqu\u00ed est\u00e1 mi respuesta:\n\n{}",
    "Tree 3 may die soon, unless somebody stops Bo. I do not like that.\n\n{}",
    "{}\n\nI hope this helps!",
    "{}\n\nLet me know if you need anything else!",
    "---\n{}\n---",
    "{}\n\n**Confidence:** high",
    "```\n{}\n```",
]
#: What may limit, deny or take back what stands there, or give it to somebody else.
ATTACHED = [
    "I would not say:\n{}",
    "These are false:\n\n{}",
    "The opposite of what I think:\n{}",
    "If Bo paid 5, I would say:\n\n{}",
    "Bo would answer this:\n{}",
    "## Rejected\n\n{}",
    "**Draft (not to be used):**\n\n{}",
    "### What I refuse\n{}",
    "Yesterday I said the following\n{}",
    "Das ist falsch:\n{}",
    "Lo contrario de esto:\n\n{}",
    "{}\n\nOnly until round 5.",
    "{}\n\nI no longer believe any of this.",
    "{}\n\n(But I will not keep it.)",
    "{}\n\n**Condition:** Bo pays 5",
    "{}\n\n## Correction\nThe contrary is so.",
    "{}\n\nSwap the two.",
    "{}\n\nNur im Winter.",
    "```diff\n{}\n```",
    "```example\n{}\n```",
    "\u274c {}",
    "// {}",
    "- [ ] {}",
    "~~{}~~",
]
#: Fields that nobody asked for, by what is said of them.
FIELDS = [
    {"condition": "only if Bo pays"},
    {"holds": False},
    {"negated": True},
    {"verdict": "no"},
    {"valid_until": 5},
    {"applies_to": "Cy"},
    {"confianza": "ninguna"},
]


def told(role, answer):
    try:
        return READERS[role](answer)
    except AnswerError:
        return None


@pytest.mark.parametrize("form", NEUTRAL)
def test_a_framing_that_says_nothing_changes_nothing(form):
    for role, answer in ANSWERS:
        meant = READERS[role](answer)
        try:
            assert READERS[role](form.format(answer)) == meant, form.format(answer)
        except UnconfirmedError as asked:  # a thought above what binds
            assert "I do not like that." in form
            with said_before(asked.value):
                assert READERS[role](form.format(answer)) == meant, form.format(answer)


@pytest.mark.parametrize("form", ATTACHED)
def test_what_is_attached_and_says_something_is_asked_for_again(form):
    for role, answer in ANSWERS:
        if role == "aims" and form.startswith("{}") and not answer.startswith("{"):
            continue  # a plan in words goes on in the next paragraph
        found = told(role, form.format(answer))
        assert found is None, f"{role}: {form.format(answer)}\n{found}"


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: next(iter(field)))
def test_a_field_that_nobody_asked_for_is_asked_to_be_left_out(field):
    for role, objects in SPOKEN.items():
        for said in objects:
            for found in _with(said, field):
                assert told(role, json.dumps(found)) is None, found


def _with(said, field):
    """Yield an object with a field more, and each with one in an object within."""
    yield said | field
    for key, value in said.items():
        if isinstance(value, dict):
            yield said | {key: value | field}
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield said | {key: [value[0] | field, *value[1:]]}


def test_a_field_that_stands_twice_with_two_values_is_asked_for_again():
    for role, objects in SPOKEN.items():
        for said in objects:
            for key, value in said.items():
                if key in ("Reasoning", "Why", "Opportunities", "Threats", "Claims"):
                    continue
                whole = json.dumps(said)
                other = json.dumps("ASK" if value == "OFFER" else "something else")
                twice = f'{{"{key}": {other}, {whole[1:]}'
                assert told(role, twice) is None, twice


HEADS = "| Hypothesis | Kind | Test | Holds? |\n|---|---|---|---|\n"
TEST = "tree 4 has apples"
#: What turns an answer round, in its own forms.
TURNED = {
    "induce": [
        "**Hypotheses:**\n- tree 4 has apples\n\n**Rejected hypotheses:**\n- tree 3 has apples",
        f"{HEADS}| a | world | tree 3 has apples | no |",
        '{"Rejected": [{"test": "tree 3 has apples"}], "Hypotheses": []}',
    ],
    "predict": [
        f"1. {TEST}: 0.9 (it will be dead)",
        json.dumps({"Predictions": [{"test": TEST, "probability": "0.9 (that it is dead)"}]}),
        f"Probability that these are false:\n1. {TEST}: 0.9",
        f"**Predictions** (chance of failing)\n1. {TEST}: 0.9",
        f"| Test | Chance of failing |\n|---|---|\n| {TEST} | 0.9 |",
    ],
    "weigh": [
        "Trust: 0.5 (that it is a lie), 0.7",
        '{"Trust": ["0.9 (that it is a lie)", 0.2]}',
        "How far I distrust each:\n1. 0.5\n2. 0.7",
    ],
    "check": [
        "Opposite of each:\n1. true\n2. false",
        '{"Verdicts": ["true", "false"], "Note": "swap them"}',
        '{"second": "true", "first": "false"}',
    ],
    "rate": [
        "Scale: 10 = not at all reliable\nBo: 8\nCy: 3",
        "| Name | Unreliability |\n|---|---|\n| Bo | 6 |\n| Cy | 3 |",
        "Bo: 8 at most\nCy: 3",
    ],
    "react": ["Answer: true\n\nFinal answer: false"],
    "reply to offer": [
        '{"Trust": [0.5, 0.7], "Answer": "ACCEPT", "Decision": "REFUSE"}',
        '{"Trust": [0.5, 0.7], "Answer": "ACCEPT (not really)"}',
        "**Trust:** 0.5, 0.7\n**Answer:** ACCEPT\n\nMy final answer: REFUSE",
        "I think I would accept, if Bo paid.\n\nTrust: 0.5, 0.7\nAnswer: ACCEPT for now",
    ],
}


@pytest.mark.parametrize("role", TURNED)
def test_what_turns_an_answer_round_is_asked_for_again(role):
    for answer in TURNED[role]:
        assert told(role, answer) is None, answer


def test_a_list_under_another_heading_is_not_the_list_that_was_asked_for():
    kept = "- tree 4 has apples"
    answer = f"**Rejected hypotheses:**\n- tree 3 has apples\n\n**Hypotheses:**\n{kept}"
    assert told("induce", answer) in (None, told("induce", kept))
