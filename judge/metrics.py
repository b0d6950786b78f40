"""Measures of an outcome, and of several."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence


def mean_and_sd(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation (None of a single value, which says nothing of it)."""
    spread = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), spread


def known_mean_and_sd(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean and standard deviation of the values that are known; None where none is."""
    known = [value for value in values if value is not None]
    return mean_and_sd(known) if known else (None, None)


def mean_and_ci95(values: Iterable[float | None]) -> dict[str, float | None]:
    """Return the ``mean`` of the values that are known, and ``ci95``.

    That is half its 95 % confidence interval by Student's t; there is none of one value.
    """
    known = [value for value in values if value is not None]
    mean = statistics.fmean(known) if known else None
    if len(known) < 2:
        return {"mean": mean, "ci95": None}
    from scipy.special import stdtrit  # noqa: PLC0415  (few commands need it)

    quantile = float(stdtrit(len(known) - 1, 0.975))
    return {"mean": mean, "ci95": quantile * statistics.stdev(known) / len(known) ** 0.5}
