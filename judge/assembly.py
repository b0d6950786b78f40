"""An assembly changes its constitution: each agent may propose one amendment, and then all vote.

The procedure of votes is that of :mod:`judge.constitution`. What an amendment says in words stands
in the constitution, as words that bind by consent; only the numbers that it sets are applied
(:mod:`judge.assembly_words`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from bots.agents.cooperation.asking import asked_in_words
from bots.models import ChatModel
from bots.prompts import quoted
from bots.structured import alone, own_words
from judge.amendment_shares import check_direction
from judge.assembly_words import BY_CONSENT, check_words, refuse_below_sets
from judge.ballots import read_ballot
from judge.constitution import (
    NUMBERS_ALONE,
    Amendment,
    Choice,
    Constitution,
    Election,
    enact,
    read_amendments,
)
from judge.prompts import render
from records import events

#: Words that say nothing beside an amendment.
_PROPOSING = own_words("set amendment amendments proposal proposals propose proposed none law 1")


@dataclass(frozen=True)
class Voter:
    """Who is asked.

    Attributes:
        name: the agent.
        character: what it is told of its character; empty: nothing.
        world: what it is told of the world.
        known: what it knows besides, in words.
    """

    name: str
    character: str
    world: str
    known: str

    def fields(self) -> dict[str, str]:
        """Return what prompts begin with."""
        character = f"\n{self.character}" if self.character else ""
        return {"name": self.name, "character": character, "world": self.world, "known": self.known}


@dataclass(frozen=True)
class ProposalRequest:
    """What the question for an amendment is rendered from; ``law`` is what holds."""

    role: ClassVar[str] = "amendments"

    voter: Voter
    law: Constitution

    def prompt(self) -> str:
        """Return the question in words."""
        limits = self.law.limits.items()
        return render(
            "proposal",
            **self.voter.fields(),
            constitution=str(self.law),
            number=next(iter(self.law.limits), "NAME"),
            parameters=", ".join(f"{n} from {low:g} to {high:g}" for n, (low, high) in limits),
        )

    def read(self, answer: str) -> list[Amendment]:
        """Return at most one amendment, whose words say that they bind by consent.

        Raises:
            AnswerError: see :func:`judge.constitution.read_amendments`, or its words would change
                what code carries out.
        """
        limits = self.law.limits
        own = _PROPOSING.union(limits, *(name.split("_") for name in limits))

        def read(text: str) -> list[Amendment]:
            return read_amendments(text, limits, 1)

        if not read(answer):
            return []  # which binds nobody
        found = alone(answer, read, own, free=True, binds=True)
        if any(one.sets for one in found):
            refuse_below_sets(answer, own)
        for one in found:
            check_words(one, self.law)
            check_direction(one.number, one.text, one.sets, self.law.parameters)
        return [
            one if one.text == NUMBERS_ALONE else replace(one, text=f"{one.text} {BY_CONSENT}")
            for one in found
        ]


@dataclass(frozen=True)
class VoteRequest:
    """What the question for a vote is rendered from; ``law`` is what holds."""

    role: ClassVar[str] = "ballot"

    voter: Voter
    law: Constitution
    amendments: tuple[Amendment, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "vote",
            **self.voter.fields(),
            constitution=str(self.law),
            amendments=quoted("\n".join(map(str, self.amendments))),
            count=str(len(self.amendments)),
        )

    def read(self, answer: str) -> tuple[Choice, ...]:
        """Return the ballot; see :func:`judge.ballots.read_ballot`."""
        return read_ballot(answer, len(self.amendments))


async def hold_vote(
    model: ChatModel, law: Constitution, voters: Sequence[Voter], note: Callable[..., object]
) -> Constitution:
    """Let each voter propose an amendment, and all vote on them; return the law that holds then.

    Who gives no usable answer proposes nothing, or casts no ballot. What another has proposed
    already, or is law, is not put to the vote; an article stands in the law once.

    Args:
        model: answers for the voters.
        law: what holds.
        voters: who proposes and votes, in this order.
        note: records an event: its class, the agent, and its fields.

    Raises:
        ModelError: the model will answer no more.
    """
    proposed: list[Amendment] = []
    for voter in voters:
        question = ProposalRequest(voter, law)
        for one in await asked_in_words(model, voter.name, question) or ():
            if _changes_nothing(one, law, proposed):
                continue
            proposed.append(replace(one, number=len(proposed) + 1))
            fields = {"number": len(proposed), "text": one.text, "sets": dict(one.sets)}
            note(events.AmendmentProposed, voter.name, **fields)
    if not proposed:
        return law
    election = Election(proposed, [voter.name for voter in voters])
    for voter in voters:
        ballot = VoteRequest(voter, law, tuple(proposed))
        choices = await asked_in_words(model, voter.name, ballot)
        if choices:
            election.cast(voter.name, choices)
            note(events.BallotCast, voter.name, choices=list(choices))
    tallies = election.tally()
    for count in tallies:
        fields = {"yes": count.yes, "no": count.no, "abstain": count.abstain}
        note(events.AmendmentTallied, number=count.number, passed=count.passed, **fields)
    enacted = enact(law, proposed, tallies)
    return replace(enacted, articles=tuple(dict.fromkeys(enacted.articles)))


def _changes_nothing(one: Amendment, law: Constitution, proposed: Sequence[Amendment]) -> bool:
    """Whether an amendment was proposed before it, or is law already, in its words and numbers."""
    is_law = one.text in law.articles and all(
        law.parameters.get(name) == value for name, value in one.sets.items()
    )
    return is_law or any((one.text, one.sets) == (other.text, other.sets) for other in proposed)
