"""How a village changes its constitution: by feedback, amendments that follow from it, and a vote.

Source of the procedure: Altera.AL, "Project Sid" (2024). All minds are asked at the same time. A
mind without a usable answer gives no feedback, proposes nothing, or casts no ballot. We added one
step: before the vote, a model reads the words of each amendment and lists the numbers of the law
that these words change. People therefore vote on the numbers that will apply. The parts of an
amendment that change no number become part of the law as words, and a judge applies these words in
each season.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano import Digest, Standing, ago
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, each, integer, line, narrowed, one_of
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.judge.law.constitution import (
    Amendment,
    Ballot,
    Change,
    Choice,
    Constitution,
    SetNumber,
    ballot_type,
    choices_of,
    sets_type,
)

# --- Standing knowledge of all villagers: the law, the tax season, and own payments ---------------
#
# Each item is a typed value that holds until replaced (:class:`bots.agents.piano.task.Standing`).
# Scripted villagers use the value; language models read its text at the start of their prompts.

# Keys under which people know the law, the season and their account.
LAW, SEASON, TAX = "law", "season", "tax"


@dataclass(frozen=True)
class Law:
    """The constitution that has been in force since time ``t``, and what changed when it was
    enacted.
    """

    constitution: Constitution
    t: float
    changes: tuple[str, ...] = ()

    def text(self, now: float) -> str:
        """Return the whole constitution, after a line that states what has changed."""
        told = f"The law (version {self.constitution.version}"
        if self.changes:
            told += f", changed {ago(now, self.t)}: {'; '.join(self.changes)}"
        told += "). Of articles that contradict each other the later one holds:"
        return f"{told}\n{self.constitution}"


@dataclass(frozen=True)
class TaxSeason:
    """A tax season. Seasons are numbered from 1; times are in simulated seconds.

    ``due`` is the share (0 to 1) that a person owes according to a judge. If it is None, the law's
    numbers apply.
    """

    number: int
    opened: float
    closes: float
    due: float | None = None

    def is_open(self, now: float) -> bool:
        """Return whether the chest accepts payments at the time ``now``."""
        return self.opened <= now < self.closes

    def text(self, now: float) -> str:
        """Describe whether the season is open, since when, and for how much longer."""
        if not self.is_open(now):
            closed = f"Tax season {self.number} closed {ago(now, self.closes)}"
            return f"{closed}: until the bell rings again the chest takes nothing."
        told = f"Tax season {self.number} is open: the bell rang {ago(now, self.opened)}"
        told += f", {self.closes - now:.0f} s are left."
        if self.due is not None:
            told += f" The judge finds that by the law you owe {self.due * 100:g} %."
        return told


@dataclass(frozen=True)
class Payment:
    """A payment in a season, with its time and the paid share of the inventory (0 to 1)."""

    season: int
    share: float
    t: float


@dataclass(frozen=True)
class TaxAccount:
    """All payments of a person. The latest payment comes last."""

    payments: tuple[Payment, ...] = ()

    @property
    def seasons(self) -> frozenset[int]:
        """The seasons in which the person has paid."""
        return frozenset(payment.season for payment in self.payments)

    def text(self, now: float) -> str:
        """Describe the last payment, and list the other seasons in which the person has paid."""
        if not self.payments:
            return "You have not paid yet."
        last = self.payments[-1]
        told = f"You paid {last.share * 100:.1f} % in season {last.season}, {ago(now, last.t)}."
        before = ", ".join(str(payment.season) for payment in self.payments[:-1])
        return f"{told} You also paid in season {before}." if before else told


def season_of(standing: Mapping[str, Standing]) -> TaxSeason | None:
    """Return the last tax season that a person knows about."""
    found = standing.get(SEASON)
    return found if isinstance(found, TaxSeason) else None


def account_of(standing: Mapping[str, Standing]) -> TaxAccount:
    """Return those of a person's payments that the person knows of; empty if there are none."""
    found = standing.get(TAX)
    return found if isinstance(found, TaxAccount) else TaxAccount()


MOST_AMENDMENTS = 5
MAX_CHARACTERS = 600

messages = PromptFolder(Path(__file__).parent / "prompts").messages

# A share in percent.
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class Feedback(Answer):
    """Your opinion of the constitution."""

    opinion: line(MAX_CHARACTERS) = Field(  # type: ignore[valid-type]
        description="One to three sentences: what should stay, what should change, and to what."
    )


class VillageChange(Change):
    """A change of the constitution that people can vote on."""

    judged: bool = Field(
        description="Whether its words say something of what people must pay that its numbers do "
        "not say, such as exceptions and conditions."
    )


class Amendments(Answer):
    """The amendments that people will vote on."""

    amendments: each(VillageChange, MOST_AMENDMENTS) = Field(  # type: ignore[valid-type]
        description="Empty where nothing should change."
    )


class Reading(Answer):
    """The numbers that one amendment changes."""

    amendment: int = Field(description="The amendment's number.")
    sets: list[SetNumber] = Field(
        description="The numbers of the constitution that its words change; often none."
    )
    judged: bool = Field(
        description="Whether it says something of what people must pay that these numbers do not "
        "say, such as exceptions and conditions."
    )


class LawReading(Answer):
    """Readings of the amendments, one for each."""

    readings: list[Reading]


class Due(Answer):
    """Share that one person owes."""

    person: str
    percent: Percent = Field(description="Percent of what the person holds.")


