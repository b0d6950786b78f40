"""Talking: speech that follows from the controller's decision, if there are hearers."""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.agents.piano.task import Decision
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, line, maybe
from voxpolis.bots.prompts import messages
from voxpolis.bots.values import made_often
from voxpolis.records import events

MAX_CHARACTERS = 240


class Talk(Answer):
    """Your words, spoken aloud."""

    say: maybe(line(MAX_CHARACTERS)) = Field(  # type: ignore[valid-type]
        description="Your words to those near you, as you speak them; null: you say nothing."
    )


# Answer of an agent that stays silent.
SILENT = Talk(say=None)


@made_often
class TalkRequest:
    """Values for the speech prompt.

    ``decision``: the controller's decision; None if speech does not depend on it.
    """

    role: ClassVar[str] = "talk"
    answer: ClassVar[type[Talk]] = Talk

    agent: str
    traits: str
    decision: Decision | None
    digest: Digest

    def messages(self) -> list[Message]:
        decision = self.decision
        return messages(
            "piano/talk",
            name=self.agent,
            traits=self.traits,
            decision="not known to you" if decision is None else str(decision.action),
            about=(decision.about if decision else "") or "whatever is on your mind",
            state=str(self.digest),
        )


def run(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Say something if an agent is near and the mind wants to speak."""
    if not agent.body.near():
        return None
    decision = agent.task.decision if agent.broadcast else None
    request = TalkRequest(agent.name, agent.traits, decision, digest(agent))
    return agent.ask(request, lambda answer: answer.say or "", partial(speak, agent))


def speak(agent: Agent, text: str | None) -> None:
    """Let an agent say the text, unless it is empty."""
    if text:
        spoken(agent, text, agent.body.say(text))


def spoken(agent: Agent, text: str, hearers: list[str]) -> None:
    """Record and remember an agent's utterance; ``hearers`` are the agents that heard it."""
    told = f"I said: {text}"
    agent.happened(told)
    agent.memory.add(agent.time.now(), told, 0.2)
    agent.note(events.Spoke, text=text, hearers=hearers)
