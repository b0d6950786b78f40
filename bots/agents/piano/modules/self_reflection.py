"""Self-reflection: out of what happened lately, insights that are kept."""

from __future__ import annotations

from bots.structured import AnswerError
from bots.agents.piano.agent import Agent

MAX_INSIGHTS, MAX_CHARACTERS = 3, 160


async def run(agent: Agent) -> None:
    """Ask for insights, if there is something to think about."""
    if len(agent.memory.short) < MAX_INSIGHTS:
        return
    lately = "\n".join(memory.text for memory in agent.memory.short)[-1500:]
    insights = await agent.think(
        "reflect", read_insights, name=agent.name, traits=agent.traits, lately=lately
    )
    for insight in insights or ():
        agent.memory.add(agent.time.now(), insight, 0.8)


def read_insights(answer: str) -> list[str]:
    """Up to three lines.

    Raises:
        AnswerError: there is none.
    """
    lines = [line.strip().lstrip("-*0123456789. ") for line in answer.splitlines()]
    found = [line[:MAX_CHARACTERS] for line in lines if line][:MAX_INSIGHTS]
    if not found:
        raise AnswerError("the answer is empty")
    return found
