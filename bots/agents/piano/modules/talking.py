"""Talking: words that follow from the controller's decision, where somebody can hear them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.agents.piano.task import Decision
from bots.prompts import render
from bots.structured import AnswerError, listed, tagged
from records import events

MAX_CHARACTERS = 240
SILENT = "SILENT"
#: A line that is nothing but words in quotation marks, with or without the speaker's name.
_QUOTED = re.compile(r"(?:\w+\s*:\s*)?\"[^\"]+\"")
_NAMED = re.compile(r"^\w+\s*:\s*")
#: What is done while speaking: (smiles).
_STAGE = re.compile(r"^\([^)]*\)|\([^)]*\)$")


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
    said = [value for _, value in tagged(answer, ("SAY", "SPEECH", "ALOUD")) if value]
    said = said or listed(answer)
    quoted = [line for line in said if _QUOTED.fullmatch(line)]
    if len(quoted) > 1:
        raise AnswerError("the answer says several things; write one line")
    line = _STAGE.sub("", (quoted or said)[0]).strip()
    line = (_NAMED.sub("", line) if quoted else line).strip('" ')
    if not line:
        raise AnswerError("the answer is empty")
    return "" if line.strip("[]().*").upper().startswith(SILENT) else line[:MAX_CHARACTERS]
