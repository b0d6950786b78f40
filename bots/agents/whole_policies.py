"""Adapter that lets a script of whole policies answer agents that ask for one step at a time."""

from __future__ import annotations

from dataclasses import replace

from voxpolis.bots.agents.code_writer import Assessment, PolicyRequest
from voxpolis.bots.agents.planner.plans import NextPlan, Program, Repeat, Wait
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.voyager.prompts import (
    CurriculumRequest,
    Described,
    DescribeRequest,
    Proposal,
    Questions,
    QuestionsRequest,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script

# The single task that an agent gets if it sets its own tasks.
TASK = "Carry out the policy"


def step_by_step(script: Script) -> Script:
    """Return a script that also answers planners and Voyager, from another script's policies.

    When a planner asks for its next plan, the script returns the next line of the policy. After the
    last line it starts again if that line is REPEAT, and otherwise waits. When Voyager asks for
    tasks, the script returns a single one, whose program is the policy.
    """

    def answer(request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, NextPlanRequest):
            policy = PolicyRequest(about.briefing, "plans", about.observation, "")
            program = script(replace(request, about=policy))
            assert isinstance(program, Program)
            asked = sum(one.is_asked for one in about.done)
            plans = program.plans
            if isinstance(plans[-1], Repeat):
                return NextPlan(plan=plans[asked % (len(plans) - 1)])
            return NextPlan(plan=plans[asked] if asked < len(plans) else Wait())
        if isinstance(about, TaskRequest):
            policy = PolicyRequest(about.briefing, "code", about.observation, about.feedback)
            return script(replace(request, about=policy))
        if isinstance(about, CurriculumRequest):
            return Proposal(task=None if TASK in about.completed else TASK, obtain=[])
        if isinstance(about, TaskCriticRequest):
            return Assessment(success=about.ended_well, critique="")
        if isinstance(about, QuestionsRequest):
            return Questions(questions=[])
        if isinstance(about, DescribeRequest):
            return Described(description=f"A scripted mind's policy, {about.function}.")
        return script(request)

    return answer
