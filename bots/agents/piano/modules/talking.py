"""Talking: words that follow from the controller's decision, where somebody can hear them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.agents.piano.task import Decision
from bots.prompts import render
from bots.structured import AnswerError
from records import events

MAX_CHARACTERS = 240
SILENT = "SILENT"


@dataclass(frozen=True)
class TalkRequest:
    """What the prompt for speech is rendered from.

    ``decision``: what the controller decided; None where speech is not told.
    """

    role: ClassVar[str] = "talk"

    agent: str
    traits: str
    decision: Decision | None
    digest: Digest

    def prompt(self) -> str:
        """Return the question in words."""
        decision = self.decision
        return render(
            "piano/talk",
            name=self.agent,
            traits=self.traits,
            decision="not known to you" if decision is None else str(decision.action),
            about=(decision.about if decision else "") or "whatever is on your mind",
            state=str(self.digest),
        )


async def run(agent: Agent) -> None:
    """Say something, if somebody is near and the mind wants to."""
    if not agent.body.near():
        return
    decision = agent.task.decision if agent.broadcast else None
    request = TalkRequest(agent.name, agent.traits, decision, digest(agent))
    text = await agent.think(request, read_talk)
    if not text:
        return
    hearers = agent.body.say(text)
    agent.happened(f"I said: {text}")
    agent.memory.add(agent.time.now(), f"I said: {text}", 0.2)
    agent.note(events.Spoke, text=text, hearers=hearers)


def read_talk(answer: str) -> str:
    """Return one line of speech; empty: the agent says nothing.

    Raises:
        AnswerError: there is no line at all.
    """
    lines = [line.strip().strip('"') for line in answer.splitlines() if line.strip()]
    if not lines:
        raise AnswerError("the answer is empty")
    return "" if lines[0].upper().startswith(SILENT) else lines[0][:MAX_CHARACTERS]
