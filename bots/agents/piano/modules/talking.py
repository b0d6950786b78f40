"""Talking: words that follow from the controller's decision, where somebody can hear them."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import ClassVar

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.agents.piano.task import Decision
from bots.prompts import render
from bots.structured import AnswerError, listed, tagged, unboxed
from records import events

MAX_CHARACTERS = 240
SILENT = "SILENT"
#: A line that is nothing but words in quotation marks, with or without the speaker's name.
_QUOTED = re.compile(r"(?:\w+\s*:\s*)?\"[^\"]+\"")
_NAMED = re.compile(r"^\w+\s*:\s*")
#: What speech may be called, where it has a tag.
_TAGS = ("SAY", "SPEECH", "ALOUD", "ANSWER", "FINAL ANSWER", "MESSAGE", "RESPONSE", "TEXT")
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
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
        AnswerError: there is no line at all, or nobody knows which one is speech.
    """
    said = [value for _, value in tagged(answer, _TAGS) if value][:1] or _untagged(answer)
    said = [text for line in said if (text := _STAGE.sub("", line).strip('" '))]
    if not said:
        raise AnswerError("the answer is empty")
    words = [line.strip("[]().*").upper() for line in said]
    if words[0].startswith(SILENT) or SILENT in words:
        return ""
    if len(said) > 1:
        raise AnswerError("the answer says several things; write one line")
    return said[0][:MAX_CHARACTERS]


def _untagged(answer: str) -> list[str]:
    """Return the lines in quotation marks, or the first line of each paragraph.

    Raises:
        AnswerError: the answer says nothing.
    """
    quoted = [line for line in listed(answer) if _QUOTED.fullmatch(line)]
    if quoted:
        return [_NAMED.sub("", line) for line in quoted]
    firsts: list[str] = []
    for paragraph in _PARAGRAPHS.split(unboxed(answer)):
        with contextlib.suppress(AnswerError):  # a heading, a fence, a pleasantry
            firsts.append(listed(paragraph)[0])
    return firsts
