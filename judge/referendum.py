"""A village changes its constitution: what it says, amendments made of that, and the vote on them.

Source of the procedure: Altera.AL, "Project Sid" (2024). Every mind is asked at once, and one that
gives no usable answer says nothing, proposes nothing, or casts no ballot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from bots.agents.piano import Agent, Time
from bots.agents.piano.thinking import digest
from judge.constitution import (
    PARAMETERS,
    Amendment,
    Constitution,
    Election,
    read_amendments,
    read_ballot,
)
from records import Event, events

MOST_AMENDMENTS = 5
MAX_CHARACTERS = 600


class Society(Protocol):
    """What a referendum needs of the society that holds it."""

    time: Time

    def note(self, kind: type[Event], agent: str | None = None, **fields: Any) -> None:
        """Record an event."""


async def hear(agents: Sequence[Agent], law: Constitution, society: Society) -> str:
    """What everybody thinks of the constitution, a line each."""

    async def ask(agent: Agent) -> str:
        text = await agent.think(
            "feedback",
            lambda answer: " ".join(answer.split())[:MAX_CHARACTERS],
            prompt="taxation/feedback",
            name=agent.name,
            traits=agent.traits,
            constitution=str(law),
            state=digest(agent),
        )
        if not text:
            return ""
        society.note(events.FeedbackGiven, agent.name, text=text)
        return f"{agent.name}: {text}"

    said = await society.time.together([ask(agent) for agent in agents])
    return "\n".join(line for line in said if line)


async def propose(
    manager: Agent, law: Constitution, feedback: str, society: Society
) -> list[Amendment]:
    """The amendments that an election manager makes of what was said."""
    limits = (f"{name} from {low:g} to {high:g}" for name, (low, high) in PARAMETERS.items())
    found = await manager.think(
        "amendments",
        lambda answer: read_amendments(answer, MOST_AMENDMENTS),
        prompt="taxation/amendments",
        constitution=str(law),
        feedback=feedback or "Nobody said anything.",
        most=str(MOST_AMENDMENTS),
        parameters=", ".join(limits),
    )
    amendments: list[Amendment] = found or []
    for one in amendments:
        fields: dict[str, Any] = {"number": one.number, "text": one.text, "sets": dict(one.sets)}
        society.note(events.AmendmentProposed, manager.name, **fields)
    return amendments


async def vote(
    voters: Sequence[Agent], law: Constitution, amendments: Sequence[Amendment], society: Society
) -> Election:
    """Let everybody vote once on all amendments."""
    election = Election(amendments, [agent.name for agent in voters])
    text, count = "\n".join(map(str, amendments)), len(amendments)

    async def ask(agent: Agent) -> None:
        ballot = await agent.think(
            "ballot",
            lambda answer: read_ballot(answer, count),
            prompt="taxation/ballot",
            name=agent.name,
            traits=agent.traits,
            constitution=str(law),
            amendments=text,
            count=str(count),
            state=digest(agent),
        )
        if ballot is not None:
            election.cast(agent.name, ballot)
            society.note(events.BallotCast, agent.name, choices=list(ballot))

    if amendments:
        await society.time.together([ask(agent) for agent in voters])
    return election
