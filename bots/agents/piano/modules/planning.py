"""Planning: a goal becomes a few steps, whenever the goal has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.prompts import render
from bots.structured import alone, short_lines

MAX_STEPS, MAX_CHARACTERS = 5, 100
#: So many are read, of which the first count.
_MANY = 100


@dataclass(frozen=True)
class PlanRequest:
    """What the prompt for a plan is rendered from."""

    role: ClassVar[str] = "plan"

    agent: str
    goal: str
    digest: Digest

    def prompt(self) -> str:
        """Return the question in words."""
        return render("piano/plan", name=self.agent, goal=self.goal, state=str(self.digest))


async def run(agent: Agent) -> None:
    """Ask for a plan, if there is a goal without one."""
    if not agent.goal or agent.planned_for == agent.goal:
        return
    goal = agent.goal
    plan = await agent.think(PlanRequest(agent.name, goal, digest(agent)), read_plan)
    if plan is not None:
        agent.plan, agent.planned_for = plan, goal


def read_plan(answer: str) -> list[str]:
    """Return the steps of an answer, without their numbers.

    Raises:
        AnswerError: there are none, or one says nothing.
    """
    return alone(
        answer,
        lambda text: short_lines(text, _MANY, MAX_CHARACTERS),
        ("what", "step", "steps", "goal", "new", "updated", "revised"),
        free=True,
    )[:MAX_STEPS]
