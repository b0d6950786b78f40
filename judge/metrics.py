"""Measures of an outcome."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def welfare(rewards: Sequence[float]) -> float:
    """Social welfare: the sum of rewards."""
    return float(sum(rewards))


def gini(rewards: Sequence[float]) -> float:
    """The Gini coefficient corrected for small groups, ``G · N / (N - 1)``.

    With ``G = Σᵢ Σⱼ |rᵢ - rⱼ| / (2 N Σ r)``; 0 is equality, 1 is one agent having all, and for two
    agents it is ``|a - b| / (a + b)``. Source: Yocum et al. (2023), table 1. Where the rewards
    sum to zero it is 0 by definition; negative rewards can take it above 1.
    """
    count, total = len(rewards), sum(rewards)
    if count < 2 or total == 0:
        return 0.0
    differences = sum(abs(a - b) for a in rewards for b in rewards)
    return float(differences / (2 * total * (count - 1)))


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for a single value)."""
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return statistics.fmean(values), spread
