"""Social awareness: what others say changes what the agent thinks of them, and of the matter."""

from __future__ import annotations

import re

from bots.structured import AnswerError
from bots.agents.piano.agent import Agent

_LIKES = re.compile(r"^\s*LIKES\s+(\S+)\s+(\d+)\s*$", re.MULTILINE)
_BELIEVES = re.compile(r"^\s*BELIEVES\s+([^:\n]{1,40}):\s*(.{1,200}?)\s*$", re.MULTILINE)
LOWEST, HIGHEST = 0, 10
MAX_HEARD = 12


async def run(agent: Agent) -> None:
    """Think about what was heard since the last time, if anything was."""
    if not agent.unjudged:
        return
    heard = [agent.unjudged.popleft() for _ in range(min(MAX_HEARD, len(agent.unjudged)))]
    told = "\n".join(f"{one.speaker}: {one.text}" for one in heard)
    known = ((one.speaker, agent.sentiments.get(one.speaker)) for one in heard)
    likes = "; ".join(sorted({f"{who} {v} of 10" for who, v in known if v is not None}))
    found = await agent.think(
        "social", read_social, name=agent.name, traits=agent.traits, heard=told, likes=likes or "-"
    )
    if found is None:
        return
    likings, beliefs = found
    for who, value in likings.items():
        if agent.sentiments.get(who) != value:
            agent.sentiments[who] = value
            agent.note("sentiment", about=who, value=value)
    agent.beliefs.update(beliefs)


def read_social(answer: str) -> tuple[dict[str, int], dict[str, str]]:
    """Likings from 0 to 10 by name, and beliefs by subject.

    Raises:
        AnswerError: there is no line of either form, nor the word NOTHING.
    """
    likings = {who: int(value) for who, value in _LIKES.findall(answer)}
    beliefs = dict(_BELIEVES.findall(answer))
    if any(not LOWEST <= value <= HIGHEST for value in likings.values()):
        raise AnswerError("a liking is a number from 0 to 10")
    if not likings and not beliefs and "NOTHING" not in answer.upper():
        raise AnswerError("there is no line LIKES or BELIEVES, nor NOTHING")
    return likings, beliefs
