"""Agreements about a commons: promises in forms that code settles from what agents did.

Forms, one a line: ``Ada eats at most 2 from tree 3 until round 20``, ``Ada does not attack Bo until
round 20``, and payments (:mod:`judge.formal`), ``Ada pays Bo 0.5 * eaten(Ada)``, which are settled
at the end. A promise is broken as soon as a deed breaks it, and kept when its last round is over; a
payment is carried out and can be neither. What is in no form binds only by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from judge.contract import ContractError, Outcome, Terms
from judge.deeds import Deeds
from judge.formal import FormalContract, parse_clauses

#: How promises and payments can be worded, as prompts list them.
FORMS = (
    "NAME eats at most NUMBER from tree NUMBER until round NUMBER",
    "NAME does not attack NAME until round NUMBER",
    "NAME pays NAME NUMBER * eaten(NAME)",
)
#: No agent takes so many apples in any game.
MOST_COUNTED = 100_000
#: A promise holds for at most so many rounds more.
MOST_ROUNDS = 1000

_UNTIL = r"(?:until|till|through) (?:the end of )?(?:round )?(\d+)"
_AT_MOST = re.compile(
    rf"(\w+) (?:eats|takes) (?:at most|no more than) (\d+)(?: apples?)?"
    rf" (?:from|of) tree (\d+) {_UNTIL}",
    re.IGNORECASE,
)
_PEACE = re.compile(rf"(\w+) (?:does not|will not|doesn't) attack (\w+) {_UNTIL}", re.IGNORECASE)

State = Literal["kept", "broken", "open"]


@dataclass(frozen=True)
class Promise:
    """What an agent promised.

    Attributes:
        by: who promised it.
        until: the last round for which it holds.
        most: of a promise about a tree: how many apples it takes at most.
        tree: which tree; 0: the promise is not about a tree.
        other: whom it does not attack; empty: the promise is not about that.
    """

    by: str
    until: int
    most: int = 0
    tree: int = 0
    other: str = ""

    def __str__(self) -> str:
        if self.other:
            return f"{self.by} does not attack {self.other} until round {self.until}"
        return f"{self.by} eats at most {self.most} from tree {self.tree} until round {self.until}"

    def state(self, deeds: Deeds, since: int) -> State:
        """Return whether it was kept, by the deeds after the first ``since`` ones."""
        if self.other:
            done = deeds.count("attack", self.by, other=self.other, since=since, until=self.until)
        else:
            done = deeds.count("eaten", self.by, tree=self.tree, since=since, until=self.until)
        if done > self.most:
            return "broken"
        return "kept" if deeds.rounds >= self.until else "open"


@dataclass(frozen=True)
class Commitments:
    """What terms hold in forms: promises, and payments at the end (None: none)."""

    promises: tuple[Promise, ...] = ()
    payments: FormalContract | None = None

    @property
    def forms(self) -> list[str]:
        """The forms, a line each."""
        return [*map(str, self.promises), *(self.payments.lines if self.payments else ())]


def terms_of(players: Sequence[str], trees: Iterable[int]) -> Terms:
    """Return what payments may name on a commons."""
    counts = dict.fromkeys(Deeds().counts(players, trees), MOST_COUNTED)
    return Terms(players, {}, counts=counts)


def read_commitments(
    text: str, parties: Sequence[str], trees: Iterable[int], now: int
) -> Commitments:
    """Return what terms hold in forms; the rest of them is words.

    Args:
        text: the terms; forms are lines, or parts between semicolons.
        parties: who agrees; nobody else can be bound.
        trees: the numbers of the trees.
        now: the round that is played.
    """
    promises, payments = [], []
    trees = tuple(trees)
    terms = terms_of(parties, trees)
    for part in (" ".join(part.split()).strip(" .*-") for part in re.split(r"[\n;]", text)):
        promise = _promise(part, parties, trees)
        if promise is not None and now <= promise.until <= now + MOST_ROUNDS:
            promises.append(promise)
        elif promise is None:
            payments += _payments(part, terms)
    lines = "\n".join(payments)
    return Commitments(tuple(promises), parse_clauses(lines, terms) if payments else None)


def _promise(part: str, parties: Sequence[str], trees: Sequence[int]) -> Promise | None:
    known = {name.lower(): name for name in parties}
    if found := _AT_MOST.fullmatch(part):
        by, tree = known.get(found[1].lower()), int(found[3])
        if by and tree in trees:
            return Promise(by, int(found[4]), most=int(found[2]), tree=tree)
    elif found := _PEACE.fullmatch(part):
        by, other = known.get(found[1].lower()), known.get(found[2].lower())
        if by and other and by != other:
            return Promise(by, int(found[3]), other=other)
    return None


def _payments(part: str, terms: Terms) -> list[str]:
    try:
        return list(parse_clauses(part, terms).lines)
    except ContractError:
        return []


@dataclass(frozen=True)
class Agreement:
    """What two agents agreed on.

    Attributes:
        number: counts agreements, from 1.
        parties: who offered, and who accepted.
        terms: in their own words.
        commitments: what of it is in forms.
        since: deeds before it, which do not count.
        made_at: the round in which it was made.
    """

    number: int
    parties: tuple[str, str]
    terms: str
    commitments: Commitments
    since: int
    made_at: int


@dataclass(frozen=True)
class Settled:
    """A promise that was kept or broken; ``number`` counts promises, from 1."""

    number: int
    agreement: int
    promise: Promise
    kept: bool


@dataclass
class Agreements:
    """All agreements of a game, and what became of them."""

    made: list[Agreement] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    _open: list[tuple[int, Agreement, Promise]] = field(default_factory=list)
    _promises: int = 0

    def make(
        self, parties: tuple[str, str], terms: str, commitments: Commitments, deeds: Deeds
    ) -> tuple[Agreement, dict[str, list[int]]]:
        """Keep an agreement; return it, and the numbers of its promises by who gave them."""
        one = Agreement(
            len(self.made) + 1, parties, terms, commitments, len(deeds.all), deeds.rounds + 1
        )
        self.made.append(one)
        numbers: dict[str, list[int]] = {}
        for promise in commitments.promises:
            self._promises += 1
            self._open.append((self._promises, one, promise))
            numbers.setdefault(promise.by, []).append(self._promises)
        return one, numbers

    def settle(self, deeds: Deeds) -> list[Settled]:
        """Return the promises that are kept or broken by now and were open before."""
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
        """Return the promises that are still open: number, agreement and promise."""
        return list(self._open)

    def record_of(self, name: str) -> tuple[int, int]:
        """Return how many promises an agent kept, and how many it broke."""
        own = [one.kept for one in self.settled if one.promise.by == name]
        return sum(own), len(own) - sum(own)

    def transfers(
        self, players: Sequence[str], trees: Iterable[int], deeds: Deeds
    ) -> dict[str, float]:
        """Return what payments bring each player at the end; they sum to zero."""
        totals = dict.fromkeys(players, 0.0)
        outcome = Outcome(counted=deeds.counts(players, trees))
        for agreement in self.made:
            if agreement.commitments.payments:
                for name, amount in agreement.commitments.payments.transfers(outcome).items():
                    totals[name] += amount
        return totals
