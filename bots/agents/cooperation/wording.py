"""What the questions of all modules have in common: where an agent is, claims and terms.

Which claims can be checked, and which terms, is the world's to say (:class:`Language`). This room
passes them on: as the types that a model answers with, and as values whose text is a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, Union

from pydantic import Field

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.models.typed import Answer, AnswerError, each, line, narrowed
from voxpolis.bots.prompts import quoted_line

#: Letters of a message, and of what an agreement says in words.
MOST_LETTERS, MOST_WORDS = 240, 480
#: Hypotheses, predictions, claims or terms in one answer.
MOST_CLAIMS = 12

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Moment:
    """Where an agent is, as its modules know it.

    Attributes:
        name: the agent's name.
        character: what it is told of its character; empty: nothing.
        world: what it is told of the world.
        place: where and when it is, in a sentence or two.
        observations: what it sees.
        changes: what has happened since its last turn.
        known: what its modules tell it.
        round: which round is played, from 1.
        hour: the world's time.
        about: the typed value of what it perceives, for scripted minds.
    """

    name: str
    character: str
    world: str
    place: str
    observations: tuple[str, ...]
    changes: tuple[str, ...]
    known: Known
    round: int
    hour: int
    about: object = None

    def fields(self) -> dict[str, str]:
        return {
            "name": self.name,
            "character": f"\n{self.character}" if self.character else "",
            "world": self.world,
            "place": self.place,
            "observations": listed(self.observations),
            "changes": listed(self.changes),
            "known": self.known.sections(),
        }


@dataclass(frozen=True)
class Claim:
    """Something that an agent says or supposes.

    Attributes:
        text: in its words.
        test: a claim of the world's language, which code checks; None: it is in no form.
    """

    text: str
    test: object = None


@dataclass(frozen=True)
class Terms:
    """The terms of an offer.

    Attributes:
        text: all of them as a text.
        words: those in no form, which bind by word only; empty: there are none.
        binding: what of them code checks, a line each.
        value: what binds, for the world's institutions.
    """

    text: str
    words: str = ""
    binding: tuple[str, ...] = ()
    value: object = None


@dataclass(frozen=True)
class Language:
    """What can be claimed and promised in an agent's world so that code checks it.

    Attributes:
        names: who plays.
        claims: the forms of claims, as prompts list them.
        promises: the forms of terms, as prompts list them.
        claim_types: returns the types of claims, one for each form.
        read_claim: returns the claim of an answer; raises ``AnswerError`` where it is about what
            does not exist.
        term_types: returns the types of terms, one for each form.
        read_terms: returns the terms of an offer, from those in forms, those in words and its
            parties; raises ``AnswerError`` where they cannot be terms.
    """

    names: tuple[str, ...]
    claims: tuple[str, ...]
    promises: tuple[str, ...]
    claim_types: Callable[[], tuple[type[Answer], ...]]
    read_claim: Callable[[Mapping[str, Any]], object]
    term_types: Callable[[], tuple[type[Answer], ...]]
    read_terms: Callable[[Sequence[Mapping[str, Any]], str, tuple[str, str]], Terms]

    def claim_in(self, said: Said) -> Claim:
        """Return what somebody says as a claim.

        Raises:
            AnswerError: it is about what does not exist.
        """
        test = None if said.test is None else self.read_claim(said.test)
        return Claim(said.statement, test)


class Said(Answer):
    """Something that is so."""

    statement: str = Field(description="In words.")
    test: dict[str, Any] | None = Field(
        default=None, description="The same in a form; null where none fits."
    )


def said_type(claims: tuple[type[Answer], ...]) -> type[Said]:
    """Return the type of a claim in one of some forms, or in none."""
    return narrowed(Said, statement=line(MOST_LETTERS), test=one_form(claims) | None)


def claims_type(claims: tuple[type[Answer], ...]) -> Any:
    """Return the type of several claims, each valid or left out by itself."""
    return each(said_type(claims), MOST_CLAIMS)


def one_form(types: tuple[type[Answer], ...]) -> Any:
    """Return the type of a value in one of several forms."""
    return Annotated[Union[types], Field(discriminator="form")]  # noqa: UP007


def usable(items: Sequence[T], read: Callable[[T], U]) -> tuple[U, ...]:
    """Return what can be read of the items of a list.

    Raises:
        AnswerError: there are items, and none of them can be used; it is the first one's.
    """
    found, problems = [], []
    for one in items:
        try:
            found.append(read(one))
        except AnswerError as problem:
            problems.append(problem)
    if problems and not found:
        raise problems[0]
    return tuple(found)


# --- Lists in prompts -----------------------------------------------------------------------------


def numbered(claims: Sequence[Claim]) -> str:
    """Return claims as a numbered list; ``none`` where there is none."""
    lines = (
        f"{number}. {quoted_line(one.text if one.test is None else str(one.test))}"
        for number, one in enumerate(claims, start=1)
    )
    return "\n".join(lines) or "none"


def listed(lines: Iterable[str]) -> str:
    """Return lines as a list of a prompt."""
    return "\n".join(f"- {line}" for line in lines) or "- nothing"


def shares(percents: Sequence[float]) -> tuple[float, ...]:
    """Return percents as parts, from 0 to 1."""
    return tuple(round(one / 100, 6) for one in percents)
