"""Lets a script that writes whole policies answer agents that ask for less at a time."""

from __future__ import annotations

import json
from dataclasses import replace

from bots.agents.code_writer import PolicyRequest
from bots.agents.planner.player import NextPlanRequest
from bots.agents.voyager.requests import (
    CurriculumRequest,
    DescribeRequest,
    QuestionsRequest,
    TaskCriticRequest,
    TaskRequest,
)
from bots.models import ChatRequest
from bots.models.scripted import Script
from bots.structured import fenced

#: The one task of an agent that sets itself tasks.
TASK = "Carry out the policy"
WAIT, REPEAT = "WAIT", "REPEAT"


def step_by_step(script: Script) -> Script:
    """Return a script that also answers planners and Voyager, out of the policies of another.

    Asked for the next plan, it answers the line of the policy that comes next, from the first on
    again where the last is REPEAT, and else to wait; asked for tasks, it has one, whose program is
    the policy.
    """

    def answer(request: ChatRequest) -> str:
        about = request.about
        if isinstance(about, NextPlanRequest):
            policy = PolicyRequest(about.briefing, "plans", about.observation, "")
            lines = _plans(script(replace(request, about=policy)))
            asked = sum(one.is_asked for one in about.done)
            if lines[-1:] == [REPEAT]:
                return lines[asked % (len(lines) - 1)]
            return lines[asked] if asked < len(lines) else WAIT
        if isinstance(about, TaskRequest):
            policy = PolicyRequest(about.briefing, "code", about.observation, about.feedback)
            return script(replace(request, about=policy))
        return _of_one_task(about) or script(request)

    return answer


def _of_one_task(about: object) -> str:
    """Return what an agent with one task answers; empty where it is asked for something else."""
    if isinstance(about, CurriculumRequest):
        return json.dumps({"task": None if TASK in about.completed else TASK})
    if isinstance(about, TaskCriticRequest):
        return json.dumps({"success": about.ended_well, "critique": ""})
    if isinstance(about, QuestionsRequest):
        return json.dumps({"questions": []})
    if isinstance(about, DescribeRequest):
        return f"A scripted mind's policy, {about.function}."
    return ""


def _plans(answer: str) -> list[str]:
    """Return the plans of a scripted policy."""
    blocks = fenced(answer)
    return [line.strip() for line in blocks[-1][1].splitlines() if line.strip()] if blocks else []
