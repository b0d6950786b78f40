"""Hypotheses that become rules or are dropped by what happens, predictions, and trust."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from voxpolis.bots.agents.cooperation.known import Finding

# A rule was confirmed so often, and in such a part of its tests.
CONFIRM, RULE_SHARE = 5, 0.8
# After so many tests a hypothesis is dropped that held in a smaller part of them.
DROP_AFTER, DROP_SHARE = 5, 0.4
# How many hypotheses that are no rules yet a mind is told of.
BEST = 2
# How many rules a mind is told of: own ones before what others told it, the most confirmed first.
MOST_RULES = 12
# A mind follows no more hypotheses than this; the oldest that is no rule gives way.
MOST_OPEN = 30

Status = Literal["open", "rule", "dropped"]


@dataclass(frozen=True)
class Count:
    """Number of tests, and of those that held."""

    tries: float = 0.0
    hits: float = 0.0


@dataclass
class Hypothesis:
    """Something that may be true.

    Attributes:
        number: counts an agent's hypotheses, from 1.
        test: the claim that code checks; None: it is in no form.
        about: ``world``, or an agent's name.
        made_at: when, in the world's time.
        source: who said so; empty: the agent itself.
        trust: how far the source was believed, as one test before all others; None: own thought.
        counted: tests and hits by events, or by the model where the form is free.
        is_weighed: whether it has counted for the trust in its source already.
    """

    number: int
    text: str
    test: object
    about: str
    made_at: int
    source: str = ""
    trust: float | None = None
    counted: Count = field(default_factory=Count)
    status: Status = "open"
    is_weighed: bool = False

    @property
    def tries(self) -> float:
        """All tests, what a source was believed among them."""
        return self.counted.tries + (self.trust is not None)

    @property
    def hits(self) -> float:
        """All hits, what a source was believed among them."""
        return self.counted.hits + (self.trust or 0.0)

    def judge(self, confirm: float) -> Status:
        """Return what it is by its tests; ``confirm``: hits that make a rule."""
        if self.hits >= confirm and self.hits >= RULE_SHARE * self.tries:
            return "rule"
        if self.tries >= DROP_AFTER and self.hits < DROP_SHARE * self.tries:
            return "dropped"
        return "open"

    def finding(self) -> Finding:
        return Finding(self.text, self.test, self.tries, self.hits, self.source, self.trust)


@dataclass
class Prediction:
    """Prediction of an agent with its probability and its last round."""

    number: int
    test: object
    probability: float
    made_at: int
    due: int


class Hypotheses:
    """An agent's hypotheses, predictions, and how true what others told it was.

    Attributes:
        all: the hypotheses, oldest first, dropped ones among them.
        predictions: those that are not due yet.
        brier: of the predictions that were settled, (probability - outcome) squared.
    """

    def __init__(self, confirm: float = CONFIRM) -> None:
        """Begin without any; ``confirm``: hits that make a rule."""
        self.all: list[Hypothesis] = []
        self.predictions: list[Prediction] = []
        self.brier: list[float] = []
        self._confirm = confirm
        self._said: dict[str, Count] = {}
        self._predicted = 0

    def add(
        self,
        text: str,
        test: object,
        about: str,
        made_at: int,
        source: str = "",
        trust: float | None = None,
    ) -> Hypothesis | None:
        """Keep a hypothesis; None: there is the same one, open, dropped or a rule, already."""
        key = text if test is None else test
        if any((one.text if one.test is None else one.test) == key for one in self.all):
            return None
        found = Hypothesis(len(self.all) + 1, text, test, about, made_at, source, trust)
        self.all.append(found)
        waiting = self.of("open")
        if len(waiting) > MOST_OPEN:
            waiting[0].status = "dropped"
        return found

    def of(self, status: Status) -> list[Hypothesis]:
        """Return the hypotheses of a status, oldest first."""
        return [one for one in self.all if one.status == status]

    def settle(self, count: Callable[[Hypothesis], Count]) -> Iterator[Hypothesis]:
        """Count anew all that are checkable; yield those whose status has changed.

        ``count`` returns all tests and hits of a hypothesis since it was made.
        """
        for one in self.all:
            if one.test is not None and one.status != "dropped":
                one.counted = count(one)
        yield from self.judged()

    def judged(self) -> Iterator[Hypothesis]:
        """Give all their status by their tests; yield those of which it has changed."""
        for one in self.all:
            status = one.status if one.status == "dropped" else one.judge(self._confirm)
            if status != one.status:
                one.status = status
                yield one

    def predict(self, test: object, probability: float, made_at: int, due: int) -> Prediction:
        self._predicted += 1
        found = Prediction(self._predicted, test, probability, made_at, due)
        self.predictions.append(found)
        return found

    def settle_prediction(self, one: Prediction, came: bool | None) -> float | None:
        """Take a prediction off the list; return its Brier score, None where it came to nothing."""
        self.predictions.remove(one)
        if came is None:
            return None
        score = (one.probability - came) ** 2
        self.brier.append(score)
        return score

    def learn(self, source: str, *, is_true: bool) -> None:
        """Take in that something that another had claimed was true, or was not."""
        before = self._said.get(source, Count())
        self._said[source] = Count(before.tries + 1, before.hits + is_true)

    @property
    def trust(self) -> Mapping[str, float]:
        """By who claimed anything, how far that was true, by Laplace's rule."""
        return {
            name: (said.hits + 1) / (said.tries + 2) for name, said in sorted(self._said.items())
        }

    def rules(self) -> tuple[Finding, ...]:
        """Return the rules as a mind is told them, oldest first."""
        rules = self.of("rule")
        told = sorted(rules, key=lambda one: (bool(one.source), -one.hits, one.number))[:MOST_RULES]
        return tuple(one.finding() for one in rules if one in told)

    def hunches(self) -> tuple[Finding, ...]:
        """Return the best of what is no rule yet."""
        best: Sequence[Hypothesis] = sorted(
            self.of("open"), key=lambda one: (-(one.hits + 1) / (one.tries + 2), -one.number)
        )
        return tuple(one.finding() for one in best[:BEST])
