"""An agent's hypotheses, its predictions, and its trust in other agents.

Every time the test of a hypothesis applies, the hypothesis gains a hit or a miss. After enough
tests the hypothesis becomes a rule or is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from voxpolis.bots.agents.cooperation.knowledge import Finding

# A hypothesis becomes a rule once it has CONFIRM hits, if at least the share RULE_SHARE of its
# tests were hits.
CONFIRM, RULE_SHARE = 5, 0.8
# A hypothesis is dropped after DROP_AFTER tests if less than the share DROP_SHARE of the tests were
# hits.
DROP_AFTER, DROP_SHARE = 5, 0.4
# A prompt shows at most this many hypotheses that are not rules.
BEST = 2
# A prompt shows at most this many rules. The agent's own rules come before the rules that other
# agents claimed, and rules with more hits come first.
MOST_RULES = 12
# An agent keeps at most this many open hypotheses. When a new hypothesis exceeds the limit, the
# oldest open hypothesis is dropped.
MOST_OPEN = 30

Status = Literal["open", "rule", "dropped"]


@dataclass(frozen=True)
class Count:
    """The number of tests of a claim or a source, and how many of the tests were hits."""

    tries: float = 0.0
    hits: float = 0.0


@dataclass
class Hypothesis:
    """A statement that an agent believes to be possibly true.

    Attributes:
        number: number of the hypothesis among the agent's hypotheses, counted from 1.
        test: claim that code can check; None if the hypothesis is free text.
        about: ``world``, or the name of an agent.
        made_at: time at which the hypothesis was made, in the world's unit of time.
        source: agent that claimed the hypothesis; empty if it is the agent's own idea.
        trust: the trust in the source when the claim was heard, from 0 to 1. ``tries`` and ``hits``
            count the trust as one more test. None if the hypothesis is the agent's own idea.
        counted: the numbers of tests and hits. For free text, the model judges whether a test was a
            hit; otherwise the world's events decide.
        is_weighed: whether the outcome of the tests has already changed the trust in ``source``.
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
        """Number of tests. The initial trust counts as one test."""
        return self.counted.tries + (self.trust is not None)

    @property
    def hits(self) -> float:
        """Number of hits, plus the initial trust (from 0 to 1)."""
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
    """A claim that an agent expects to come true.

    ``probability`` is how probable the agent considers the claim. ``due`` is the last round in
    which the claim can come true.
    """

    number: int
    test: object
    probability: float
    made_at: int
    due: int


class Hypotheses:
    """The hypotheses and predictions of an agent, and its trust in other agents.

    Attributes:
        all: all hypotheses, oldest first, including those that were dropped.
        predictions: the predictions that are not settled yet.
        brier: for each settled prediction, the squared difference between the predicted
            probability and the outcome (0 or 1).
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
        """Add a hypothesis and return it.

        Return None if the agent has already had the same hypothesis, even if the earlier hypothesis
        was dropped.
        """
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
        """Recount all hypotheses that code can check, and yield those whose status has changed.

        ``count`` returns how many tests and hits a hypothesis has had since it was made.
        """
        for one in self.all:
            if one.test is not None and one.status != "dropped":
                one.counted = count(one)
        yield from self.judged()

    def judged(self) -> Iterator[Hypothesis]:
        """Update the status of every hypothesis, and yield each hypothesis whose status changes."""
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
        """Remove a prediction and return its Brier score.

        Return None if the prediction is void, because its condition did not occur.
        """
        self.predictions.remove(one)
        if came is None:
            return None
        score = (one.probability - came) ** 2
        self.brier.append(score)
        return score

    def learn(self, source: str, *, is_true: bool) -> None:
        """Record that a claim of the agent ``source`` turned out to be true or false."""
        before = self._said.get(source, Count())
        self._said[source] = Count(before.tries + 1, before.hits + is_true)

    @property
    def trust(self) -> Mapping[str, float]:
        """For each source, the estimated probability that a claim is true.

        The estimate follows Laplace's rule of succession.
        """
        return {
            name: (said.hits + 1) / (said.tries + 2) for name, said in sorted(self._said.items())
        }

    def rules(self) -> tuple[Finding, ...]:
        """Return the rules that prompts show (at most ``MOST_RULES``), oldest first."""
        rules = self.of("rule")
        told = sorted(rules, key=lambda one: (bool(one.source), -one.hits, one.number))[:MOST_RULES]
        return tuple(one.finding() for one in rules if one in told)

    def hunches(self) -> tuple[Finding, ...]:
        """Return the hypotheses with the best hit rates that are not rules yet."""
        best: Sequence[Hypothesis] = sorted(
            self.of("open"), key=lambda one: (-(one.hits + 1) / (one.tries + 2), -one.number)
        )
        return tuple(one.finding() for one in best[:BEST])
