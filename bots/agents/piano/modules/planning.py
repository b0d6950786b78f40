"""Planning: the agent divides its goal into a few steps whenever the goal changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, line
from voxpolis.bots.prompts import messages

MAX_STEPS, MAX_CHARACTERS = 5, 100


class Plan(Answer):
    """Steps that lead to your goal."""

    steps: each(line(MAX_CHARACTERS), MAX_STEPS, 1) = Field(  # type: ignore[valid-type]
        description="Short sentences, the first step first."
    )


@dataclass(frozen=True)
class PlanRequest:
    """The data from which the planning prompt is built."""

    role: ClassVar[str] = "plan"
    answer: ClassVar[type[Plan]] = Plan

    agent: str
    goal: str
    digest: Digest

    def messages(self) -> list[Message]:
        return messages("piano/plan", name=self.agent, goal=self.goal, state=str(self.digest))


async def run(agent: Agent) -> None:
    """Ask for a plan if there is none for the current goal."""
    if not agent.goal or agent.planned_for == agent.goal:
        return
    goal = agent.goal
    steps = await agent.think(
        PlanRequest(agent.name, goal, digest(agent)), lambda answer: list(answer.steps)
    )
    if steps is not None:
        agent.plan, agent.planned_for = steps, goal
