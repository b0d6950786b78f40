"""Talking: words that follow from the controller's decision, where somebody can hear them."""

from __future__ import annotations

from bots.structured import AnswerError
from bots.agents.piano.agent import Agent
from bots.agents.piano.thinking import digest

MAX_CHARACTERS = 240
SILENT = "SILENT"


async def run(agent: Agent) -> None:
    """Say something, if somebody is near and the mind wants to."""
    if not agent.body.near():
        return
    decided = f"{agent.decision.action}" if agent.broadcast else "not known to you"
    about = agent.decision.about if agent.broadcast else ""
    text = await agent.think(
        "talk",
        read_talk,
        name=agent.name,
        traits=agent.traits,
        decision=decided,
        about=about or "whatever is on your mind",
        state=digest(agent),
    )
    if not text:
        return
    hearers = agent.body.say(text)
    agent.working.append(f"I said: {text}")
    agent.memory.add(agent.time.now(), f"I said: {text}", 0.2)
    agent.note("spoke", text=text, hearers=hearers)


def read_talk(answer: str) -> str:
    """One line of speech; empty: the agent says nothing.

    Raises:
        AnswerError: there is no line at all.
    """
    lines = [line.strip().strip('"') for line in answer.splitlines() if line.strip()]
    if not lines:
        raise AnswerError("the answer is empty")
    return "" if lines[0].upper().startswith(SILENT) else lines[0][:MAX_CHARACTERS]
