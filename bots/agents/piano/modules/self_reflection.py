"""Self-reflection: the agent draws insights from recent events and remembers them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.memory_store import Memory
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, line
from voxpolis.bots.prompts import messages
from voxpolis.bots.time import Wait

MAX_INSIGHTS, MAX_CHARACTERS = 3, 160
# The prompt shows at most this many characters of recent memories.
LATELY_CHARACTERS = 1500


class Insights(Answer):
    """Your insights about yourself or others."""

    insights: each(line(MAX_CHARACTERS), MAX_INSIGHTS) = Field(  # type: ignore[valid-type]
        description="Sentences that you want to remember; empty where there is nothing new."
    )


@dataclass(frozen=True)
class Insight:
    """A mark, in ``about``, of memories that are insights of the agent and not events."""


@dataclass(frozen=True)
class ReflectRequest:
    """The data from which the reflection prompt is built.

    ``lately`` contains the recent memories, oldest first.
    """

    role: ClassVar[str] = "reflect"
    answer: ClassVar[type[Insights]] = Insights

    agent: str
    traits: str
    lately: tuple[Memory, ...]

    def messages(self) -> list[Message]:
        lately = "\n".join(memory.text for memory in self.lately)[-LATELY_CHARACTERS:]
        return messages("piano/reflect", name=self.agent, traits=self.traits, lately=lately)


def run(agent: Agent) -> Wait | None:
    """Ask for insights if something has happened since the agent last drew insights."""
    lately = tuple(agent.memory.short)
    if len(lately) < MAX_INSIGHTS or lately[-1] is agent.reflected_on:
        return None
    request = ReflectRequest(agent.name, agent.traits, lately)
    return agent.ask(
        request, lambda answer: tuple(answer.insights), partial(_take, agent, lately[-1])
    )


def _take(agent: Agent, latest: Memory, insights: tuple[str, ...] | None) -> None:
    if insights is None:
        return
    is_latest = agent.memory.short[-1] is latest
    for insight in insights:
        agent.memory.add(agent.time.now(), insight, 0.8, about=Insight())
    if is_latest:  # nothing but insights has been remembered since the question
        agent.reflected_on = agent.memory.short[-1]
