"""Goal generation: a social goal, made again from what is known of others."""

from __future__ import annotations

from bots.structured import AnswerError
from bots.agents.piano.agent import Agent
from bots.agents.piano.thinking import digest

MAX_CHARACTERS = 200


async def run(agent: Agent) -> None:
    """Ask for a goal; without an answer the old one stays."""
    liked = sorted(agent.sentiments.items(), key=lambda pair: -pair[1])[:5]
    others = "; ".join(f"{name} {value} of 10" for name, value in liked) or "nobody yet"
    goal = await agent.think(
        "goal", read_goal, name=agent.name, traits=agent.traits, others=others, state=digest(agent)
    )
    if goal is not None and goal != agent.goal:
        agent.goal = goal
        agent.note("goal", text=goal)


def read_goal(answer: str) -> str:
    """The first line of an answer.

    Raises:
        AnswerError: there is none.
    """
    for line in answer.splitlines():
        if line.strip():
            return line.strip().removeprefix("GOAL:").strip()[:MAX_CHARACTERS]
    raise AnswerError("the answer is empty")
