"""What agents did, counted from a record's events for promises, clauses, laws and reputations.

A world provides an :class:`Account`: which deeds there are in it, in which forms they are promised,
and which of them its first law forbids. Nothing here knows what a deed is about.
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
    """Something that an agent did.

    Attributes:
        kind: what, by the account's name for it.
        other: whom it was done to, or meant; empty: nobody.
        thing: the number of what it was done to; 0: nothing that has one.
        round: in which round, from 1.
        count: how often at once.
    """

    kind: str
    agent: str
    other: str = ""
    thing: int = 0
    round: int = 1
    count: int = 1


# Returns the deeds that an event tells of; the second argument is the round that is played.
DeedReader = Callable[[events.Event, int], Iterable[Deed]]

# The form of terms that is a payment.
PAYMENT = "payment"
# What one agent pays another in a game is no more than this, whatever its forms come to.
MOST_PAID = 100.0


@dataclass(frozen=True)
class Form:
    """A form of promises: somebody does something so often at most, or at least, until a round.

    Attributes:
        name: as answers say it.
        words: as prompts list it.
        text: how a promise is told; in braces the fields of :class:`judge.deeds.promises.Promise`.
        kind: of the deeds that are counted.
        of: its fields besides who promises it and until when: any of ``number``, ``thing`` and
            ``other``.
        at_least: it is a promise to do something; else one not to do more.
        most: nobody does it more often in a round; None: its words do not say that.
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
        name: as clauses spell it: ``eaten``.
        kind: of the deeds that are counted.
        of: whose: an agent's own (``eaten(Ada)``), with a thing (``eaten(Ada, 3)``) or with another
            agent (``hits(Ada, Bo)``).
    """

    name: str
    kind: str
    of: Literal["own", "thing", "other"] = "own"


@dataclass(frozen=True)
class Offence:
    """A deed that the first law forbids; who does it may be stopped for some rounds.

    Attributes:
        article: the number of the article that forbids it.
        number: the name of the number that says what it costs.
        what: what the agent did, in words; ``{thing}`` is the deed's.
        is_ban: what it costs are rounds of a ban (:attr:`Account.banned`), and no fine.
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
        reader: returns what reads the deeds off an episode's events, one after another.
        paid: the form of payments, as prompts list it.
        clauses: what payments can name.
        told: by kind, what reputations are judged by, in words; ``{}`` is how often.
        is_armed: whether agents can attack each other there, so that the first law speaks of it.
        banned: what somebody is told whom the law has banned.
    """

    reader: Callable[[], DeedReader]
    forms: tuple[Form, ...]
    paid: str
    clauses: tuple[Clause, ...]
    told: Mapping[str, str]
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
    """All deeds of an episode so far, in their order."""

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
        """Return how often an agent did something.

        Args:
            kind: what.
            agent: who.
            other: to whom; empty: to anybody.
            thing: to which thing; 0: to any.
            since: only after so many deeds of all (``len(deeds.all)`` at that moment).
            until: only up to this round; None: up to now.
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
        """Return what clauses can name, as they spell it, after some deeds and rounds of all."""
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
class Lent:
    """What a world or a scenario provides to modules of cooperation and to institutions.

    Code settles by it what agents suppose and say, what they promise, and what the law takes.

    Attributes:
        example: a claim about how things are there, where one is shown.
    """

    claims: Language
    account: Account
    example: Claim[Any]
