"""Measures of an outcome, and of several."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for a single value)."""
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return statistics.fmean(values), spread


def mean_and_ci95(values: Sequence[float]) -> tuple[float, float]:
    """Mean and half the width of its 95 % confidence interval by Student's t (0 for one value)."""
    from scipy import stats  # noqa: PLC0415  (a second to load, and few commands need it)

    count = len(values)
    if count < 2:
        return statistics.fmean(values), 0.0
    quantile = float(stats.t.ppf(0.975, count - 1))
    return statistics.fmean(values), quantile * statistics.stdev(values) / count**0.5
