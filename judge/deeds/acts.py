"""Acts that are counted per round, with claims, promises, payments and a law about these counts.

A scenario names its acts (``digs … iron``). For each agent and round, the scenario counts the acts
in the record of its world, and publishes the counts as events
:class:`records.events.ActsCounted`. Everything else follows from these counts. The module works for
everything that has rounds: an episode of a contract game, or a season of a village. This module
does not depend on what an act means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Literal

from voxpolis.bots.models.typed import Answer, narrowed, one_of
from voxpolis.judge.deeds.account import Account, Clause, Deed, DeedReader, Form, Offence
from voxpolis.judge.deeds.claims import Claim, Count, Outcomes
from voxpolis.judge.deeds.promises import Promise
from voxpolis.records import events

# The name by which claims refer to all players together.
EVERYONE = "everyone together"
# The kind of deed that stands for a neglected duty.
OFFENCE = "offence"

# The counts of one round: agent → act → number.
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Act:
    """An act that is counted in each round.

    Attributes:
        name: the name in events, clauses and deeds, such as ``iron_dug``.
        verb: the verb in the third person, such as ``digs``.
        thing: the object of the verb, such as ``iron``.
        most: the maximum number of times that all agents together can do the act in a round; None
            if this number is not known in advance.
    """

    name: str
    verb: str
    thing: str
    most: int | None = None

    def most_so_far(self, rounds: Sequence[Counts], *, together: bool = False) -> int | None:
        """Return the maximum number of times that the act can be done in a round.

        Return None if this number is not known yet.

        Without a fixed limit, the result is the maximum in the rounds so far: for a single agent,
        or for all agents together if ``together`` is true.
        """
        if self.most is not None:
            return self.most
        done = [[own.get(self.name, 0) for own in counts.values()] for counts in rounds]
        return max((sum(own) if together else max(own) for own in done if own), default=None)

    @property
    def count_text(self) -> str:
        """The template for a text that states the count; ``{}`` is the number."""
        return f"in all, {self.verb} {{}} {self.thing}"


@dataclass
class ActHistory:
    """The counts of the rounds so far; see :class:`judge.deeds.claims.History`.

    Attributes:
        rounds: for each round, agent → act → number.
    """

    rounds: list[Counts] = field(default_factory=list)
    hour: int = 0

    def take(self, event: events.Event, hour: int) -> None:
        """Process an event. ``ActsCounted`` ends a round, which is the unit of time."""
        if isinstance(event, events.ActsCounted):
            self.rounds.append(event.acts)
            self.hour = len(self.rounds)


# --- Claims ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Amount:
    """The claim that in every round an agent does an act at least, or at most, N times.

    Instead of an agent, the claim can be about all agents together.
    """

    who: str
    act: Act
    number: int
    at_least: bool = True

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        return f"{self.who} {self.act.verb} {bound} {self.number} {self.act.thing}"

    def is_so(self, counts: Counts) -> bool:
        whose = counts.values() if self.who == EVERYONE else [counts.get(self.who, {})]
        done = sum(own.get(self.act.name, 0) for own in whose)
        return done >= self.number if self.at_least else done <= self.number

    def complaint(self, history: ActHistory) -> str:
        if self.at_least and not self.number:
            return "doing 0 or more is true of every agent"
        is_all, limit = self.who == EVERYONE, self.act.most
        most = self.act.most_so_far(history.rounds, together=is_all)
        if self.at_least:
            never = limit is not None and self.number > limit
            return f"there are no more than {limit}, so it is true of no agent" if never else ""
        if most is None:
            return "it is not known yet how much can be done" if self.number else ""
        if limit is None and self.number > most:
            return f"no agent has ever done more than {most}, so it is true of every agent"
        is_always = limit is not None and self.number >= limit
        return f"there are no more than {limit}, so it is true of every agent" if is_always else ""

    def tests(self, history: ActHistory, since: int) -> Outcomes:
        return (self.is_so(counts) for counts in history.rounds[since:])


@dataclass(frozen=True)
class ActRule:
    """A rule: in every round in which the first claim holds, the second claim also holds.

    Rounds in which the first claim does not hold say nothing about the rule.
    """

    when: Amount
    then: Amount

    def __str__(self) -> str:
        return f"{self.when} -> {self.then}"

    def complaint(self, history: ActHistory) -> str:
        return self.then.complaint(history)

    def tests(self, history: ActHistory, since: int) -> Outcomes:
        for counts in history.rounds[since:]:
            if self.when.is_so(counts):
                yield self.then.is_so(counts)


@dataclass(frozen=True)
class LastRound:
    """The claim that an :class:`Amount` was true of the last round. Each round tests the claim."""

    amount: Amount

    def __str__(self) -> str:
        return f"last round: {self.amount}"

    def complaint(self, history: ActHistory) -> str:
        return self.amount.complaint(history)

    def tests(self, history: ActHistory, since: int) -> Outcomes:
        return self.amount.tests(history, since)

    def holds(self, history: ActHistory) -> bool | None:
        """Return whether the claim holds now; None before the first round."""
        return self.amount.is_so(history.rounds[-1]) if history.rounds else None

    @property
    def contrary(self) -> LastRound:
        """The claim that is true if this claim is false, and the other way round."""
        one = self.amount
        number = one.number - 1 if one.at_least else one.number + 1
        return LastRound(replace(one, number=number, at_least=not one.at_least))


class AmountAnswer(Answer):
    """An agent does at least, or at most, so much in a round."""

    who: str
    act: str
    at_least: bool
    number: Count


class EachRound(Answer):
    """An amount is so in each round."""

    form: Literal["each_round"] = "each_round"
    amount: AmountAnswer


class WheneverAnswer(Answer):
    """In each round in which one amount is so, another is."""

    form: Literal["whenever"] = "whenever"
    when: AmountAnswer
    then: AmountAnswer


class LastRoundAnswer(Answer):
    """An amount was so in the last round."""

    form: Literal["last_round"] = "last_round"
    amount: AmountAnswer


@lru_cache(256)
def _types(acts: tuple[Act, ...], names: tuple[str, ...]) -> tuple[type[Answer], ...]:
    who, act = one_of((EVERYONE, *names)), one_of(one.name for one in acts)
    amount = narrowed(AmountAnswer, who=who, act=act)
    return (
        narrowed(EachRound, amount=amount),
        narrowed(WheneverAnswer, when=amount, then=amount),
        narrowed(LastRoundAnswer, amount=amount),
    )


@dataclass(frozen=True)
class ActClaims:
    """The claims that can be made about the given acts.

    See :class:`judge.deeds.claims.Language`.
    """

    acts: tuple[Act, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        amounts = (
            f"NAME {one.verb} at least NUMBER {one.thing} (or: at most), act {one.name}"
            for one in self.acts
        )
        return (
            *(f"an amount: {one}" for one in amounts),
            f"in an amount NAME can be {EVERYONE!r}, too",
            "each_round: the amount is so in each round",
            "whenever: in each round in which the amount `when` is so, the amount `then` is so, "
            "too",
            "last_round: the amount was so in the last round",
        )

    def types(self, names: tuple[str, ...]) -> tuple[type[Answer], ...]:
        return _types(self.acts, names)

    def read(self, answer: Mapping[str, Any]) -> Claim[ActHistory]:
        if answer["form"] == "whenever":
            return ActRule(self._amount(answer["when"]), self._amount(answer["then"]))
        amount = self._amount(answer["amount"])
        return LastRound(amount) if answer["form"] == "last_round" else amount

    def _amount(self, answer: Mapping[str, Any]) -> Amount:
        act = next(one for one in self.acts if one.name == answer["act"])
        return Amount(answer["who"], act, answer["number"], answer["at_least"])

    def say(self, claim: Any) -> dict[str, Any]:
        if isinstance(claim, ActRule):
            return {
                "form": "whenever",
                "when": _amount_answer(claim.when),
                "then": _amount_answer(claim.then),
            }
        if isinstance(claim, LastRound):
            return {"form": "last_round", "amount": _amount_answer(claim.amount)}
        return {"form": "each_round", "amount": _amount_answer(claim)}


def _amount_answer(amount: Amount) -> dict[str, Any]:
    return {**vars(amount), "act": amount.act.name}


# --- Promises, payments and the law ---------------------------------------------------------------


@dataclass(frozen=True)
class Duty:
    """The duty of each agent in each round under the first law.

    Attributes:
        article: the text of the article, which refers to the penalty by the name in ``number``.
        number: the name of the number in the constitution that states the penalty.
        what: a description of the offence.
        amounts: what is required. Each requirement binds the agent that it names.
        banned: the text that tells an agent that it is banned. If it is not empty, the penalty is a
            number of rounds in which the agent is banned; otherwise the penalty is a fine.
    """

    article: str
    number: str
    what: str
    amounts: tuple[Amount, ...]
    banned: str = ""

    def neglected(self, counts: Counts) -> Iterator[str]:
        broken = {one.who for one in self.amounts if not one.is_so(counts)}
        yield from (name for name in counts if name in broken)


@cache
def at_most(act: Act) -> Form:
    """Return the form of promises to do an act at most N times until the end of a round."""
    return _form(act, "at most", at_least=False)


@cache
def at_least(act: Act) -> Form:
    """Return the form of promises to do an act at least N times until the end of a round."""
    return _form(act, "at least", at_least=True)


def _form(act: Act, bound: str, *, at_least: bool) -> Form:
    return Form(
        f"{act.name}_{bound.replace(' ', '_')}",
        f"NAME {act.verb} {bound} NUMBER {act.thing} until round NUMBER",
        f"{{by}} {act.verb} {bound} {{number}} {act.thing} until round {{until}}",
        act.name,
        ("number",),
        at_least,
        act.most,
    )


def promise(amount: Amount, until: int) -> Promise:
    """Return the promise to do an amount in total, in all rounds up to and including ``until``."""
    form = at_least(amount.act) if amount.at_least else at_most(amount.act)
    return Promise(form, amount.who, until, amount.number)


def account_of(acts: Sequence[Act], duty: Duty) -> Account:
    """Return how a scenario with the given acts and duty counts what agents do."""

    def reader() -> DeedReader:
        def read(event: events.Event, now: int) -> Iterable[Deed]:
            if not isinstance(event, events.ActsCounted):
                return
            for agent, counts in event.acts.items():
                for name, count in counts.items():
                    if count:
                        yield Deed(name, agent, round=now, count=count)
            for agent in duty.neglected(event.acts):
                yield Deed(OFFENCE, agent, round=now)

        return read

    return Account(
        reader,
        forms=tuple(form for one in acts for form in (at_most(one), at_least(one))),
        paid=f"NAME pays NAME NUMBER * {acts[0].name}(NAME)",
        clauses=tuple(Clause(one.name, one.name) for one in acts),
        deed_texts={one.name: one.count_text for one in acts},
        articles=(duty.article,),
        offence=Offence(OFFENCE, 1, duty.number, duty.what, is_ban=bool(duty.banned)),
        is_armed=False,
        banned=duty.banned,
    )
