"""An adapter for scripts whose answers are whole policies.

With the adapter, such a script can also answer agents that ask for one step or one task at a time.
"""

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

# The only task of an agent that sets itself tasks.
TASK = "Carry out the policy"


def step_by_step(script: Script) -> Script:
    """Return a script that answers planners and Voyager agents with the policies of another script.

    When a planner asks for its next plan, the script returns the next line of the policy. After the
    last line, the agent waits; but if the last line is REPEAT, the script begins again with the
    first line. When a Voyager agent asks for tasks, the script returns a single task, and the
    policy is the program for it.
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
