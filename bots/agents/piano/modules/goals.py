"""Goal generation: the agent sets itself a social goal, and reviews it after news."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent, Basis
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, line, maybe, narrowed
from voxpolis.bots.prompts import messages
from voxpolis.bots.time import Wait
from voxpolis.bots.values import made_often
from voxpolis.records import events

MAX_CHARACTERS = 200
# A prompt shows how much the agent likes this many other agents, most liked first.
MOST_OTHERS = 5
# Age in seconds after which the agent reviews a goal even if there is no news; our value.
STANDS_FOR_S = 300.0


class Goal(Answer):
    """The goal that you want to bring about."""

    goal: maybe(line(MAX_CHARACTERS)) = Field(  # type: ignore[valid-type]
        description="What you want to bring about, in one sentence; null: keep the goal you have."
    )


NewGoal = narrowed(Goal, goal=(line(MAX_CHARACTERS), Field(description="In one sentence.")))


@made_often
class GoalRequest:
    """The data from which the goal prompt is built.

    Attributes:
        liked: how much the agent likes others, from 0 to 10, most liked first.
        profiles: one line about each known agent; None if the agent writes no profiles.
    """

    role: ClassVar[str] = "goal"
    answer: ClassVar[type[Goal]] = Goal

    agent: str
    traits: str
    liked: Mapping[str, int]
    digest: Digest
    profiles: Mapping[str, str] | None = None

    def narrow(self) -> type[Goal]:
        """Return the answer type.

        An agent without a goal must name a goal. An agent with a goal can keep this goal.
        """
        return Goal if self.digest.goal else NewGoal

    def messages(self) -> list[Message]:
        own = {"name": self.agent, "traits": self.traits, "state": str(self.digest)}
        if self.profiles is not None:
            known = "\n".join(f"{name}: {text}" for name, text in self.profiles.items())
            return messages("piano/social_goal", profiles=known or "(nobody)", **own)
        others = "; ".join(f"{name} {value} of 10" for name, value in self.liked.items())
        return messages("piano/goal", others=others or "nobody yet", **own)


def question(agent: Agent) -> GoalRequest:
    """Build the question that asks an agent for its goal now."""
    liked = dict(sorted(agent.sentiments.items(), key=lambda pair: -pair[1])[:MOST_OTHERS])
    known = None if agent.profiles is None else dict(agent.profiles)
    return GoalRequest(agent.name, agent.traits, liked, digest(agent), known)


def strive(agent: Agent, goal: str) -> None:
    """Set an agent's goal. Record the goal if it has changed."""
    if goal != agent.goal:
        agent.goal = goal
        agent.note(events.GoalSet, text=goal)


def run(agent: Agent) -> Wait | None:
    """Ask for a goal if there is news or the goal is old.

    If no answer is usable, the agent keeps its goal.
    """
    request = question(agent)
    known = (tuple(request.liked.items()), request.profiles, request.digest.news)
    basis = Basis(request.digest.t, known)
    before = agent.goal_follows
    is_old = before is not None and round(basis.t - before.t) >= STANDS_FOR_S
    if before is not None and before.known == basis.known and not is_old:
        return None

    def read(answer: Goal) -> str:
        return answer.goal or agent.goal

    return agent.ask(request, read, partial(_take, agent, basis))


def _take(agent: Agent, basis: Basis, goal: str | None) -> None:
    if goal is not None:
        agent.goal_follows = basis
        strive(agent, goal)
