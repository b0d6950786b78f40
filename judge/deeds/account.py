"""The account of what agents did, from which promises, payments, laws and reputations are settled.

The deeds of agents are counted from the events in a record. A world provides an :class:`Account`,
which defines the kinds of deeds, the promises about deeds that code can check, and the deeds that
the first law forbids. This module does not depend on what a deed means.
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
    """Something that an agent did and that counts.

    Attributes:
        kind: name of this kind of deed in the world's account.
        other: the agent to whom it was done; empty if there is none.
        thing: the number of the object to which it was done; 0 if the object has no number.
        round: the round in which it was done, counted from 1.
        count: how many times the agent did it.
    """

    kind: str
    agent: str
    other: str = ""
    thing: int = 0
    round: int = 1
    count: int = 1


# Returns the deeds in an event. The second argument is the current round.
DeedReader = Callable[[events.Event, int], Iterable[Deed]]

# The name of the form of terms that are payments.
PAYMENT = "payment"
# The maximum total that one agent pays another agent in a game, in emeralds.
MOST_PAID = 100.0


@dataclass(frozen=True)
class Form:
    """A form of promises: an agent does something at most, or at least, N times until a round.

    Attributes:
        name: the name of the form in answers.
        words: the description of the form in prompts.
        text: a template for the text of a promise. The fields in braces are those of
            :class:`judge.deeds.promises.Promise`.
        kind: the kind of deed that is counted.
        of: the names of the fields that a promise of this form has, apart from the promiser and the
            last round: any of ``number``, ``thing`` and ``other``.
        at_least: whether the number is a minimum; otherwise it is a maximum.
        most: the maximum number of times that an agent can do the deed in a round; None if the form
            states no maximum.
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
    """A count of deeds that the clauses of payments can use as an observable.

    Attributes:
        name: the name of the count in clauses, such as ``eaten``.
        kind: the kind of deed that is counted.
        of: the arguments of the count: ``own`` stands for only the agent (``eaten(Ada)``),
            ``thing`` for the agent and a thing (``eaten(Ada, 3)``), and ``other`` for two agents
            (``hits(Ada, Bo)``).
    """

    name: str
    kind: str
    of: Literal["own", "thing", "other"] = "own"


@dataclass(frozen=True)
class Offence:
    """A deed that the first law forbids. Other agents may attack the offender for some rounds.

    Attributes:
        article: the number of the article that forbids the deed.
        number: the name of the number in the constitution that states the penalty.
        what: a description of the deed. ``{thing}`` is replaced with the number of the object.
        is_ban: whether the penalty is a number of rounds in which the offender is banned
            (:attr:`Account.banned`). Otherwise the penalty is a fine.
    """

    kind: str
    article: int
    number: str
    what: str
    is_ban: bool = False


@dataclass(frozen=True)
class Account:
    """How a world counts what agents do.

    Attributes:
        reader: returns a function that finds the deeds in the events of an episode, taken in order.
        forms: the forms of promises that code can check.
        paid: the description of a payment in prompts.
        clauses: the counts that payments can use.
        deed_texts: for each kind of deed, its description for judging reputations; ``{}`` is the
            count.
        is_armed: whether agents can attack each other. If so, the first law also covers attacks.
        banned: the text that tells an agent that the law has banned it.
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
        """Count how often an agent did something.

        Args:
            kind: the kind of deed.
            agent: the agent that did it.
            other: the agent to whom it was done; empty for any agent.
            thing: the number of the object to which it was done; 0 for any object.
            since: the number of deeds to ignore at the beginning of ``all``.
            until: the last round that counts; None if all rounds count.
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
        """Return all counts that clauses can use.

        Args:
            players: the names of the players.
            things: the numbers of the objects to which deeds can be done.
            since: the number of earlier deeds to ignore.
            rounds: the number of earlier rounds to ignore.
        """
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
    """The rules that a world or a scenario defines for cooperation modules and institutions.

    With these definitions, code can decide whether agents' hypotheses, statements and promises came
    true, and which penalties the law imposes.

    Attributes:
        claims: the claims that code can check.
        account: how the world counts what agents do.
        example: a claim about a state, which prompts show as an example.
    """

    claims: Language
    account: Account
    example: Claim[Any]
