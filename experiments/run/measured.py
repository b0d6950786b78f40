"""The measures of a result: by condition and by seed."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from voxpolis.experiments.run.scenario import Entry, Scenario, counting
from voxpolis.records.reader import MAX_NUMBER

# A measure with this prefix is a field of an entry of ``runs``; other measures are fields of the
# summary of some entries.
OF_ENTRY = "runs.0."

# Condition → measure → seed → value.
BySeed = dict[str, dict[str, dict[str, float]]]


def value_at(result: Any, path: str) -> Any:
    """Return the value in a result at a path such as ``runs.0.welfare``, or None."""
    for part in path.split("."):
        if isinstance(result, list) and part.isdecimal() and int(part) < len(result):
            result = result[int(part)]
        elif isinstance(result, dict):
            result = result.get(part)
        else:
            return None
    return result


def is_number(value: Any) -> bool:
    """Return whether a value is a number, of which a mean can be computed. The mean of booleans is
    the share of True.
    """
    return isinstance(value, int | float) and -MAX_NUMBER <= value <= MAX_NUMBER


def label_of(measure: str) -> str:
    """Return the name of a measure in tables, without the part of the result that contains it."""
    return measure.removeprefix(OF_ENTRY).removeprefix("mean.")


def by_seed(scenario: Scenario, entries: Sequence[Entry]) -> BySeed:
    """Return each measure of a scenario by condition and seed.

    Entries that are excluded from means are left out. Each variant of a condition, such as
    ``full-anti``, is listed under its own name. Several entries of one seed, such as the episodes
    of a repetition, give one value: their mean, or the measure in the scenario's summary of these
    entries.
    """
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in counting(entries):
        groups.setdefault((str(entry["condition"]), str(entry["seed"])), []).append(entry)
    found: BySeed = {}
    for (condition, seed), some in groups.items():
        summary = scenario.summary(some)
        for measure in scenario.measures:
            value = _value(measure, some, summary)
            if value is not None:
                found.setdefault(condition, {}).setdefault(measure, {})[seed] = value
    return found


def _value(measure: str, entries: Sequence[Entry], summary: Mapping[str, Any]) -> float | None:
    if not measure.startswith(OF_ENTRY):
        value = value_at(summary, measure)
        return float(value) if is_number(value) else None
    values = [value_at(entry, measure.removeprefix(OF_ENTRY)) for entry in entries]
    known = [float(value) for value in values if is_number(value)]
    return statistics.fmean(known) if known else None
