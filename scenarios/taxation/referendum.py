"""A village changes its constitution: what it says, amendments made of that, and the vote on them.

Source of the procedure: Altera.AL, "Project Sid" (2024). Every mind is asked at once, and one that
gives no usable answer says nothing, proposes nothing, or casts no ballot. Ours: what amendments say
in words is read before the vote, so that people vote on the numbers that will hold; what no number
says passes as words, which a judge applies each season.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from bots.agents.piano import Agent, Digest, digest
from bots.prompts import PromptFolder, quoted
from bots.structured import (
    lines,
    refuse_nothing,
    refuse_question,
    said_text,
    without_explanations,
    without_lead,
    without_leave,
    without_thinking,
)
from experiments.society import SocietyRun
from judge.amendment_shares import check_direction
from judge.ballots import read_ballot
from judge.constitution import (
    Amendment,
    Choice,
    Constitution,
    Election,
    read_amendments,
)
from judge.law_in_words import read_compiled, read_dues
from records import events
from records.text import caseless
from scenarios.taxation.knowledge import LAW

MOST_AMENDMENTS = 5
MAX_CHARACTERS = 600
#: What some models write before an opinion.
_LEAD = caseless(
    r"^(?:(?:my|the|final) )*(?:feedback|opinion|answer|response|output|view|comment)\s*:\s*"
)

render = PromptFolder(Path(__file__).parent / "prompts").render


@dataclass(frozen=True)
class FeedbackRequest:
    """What the question for an opinion is rendered from."""

    role: ClassVar[str] = "feedback"

    agent: str
    traits: str
    law: Constitution
    digest: Digest

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "feedback",
            name=self.agent,
            traits=self.traits,
            constitution=str(self.law),
            state=str(self.digest.without(LAW)),
        )

    def read(self, answer: str) -> str:
        """Return what somebody thinks; see :func:`read_feedback`."""
        return read_feedback(answer)


@dataclass(frozen=True)
class AmendmentsRequest:
    """What the question for amendments is rendered from; ``feedback``: name → what it said."""

    role: ClassVar[str] = "amendments"

    law: Constitution
    feedback: Mapping[str, str]

    def prompt(self) -> str:
        """Return the question in words."""
        said = "\n".join(quoted(f"{name}: {text}") for name, text in self.feedback.items())
        return render(
            "amendments",
            constitution=str(self.law),
            feedback=said or "Nobody said anything.",
            most=str(MOST_AMENDMENTS),
            parameters=_parameters(self.law),
        )

    def read(self, answer: str) -> list[Amendment]:
        """Return the amendments; see :func:`judge.constitution.read_amendments`."""
        found = read_amendments(answer, self.law.limits, MOST_AMENDMENTS)
        _check_directions(found, self.law)
        return found


def _check_directions(amendments: Sequence[Amendment], law: Constitution) -> None:
    """Refuse amendments whose words and numbers go different ways; see :func:`check_direction`."""
    for one in amendments:
        check_direction(one.number, one.text, one.sets, law.parameters)


@dataclass(frozen=True)
class CompileRequest:
    """What the question for the numbers that amendments change is rendered from."""

    role: ClassVar[str] = "compile"

    law: Constitution
    amendments: tuple[Amendment, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "compile",
            constitution=str(self.law),
            amendments="\n".join(map(str, self.amendments)),
            parameters=_parameters(self.law),
        )

    def read(self, answer: str) -> tuple[Amendment, ...]:
        """Return the amendments as they are understood; see :func:`read_compiled`."""
        found = read_compiled(answer, self.amendments, self.law.limits)
        _check_directions(found, self.law)
        return found


@dataclass(frozen=True)
class AssessRequest:
    """What the question for what each owes is rendered from; ``held``: name → item → count."""

    role: ClassVar[str] = "assess"

    law: Constitution
    season: int
    held: Mapping[str, Mapping[str, int]]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "assess",
            constitution=str(self.law),
            season=str(self.season),
            people="\n".join(f"{name}: {_pieces(items)}" for name, items in self.held.items()),
        )

    def read(self, answer: str) -> Mapping[str, float]:
        """Return what share each owes; see :func:`read_dues`."""
        return read_dues(answer, list(self.held))


def _parameters(law: Constitution) -> str:
    return ", ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in law.limits.items())


def _pieces(items: Mapping[str, int]) -> str:
    parts = ", ".join(f"{count} {item}" for item, count in sorted(items.items()) if count)
    return f"{sum(items.values())} in all ({parts or 'nothing'})"


@dataclass(frozen=True)
class BallotRequest:
    """What the question for a vote is rendered from."""

    role: ClassVar[str] = "ballot"

    agent: str
    traits: str
    law: Constitution
    amendments: tuple[Amendment, ...]
    digest: Digest

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "ballot",
            name=self.agent,
            traits=self.traits,
            constitution=str(self.law),
            amendments="\n".join(map(str, self.amendments)),
            count=str(len(self.amendments)),
            state=str(self.digest.without(LAW)),
        )

    def read(self, answer: str) -> tuple[Choice, ...]:
        """Return the ballot; see :func:`judge.ballots.read_ballot`."""
        return read_ballot(answer, len(self.amendments))


def read_feedback(answer: str) -> str:
    """Return what somebody thinks, in one line.

    Raises:
        AnswerError: it says nothing, or what another question asks for.
    """
    own = "\n".join(without_explanations(said_text(without_thinking(answer)).splitlines()))
    text = _LEAD.sub("", " ".join(without_leave(without_lead(lines(own)))))[:MAX_CHARACTERS]
    refuse_nothing(text)
    refuse_question(text)
    return text


async def hear(agents: Sequence[Agent], law: Constitution, run: SocietyRun) -> dict[str, str]:
    """Return what each agent thinks of the constitution, by name; who says nothing is left out."""

    async def ask(agent: Agent) -> str:
        request = FeedbackRequest(agent.name, agent.traits, law, digest(agent))
        text = await agent.think(request, request.read)
        if text:
            run.note(events.FeedbackGiven, agent.name, text=text)
        return text or ""

    said = await run.time.together([ask(agent) for agent in agents])
    return {agent.name: text for agent, text in zip(agents, said, strict=True) if text}


async def propose(
    manager: Agent, law: Constitution, feedback: Mapping[str, str], run: SocietyRun
) -> tuple[Amendment, ...]:
    """Return the amendments that an election manager makes of what was said, as they are voted on:
    with the numbers that their words change, and whether a judge must apply them.
    """
    request = AmendmentsRequest(law, feedback)
    found = await manager.think(request, request.read)
    amendments = await _compile(manager, law, tuple(found or ()))
    for one in amendments:
        run.note(
            events.AmendmentProposed,
            manager.name,
            number=one.number,
            text=one.text,
            sets=dict(one.sets),
            judged=one.is_judged,
        )
    return amendments


async def _compile(
    manager: Agent, law: Constitution, amendments: tuple[Amendment, ...]
) -> tuple[Amendment, ...]:
    """Return amendments as a reader of laws understands them; where it fails a judge will read."""
    if not amendments:
        return ()
    request = CompileRequest(law, amendments)
    found = await manager.think(request, request.read)
    if found is None:
        return tuple(replace(one, is_judged=not one.sets) for one in amendments)
    return found


async def assess(
    manager: Agent,
    law: Constitution,
    season: int,
    held: Mapping[str, Mapping[str, int]],
    run: SocietyRun,
) -> Mapping[str, float]:
    """Return the share of 1 that the law asks of each now; empty where nobody can say.

    Only a law that its numbers do not say in full needs a judge.
    """
    if not law.is_judged:
        return {}
    request = AssessRequest(law, season, held)
    dues = await manager.think(request, request.read)
    for name, share in (dues or {}).items():
        run.note(events.TaxAssessed, name, season=season, share=share)
    return dues or {}


async def vote(
    voters: Sequence[Agent], law: Constitution, amendments: tuple[Amendment, ...], run: SocietyRun
) -> Election:
    """Let everybody vote once on all amendments, and return the election."""
    election = Election(amendments, [agent.name for agent in voters])

    async def ask(agent: Agent) -> None:
        request = BallotRequest(agent.name, agent.traits, law, amendments, digest(agent))
        ballot = await agent.think(request, request.read)
        if ballot is not None:
            election.cast(agent.name, ballot)
            run.note(events.BallotCast, agent.name, choices=list(ballot))

    if amendments:
        await run.time.together([ask(agent) for agent in voters])
    return election
