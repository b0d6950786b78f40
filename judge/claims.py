"""Claims in forms that code checks by what happened, never by what anybody says.

A claim about rules or habits is put to the test again and again; each test is opened by what
happened and settled by what happened later. A claim about how things stand holds or does not. Which
claims there are, and what a test of each is, is lent by a world or a scenario.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

from bots.structured import AnswerError, NotThereError, plain
from records import events

#: Outcomes of tests, in the order in which they were settled.
Outcomes = Iterator[bool]
#: What of an episode claims are checked by.
H = TypeVar("H")
H_contra = TypeVar("H_contra", contravariant=True)
#: No number of a claim may be larger.
LARGEST = 10_000


class History(Protocol):
    """What happened so far, as claims are checked by it.

    Attributes:
        hour: the world's time, in its own unit.
    """

    hour: int

    def take(self, event: events.Event, hour: int) -> None:
        """Take in an event of the episode that happened at an hour."""


class Claim(Protocol[H_contra]):
    """Something that may be so; its text is its form.

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

    def read(self, text: str, names: tuple[str, ...]) -> Claim[Any]:
        """Return the claim that words in one of the forms make; ``names``: who plays.

        Raises:
            AnswerError: they are in no form, or name no time at all.
            NotThereError: they name somebody who does not play, or a number that no game reaches.
        """


@dataclass(frozen=True)
class Claims(Generic[H]):
    """A language of claims by patterns.

    Attributes:
        forms: as prompts list them.
        patterns: how they can be worded, with what makes a claim of what was found.
    """

    forms: tuple[str, ...]
    patterns: Mapping[str, Callable[[re.Match[str]], Claim[H]]]
    flags: ClassVar[re.RegexFlag] = re.IGNORECASE

    def read(self, text: str, names: tuple[str, ...]) -> Claim[H]:
        """Return the claim that words make; see :meth:`Language.read`."""
        said = words_of(text)
        for pattern, make in self.patterns.items():
            found = re.fullmatch(pattern, said, self.flags)
            if found is None:
                continue
            check_numbers(said)
            claim: Any = make(found)
            if hasattr(claim, "agent"):
                claim = replace(claim, agent=known_name(claim.agent, names, said))
            if min(getattr(claim, "hours", 1), getattr(claim, "rounds", 1)) < 1:
                raise AnswerError(f"{said[:80]!r}: hours and rounds are counted from 1")
            read: Claim[H] = claim
            return read
        raise no_form(said, self.forms)


def words_of(text: str) -> str:
    """Return a claim's words without what models put around them."""
    return " ".join(plain(text).split()).rstrip(" .")


def check_numbers(said: str) -> None:
    """Refuse numbers that no game reaches.

    Raises:
        NotThereError: there is one.
    """
    digits = (found.lstrip("0") for found in re.findall(r"\d+", said))
    if any(len(own) > len(str(LARGEST)) or int(own or 0) > LARGEST for own in digits):
        raise NotThereError(f"{said[:80]!r} holds a number that is too large")


def known_name(said: str, names: tuple[str, ...], where: str) -> str:
    """Return a player's name as it is written.

    Raises:
        NotThereError: nobody of that name plays.
    """
    known = {name.lower(): name for name in names}
    if said.lower() not in known:
        players = ", ".join(names)
        raise NotThereError(f"{where[:80]!r}: nobody of that name plays; there are {players}")
    return known[said.lower()]


def no_form(said: str, forms: tuple[str, ...]) -> AnswerError:
    """Return the complaint about words that are in no form."""
    return AnswerError(f"{said[:80]!r} is in none of the forms: {'; '.join(forms)}")