class Dues(Answer):
    """Shares that the law now asks of everyone."""

    everybody: Percent = Field(
        description="Percent of what each person holds, for all who are not among the exceptions."
    )
    exceptions: list[Due] = Field(description="The persons who owe another share, each once.")


@dataclass(frozen=True)
class FeedbackRequest:
    """Asks a person for an opinion of the constitution."""

    role: ClassVar[str] = "feedback"
    answer: ClassVar[type[Feedback]] = Feedback

    agent: str
    traits: str
    law: Constitution
    digest: Digest

    def messages(self) -> list[Message]:
        return messages(
            "feedback",
            name=self.agent,
            traits=self.traits,
            constitution=str(self.law),
            state=str(self.digest.without(LAW)),
        )

    def read(self, answer: Feedback) -> str:
        return str(answer.opinion)


@dataclass(frozen=True)
class AmendmentsRequest:
    """Asks for amendments. ``feedback`` maps people's names to what they said."""

    role: ClassVar[str] = "amendments"
    answer: ClassVar[type[Amendments]] = Amendments

    law: Constitution
    feedback: Mapping[str, str]

    def messages(self) -> list[Message]:
        said = "\n".join(quoted(f"{name}: {text}") for name, text in self.feedback.items())
        return messages(
            "amendments",
            constitution=str(self.law),
            feedback=said or "Nobody said anything.",
            most=str(MOST_AMENDMENTS),
            parameters=self.law.settable(),
        )

    def narrow(self) -> type[Amendments]:
        change = narrowed(VillageChange, sets=sets_type(self.law.limits))
        return narrowed(Amendments, amendments=each(change, MOST_AMENDMENTS))

    def read(self, answer: Amendments) -> list[Amendment]:
        found: Sequence[VillageChange] = answer.amendments
        return [
            replace(one.amendment(number), is_judged=one.judged)
            for number, one in enumerate(found, start=1)
        ]


@dataclass(frozen=True)
class CompileRequest:
    """Asks which numbers of the law change because of the words of amendments."""

    role: ClassVar[str] = "compile"
    answer: ClassVar[type[LawReading]] = LawReading

    law: Constitution
    amendments: tuple[Amendment, ...]

    def messages(self) -> list[Message]:
        return messages(
            "compile",
            constitution=str(self.law),
            amendments="\n\n".join(map(str, self.amendments)),
            parameters=self.law.settable(),
        )

    def narrow(self) -> type[LawReading]:
        count = len(self.amendments)
        one: Any = narrowed(Reading, amendment=integer(1, count), sets=sets_type(self.law.limits))
        bounds = Field(min_length=count, max_length=count)
        return narrowed(LawReading, readings=Annotated[list[one], bounds])

    def read(self, answer: LawReading) -> tuple[Amendment, ...]:
        """Combine the amendments with their readings. Numbers that an amendment sets explicitly are
        kept.

        Raises:
            AnswerError: an amendment has no reading, or more than one.
        """
        found = {one.amendment: one for one in answer.readings}
        numbers = [one.number for one in self.amendments]
        if len(answer.readings) != len(numbers) or found.keys() != set(numbers):
            raise AnswerError(f"give one reading for each of the amendments 1 to {len(numbers)}")
        return tuple(
            replace(
                one,
                sets=one.sets or {s.parameter: s.value for s in found[one.number].sets},
                is_judged=found[one.number].judged,
            )
            for one in self.amendments
        )


@dataclass(frozen=True)
class AssessRequest:
    """Asks what each person owes. ``held`` contains each person's inventory: name → item →
    count.
    """

    role: ClassVar[str] = "assess"
    answer: ClassVar[type[Dues]] = Dues

    law: Constitution
    season: int
    held: Mapping[str, Mapping[str, int]]

    def messages(self) -> list[Message]:
        return messages(
            "assess",
            constitution=str(self.law),
            season=str(self.season),
            people="\n".join(f"{name}: {_pieces(items)}" for name, items in self.held.items()),
        )

    def narrow(self) -> type[Dues]:
        due: Any = narrowed(Due, person=one_of(self.held, "person"))
        return narrowed(Dues, exceptions=list[due])

    def read(self, answer: Dues) -> Mapping[str, float]:
        """Return the share that each person owes, from 0 to 1.

        Raises:
            AnswerError: a person is listed twice among the exceptions.
        """
        exceptions = {due.person: due.percent for due in answer.exceptions}
        if len(exceptions) < len(answer.exceptions):
            raise AnswerError("name each person among the exceptions once")
        return {name: exceptions.get(name, answer.everybody) / 100 for name in self.held}


def _pieces(items: Mapping[str, int]) -> str:
    parts = ", ".join(f"{count} {item}" for item, count in sorted(items.items()) if count)
    return f"{sum(items.values())} in all ({parts or 'nothing'})"


@dataclass(frozen=True)
class BallotRequest:
    """Asks a person to vote."""

    role: ClassVar[str] = "ballot"
    answer: ClassVar[type[Ballot]] = Ballot

    agent: str
    traits: str
    law: Constitution
    amendments: tuple[Amendment, ...]
    digest: Digest

    def messages(self) -> list[Message]:
        return messages(
            "ballot",
            name=self.agent,
            traits=self.traits,
            constitution=str(self.law),
            amendments="\n\n".join(map(str, self.amendments)),
            state=str(self.digest.without(LAW)),
        )

    def narrow(self) -> type[Ballot]:
        return ballot_type(len(self.amendments))

    def read(self, answer: Ballot) -> tuple[Choice, ...]:
        return choices_of(answer, len(self.amendments))
