"""Payments between agents that hold until a game is over, and what they come to then.

Who agrees on another amount for the same kind of deed revises what was agreed: the newer clause
takes the older one's place, and counts from where that one did. All that one pays another has a
limit, however many agreements it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from voxpolis.judge.clause_sense import kind_of, sense_of
from voxpolis.judge.contract import Outcome
from voxpolis.judge.deeds import MOST_PAID, Deeds
from voxpolis.judge.formal import Clause, FormalContract


@dataclass(frozen=True)
class Payment:
    """A clause that two agreed on.

    Attributes:
        parties: who.
        contract: it alone.
        since: deeds before it, which do not count.
        rounds: rounds that were over before it, which do not count.
    """

    parties: frozenset[str]
    contract: FormalContract
    since: int
    rounds: int

    @property
    def clause(self) -> Clause:
        """What is paid."""
        return self.contract.clauses[0]

    @property
    def sense(self) -> object:
        """What is the same for one that pays the same."""
        return sense_of(self.clause, self.contract.terms)

    @property
    def kind(self) -> object:
        """What is the same for one that pays another amount for the same."""
        return kind_of(self.clause, self.contract.terms)


@dataclass
class Payments:
    """The payments of a game that hold."""

    live: list[Payment] = field(default_factory=list)

    def _of(self, contract: FormalContract, parties: Iterable[str], deeds: Deeds) -> list[Payment]:
        """Return the payments of a contract between two, each once, as if it began now."""
        found: dict[object, Payment] = {}
        for clause in contract.clauses:
            own = replace(contract, clauses=(clause,))
            one = Payment(frozenset(parties), own, len(deeds.all), deeds.rounds)
            found.setdefault(one.sense, one)
        return [*found.values()]

    def _between(self, parties: Iterable[str], kind: object) -> list[Payment]:
        both = frozenset(parties)
        return [one for one in self.live if one.parties == both and one.kind == kind]

    def _new(
        self, contract: FormalContract, parties: Iterable[str], deeds: Deeds
    ) -> Iterable[tuple[Payment, list[Payment]]]:
        """Yield the payments of a contract that are not agreed on, and in whose places each is."""
        told = self._of(contract, parties, deeds)
        for kind in dict.fromkeys(one.kind for one in told):
            own, held = [one for one in told if one.kind == kind], self._between(parties, kind)
            if {one.sense for one in own} <= {one.sense for one in held}:
                continue
            for one in own:
                yield one, held

    def add(
        self, contract: FormalContract | None, parties: Iterable[str], deeds: Deeds
    ) -> FormalContract | None:
        """Let payments hold that two agreed on; return those that did not (None: none is new)."""
        if contract is None:
            return None
        new = list(self._new(contract, parties, deeds))
        gone = [one for _, held in new for one in held]
        self.live = [one for one in self.live if one not in gone]
        for one, held in new:
            first = min((one, *held), key=lambda each: each.since)
            self.live.append(replace(one, since=first.since, rounds=first.rounds))
        clauses = tuple(one.clause for one, _ in new)
        return replace(contract, clauses=clauses) if clauses else None

    def told(self, contract: FormalContract, parties: Iterable[str], deeds: Deeds) -> list[str]:
        """Return a line for each payment of a contract, with what it takes the place of."""
        instead = {one.clause: held for one, held in self._new(contract, parties, deeds) if held}
        return [
            f"{clause} (in place of: {'; '.join(str(one.clause) for one in instead[clause])})"
            if clause in instead
            else str(clause)
            for clause in contract.clauses
        ]

    def lines_of(self, name: str) -> list[str]:
        """Return the payments that an agent is a party of, a line each."""
        return [str(one.clause) for one in self.live if name in one.parties]

    def transfers(
        self, players: Sequence[str], things: Iterable[int], deeds: Deeds
    ) -> dict[str, float]:
        """Return what payments bring each player; they sum to zero."""
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
