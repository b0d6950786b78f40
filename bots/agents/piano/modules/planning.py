"""Planning: a goal becomes a few steps, whenever the goal has changed."""

from __future__ import annotations

from bots.structured import AnswerError
from bots.agents.piano.agent import Agent
from bots.agents.piano.thinking import digest

MAX_STEPS, MAX_CHARACTERS = 5, 100


async def run(agent: Agent) -> None:
    """Ask for a plan, if there is a goal without one."""
    if not agent.goal or agent.planned_for == agent.goal:
        return
    goal = agent.goal
    plan = await agent.think("plan", read_plan, name=agent.name, goal=goal, state=digest(agent))
    if plan is not None:
        agent.plan, agent.planned_for = plan, goal


def read_plan(answer: str) -> list[str]:
    """The lines of an answer, without their numbers.

    Raises:
        AnswerError: there are none.
    """
    lines = [line.strip().lstrip("-*0123456789. ") for line in answer.splitlines()]
    plan = [line[:MAX_CHARACTERS] for line in lines if line][:MAX_STEPS]
    if not plan:
        raise AnswerError("the answer is empty")
    return plan
