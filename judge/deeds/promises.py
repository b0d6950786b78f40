"""Agreements between agents. They consist of promises and payments, which code settles.

A world defines the forms of promises (:class:`judge.deeds.account.Account`), for example ``Ada does
not attack Bo until round 20``. Payments (:mod:`judge.contracts.clauses`) depend on what the world
counts, and are made at the end. :mod:`judge.deeds.commitments` reads promises and payments.

All terms cover only deeds after the agreement. A promise is left out if an earlier promise, which
is not kept or broken yet, already demands as much. A promise not to do something is broken by the
first deed that violates it, and is kept once its last round has passed. A promise to do something
is kept as soon as the deed is done. A payment is always made, so it is neither kept nor broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from voxpolis.judge.contracts.clauses import Clause, FormalContract, kind_of
from voxpolis.judge.contracts.contract import Outcome
from voxpolis.judge.deeds.account import MOST_PAID, Deeds, Form

# --- Payments between agents, which accumulate until the game is over -----------------------------
#
# If two agents agree on another amount for the same kind of deed, the newer clause replaces the
# older one and also covers the deeds since the older clause began. The total that one agent pays
# another is limited over all agreements.


@dataclass(frozen=True)
class Payment:
    """A clause on which two agents agreed. Earlier deeds and rounds do not count.

    Attributes:
        since: the number of deeds before the two agents first agreed on a payment of this kind.
        rounds: the number of rounds before the two agents first agreed on a payment of this kind.
    """

    parties: frozenset[str]
    contract: FormalContract
    since: int
    rounds: int

    @property
    def clause(self) -> Clause:
        return self.contract.clauses[0]

    @property
    def kind(self) -> object:
        """The key that all payments for the same deed share; see ``kind_of``."""
        return kind_of(self.clause, self.contract.terms)


@dataclass
class Payments:
    """The payments of a game that are in force."""

    live: list[Payment] = field(default_factory=list)

    def _new(
        self, contract: FormalContract, parties: Iterable[str], deeds: Deeds
    ) -> list[tuple[Payment, list[Payment]]]:
        """Return pairs: a new payment of a contract, and the older payments that it replaces."""
        both, new = frozenset(parties), []
        told = [
            Payment(both, replace(contract, clauses=(one,)), len(deeds.all), deeds.rounds)
            for one in {str(clause): clause for clause in contract.clauses}.values()
        ]
        for kind in dict.fromkeys(one.kind for one in told):
            own = [one for one in told if one.kind == kind]
            held = [one for one in self.live if one.parties == both and one.kind == kind]
            if not {str(one.clause) for one in own} <= {str(one.clause) for one in held}:
                new += [(one, held) for one in own]
        return new

    def add(
        self, contract: FormalContract | None, parties: Iterable[str], deeds: Deeds
    ) -> FormalContract | None:
        """Put the payments of two agents in force.

        Return the new payments; None if there are none.
        """
        if contract is None:
            return None
        new = self._new(contract, parties, deeds)
        gone = [one for _, held in new for one in held]
        self.live = [one for one in self.live if one not in gone]
        for one, held in new:
            first = min((one, *held), key=lambda each: each.since)
            self.live.append(replace(one, since=first.since, rounds=first.rounds))
        clauses = tuple(one.clause for one, _ in new)
        return replace(contract, clauses=clauses) if clauses else None

    def describe(self, contract: FormalContract, parties: Iterable[str], deeds: Deeds) -> list[str]:
        """Return one line per payment of a contract.

        The line also names the payment that the new payment replaces.
        """
        instead = {one.clause: held for one, held in self._new(contract, parties, deeds) if held}
        return [
            f"{clause} (in place of: {'; '.join(str(one.clause) for one in instead[clause])})"
            if clause in instead
            else str(clause)
            for clause in contract.clauses
        ]

    def lines_of(self, name: str) -> list[str]:
        return [str(one.clause) for one in self.live if name in one.parties]

    def transfers(
        self, players: Sequence[str], things: Iterable[int], deeds: Deeds
    ) -> dict[str, float]:
        """Return what each player receives from all payments (negative: pays). The sum is zero."""
        paid: dict[tuple[str, str], float] = {}
        things = tuple(things)
        for one in self.live:
            outcome = Outcome(counted=deeds.counts(players, things, one.since, one.rounds))
            pair = one.clause.payer, one.clause.receiver
            amount = one.contract.transfers(outcome, MOST_PAID)[pair[1]]
            paid[pair] = paid.get(pair, 0.0) + amount
        totals = dict.fromkeys(players, 0.0)
        for (payer, receiver), amount in paid.items():
            most = max(-MOST_PAID, min(MOST_PAID, amount))
            totals[payer] -= most
            totals[receiver] += most
        return totals


# --------------------------------------------------------------------------------------------------

State = Literal["kept", "broken", "open"]


@dataclass(frozen=True)
class Promise:
    """A promise of an agent.

    Attributes:
        until: the last round in which the promise binds.
        number: how often the promiser does the deed at most, or at least.
        thing: the number of the object; 0 if the promise is about no object.
        other: the agent that the promise is about; empty if there is none.
    """

    form: Form
    by: str
    until: int
    number: int = 0
    thing: int = 0
    other: str = ""

    def __str__(self) -> str:
        parts = {"by": self.by, "until": self.until, "number": self.number}
        return self.form.text.format(**parts, thing=self.thing, other=self.other)

    @property
    def about(self) -> tuple[str, bool, str, int, str]:
        """The content of the promise, without its number and its last round."""
        return self.form.kind, self.form.at_least, self.by, self.thing, self.other

    def asks_more(self, other: Promise) -> bool:
        """Return whether the promise demands more than ``other``, an open promise about the same
        deed.

        The result is False for a promise to do something: the deed that keeps the first promise
        would also keep the second one.
        """
        is_more = self.until > other.until or self.number < other.number
        return is_more and not self.form.at_least

    def state(self, deeds: Deeds, since: int) -> State:
        """Return whether the promise is kept, broken or open.

        ``since`` is the number of earlier deeds, which are ignored.
        """
        about = {"other": self.other, "thing": self.thing, "until": self.until}
        done = deeds.count(self.form.kind, self.by, since=since, **about)  # type: ignore[arg-type]
        if self.form.at_least:
            is_over = deeds.rounds >= self.until
            return "kept" if done >= self.number else "broken" if is_over else "open"
        if done > self.number:
            return "broken"
        return "kept" if deeds.rounds >= self.until else "open"


@dataclass(frozen=True)
class Commitments:
    """The terms of an agreement that code can settle: promises, and payments at the end, if any."""

    promises: tuple[Promise, ...] = ()
    payments: FormalContract | None = None

    @property
    def forms(self) -> list[str]:
        return [*map(str, self.promises), *(self.payments.lines if self.payments else ())]


@dataclass(frozen=True)
class Agreement:
    """An agreement between two agents.

    Attributes:
        number: the number of the agreement, counted from 1.
        terms: the full text.
        commitments: the part that code settles.
        since: the number of deeds before the agreement. These deeds do not count.
        made_at: the round of the agreement.
        words: the part in free text, which nothing enforces; empty if code settles everything.
    """

    number: int
    parties: tuple[str, str]
    terms: str
    commitments: Commitments
    since: int
    made_at: int
    words: str


@dataclass(frozen=True)
class Settled:
    """A promise that was kept or broken.

    ``number`` is the number of the promise, counted from 1.
    """

    number: int
    agreement: int
    promise: Promise
    kept: bool


@dataclass
class Agreements:
    """All agreements of a game, and the state of their promises and payments."""

    made: list[Agreement] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    payments: Payments = field(default_factory=Payments)
    _open: list[tuple[int, Agreement, Promise]] = field(default_factory=list)
    _promises: int = 0

    def make(
        self,
        parties: tuple[str, str],
        terms: str,
        commitments: Commitments,
        deeds: Deeds,
        words: str = "",
    ) -> tuple[Agreement, dict[str, list[int]]]:
        """Store an agreement. Return the agreement, and the numbers of each agent's promises.

        Promises are left out if an open promise between the two agents already demands as much.
        Payments on which the two have already agreed are also left out.
        """
        binding = tuple(
            promise
            for promise in commitments.promises
            if all(
                promise.asks_more(other)
                for _, agreement, other in self._open
                if {*agreement.parties} == {*parties} and other.about == promise.about
            )
        )
        payments = self.payments.add(commitments.payments, parties, deeds)
        commitments = replace(commitments, promises=binding, payments=payments)
        number, made_at = len(self.made) + 1, deeds.rounds + 1
        one = Agreement(number, parties, terms, commitments, len(deeds.all), made_at, words)
        self.made.append(one)
        numbers: dict[str, list[int]] = {}
        for promise in commitments.promises:
            self._promises += 1
            self._open.append((self._promises, one, promise))
            numbers.setdefault(promise.by, []).append(self._promises)
        return one, numbers

    def settle(self, deeds: Deeds) -> list[Settled]:
        """Find the open promises that are now kept or broken, store the result, and return them."""
        found, still_open = [], []
        for number, agreement, promise in self._open:
            state = promise.state(deeds, agreement.since)
            if state == "open":
                still_open.append((number, agreement, promise))
            else:
                found.append(Settled(number, agreement.number, promise, state == "kept"))
        self._open = still_open
        self.settled += found
        return found

    def live(self) -> list[tuple[int, Agreement, Promise]]:
        return list(self._open)

    def describe(
        self, parties: tuple[str, str], commitments: Commitments, deeds: Deeds
    ) -> list[str]:
        """Return one line for each part of the offered terms that code would check."""
        paid = commitments.payments
        payments = self.payments.describe(paid, parties, deeds) if paid else []
        return [*map(str, commitments.promises), *payments]

    def record_of(self, name: str) -> tuple[int, int]:
        """Return in how many agreements an agent kept all its promises, and in how many it did not.

        An agreement does not count yet if none of its promises is broken, but one is still open.
        """
        own = {one.agreement: True for one in self.settled if one.promise.by == name}
        for _, agreement, promise in self._open:
            if promise.by == name:
                own.pop(agreement.number, None)
        broken = {one.agreement for one in self.settled if one.promise.by == name and not one.kept}
        return len(own.keys() - broken), len(broken)
