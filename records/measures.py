"""Measures of one or several outcomes, for writers and readers of records."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence


def welfare(rewards: Sequence[float]) -> float:
    """Return the social welfare, which is the sum of rewards."""
    return float(sum(rewards))


def gini(rewards: Sequence[float]) -> float | None:
    """Return the Gini coefficient corrected for small groups, ``G · N / (N - 1)``.

    With ``G = Σᵢ Σⱼ |rᵢ - rⱼ| / (2 N Σ r)``; 0 is equality, 1 means that one agent has everything,
    and for two agents it is ``|a - b| / (a + b)``. Source: Yocum et al. (2023), table 1. It is 0 if
    all rewards are equal, and None if they differ and their sum is not positive. Negative rewards
    can raise it above 1.
    """
    count, total = len(rewards), sum(rewards)
    differences = sum(abs(a - b) for a in rewards for b in rewards)
    if count < 2 or differences == 0:
        return 0.0
    if total <= 0:
        return None
    return float(differences / (2 * total * (count - 1)))


class Announcements:
    """Counts how many of one agent's announcements its next action confirms.

    An announcement of the current action is confirmed. Any other announcement is compared with the
    next different action. Repeating the current action is not a new action.

    Attributes:
        agreed: number of confirmed announcements.
        announced: number of announcements.
    """

    __slots__ = ("_doing", "_last", "_waiting", "agreed", "announced")

    def __init__(self) -> None:
        self.agreed = self.announced = 0
        self._last = self._doing = ""
        self._waiting: tuple[str, ...] = ()

    def add_utterance(self, intent: str | None) -> None:
        """Process an utterance that announces the action ``intent`` (None: no action)."""
        if intent is not None and intent == self._doing:
            self.announced, self.agreed = self.announced + 1, self.agreed + 1
        elif intent is not None:
            self._waiting = (*self._waiting, intent)

    def add_action(self, action: str) -> None:
        """Process an action, whose first word is its name."""
        if action == self._last:
            return
        self._last = action
        self._doing = action.split(" ", 1)[0]
        self.announced += len(self._waiting)
        self.agreed += self._waiting.count(self._doing)
        self._waiting = ()


def find_announcement(text: str, announces: Mapping[str, re.Pattern[str]]) -> str | None:
    """Return the action that an utterance announces, if any.

    ``announces`` maps the name of an action to the words that announce it.
    """
    return next((name for name, words in announces.items() if words.search(text)), None)


def announcements(
    acts: Sequence[tuple[str, str]], announces: Mapping[str, re.Pattern[str]]
) -> tuple[int, int]:
    """Return the number of confirmed announcements, and the total number of announcements.

    Args:
        acts: one agent's utterances and actions in order of time: ``("said", text)`` and
            ``("did", action)``.
        announces: words that announce an action, by its name.
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
    """Return the share of confirmed :func:`announcements`; None if there are none."""
    agreed, announced = announcements(acts, announces)
    return agreed / announced if announced else None


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Return mean and sample standard deviation (None for a single value)."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), spread


def known_mean_and_sd(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation of the values that are not None; None if all are None."""
    known = [value for value in values if value is not None]
    return mean_and_sd(known) if known else (None, None)


def known_mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if all are None."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def mean_and_ci95(values: Iterable[float | None]) -> dict[str, float | None]:
    """Return the ``mean`` of the values that are not None, and ``ci95``.

    ``ci95`` is half the 95 % confidence interval by Student's t; None for a single value.
    """
    known = [value for value in values if value is not None]
    mean = statistics.fmean(known) if known else None
    if len(known) < 2:
        return {"mean": mean, "ci95": None}
    quantile = student_quantile(0.975, len(known) - 1)
    return {"mean": mean, "ci95": quantile * statistics.stdev(known) / len(known) ** 0.5}


def student_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t distribution for a probability above one half.

    It inverts the distribution by bisection; for integer degrees of freedom that is a finite sum
    (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4). SciPy has the same function, but is 150 MB.
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
