"""The uncertainty of differences: bootstrap intervals, and comparisons of pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voxpolis import environment

Floats = npt.NDArray[np.float64]
RESAMPLES = 10_000
# Resamples are drawn in chunks of this many to limit memory.
PARTS = 100


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval. ``count`` is the number of values.

    A single value has no interval; ``low`` and ``high`` are then equal to the value.
    """

    value: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{self:.3g}"

    def __format__(self, number: str) -> str:
        """Format the estimate and its interval as in a table. ``number`` is the format of each
        number. An estimate from a single value is shown without an interval.
        """
        shown = f"{self.value:{number}}"
        interval = f" [{self.low:{number}}, {self.high:{number}}]"
        return shown if self.count < 2 else shown + interval


def bootstrap(values: Sequence[float], *, level: float = 0.95, seed: int = 0) -> Interval:
    """Return the mean of values with its percentile bootstrap interval (Efron 1979).

    Raises:
        ValueError: there are no values.
    """
    sample = np.asarray(values, float)
    if not len(sample):
        raise ValueError("there are no values")
    chance = np.random.default_rng(seed)
    draws = chance.integers(0, len(sample), (RESAMPLES, len(sample)))
    found = np.concatenate([sample[some].mean(axis=1) for some in np.array_split(draws, PARTS)])
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(sample.mean()), float(low), float(high), len(sample))


@dataclass(frozen=True)
class Paired:
    """Two conditions that were played with the same seeds: the mean difference with its interval,
    and the p-value of Wilcoxon's test.
    """

    difference: Interval
    p_value: float
    pairs: int


def paired(one: Sequence[float], other: Sequence[float], *, seed: int = 0) -> Paired:
    """Compare two conditions seed by seed with Wilcoxon's two-sided signed-rank test.

    If all differences are 0, the p-value is 1.

    Raises:
        ValueError: the two sequences differ in length, or are empty.
    """
    environment.require("figures", "scipy")
    from scipy.stats import wilcoxon  # noqa: PLC0415  (a second to load, and no figure needs it)

    if len(one) != len(other):
        raise ValueError("a paired comparison needs the same number of values in both conditions")
    differences = np.asarray(one, float) - np.asarray(other, float)
    interval = bootstrap(differences.tolist(), seed=seed)
    p_value = float(wilcoxon(differences).pvalue) if differences.any() else 1.0
    return Paired(interval, p_value, len(differences))
