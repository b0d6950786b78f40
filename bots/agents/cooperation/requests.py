"""What understanding and reputation ask: typed questions, and the types of their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from voxpolis.bots.agents.cooperation.known import Finding
from voxpolis.bots.agents.cooperation.wording import (
    MOST_CLAIMS,
    Claim,
    Language,
    Moment,
    Said,
    listed,
    one_form,
    said_type,
    usable,
)
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, each, integer, narrowed, one_of
from voxpolis.bots.prompts import messages, quoted_line

Verdict = Literal["true", "false", "unknown"]
#: The subject of a hypothesis that is about nobody.
WORLD = "world"


# --- Understanding --------------------------------------------------------------------------------


class Hypothesis(Said):
    """A rule of the world, or a habit of somebody."""

    about: str = Field(default=WORLD, description=f"{WORLD}, or the name of whom it is about.")


class Induced(Answer):
    """What an agent supposes."""

    hypotheses: list[Hypothesis] = Field(description="The rules and habits; may be empty.")


@lru_cache(256)
def _induced_type(claims: tuple[type[Answer], ...], names: tuple[str, ...]) -> type[Answer]:
    said = said_type(claims).model_fields
    fields = {name: (said[name].annotation, said[name]) for name in ("statement", "test")}
    one = narrowed(Hypothesis, **fields, about=one_of((WORLD, *names)))
    return narrowed(Induced, hypotheses=each(one, MOST_CLAIMS))


@dataclass(frozen=True)
class InduceRequest:
    """The question which rules would explain the present from the past.

    ``history`` are the latest changes that the agent saw, oldest first.
    """

    role: ClassVar[str] = "induce"
    answer: ClassVar[type[Answer]] = Induced

    moment: Moment
    history: tuple[str, ...]
    language: Language

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/induce",
            **self.moment.fields(),
            history=listed(self.history),
            forms=listed(self.language.claims),
        )

    def narrow(self) -> type[Answer]:
        return _induced_type(self.language.claim_types(), self.language.names)

    def value(self, answer: Induced) -> tuple[tuple[Claim, str], ...]:
        """Return the claims, each with what it is about: ``world`` or a name.

        Raises:
            AnswerError: all are about what does not exist.
        """
        return usable(answer.hypotheses, lambda one: (self.language.claim_in(one), one.about))


class Prediction(Answer):
    """Something that may be so, and how probable that is."""

    test: dict[str, Any] = Field(description="What may be so.")
    percent: float = Field(description="How probable it is, in percent.")


class Predicted(Answer):
    """What an agent predicts."""

    predictions: list[Prediction] = Field(description="What you predict; may be empty.")


@lru_cache(256)
def _predicted_type(claims: tuple[type[Answer], ...]) -> type[Answer]:
    one = narrowed(Prediction, test=one_form(claims), percent=integer(0, 100))
    return narrowed(Predicted, predictions=each(one, MOST_CLAIMS))


@dataclass(frozen=True)
class PredictRequest:
    """The question what will be so in some rounds, if the agent does as it plans."""

    role: ClassVar[str] = "predict"
    answer: ClassVar[type[Answer]] = Predicted

    moment: Moment
    plan: str
    rounds: int
    language: Language

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/predict",
            **self.moment.fields(),
            plan=self.plan or "none yet",
            rounds=str(self.rounds),
            forms=listed(self.language.claims),
        )

    def narrow(self) -> type[Answer]:
        return _predicted_type(self.language.claim_types())

    def value(self, answer: Predicted) -> tuple[tuple[object, float], ...]:
        """Return claims with how probable each is; of one that stands twice the first counts.

        Raises:
            AnswerError: all are about what does not exist.
        """
        read = self.language.read_claim
        found: dict[object, float] = {}
        for test, percent in usable(answer.predictions, lambda one: (read(one.test), one.percent)):
            found.setdefault(test, round(percent / 100, 6))
        return tuple(found.items())


class Checked(Answer):
    """Which hypotheses an agent's experience bears out."""

    verdicts: list[Verdict] = Field(description="A verdict for each hypothesis, in their order.")


@lru_cache(256)
def _checked_type(count: int) -> type[Answer]:
    verdicts = Annotated[list[Verdict], Field(min_length=count, max_length=count)]
    return narrowed(Checked, verdicts=verdicts)


@dataclass(frozen=True)
class CheckRequest:
    """The question which hypotheses that no code can check an agent's experience bears out."""

    role: ClassVar[str] = "check"
    answer: ClassVar[type[Answer]] = Checked

    moment: Moment
    history: tuple[str, ...]
    findings: tuple[Finding, ...]

    def messages(self) -> list[Message]:
        numbered = (f"{n}. {quoted_line(one.text)}" for n, one in enumerate(self.findings, 1))
        return messages(
            "cooperation/check",
            **self.moment.fields(),
            history=listed(self.history),
            hypotheses="\n".join(numbered),
        )

    def narrow(self) -> type[Answer]:
        return _checked_type(len(self.findings))

    def value(self, answer: Checked) -> tuple[Verdict, ...]:
        if len(answer.verdicts) != len(self.findings):
            raise AnswerError(f"verdicts: one for each of the {len(self.findings)} hypotheses")
        return tuple(answer.verdicts)


# --- Reputation -----------------------------------------------------------------------------------


class Score(Answer):
    """How far somebody can be relied on."""

    name: str = Field(description="Who.")
    score: float = Field(description="From 0, not at all, to 10.")


class Rated(Answer):
    """How far each of the others can be relied on."""

    scores: list[Score] = Field(description="A score for each of the others.")


@lru_cache(256)
def _rated_type(names: tuple[str, ...]) -> type[Answer]:
    score = narrowed(Score, name=one_of(names), score=integer(0, 10))
    return narrowed(Rated, scores=each(score, len(names)))


@dataclass(frozen=True)
class RateRequest:
    """The question how far the others can be relied on, by what the record says that they did.

    ``deeds``: by agent, its promises with what became of them, its breaches and its actions. What
    anybody said is not among them. ``kept``: by agent, how many promises it kept and broke.
    """

    role: ClassVar[str] = "rate"
    answer: ClassVar[type[Answer]] = Rated

    name: str
    deeds: Mapping[str, tuple[str, ...]]
    kept: Mapping[str, tuple[int, int]]

    def messages(self) -> list[Message]:
        parts = (f"{name}:\n{listed(lines)}" for name, lines in self.deeds.items())
        return messages("cooperation/rate", name=self.name, deeds="\n\n".join(parts))

    def narrow(self) -> type[Answer]:
        return _rated_type(tuple(self.deeds))

    def value(self, answer: Rated) -> Mapping[str, float]:
        """Return scores from 0 to 10; of two of somebody's the first counts."""
        scores = {one.name: one.score for one in reversed(answer.scores)}
        return {name: scores[name] for name in self.deeds if name in scores}
