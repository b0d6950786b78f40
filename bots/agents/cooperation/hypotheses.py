"""Hypotheses, which tests promote to rules or refute; predictions; and trust in sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from voxpolis.bots.agents.cooperation.knowledge import Finding

# A hypothesis becomes a rule after this many hits, if its hit rate is at least this.
CONFIRM, RULE_SHARE = 5, 0.8
# A hypothesis is dropped if its hit rate is below this after this many tests.
DROP_AFTER, DROP_SHARE = 5, 0.4
# Maximum number of hypotheses that are not rules shown to a mind.
BEST = 2
# Maximum number of rules shown to a mind: the agent's own first, then the most confirmed.
MOST_RULES = 12
# Maximum number of hypotheses that an agent tracks. Beyond it, the oldest hypothesis that is not a
# rule is dropped.
MOST_OPEN = 30

Status = Literal["open", "rule", "dropped"]


@dataclass(frozen=True)
class Count:
    """Numbers of tests and of hits."""

    tries: float = 0.0
    hits: float = 0.0


@dataclass
class Hypothesis:
    """A statement that may be true.

    Attributes:
        number: index among the agent's hypotheses, from 1.
        test: claim that code checks; None for free text.
        about: ``world``, or an agent's name.
        made_at: creation time, in the world's unit.
        source: agent that claimed it; empty for the agent's own idea.
        trust: initial trust in the source, which counts as one earlier test; None for the agent's
            own idea.
        counted: tests and hits from events, or from the model for free text.
        is_weighed: its result has already changed the trust in its source.
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
        """Number of tests, including the initial trust as one test."""
        return self.counted.tries + (self.trust is not None)

    @property
    def hits(self) -> float:
        """Number of hits, including the initial trust."""
        return self.counted.hits + (self.trust or 0.0)

    def judge(self, confirm: float) -> Status:
        if self.hits >= confirm and self.hits >= RULE_SHARE * self.tries:
            return "rule"
        if self.tries >= DROP_AFTER and self.hits < DROP_SHARE * self.tries:
            return "dropped"
        return "open"

    def finding(self) -> Finding:
        return Finding(self.text, self.test, self.tries, self.hits, self.source, self.trust)


@dataclass
class Prediction:
    """An agent's prediction with its probability and its last round."""

    number: int
    test: object
    probability: float
    made_at: int
    due: int


class Hypotheses:
    """An agent's hypotheses and predictions, and the reliability of its sources.

    Attributes:
        all: all hypotheses, oldest first, including dropped ones.
        predictions: predictions that are not due yet.
        brier: (probability - outcome) squared for each settled prediction.
    """

    def __init__(self, confirm: float = CONFIRM) -> None:
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
        """Add a hypothesis and return it; None if the agent already had it, whatever its status."""
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
        return [one for one in self.all if one.status == status]

    def settle(self, count: Callable[[Hypothesis], Count]) -> Iterator[Hypothesis]:
        """Recount all checkable hypotheses; yield those whose status has changed.

        ``count`` returns the total tests and hits of a hypothesis since its creation.
        """
        for one in self.all:
            if one.test is not None and one.status != "dropped":
                one.counted = count(one)
        yield from self.judged()

    def judged(self) -> Iterator[Hypothesis]:
        """Update the status of every hypothesis; yield those whose status has changed."""
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
        """Remove a prediction; return its Brier score, None if it is void."""
        self.predictions.remove(one)
        if came is None:
            return None
        score = (one.probability - came) ** 2
        self.brier.append(score)
        return score

    def learn(self, source: str, *, is_true: bool) -> None:
        """Record whether a source's claim was true."""
        before = self._said.get(source, Count())
        self._said[source] = Count(before.tries + 1, before.hits + is_true)

    @property
    def trust(self) -> Mapping[str, float]:
        """Return the share of true claims for each source, by Laplace's rule."""
        return {
            name: (said.hits + 1) / (said.tries + 2) for name, said in sorted(self._said.items())
        }

    def rules(self) -> tuple[Finding, ...]:
        """Return the rules as shown to a mind, oldest first."""
        rules = self.of("rule")
        told = sorted(rules, key=lambda one: (bool(one.source), -one.hits, one.number))[:MOST_RULES]
        return tuple(one.finding() for one in rules if one in told)

    def hunches(self) -> tuple[Finding, ...]:
        """Return the best hypotheses that are not rules yet."""
        best: Sequence[Hypothesis] = sorted(
            self.of("open"), key=lambda one: (-(one.hits + 1) / (one.tries + 2), -one.number)
        )
        return tuple(one.finding() for one in best[:BEST])
