"""Measures of an outcome, and of several."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation (None of a single value, which says nothing of it)."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), spread


def known_mean_and_sd(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean and standard deviation of the values that are known; None where none is."""
    known = [value for value in values if value is not None]
    return mean_and_sd(known) if known else (None, None)


def mean_and_ci95(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and half its 95 % confidence interval by Student's t (no interval of one value)."""
    from scipy.special import stdtrit  # noqa: PLC0415  (few commands need it)

    count = len(values)
    if count < 2:
        return statistics.fmean(values), None
    quantile = float(stdtrit(count - 1, 0.975))
    return statistics.fmean(values), quantile * statistics.stdev(values) / count**0.5
