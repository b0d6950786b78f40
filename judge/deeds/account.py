"""Agents' deeds, counted from a record's events for promises, clauses, laws and reputations.

A world provides an :class:`Account`, which defines its kinds of deeds, the promises about deeds
that code can check, and the deeds that its first law forbids. This module does not depend on what a
deed means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from voxpolis.judge.deeds.claims import Claim, Language
from voxpolis.records import events


@dataclass(frozen=True)
class Deed:
    """One action of an agent that counts.

    Attributes:
        kind: the account's name for this kind of deed.
        other: the agent it was directed at; empty if none.
        thing: number of the object it was done to; 0 if the object has no number.
        round: round in which it happened, from 1.
        count: how many times the agent did it in one event.
    """

    kind: str
    agent: str
    other: str = ""
    thing: int = 0
    round: int = 1
    count: int = 1


# Returns the deeds in an event; the second argument is the current round.
DeedReader = Callable[[events.Event, int], Iterable[Deed]]

# Name of the term template for a payment.
PAYMENT = "payment"
# Maximum total that one agent pays another in a game.
MOST_PAID = 100.0


@dataclass(frozen=True)
class Form:
    """A promise template: an agent does something at most or at least N times until a round.

    Attributes:
        name: as spelled in answers.
        words: as listed in prompts.
        text: template for a promise's text; the fields in braces are those of
            :class:`judge.deeds.promises.Promise`.
        kind: kind of deed that is counted.
        of: fields in addition to the promiser and the last round: any of ``number``, ``thing`` and
            ``other``.
        at_least: lower bound instead of upper bound.
        most: maximum per agent and round; None if the template does not state it.
    """

    name: str
    words: str
    text: str
    kind: str
    of: tuple[str, ...]
    at_least: bool = False
    most: int | None = None


@dataclass(frozen=True)
class Clause:
    """A count that payments can name.

    Attributes:
        name: as spelled in clauses: ``eaten``.
        kind: kind of deed that is counted.
        of: arguments of the count: the agent alone (``eaten(Ada)``), or also a thing
            (``eaten(Ada, 3)``) or another agent (``hits(Ada, Bo)``).
    """

    name: str
    kind: str
    of: Literal["own", "thing", "other"] = "own"


@dataclass(frozen=True)
class Offence:
    """A deed forbidden by the first law; others may stop the offender for some rounds.

    Attributes:
        article: index of the article that forbids it.
        number: name of the number that states the penalty.
        what: description of the deed; ``{thing}`` is filled in with the deed's thing.
        is_ban: the penalty is rounds of a ban (:attr:`Account.banned`) instead of a fine.
    """

    kind: str
    article: int
    number: str
    what: str
    is_ban: bool = False


@dataclass(frozen=True)
class Account:
    """A world's account of deeds.

    Attributes:
        reader: returns a function that reads deeds from an episode's events in order.
        paid: payment template, as listed in prompts.
        clauses: counts that payments can name.
        deed_texts: by kind, the wording of a deed in reputations; ``{}`` is the count.
        is_armed: agents can attack each other, so the first law covers attacks.
        banned: message to an agent that the law has banned.
    """

    reader: Callable[[], DeedReader]
    forms: tuple[Form, ...]
    paid: str
    clauses: tuple[Clause, ...]
    deed_texts: Mapping[str, str]
    articles: tuple[str, ...]
    offence: Offence
    is_armed: bool = True
    banned: str = "You may not attack anybody now."

    @property
    def promises(self) -> tuple[str, ...]:
        paid = (
            f"{PAYMENT}: {self.paid} (when the game is over, for all rounds from now on, another "
            "amount for the same takes the older one's place, and one pays another "
            f"{MOST_PAID:g} at most)"
        )
        return (*(f"{form.name}: {form.words}" for form in self.forms), paid)


class Deeds:
    """All deeds of an episode so far, in order."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.all: list[Deed] = []
        self.rounds = 0
        self._read = account.reader()

    def take(self, event: events.Event) -> None:
        self.all += self._read(event, self.rounds + 1)
        if isinstance(event, events.RoundEnded | events.ActsCounted):
            self.rounds = event.round

    def count(
        self,
        kind: str,
        agent: str,
        *,
        other: str = "",
        thing: int = 0,
        since: int = 0,
        until: int | None = None,
    ) -> int:
        """Count an agent's deeds.

        Args:
            kind: kind of deed.
            agent: the agent that did it.
            other: the agent it was directed at; empty for any.
            thing: number of the object; 0 for any.
            since: ignore this many of the first deeds (``len(deeds.all)`` at that time).
            until: last round that counts; None for all.
        """
        return sum(
            one.count
            for one in self.all[since:]
            if one.kind == kind
            and one.agent == agent
            and other in ("", one.other)
            and thing in (0, one.thing)
            and (until is None or one.round <= until)
        )

    def counts(
        self, players: Sequence[str], things: Iterable[int], since: int = 0, rounds: int = 0
    ) -> Mapping[str, int]:
        """Return all counts that clauses can name, excluding the first deeds and rounds."""
        found = {"rounds()": self.rounds - rounds}
        things = tuple(things)
        count = partial(self.count, since=since)
        for clause in self.account.clauses:
            for name in players:
                if clause.of == "own":
                    found[f"{clause.name}({name})"] = count(clause.kind, name)
                elif clause.of == "thing":
                    found |= {
                        f"{clause.name}({name}, {n})": count(clause.kind, name, thing=n)
                        for n in things
                    }
                else:
                    found |= {
                        f"{clause.name}({name}, {other})": count(clause.kind, name, other=other)
                        for other in players
                        if other != name
                    }
        return found


@dataclass(frozen=True)
class CooperationRules:
    """Definitions that a world or a scenario provides to cooperation modules and institutions.

    Code uses it to settle agents' hypotheses, statements, promises, and penalties of the law.

    Attributes:
        example: a claim about a state, shown as an example in prompts.
    """

    claims: Language
    account: Account
    example: Claim[Any]
