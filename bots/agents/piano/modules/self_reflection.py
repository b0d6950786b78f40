"""Self-reflection: out of what happened lately, insights that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.memory_store import Memory
from bots.prompts import render
from bots.structured import listed

MAX_INSIGHTS, MAX_CHARACTERS = 3, 160
#: How much of what happened lately the agent thinks about.
LATELY_CHARACTERS = 1500


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
    """Ask for insights, if there is something to think about."""
    if len(agent.memory.short) < MAX_INSIGHTS:
        return
    request = ReflectRequest(agent.name, agent.traits, tuple(agent.memory.short))
    insights = await agent.think(request, read_insights)
    for insight in insights or ():
        agent.memory.add(agent.time.now(), insight, 0.8)


def read_insights(answer: str) -> list[str]:
    """Return up to three lines.

    Raises:
        AnswerError: there is none.
    """
    return [insight[:MAX_CHARACTERS] for insight in listed(answer)][:MAX_INSIGHTS]
