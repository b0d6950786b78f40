"""Talking: the agent speaks in accordance with the controller's decision, if anyone is near."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.agents.piano.task import Decision
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, line, maybe
from voxpolis.bots.prompts import messages
from voxpolis.bots.time import Wait
from voxpolis.bots.values import made_often
from voxpolis.records import events

MAX_CHARACTERS = 240


class Talk(Answer):
    """Your words, spoken aloud."""

    say: maybe(line(MAX_CHARACTERS)) = Field(  # type: ignore[valid-type]
        description="Your words to those near you, as you speak them; null: you say nothing."
    )


# The answer of an agent that says nothing.
SILENT = Talk(say=None)


@made_often
class TalkRequest:
    """The data from which the speech prompt is built.

    ``decision`` is the controller's decision; None if decisions are not broadcast, in which case
    the agent speaks without knowing the decision.
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


def run(agent: Agent) -> Wait | None:
    """Ask the mind for something to say, if another agent is near."""
    if not agent.body.near():
        return None
    decision = agent.task.decision if agent.broadcast else None
    request = TalkRequest(agent.name, agent.traits, decision, digest(agent))
    return agent.ask(request, lambda answer: answer.say or "", partial(speak, agent))


def speak(agent: Agent, text: str | None) -> None:
    """Make an agent say the text, unless the text is empty."""
    if text:
        spoken(agent, text, agent.body.say(text))


def spoken(agent: Agent, text: str, hearers: list[str]) -> None:
    """Record that an agent said something, and store the words in the agent's memory.

    ``hearers`` are the names of the agents that heard the words.
    """
    told = f"I said: {text}"
    agent.happened(told)
    agent.memory.add(agent.time.now(), told, 0.2)
    agent.note(events.Spoke, text=text, hearers=hearers)
