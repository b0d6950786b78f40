"""Planning: the agent divides its goal into a few steps whenever the goal changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, line
from voxpolis.bots.prompts import messages
from voxpolis.bots.time import Wait

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


def run(agent: Agent) -> Wait | None:
    """Ask for a plan if there is none for the current goal."""
    if not agent.goal or agent.planned_for == agent.goal:
        return None
    request = PlanRequest(agent.name, agent.goal, digest(agent))
    return agent.ask(request, lambda answer: list(answer.steps), partial(_take, agent, agent.goal))


def _take(agent: Agent, goal: str, steps: list[str] | None) -> None:
    if steps is not None:
        agent.plan, agent.planned_for = steps, goal
