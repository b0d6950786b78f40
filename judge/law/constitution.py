"""A constitution, its amendments, the ballots on them, and the enactment of those that pass.

A constitution is a text with numbers that the world applies. An amendment has words, sets some of
the numbers, or does both. A ballot contains a vote on each amendment. Source of the procedure:
Altera.AL, "Project Sid" (2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from voxpolis.bots.models.typed import Answer, AnswerError, integer, line, maybe, narrowed, one_of
from voxpolis.bots.prompts import quoted

Choice = Literal["yes", "no", "abstain"]
CHOICES: tuple[Choice, ...] = ("yes", "no", "abstain")
# The minimum and the maximum of each number in a constitution that amendments can set.
Limits = Mapping[str, tuple[float, float]]
MAX_CHARACTERS = 600
# The text of an amendment without words.
NUMBERS_ALONE = "Change the numbers of the constitution."
# A note for voters about an amendment whose words a judge (a model) would have to apply.
JUDGED = "A judge applies these words to everybody, each time that the law is applied."


@dataclass(frozen=True)
class Amendment:
    """An amendment that an agent has proposed.

    Attributes:
        sets: a mapping from numbers of the constitution (their names) to new values.
        is_judged: whether a judge (a model) must apply the words, because numbers do not express
            them.
    """

    number: int
    text: str
    sets: Mapping[str, float] = field(default_factory=dict)
    is_judged: bool = False

    def __str__(self) -> str:
        lines = [f"Amendment {self.number}:", quoted(self.text)]
        lines += (f"It sets {name} = {value:g}." for name, value in self.sets.items())
        return "\n".join([*lines, *([JUDGED] if self.is_judged else [])])


@dataclass(frozen=True)
class Constitution:
    """The law in force.

    Attributes:
        parameters: the numbers in force.
        limits: for each number, the minimum and the maximum that amendments can set.
        version: 1 at first; each vote that changes the law adds 1.
        is_judged: whether a judge (a model) must apply the words, because numbers do not express
            them.
    """

    articles: tuple[str, ...]
    parameters: Mapping[str, float]
    limits: Limits
    version: int = 1
    is_judged: bool = False

    def __str__(self) -> str:
        articles = [f"{number}. {text}" for number, text in enumerate(self.articles, start=1)]
        return "\n".join([*articles, *(f"{name} = {v:g}" for name, v in self.parameters.items())])

    def settable(self) -> str:
        """Describe the numbers that amendments can set, with their limits."""
        limits = self.limits.items()
        return ", ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in limits)


@dataclass(frozen=True)
class Tally:
    """The votes on one amendment. The amendment passes if there are more yes than no votes."""

    number: int
    yes: int
    no: int
    abstain: int

    @property
    def passed(self) -> bool:
        return self.yes > self.no


# --- Answers --------------------------------------------------------------------------------------


class SetNumber(Answer):
    """A number of the constitution that changes, at once and for everybody."""

    parameter: str = Field(description="The number's name in the constitution.")
    value: float = Field(allow_inf_nan=False, description="Its new value, in the same unit.")


class Change(Answer):
    """A change of the constitution: words, numbers, or both."""

    words: maybe(line(MAX_CHARACTERS)) = Field(  # type: ignore[valid-type]
        description="What it says, as an article of the law. Null where it only sets numbers."
    )
    sets: list[SetNumber] = Field(
        description="The numbers that it changes; empty where it is in words only."
    )

    @model_validator(mode="after")
    def _says_something_once(self) -> Self:
        if not self.words and not self.sets:
            raise PydanticCustomError("empty", "an amendment has words, or sets a number")
        if len(self.numbers()) < len(self.sets):
            raise PydanticCustomError("twice", "an amendment sets each number once")
        return self

    def numbers(self) -> dict[str, float]:
        return {one.parameter: one.value for one in self.sets}

    def amendment(self, number: int) -> Amendment:
        return Amendment(number, self.words or NUMBERS_ALONE, self.numbers())


class Vote(Answer):
    """Your vote on one amendment."""

    amendment: int = Field(description="The amendment's number.")
    vote: Choice


class Ballot(Answer):
    """Your ballot: one vote on each amendment."""

    votes: list[Vote]


C = TypeVar("C", bound=Answer)


def sets_type(limits: Limits) -> Any:
    """Return the type of a list of new numbers, each within its limits."""
    return _sets_type(tuple((name, *bounds) for name, bounds in limits.items()))


@lru_cache(64)
def _sets_type(limits: tuple[tuple[str, float, float], ...]) -> Any:
    kinds = [
        narrowed(
            SetNumber,
            parameter=one_of([name]),
            value=Annotated[float, Field(ge=low, le=high, allow_inf_nan=False)],
        )
        for name, low, high in limits
    ]
    if not kinds:
        return Annotated[list[SetNumber], Field(max_length=0)]
    one: Any = kinds[0]
    if len(kinds) > 1:
        one = Annotated[reduce(or_, kinds), Field(discriminator="parameter")]
    return list[one]


@lru_cache(64)
def ballot_type(amendments: int) -> type[Ballot]:
    """Return the type of a ballot on amendments that are numbered from 1."""
    vote = narrowed(Vote, amendment=integer(1, amendments))
    bounds = Field(min_length=amendments, max_length=amendments)
    return narrowed(Ballot, votes=Annotated[list[vote], bounds])  # type: ignore[valid-type]


def choices_of(ballot: Ballot, amendments: int) -> tuple[Choice, ...]:
    """Return the votes in a ballot, in the order of the amendments.

    Raises:
        AnswerError: the ballot does not contain exactly one vote on each amendment.
    """
    votes = {one.amendment: one.vote for one in ballot.votes}
    numbers = range(1, amendments + 1)
    if len(ballot.votes) != amendments or votes.keys() != set(numbers):
        raise AnswerError(f"vote once on each of the amendments 1 to {amendments}")
    return tuple(votes[number] for number in numbers)


# --- Votes ----------------------------------------------------------------------------------------


class Election:
    """A vote on amendments that is in progress. Each voter can cast one ballot."""

    def __init__(self, amendments: Sequence[Amendment], voters: Iterable[str]) -> None:
        self.amendments = tuple(amendments)
        self.voters = frozenset(voters)
        self.ballots: dict[str, tuple[Choice, ...]] = {}

    def cast(self, voter: str, ballot: Sequence[Choice]) -> None:
        """Store a voter's ballot.

        Raises:
            ValueError: the voter has no vote or has already voted, or the ballot has the wrong
                length.
        """
        if voter not in self.voters:
            raise ValueError(f"{voter} has no vote")
        if voter in self.ballots:
            raise ValueError(f"{voter} has voted already")
        if len(ballot) != len(self.amendments):
            raise ValueError(f"the ballot of {voter} has {len(ballot)} choices")
        self.ballots[voter] = tuple(ballot)

    def tally(self) -> list[Tally]:
        return tally(self.ballots.values(), len(self.amendments))


def tally(ballots: Iterable[Sequence[str]], amendments: int) -> list[Tally]:
    """Count ballots.

    With this function, an audit can count the ballots in a record again, and check the result.
    """
    cast = list(ballots)
    counts = [Counter(ballot[k] for ballot in cast) for k in range(amendments)]
    return [
        Tally(number, count["yes"], count["no"], count["abstain"])
        for number, count in enumerate(counts, start=1)
    ]


def enact(
    constitution: Constitution, amendments: Sequence[Amendment], tallies: Sequence[Tally]
) -> Constitution:
    """Return the constitution with all amendments that passed.

    If several amendments set the same number, the amendment with the largest majority applies.
    Among equal majorities, the amendment that was proposed first applies.
    """
    passed = [
        (amendment, count)
        for amendment, count in zip(amendments, tallies, strict=True)
        if count.passed
    ]
    if not passed:
        return constitution
    numbers = dict(constitution.parameters)
    for amendment, _ in sorted(
        passed, key=lambda pair: (pair[1].yes - pair[1].no, -pair[0].number)
    ):
        numbers.update(amendment.sets)
    words = tuple(amendment.text for amendment, _ in passed)
    return replace(
        constitution,
        articles=(*constitution.articles, *words),
        parameters=numbers,
        version=constitution.version + 1,
        is_judged=constitution.is_judged or any(one.is_judged for one, _ in passed),
    )


def changes(before: Constitution, after: Constitution) -> tuple[str, ...]:
    """Describe in short phrases what a new constitution changes.

    Numbers come first, and then new articles.
    """
    numbers = [
        f"{name} was {before.parameters[name]:g} and is {value:g}"
        for name, value in after.parameters.items()
        if before.parameters.get(name) != value
    ]
    first = len(before.articles) + 1
    articles = [f"article {number} is new" for number in range(first, len(after.articles) + 1)]
    return (*numbers, *articles)
