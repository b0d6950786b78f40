"""An assembly that changes its constitution.

Each agent may propose an amendment, and then all agents vote.

The voting rules are those of :mod:`judge.law.constitution`. The words of an adopted amendment
become part of the constitution, but nothing enforces them. Code applies only the numbers that the
amendment sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.asking import ask_or_none
from voxpolis.bots.models import ChatModel, Message
from voxpolis.bots.models.typed import Answer, narrowed
from voxpolis.judge.law.constitution import (
    NUMBERS_ALONE,
    Amendment,
    Ballot,
    Change,
    Choice,
    Constitution,
    Election,
    ballot_type,
    choices_of,
    enact,
    sets_type,
)
from voxpolis.judge.prompts import messages
from voxpolis.records import events

# A note that is added to the words of a proposed amendment.
BY_CONSENT = "(Words, which bind by consent: nothing carries them out.)"


class Proposal(Answer):
    """Your proposal to the assembly."""

    amendment: Change | None = Field(description="One amendment; null to propose nothing.")


@dataclass(frozen=True)
class Voter:
    """A member of the assembly.

    Attributes:
        character: a description of the member's character, for prompts; may be empty.
        world: a description of the world, for prompts.
        known: a text for prompts about everything else that the member knows.
    """

    name: str
    character: str
    world: str
    known: str

    def fields(self) -> dict[str, str]:
        character = f"\n{self.character}" if self.character else ""
        return {"name": self.name, "character": character, "world": self.world, "known": self.known}


@dataclass(frozen=True)
class ProposalRequest:
    """The request for an amendment. ``law`` is the constitution in force."""

    role: ClassVar[str] = "amendments"
    answer: ClassVar[type[Proposal]] = Proposal

    voter: Voter
    law: Constitution

    def messages(self) -> list[Message]:
        return messages(
            "proposal",
            **self.voter.fields(),
            constitution=str(self.law),
            parameters=self.law.settable(),
        )

    def narrow(self) -> type[Proposal]:
        change = narrowed(Change, sets=sets_type(self.law.limits))
        return narrowed(Proposal, amendment=change | None)

    def value(self, answer: Proposal) -> list[Amendment]:
        """Return the proposed amendment, if there is one.

        If the amendment has words, a note that nothing enforces them is added to the words.
        """
        if answer.amendment is None:
            return []
        one = answer.amendment.amendment(1)
        is_bare = one.text == NUMBERS_ALONE
        return [one if is_bare else replace(one, text=f"{one.text} {BY_CONSENT}")]


@dataclass(frozen=True)
class VoteRequest:
    """The request for votes on all amendments. ``law`` is the constitution in force."""

    role: ClassVar[str] = "ballot"
    answer: ClassVar[type[Ballot]] = Ballot

    voter: Voter
    law: Constitution
    amendments: tuple[Amendment, ...]

    def messages(self) -> list[Message]:
        return messages(
            "vote",
            **self.voter.fields(),
            constitution=str(self.law),
            amendments="\n\n".join(map(str, self.amendments)),
        )

    def narrow(self) -> type[Ballot]:
        return ballot_type(len(self.amendments))

    def value(self, answer: Ballot) -> tuple[Choice, ...]:
        return choices_of(answer, len(self.amendments))


async def hold_vote(
    model: ChatModel, law: Constitution, voters: Sequence[Voter], note: Callable[..., object]
) -> Constitution:
    """Hold a vote and return the new constitution.

    Each voter may propose an amendment. Then all voters vote on each amendment.

    If a voter gives no usable answer, the voter proposes nothing or casts no ballot. An amendment
    that repeats another amendment or an existing article is dropped.

    ``note`` records an event. Its arguments are the event's class, the agent's name and the fields.
    """
    proposed: list[Amendment] = []
    for voter in voters:
        question = ProposalRequest(voter, law)
        for one in await ask_or_none(model, voter.name, question) or ():
            is_law = one.text in law.articles and one.sets.items() <= law.parameters.items()
            if is_law or any((one.text, one.sets) == (too.text, too.sets) for too in proposed):
                continue
            proposed.append(replace(one, number=len(proposed) + 1))
            fields = {"number": len(proposed), "text": one.text, "sets": dict(one.sets)}
            note(events.AmendmentProposed, voter.name, **fields)
    if not proposed:
        return law
    election = Election(proposed, [voter.name for voter in voters])
    for voter in voters:
        ballot = VoteRequest(voter, law, tuple(proposed))
        choices = await ask_or_none(model, voter.name, ballot)
        if choices:
            election.cast(voter.name, choices)
            note(events.BallotCast, voter.name, choices=list(choices))
    tallies = election.tally()
    for count in tallies:
        fields = {"yes": count.yes, "no": count.no, "abstain": count.abstain}
        note(events.AmendmentTallied, number=count.number, passed=count.passed, **fields)
    enacted = enact(law, proposed, tallies)
    return replace(enacted, articles=tuple(dict.fromkeys(enacted.articles)))
