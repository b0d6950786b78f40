"""Measures of one or more outcomes. Writers and readers of records use them."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence


def welfare(rewards: Sequence[float]) -> float:
    """Return the social welfare, which is the sum of rewards."""
    return float(sum(rewards))


def gini(rewards: Sequence[float]) -> float | None:
    """Return the Gini coefficient of rewards, corrected for small groups.

    The value is ``G · N / (N - 1)``, where ``G = Σᵢ Σⱼ |rᵢ - rⱼ| / (2 N Σ r)``. 0 means equality, 1
    means that one agent has everything. For two agents the value is ``|a - b| / (a + b)``. Source:
    Yocum et al. (2023), table 1.

    The value is 0 if all rewards are equal, also if all are 0. It is None if they differ and their
    sum is not positive. With negative rewards it can be above 1.
    """
    count, total = len(rewards), sum(rewards)
    differences = sum(abs(a - b) for a in rewards for b in rewards)
    if count < 2 or differences == 0:
        return 0.0
    if total <= 0:
        return None
    return float(differences / (2 * total * (count - 1)))


class Announcements:
    """Counts how many announcements of an agent are confirmed by the agent's next action.

    If an agent announces the action that it is doing, the announcement is confirmed. Any other
    announcement is compared with the agent's next action that differs from the current one.

    Attributes:
        agreed: the number of announcements that were confirmed.
        announced: the number of announcements.
    """

    __slots__ = ("_doing", "_last", "_waiting", "agreed", "announced")

    def __init__(self) -> None:
        self.agreed = self.announced = 0
        self._last = self._doing = ""
        self._waiting: tuple[str, ...] = ()

    def add_utterance(self, intent: str | None) -> None:
        """Process something the agent said.

        ``intent`` is the action that the agent announces (None: no action).
        """
        if intent is not None and intent == self._doing:
            self.announced, self.agreed = self.announced + 1, self.agreed + 1
        elif intent is not None:
            self._waiting = (*self._waiting, intent)

    def add_action(self, action: str) -> None:
        """Process an action of the agent. The first word is the name of the action."""
        if action == self._last:
            return
        self._last = action
        self._doing = action.split(" ", 1)[0]
        self.announced += len(self._waiting)
        self.agreed += self._waiting.count(self._doing)
        self._waiting = ()


def find_announcement(text: str, announces: Mapping[str, re.Pattern[str]]) -> str | None:
    """Return the action that a text announces; None if it announces none.

    ``announces`` contains a pattern for each action, which matches announcements of the action.
    """
    return next((name for name, words in announces.items() if words.search(text)), None)


def announcements(
    acts: Sequence[tuple[str, str]], announces: Mapping[str, re.Pattern[str]]
) -> tuple[int, int]:
    """Return how many announcements of an agent were confirmed, and how many there were.

    Args:
        acts: what the agent said and did, in order: ``("said", text)`` and ``("did", action)``.
        announces: for each action, a pattern that matches announcements of the action.
    """
    found = Announcements()
    for kind, text in acts:
        if kind == "did":
            found.add_action(text)
        else:
            found.add_utterance(find_announcement(text, announces))
    return found.agreed, found.announced


def coherence(
    acts: Sequence[tuple[str, str]], announces: Mapping[str, re.Pattern[str]]
) -> float | None:
    """Return the share of an agent's announcements that were confirmed; None if there were none.

    See :func:`announcements` for the arguments.
    """
    agreed, announced = announcements(acts, announces)
    return agreed / announced if announced else None


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation (None for a single value)."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), spread


def known_mean_and_sd(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return the mean and the standard deviation of the values that are not None.

    The mean and the standard deviation are None if all values are None.
    """
    known = [value for value in values if value is not None]
    return mean_and_sd(known) if known else (None, None)


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if all are None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def mean_and_ci95(values: Iterable[float | None]) -> dict[str, float | None]:
    """Return the ``mean`` and ``ci95`` of the values that are not None.

    ``ci95`` is half the width of the 95 % confidence interval, from Student's t distribution.
    ``ci95`` is None for fewer than two values.
    """
    known = [value for value in values if value is not None]
    mean = statistics.fmean(known) if known else None
    if len(known) < 2:
        return {"mean": mean, "ci95": None}
    quantile = student_quantile(0.975, len(known) - 1)
    return {"mean": mean, "ci95": quantile * statistics.stdev(known) / len(known) ** 0.5}


def student_quantile(probability: float, degrees: int) -> float:
    """Return a quantile of Student's t distribution, for a probability above one half.

    The distribution function is inverted by bisection. For whole degrees of freedom it is a finite
    sum (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). SciPy has the same function, but needs 150
    MB.
    """

    def below(t: float) -> float:
        angle = math.atan2(t, math.sqrt(degrees))
        sine, cosine = math.sin(angle), math.cos(angle)
        odd = degrees % 2
        term = total = cosine if odd else 1.0
        for k in range(2 + odd, degrees - 1 + odd, 2):
            term *= cosine**2 * (k - 1) / k
            total += term
        if not odd:
            return (1 + sine * total) / 2
        return 0.5 + (angle + (sine * total if degrees > 1 else 0.0)) / math.pi

    low, high = 0.0, 1.0
    while below(high) < probability:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return high
