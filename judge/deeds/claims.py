"""Claims of agents, which code compares with the events of a run, never with agents' statements.

A claim about rules or habits is tested repeatedly: one event begins a test, and a later event
decides it. A claim about a state is true or false at any moment. A world or a scenario defines its
claims and how they are tested.
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

# The results of tests, in the order in which they were decided.
Outcomes = Iterator[bool]
# The type of the history against which a claim is checked.
H = TypeVar("H")
H_contra = TypeVar("H_contra", contravariant=True)
# Maximum value of a number in a claim.
LARGEST = 10_000
# The types of numbers in claims: counts; hours and rounds.
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Span = Annotated[int, Field(ge=1, le=LARGEST)]


class UnknownThingError(AnswerError):
    """A claim refers to something that does not exist. The message names the missing thing."""


class History(Protocol):
    """The events so far, against which claims are checked.

    Attributes:
        hour: the current time in the world, in the world's own unit.
    """

    hour: int

    def take(self, event: events.Event, hour: int) -> None:
        """Process an event that happened at the given hour."""


class Claim(Protocol[H_contra]):
    """A statement that can be true or false: a frozen dataclass that prints as a sentence.

    If the attribute ``waits`` is true, the claim itself says by when it has to come true. When the
    last round of a prediction of such a claim is over, the prediction stays open. A claim that
    refers to things in the world, or that could be trivially true, has a method
    ``complaint(history)``, which says what is wrong; see :func:`check_there`.
    """

    def tests(self, history: H_contra, since: int) -> Outcomes:
        """Yield the results of the tests that began at or after the hour ``since``.

        Tests that are not decided yet are left out.
        """


@runtime_checkable
class State(Claim[H_contra], Protocol[H_contra]):
    """A claim about a state, which is true or false at any moment."""

    def holds(self, history: H_contra) -> bool | None:
        """Return whether the claim holds now.

        Return None if nothing has happened yet that the claim is about.
        """


def check_there(claim: Claim[H], history: H) -> None:
    """Reject a claim about something that does not exist.

    No event could show such a claim to be false.

    Raises:
        UnknownThingError: the claim's method ``complaint`` finds a problem. The message is written
            for the speaker.
    """
    complaint = getattr(claim, "complaint", None)
    said = complaint(history) if complaint is not None else ""
    if said:
        raise UnknownThingError(f'"{claim}": {said}')


def outcome_of(
    claim: Claim[H], history: H, since: int, *, is_due: bool
) -> tuple[bool, bool | None]:
    """Return whether a prediction is settled, and whether it came true (None: it is void).

    A claim about a state is checked when the prediction is due. For any other claim, the first test
    decides. If no test has taken place when the prediction is due, the prediction is void.
    """
    outcomes = list(claim.tests(history, since))
    if isinstance(claim, State):
        return is_due, outcomes[-1] if is_due and outcomes else None
    if outcomes:
        return True, outcomes[0]
    return is_due and not getattr(claim, "waits", False), None


class Language(Protocol):
    """The claims that can be made about one kind of world, and their form in answers."""

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms of claims, as prompts list them."""

    def types(self, names: tuple[str, ...]) -> tuple[type[Answer], ...]:
        """Return the answer types for a model, one per form. ``names`` are the players."""

    def read(self, answer: Mapping[str, Any]) -> Claim[Any]:
        """Convert the JSON object of an answer into a claim."""

    def say(self, claim: Any) -> dict[str, Any]:
        """Convert a claim into the JSON object of an answer."""


@dataclass(frozen=True)
class Form:
    """A form of claims.

    Attributes:
        name: the name of the form in answers.
        kind: the dataclass of claims of this form.
        words: the description of the form in prompts.
    """

    name: str
    kind: type[Any]
    words: str


@dataclass(frozen=True)
class Claims:
    """A :class:`Language` whose claims are dataclasses with the same fields as the answers."""

    own: tuple[Form, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(f"{one.name}: {one.words}" for one in self.own)

    def types(self, names: tuple[str, ...]) -> tuple[type[Answer], ...]:
        return _types(self.own, names)

    def read(self, answer: Mapping[str, Any]) -> Claim[Any]:
        kind: Any = next(one.kind for one in self.own if one.name == answer["form"])
        read: Claim[Any] = _adapter(kind).validate_python(dict(answer))
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


# A cell as row and column. The type is a list because strict modes accept no arrays in which the
# type of an item depends on its position.
_PLACE = Annotated[list[int], Field(min_length=2, max_length=2, description="[row, column]")]
