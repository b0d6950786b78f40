"""Prompts, parsing and asking."""

from __future__ import annotations

import pytest
from voxpolis.experiments.loops.contract.memory import recollection
from voxpolis.experiments.loops.contract.protocol import Situation

from tests.conftest import ROOT
from voxpolis.bots.agents.code_writer import JAVASCRIPT, CodeWriter, PolicyRequest, messages
from voxpolis.bots.agents.critic import Assessment, assess
from voxpolis.bots.agents.planner.plan_program import plan_format
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Lesson, Review
from voxpolis.bots.models import ModelSettings, RecordedModel, ScriptedModel
from voxpolis.bots.prompts import render
from voxpolis.bridge.protocol import RunResult
from voxpolis.judge import Contract
from voxpolis.scenarios.double_vein import DoubleVein

DO_NOTHING = {
    "action": program_answer("WAIT"),
    "critic": Assessment(success=True, critique="Patient."),
}
BRIEFING = Briefing("Gizmo", "You are on a platform.", "Share everything.")


class Puppet:
    """A body that notes what it is told to do."""

    name = "Gizmo"
    format = JAVASCRIPT
    last = None

    def __init__(self):
        self.policies = []

    async def act(self, policy, skills=None):
        self.policies.append(policy)
        return NOT_RUN


def writer(model, body=None):
    return CodeWriter(AgentSetup(BRIEFING, body or Puppet(), model, lambda *_a, **_k: None))


def test_prompts_are_rendered_strictly():
    assert "Gizmo" in render("action_situation", observation="Gizmo", feedback="-")
    with pytest.raises(KeyError, match="observation"):
        render("action_situation", feedback="-")
    with pytest.raises(KeyError, match="more"):
        render("action_situation", observation="-", feedback="-", more="-")


def test_the_action_prompt_holds_briefing_contract_and_feedback():
    system, situation = messages(
        PolicyRequest(BRIEFING, "code", "a chest", "it failed"), JAVASCRIPT
    )
    assert BRIEFING.text in system["content"]
    assert BRIEFING.contract in system["content"]
    assert "it failed" in situation["content"]


def test_nobody_is_told_the_time_limit():
    scenario, nothing = DoubleVein(time_limit_s=4321), Contract("none", "")
    situations = [Situation(agent, "minecraft", nothing) for agent in scenario.agents]
    assert "4321" not in "".join(scenario.briefing(situation) for situation in situations)


async def test_an_unusable_answer_is_asked_for_again_with_the_complaint():
    calls, body = [], Puppet()
    answers = iter(["no code", "```javascript\nx()\n```"])
    model = RecordedModel(
        ScriptedModel(lambda _request: next(answers)), calls.append, ModelSettings(), {}
    )
    agent = writer(model, body)
    assert await agent.prepare("nothing") == ""
    await agent.live()
    assert body.policies == ["x()\n"]
    assert "could not be used" in calls[1]["messages"][-1]["content"]
    assert [call["agent"] for call in calls] == ["Gizmo", "Gizmo"]


async def test_a_model_that_never_writes_code_is_given_up():
    agent, body = writer(ScriptedModel(lambda _request: "I would rather not.")), Puppet()
    assert "no fenced block" in await agent.prepare("nothing")
    agent = writer(ScriptedModel(lambda _request: "I would rather not."), body)
    await agent.prepare("nothing")
    await agent.live()
    assert body.policies == [JAVASCRIPT.nothing]


async def test_a_policy_that_failed_is_written_anew_with_what_was_learned():
    asked = []

    def answer(request):
        if request.role == "critic":
            return Assessment(success=False, critique="Look first.")
        asked.append(request.about)
        return "```javascript\nx()\n```"

    agent = writer(ScriptedModel(answer))
    await agent.prepare("nothing")
    error = {"message": "x is not defined", "line": 1, "column": 1, "source": "x()", "done": []}
    program = RunResult(status="error", error=error, logs=["hm"], seconds=1)
    lesson = await agent.review(Review("You hold nothing.", ["Nobody pays."], program))
    assert (lesson.again, lesson.critique, agent.is_ready) == (True, "Look first.", False)
    await agent.prepare("nothing")
    for told in ("x is not defined", "Look first.", "Nobody pays.", "hm"):
        assert told in asked[1].feedback
    done = RunResult(status="done", error=None, logs=[], seconds=1)
    assert not (await agent.review(Review("", [], done))).again


async def test_of_a_program_that_was_never_written_no_critic_is_asked():
    asked = []

    def answer(request):
        asked.append(request)
        return "I would rather not."

    agent = writer(ScriptedModel(answer))
    problem = await agent.prepare("nothing")
    await agent.live()
    done = RunResult(status="done", error=None, logs=["hm"], seconds=1)
    review = Review("You hold nothing.", ["Nobody pays."], done)
    lesson = await agent.review(review)
    assert (lesson.again, lesson.success, lesson.unwritten) == (True, False, problem)
    await agent.prepare("nothing")
    assert {request.role for request in asked} == {"action"}
    told = asked[-1].about.feedback, recollection("Gizmo", 1, "", review, lesson, [])
    for text in told:
        assert "no program could be read in your answers" in text
        assert problem in text
        assert "Nobody pays." in text
        assert "ran without an error" not in text
        assert JAVASCRIPT.nothing.strip() not in text


async def test_a_program_that_only_waits_is_a_program():
    body = Puppet()
    body.format = plan_format(["wood"], ["Gizmo"])
    agent = writer(ScriptedModel(lambda request: DO_NOTHING[request.role]), body)
    assert await agent.prepare("nothing") == ""
    await agent.live()
    assert body.policies == [body.format.nothing]
    done = RunResult(status="done", error=None, logs=[], seconds=1)
    lesson = await agent.review(Review("", [], done))
    assert lesson == Lesson(again=False, success=True, critique="Patient.")


async def test_a_critic_that_cannot_be_read_is_no_success():
    model = ScriptedModel(lambda _request: "Fine work!")
    assert not (
        await assess(model, BRIEFING, JAVASCRIPT, "x()", "nothing happened", NOT_RUN)
    ).success


POLICIES = sorted((ROOT / "scenarios").rglob("*.js"))


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_scripted_policies_say_that_they_are_scripted(path):
    assert path.read_text().startswith("// Scripted mind:")
