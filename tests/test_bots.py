"""Prompts, parsing and asking."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.agents.code_writer import ActionAgent, Briefing
from bots.agents.critic import assess
from bots.models import ModelSettings, RecordedModel, ScriptedModel
from bots.structured import AnswerError, read_object, read_program
from bots.prompts import FOLDER, render
from scenarios.double_vein import DoubleVein

BRIEFING = Briefing("Gizmo", "You are on a platform.", "Share everything.", "1.20.4")


def test_prompts_are_rendered_strictly():
    assert "Gizmo" in render("action_situation", observation="Gizmo", feedback="-")
    with pytest.raises(KeyError, match="observation"):
        render("action_situation", feedback="-")
    with pytest.raises(KeyError, match="more"):
        render("action_situation", observation="-", feedback="-", more="-")


def test_the_action_prompt_holds_briefing_contract_and_feedback():
    agent = ActionAgent(BRIEFING, ScriptedModel(lambda *_: ""))
    system, situation = agent.messages("a chest", "it failed")
    assert BRIEFING.situation in system["content"]
    assert BRIEFING.contract in system["content"]
    assert "it failed" in situation["content"]


def test_nobody_is_told_the_time_limit():
    scenario = DoubleVein(time_limit_s=4321)
    assert "4321" not in "".join(scenario.briefing(agent) for agent in scenario.agents)


def test_the_last_program_of_an_answer_counts():
    answer = "First:\n```js\na()\n```\nBetter:\n```javascript\nb()\n```\nDone."
    assert read_program(answer) == "b()\n"


@given(st.text())
def test_any_text_is_a_program_or_a_complaint(text):
    with contextlib.suppress(AnswerError):
        assert read_program(text).strip()


@given(st.text())
def test_any_text_is_an_object_or_a_complaint(text):
    with contextlib.suppress(AnswerError):
        assert isinstance(read_object(text), dict)


async def test_an_unusable_answer_is_asked_for_again_with_the_complaint():
    calls = []
    answers = iter(["no code", "```javascript\nx()\n```"])
    model = RecordedModel(
        ScriptedModel(lambda *_: next(answers)), calls.append, ModelSettings(), {}
    )
    assert await ActionAgent(BRIEFING, model).write_policy("nothing") == "x()\n"
    assert "cannot be used" in calls[1]["messages"][-1]["content"]
    assert [call["agent"] for call in calls] == ["Gizmo", "Gizmo"]


async def test_a_model_that_never_writes_code_is_given_up():
    model = ScriptedModel(lambda *_: "I would rather not.")
    with pytest.raises(AnswerError):
        await ActionAgent(BRIEFING, model).write_policy("nothing")


async def test_a_critic_that_cannot_be_read_is_no_success():
    model = ScriptedModel(lambda *_: "Fine work!")
    assert not (await assess(model, BRIEFING, "x()", "nothing happened")).success


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.js")), ids=lambda path: path.stem)
def test_scripted_policies_say_that_they_are_scripted(path):
    assert path.read_text().startswith("// Scripted mind:")
