"""Claims in forms that code checks by what happened, never by what anybody says.

A claim about rules or habits is put to the test again and again; each test is opened by what
happened and settled by what happened later. A claim about how things stand holds or does not. A
world or a scenario says which claims there are, and what a test of each is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, lru_cache
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    TypeVar,
    get_type_hints,
    runtime_checkable,
)

from pydantic import Field, TypeAdapter, create_model

from voxpolis.bots.models.typed import Answer, AnswerError, one_of
from voxpolis.records import events

# Outcomes of tests, in the order in which they were settled.
Outcomes = Iterator[bool]
# What of an episode claims are checked by.
H = TypeVar("H")
H_contra = TypeVar("H_contra", contravariant=True)
# No number of a claim may be larger.
LARGEST = 10_000
# Numbers of claims: how many, and of hours and rounds.
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Span = Annotated[int, Field(ge=1, le=LARGEST)]


class NotThereError(AnswerError):
    """A claim is about something that does not exist; the message says what."""


class History(Protocol):
    """Events so far, by which claims are checked.

    Attributes:
        hour: the world's time, in its own unit.
    """

    hour: int

    def take(self, event: events.Event, hour: int) -> None:
        """Take in an event of the episode that happened at an hour."""


class Claim(Protocol[H_contra]):
    """Something that may be so, a frozen dataclass; its text is a sentence.

    One that has an attribute ``waits`` that is true has times of its own: a prediction of it is
    waited for beyond its round. One that names things of the world, or that could be so of any
    world, has a method ``complaint(history)``: see :func:`check_there`.
    """

    def tests(self, history: H_contra, since: int) -> Outcomes:
        """Yield the outcome of each test that was opened from an hour on and is settled by now."""


@runtime_checkable
class State(Claim[H_contra], Protocol[H_contra]):
    """A claim about how things are, which holds or does not at any moment."""

    def holds(self, history: H_contra) -> bool | None:
        """Return whether it is so now; None: what it is about has not been yet."""


def check_there(claim: Claim[H], history: H) -> None:
    """Refuse a claim about what does not exist, which no event could ever show to be false.

    Raises:
        NotThereError: the claim complains, in words for who said it.
    """
    complaint = getattr(claim, "complaint", None)
    said = complaint(history) if complaint is not None else ""
    if said:
        raise NotThereError(f'"{claim}": {said}')


def outcome_of(
    claim: Claim[H], history: H, since: int, *, is_due: bool
) -> tuple[bool, bool | None]:
    """Return whether a prediction is settled by now, and whether it came true (None: it is void).

    How things are counts when it is due; of what happens, the first test counts, and where none
    arose by then it is void.
    """
    outcomes = list(claim.tests(history, since))
    if isinstance(claim, State):
        return is_due, outcomes[-1] if is_due and outcomes else None
    if outcomes:
        return True, outcomes[0]
    return is_due and not getattr(claim, "waits", False), None


class Language(Protocol):
    """The claims that can be made about a kind of world."""

    @property
    def forms(self) -> tuple[str, ...]:
        """Their forms, as prompts list them."""

    def types(self, names: tuple[str, ...]) -> tuple[type[Answer], ...]:
        """Return the types that a model answers with, one for each form; ``names``: who plays."""

    def read(self, said: Mapping[str, Any]) -> Claim[Any]:
        """Return the claim that an object of one of the types is."""

    def say(self, claim: Any) -> dict[str, Any]:
        """Return a claim as an object of one of the types."""


@dataclass(frozen=True)
class Form:
    """A form of claims.

    Attributes:
        kind: the dataclass of its claims.
    """

    name: str
    kind: type[Any]
    words: str


@dataclass(frozen=True)
class Claims:
    """A language of claims: dataclasses, whose fields are those of answers."""

    own: tuple[Form, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(f"{one.name}: {one.words}" for one in self.own)

    def types(self, names: tuple[str, ...]) -> tuple[type[Answer], ...]:
        return _types(self.own, names)

    def read(self, said: Mapping[str, Any]) -> Claim[Any]:
        kind: Any = next(one.kind for one in self.own if one.name == said["form"])
        read: Claim[Any] = _adapter(kind).validate_python(dict(said))
        return read

    def say(self, claim: Any) -> dict[str, Any]:
        (name,) = (one.name for one in self.own if one.kind is type(claim))
        return {"form": name, **asdict(claim)}


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@lru_cache(256)
def _types(forms: tuple[Form, ...], names: tuple[str, ...]) -> tuple[type[Answer], ...]:
    return tuple(_type_of(form, names) for form in forms)


def _type_of(form: Form, names: tuple[str, ...]) -> type[Answer]:
    hints = get_type_hints(form.kind, include_extras=True)
    given: dict[str, Any] = {"form": (Literal[form.name], ...)}
    for one in fields(form.kind):
        kind = one_of(names) if one.name == "agent" else hints[one.name]
        given[one.name] = (_PLACE if kind == tuple[int, int] else kind, ...)
    made: type[Answer] = create_model(form.name, __base__=Answer, __doc__=form.words, **given)
    return made


# A cell, row and column: strict modes take no arrays with types by place.
_PLACE = Annotated[list[int], Field(min_length=2, max_length=2, description="[row, column]")]
