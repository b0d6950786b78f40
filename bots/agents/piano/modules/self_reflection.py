"""Self-reflection: out of what happened lately, insights that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.memory_store import Memory
from bots.prompts import render
from bots.structured import alone, short_lines

MAX_INSIGHTS, MAX_CHARACTERS = 3, 160
#: So many are read, of which the first count.
_MANY = 100
#: How much of what happened lately the agent thinks about.
LATELY_CHARACTERS = 1500


@dataclass(frozen=True)
class Insight:
    """What a memory is about that is an insight of one's own, not something that happened."""


@dataclass(frozen=True)
class ReflectRequest:
    """What the prompt for insights is rendered from; ``lately``: memories, the newest last."""

    role: ClassVar[str] = "reflect"

    agent: str
    traits: str
    lately: tuple[Memory, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        lately = "\n".join(memory.text for memory in self.lately)[-LATELY_CHARACTERS:]
        return render("piano/reflect", name=self.agent, traits=self.traits, lately=lately)


async def run(agent: Agent) -> None:
    """Ask for insights, if something happened since the last ones."""
    lately = tuple(agent.memory.short)
    if len(lately) < MAX_INSIGHTS or lately[-1] is agent.reflected_on:
        return
    insights = await agent.think(ReflectRequest(agent.name, agent.traits, lately), read_insights)
    if insights is None:
        return
    is_latest = agent.memory.short[-1] is lately[-1]
    for insight in insights:
        agent.memory.add(agent.time.now(), insight, 0.8, about=Insight())
    if is_latest:  # nothing but the insights themselves came after what they are about
        agent.reflected_on = agent.memory.short[-1]


def read_insights(answer: str) -> list[str]:
    """Return up to three lines.

    Raises:
        AnswerError: there is none, or one says nothing.
    """
    return alone(
        answer,
        lambda text: short_lines(text, _MANY, MAX_CHARACTERS),
        ("insight", "insights", "lessons", "lesson", "reflections", "learned"),
        free=True,
    )[:MAX_INSIGHTS]
