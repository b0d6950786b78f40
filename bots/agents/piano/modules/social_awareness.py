"""Social awareness: what others say changes what the agent thinks of them, and of the matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent, Heard
from bots.prompts import render
from bots.structured import AnswerError, lines
from records import events

_LIKES = re.compile(
    r"LIKES?\b[:\s]+(?P<name>\w[\w']*(?:[ -]\w[\w']*){0,2}?)(?:\s+|\s*[:=,(]\s*|\s+-\s+)"
    r"(?P<number>-?\d+)(?!\.?\d)\s*"
    r"(?:(?:/|of|out of)\s*10\b.*|[(,;\u2013\u2014-].*|\.)?",
    re.IGNORECASE,
)
_LIKES_HEAD = re.compile(r"LIKES\b")
_BELIEVES = re.compile(r"BELIEVES?\b[:\s]+([^:]{1,40}?)\s*:\s*(.{1,200})", re.IGNORECASE)
_NOTHING = re.compile(r"(?:.*\W)?NOTHING\W*", re.IGNORECASE)
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
    said = lines(answer)
    likings = {m[1].strip(): int(m[2]) for line in said if (m := _LIKES.fullmatch(line))}
    beliefs = {m[1]: m[2].strip() for line in said if (m := _BELIEVES.fullmatch(line))}
    if any(not LOWEST <= value <= HIGHEST for value in likings.values()):
        raise AnswerError("a liking is a number from 0 to 10")
    if any(_LIKES_HEAD.match(line) and not _LIKES.fullmatch(line) for line in said):
        raise AnswerError("a liking is one line: LIKES name number")
    if not likings and not beliefs and not any(_NOTHING.fullmatch(line) for line in said):
        raise AnswerError("there is no line LIKES or BELIEVES, nor NOTHING")
    return likings, beliefs
