"""Social awareness: what others say changes what the agent thinks of them, and of the matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent, Heard
from bots.prompts import render
from bots.structured import AnswerError
from records import events

_LIKES = re.compile(r"^\s*LIKES\s+(\S+)\s+(\d+)\s*$", re.MULTILINE)
_BELIEVES = re.compile(r"^\s*BELIEVES\s+([^:\n]{1,40}):\s*(.{1,200}?)\s*$", re.MULTILINE)
LOWEST, HIGHEST = 0, 10
MAX_HEARD = 12


@dataclass(frozen=True)
class SocialRequest:
    """What the prompt about things heard is rendered from.

    ``liked``: how much the agent liked the speakers before, name → 0 to 10.
    """

    role: ClassVar[str] = "social"

    agent: str
    traits: str
    heard: tuple[Heard, ...]
    liked: Mapping[str, int]

    def prompt(self) -> str:
        """Return the question in words."""
        liked = "; ".join(sorted(f"{name} {value} of 10" for name, value in self.liked.items()))
        return render(
            "piano/social",
            name=self.agent,
            traits=self.traits,
            heard="\n".join(f"{one.speaker}: {one.text}" for one in self.heard),
            likes=liked or "-",
        )


async def run(agent: Agent) -> None:
    """Think about what was heard since the last time, if anything was."""
    if not agent.unjudged:
        return
    count = min(MAX_HEARD, len(agent.unjudged))
    heard = tuple(agent.unjudged.popleft() for _ in range(count))
    known = agent.sentiments
    liked = {one.speaker: known[one.speaker] for one in heard if one.speaker in known}
    request = SocialRequest(agent.name, agent.traits, heard, liked)
    found = await agent.think(request, read_social)
    if found is None:
        return
    likings, beliefs = found
    for name, value in likings.items():
        if agent.sentiments.get(name) != value:
            agent.sentiments[name] = value
            agent.note(events.SentimentChanged, about=name, value=value)
    agent.beliefs.update(beliefs)


def read_social(answer: str) -> tuple[dict[str, int], dict[str, str]]:
    """Return likings from 0 to 10 by name, and beliefs by subject.

    Raises:
        AnswerError: there is no line of either form, nor the word NOTHING.
    """
    likings = {name: int(value) for name, value in _LIKES.findall(answer)}
    beliefs = dict(_BELIEVES.findall(answer))
    if any(not LOWEST <= value <= HIGHEST for value in likings.values()):
        raise AnswerError("a liking is a number from 0 to 10")
    if not likings and not beliefs and "NOTHING" not in answer.upper():
        raise AnswerError("there is no line LIKES or BELIEVES, nor NOTHING")
    return likings, beliefs
