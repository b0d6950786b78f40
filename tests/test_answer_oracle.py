"""An oracle of answers, by composing what is said with how and where: what is read, or asked again.

For each role a few answers and what they mean. Each is dressed in ten styles of chat models, which
change nothing. Into each something else is put, of which none begins with a word that readers
know: where it stands so that it may take back what is said, the model is asked again.
"""

from __future__ import annotations

import json

import pytest

from bots.structured import AnswerError, UnconfirmedError, said_before
from tests.test_answers import READERS

JUDGED = {
    "findings": [
        {
            "term": 1,
            "finding": "Gizmo holds 6 iron and pays 12.",
            "payments": [{"from": "Gizmo", "to": "Glitch", "amount": 12}],
        },
        {"term": 2, "finding": "Kept.", "payments": []},
    ],
    "critiques": {"Gizmo": "Dig more.", "Glitch": "Fine."},
}
OBJECT = json.dumps(JUDGED)
LINES = (
    "Finding: Gizmo holds 6 iron and pays 12.\nPayments: Gizmo pays Glitch 12\n"
    "Finding: Kept.\nPayments: none"
)
TABLE = (
    "| term | finding | from | to | amount |\n|---|---|---|---|---|\n"
    "| 1 | Gizmo pays 12. | Gizmo | Glitch | 12 |\n| 2 | Kept. | - | - | 0 |"
)
CLAUSES = "Gizmo pays Glitch 2 * held(Gizmo, iron)\nGlitch pays Gizmo 1"
#: By role: answers. What each means is what its role reads of it alone.
SAID = {
    "judge": [OBJECT, f"```json\n{OBJECT}\n```", LINES, TABLE],
    "compiler": [CLAUSES, f"```\n{CLAUSES}\n```", "1. Gizmo pays Glitch 11"],
    "decide": ["ACTION: WORK", "ACTION: PAY 20 %", '{"action": "PAY 20 %"}', "**Action:** WORK"],
    "play": ["GATHER 3 wood", "Plan: GATHER 3 wood", '{"plan": "GATHER 3 wood"}'],
    "group": ["JOIN GROUP 2"],
    "bargain": ["PROPOSE 0.6", "ACCEPT"],
    "ballot": ["yes, no, abstain", "1. yes\n2. no\n3. abstain", '{"votes": ["yes", "no", "yes"]}'],
    "compile": ["***Amendment1***\nSET tax_rate = 0.08\n***Amendment2***\nJUDGE"],
    "assess": ["OWES Ada 10 %\nOWES Ben 0 %", "OWES EVERYBODY 20 %"],
    "social": ["LIKES Ben 7", "LIKES Ben 7\nBELIEVES tax: too high"],
    "kept goal": ["GOAL: KEEP", "GOAL: Trade wheat."],
    "talk": ["Hello Ben, nice day!"],
    "believes": ["YES", "NO"],
    "sentiment": ["LESS", "NEITHER"],
    "score": ["7"],
    "synonyms": ["MERGE grower: farmer"],
    "critic": ['{"success": true, "critique": "Dig deeper."}', "Success: no\nCritique: Dig."],
}
#: How chat models answer, whatever they say.
STYLES = {
    "plain": "{}",
    "a heading": "## Answer\n\n{}",
    "a label": "**Answer:**\n\n{}",
    "chatty": "Certainly! Here is my answer:\n\n{}\n\nI hope this helps!",
    "how sure": "{}\n\n**Confidence:** 85%",
    "how sure, in a section": "{}\n\n## Confidence\nHigh",
    "how sure, with both headed": "### Final answer\n\n{}\n\n### Confidence level\n\n90%",
    "rules": "---\n{}\n---",
    "a thought in tags": "<think>ACTION: WORK, or 5, or yes?</think>\n<answer>\n{}\n</answer>",
    "German": "Gern! Hier ist meine Antwort:\n\n{}\n\nIch hoffe, das hilft!",
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("role", SAID)
def test_a_style_of_answering_changes_nothing(role, style):
    for said in SAID[role]:
        assert READERS[role](STYLES[style].format(said)) == READERS[role](said), said


#: What may correct a judgement or clauses, though it begins with no word that says so.
CORRECTIONS = (
    "Strictly, the first one comes to 10.",
    "Please note: I made an arithmetic slip above.",
    "Term two belongs to Glitch.",
    "One signal was overlooked.",
    "The signal is left out, which code cannot see.",
    "This is an approximation of the contract.",
    "A caveat: it also names the pickaxe.",
    "Gizmo pays Glitch 9 in total.",
    "Das Ganze gilt bloß, falls Gizmo half.",
)
#: Where it stands.
BEHIND = {
    "line": "{}\n{}",
    "paragraph": "{}\n\n{}",
    "brackets": "{}\n\n({})",
    "bold": "{}\n\n**{}**",
    "section": "{}\n\n## Remarks\n\n{}",
    "bullet": "{}\n\n- {}",
    "before taking leave": "{}\n\n{}\n\nLet me know if you need anything else!",
    "behind how sure": "{}\n\nConfidence: high\n\n{}",
}


@pytest.mark.parametrize("place", BEHIND)
@pytest.mark.parametrize("role", ["judge", "compiler"])
def test_what_may_correct_what_binds_is_asked_for_again(role, place):
    read = []
    for said in SAID[role]:
        for correction in CORRECTIONS:
            if said == LINES and place in ("line", "bullet"):
                continue  # there it goes on with the payments, and is none
            answer = BEHIND[place].format(said, correction)
            try:
                read.append((answer, READERS[role](answer)))
            except AnswerError:
                continue
    assert read == []


@pytest.mark.parametrize("name", ["note", "correction", "caveat", "summary", "remarks", "erratum"])
def test_a_field_that_may_correct_a_judgement_is_asked_for_again(name):
    for correction in CORRECTIONS:
        with pytest.raises(AnswerError):
            READERS["judge"](json.dumps({**JUDGED, name: correction}))


#: What a judgement or clauses may stand beside: neutral words, and what repeats them.
NEUTRAL = {
    "judge": (
        "Net: Gizmo pays Glitch 12 emeralds.",
        "Gizmo holds 6 iron and pays 12.",
        "This judgement follows the contract's terms and the server's records.",
        "Kept.",
        "The terms were kept.",
    ),
    "compiler": ("These are all the clauses of the contract.", "Glitch pays Gizmo 1"),
}


@pytest.mark.parametrize("role", NEUTRAL)
def test_neutral_words_and_repetitions_correct_nothing(role):
    for said in (SAID[role][1], SAID[role][0 if role == "judge" else 1]):
        for words in NEUTRAL[role]:
            answer = f"{said}\n\n{words}"
            assert READERS[role](answer) == READERS[role](said), answer


#: A remark behind a decision in its line that denies it, hedges it, or says another one.
DENIALS = (
    "not really",
    "not now",
    "typo",
    "I mean the other one",
    "just kidding",
    "the opposite would be better",
    "I'd rather do something else",
    "ironically",
    "Ben's choice",
    "scratch",
    "or something else",
    "if it rains",
)
IN_LINE = ("{} ({})", "{} [{}]", "{} - {}", "{}, {}")
ONE_LINE = ("decide", "play", "group", "bargain", "social", "synonyms", "sentiment", "score")


@pytest.mark.parametrize("form", IN_LINE)
@pytest.mark.parametrize("role", ONE_LINE)
def test_a_decision_that_is_denied_in_its_line_is_asked_for_again(role, form):
    read = []
    for said in SAID[role]:
        if "{" in said or "\n" in said:
            continue
        for denial in DENIALS:
            answer = form.format(said, denial)
            try:
                read.append((answer, READERS[role](answer)))
            except AnswerError:
                continue
    assert read == []


#: A remark there that says nothing more, and one in free words, with which it is said again.
ASIDES = ("high confidence", "certain")
FREE = (
    "as planned",
    "high",
    "since Ben asked",
    "in the winter",
    "Ben wants me to say so",
    "it goes too far",
)


@pytest.mark.parametrize("form", IN_LINE[:1])
@pytest.mark.parametrize("role", ["decide", "play", "group", "social", "synonyms", "score"])
def test_a_decision_with_a_remark_is_that_decision(role, form):
    for said in SAID[role]:
        if "{" in said or "\n" in said or said.startswith("**"):
            continue
        for aside in ASIDES:
            answer = form.format(said, aside)
            assert READERS[role](answer) == READERS[role](said), answer
        for aside in FREE:
            answer = form.format(said, aside)
            with pytest.raises(UnconfirmedError) as asked:
                READERS[role](answer)
            with said_before(asked.value.value):
                assert READERS[role](answer) == READERS[role](said), answer


#: Labels above a program by which it is not the one to run.
OTHERS = (
    "Last time's program:",
    "Glitch's program:",
    "Do not run:",
    "I dig, and then I signal Glitch:",
    "What I will NOT do:",
    "## Alternative",
    "If it fails:",
    "The guard does this:",
    "They dig:",
)
PROGRAMS = {
    "code": "```javascript\nawait mineBlock(bot, 'iron_ore', 1);\n```",
    "plans": "```\nGATHER 1 iron_pickaxe\nGATHER 6 diamond\n```",
}


@pytest.mark.parametrize("role", PROGRAMS)
def test_a_program_that_a_label_calls_another_is_asked_for_again(role):
    own = ("My program:", "Here is what I do:", "## Program", "**Updated program**")
    own += ("I dig, and then I signal:", "The program below digs, then smelts:")
    for label in own:
        assert READERS[role](f"{label}\n\n{PROGRAMS[role]}") == READERS[role](PROGRAMS[role])
    for label in OTHERS:
        with pytest.raises(AnswerError):
            READERS[role](f"{label}\n\n{PROGRAMS[role]}")


@pytest.mark.parametrize("remark", ["only if Glitch has not", "needed", "or not", "optional"])
def test_a_program_has_no_conditions_in_its_remarks(remark):
    for sign in ("#", "//"):
        with pytest.raises(UnconfirmedError):
            READERS["plans"](f"```\nGATHER 1 iron_pickaxe {sign} {remark}\nWAIT\n```")
    with pytest.raises(AnswerError, match="condition"):
        READERS["plans"]("```\n# If Glitch has it:\nGATHER 1 iron_pickaxe\n```")
    assert READERS["plans"]("```\n# Then wait\nGATHER 1 iron_pickaxe # then dig\n```") == [
        "GATHER 1 iron_pickaxe"
    ]


def test_a_clause_that_stands_twice_is_asked_for_again():
    with pytest.raises(AnswerError, match="twice"):
        READERS["compiler"](f"{CLAUSES}\n\nGlitch pays Gizmo 1")
