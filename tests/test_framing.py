"""What stands around an answer is none of it, in any role."""

from __future__ import annotations

import pytest

from bots.models.thoughts import split_thought
from bots.structured import AnswerError
from tests.test_answers import ANSWERS, READERS

#: What chat models and their servers put around an answer, whatever it says.
AROUND = {
    "tags": "<answer>{}</answer>",
    "tags and a thought": "<scratchpad>\nPAY 90 %, or yes?\n</scratchpad>\n<output>\n{}\n</output>",
    "reflection": "<analysis>ACTION: REST</analysis>\n{}\n<reflection>JOIN GROUP 0</reflection>",
    "Qwen's end": "{}<|im_end|>\n<|im_start|>user\nACTION: REST",
    "Llama's end": "{}<|eot_id|>",
    "Mistral's end": "{}</s>",
    "Gemma's end": "{}<end_of_turn>\n",
    "how sure": "{}\n\nConfidence: 85%",
    "how sure, in bold": "{}\n**Confidence level:** high.\n",
    "rules": "---\n\n{}\n\n---",
    "a lead": "Certainly! Here's my answer:\n\n{}",
    "a heading": "### Final answer\n\n{}",
    "a label": "**Answer:**\n\n{}\n\n[END]",
    "a lead and leave": "Sure thing!\n\n{}\n\nLet me know if you'd like me to adjust anything!",
    "leave": "{}\n\nI hope this helps! Let me know if you would like me to change anything.",
    "German": "Natürlich! Hier ist meine Antwort:\n\n{}\n\nIch hoffe, das hilft!",
    "Spanish": "¡Claro! Aquí está mi respuesta:\n\n{}\n\n¡Espero que esto ayude!",
    "French": "Bien sûr ! Voici ma réponse :\n\n{}\n\nN'hésitez pas si vous avez des questions.",
    "Chinese": "\u4ee5\u4e0b\u662f\u6211\u7684\u56de\u7b54\uff1a\n\n{}",
}
#: Roles whose answers are lines: more may stand around them.
LINES = {*READERS} - {"code", "plans", "negotiator"}
AROUND_LINES = {
    "a fence": "```text\n{}\n```",
    "a thought": "I weigh what I know.\n\nIt is little.\n\n**Final answer:**\n\n{}",
    "a list of thoughts": "1. I look.\n2. I weigh it.\n\nSo my answer is:\n\n{}",
    "sections": "## Analysis\n\nI weigh it.\n\n## Answer\n\n{}\n\n## Why this works\n\n- It fits.",
    "an element": "I weigh what I know.\n\n<answer>\n{}\n</answer>",
    "a reason": "Let me think about this.\n\n{}\n\nReason: I kept it short.",
    "what it says of itself": "{}\n\nThis answer reflects what I know.",
    "pictures": "🤔 Let me see…\n\n✅ **Answer:**\n\n{}\n\n✨",
    "reasons": "**Reasoning:** I weighed what I know.\n\n{}\n\n**Explanation:** It fits my aims.",
    "a note": "{}\n\n*(Note: this follows the requested format.)*",
}
#: Whose words bind by themselves: beside them nothing may stand that says anything.
BINDING = {"judge", "compiler", "compile", "assess", "reply to offer"}
EXPLAINING = {"sections", "a reason", "what it says of itself", "reasons"}
#: Beside these an answer may say of itself, in a few known words, that it is as it was asked for.
SPOKEN = {"compile", "assess", "reply to offer"}
EXPLAINED = [
    (role, around)
    for role in sorted(BINDING)
    for around in sorted(EXPLAINING)
    if role not in SPOKEN or around != "what it says of itself"
]


@pytest.mark.parametrize("around", [*AROUND, *AROUND_LINES])
def test_what_stands_around_an_answer_changes_nothing(around):
    form = AROUND.get(around) or AROUND_LINES[around]
    roles = READERS if around in AROUND else LINES
    roles = {*roles} - BINDING - {"bargain"} if around in EXPLAINING else roles
    said = [(r, a, reading) for r, style, a, reading in ANSWERS if style == "plain" and r in roles]
    read = {
        (role, answer): (READERS[role](split_thought(form.format(answer))[1]), reading)
        for role, answer, reading in said
        if not (isinstance(reading, dict) and {"refused", "again"} & set(reading))
    }
    assert len(read) > 40
    assert {key: one for key, one in read.items() if one[0] != one[1]} == {}


@pytest.mark.parametrize(("role", "around"), EXPLAINED)
def test_what_explains_a_judgement_or_clauses_is_asked_for_again(role, around):
    """It may be a correction in words that nobody expects; see :mod:`bots.structured.outside`."""
    told = [one for one in ANSWERS if one[0] == role and (one[1] == "plain" or role in SPOKEN)]
    answer = next(said for _, _, said, reading in told if reading and "refused" not in reading)
    READERS[role](answer)
    asks = r"may correct|may say something else|each claim is an|only your answer itself counts"
    with pytest.raises(AnswerError, match=asks):
        READERS[role](AROUND_LINES[around].format(answer))
