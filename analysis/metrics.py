"""Measures, one function each, with formula, unit and source.

They take plain numbers or the frames of :class:`analysis.loading.Runs`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from voxpolis.records.measures import gini, welfare

__all__ = [
    "conversion_counts",
    "cost_per_welfare",
    "first_times",
    "gini",
    "judge_error",
    "max_min",
    "negotiation_length",
    "role_entropy",
    "specialisation",
    "surplus",
    "tax_compliance",
    "tokens",
    "welfare",
]


def max_min(rewards: Sequence[float]) -> float:
    """The reward of the agent that is worst off, which Rawls' criterion compares."""
    return min(rewards)


def judge_error(judgements: pd.DataFrame) -> float | None:
    """Mean absolute error of the judge model in emeralds, where an exact settlement was known.

    ``judgements``: ``Runs.events("judgement")``; None where no error was measured.
    """
    if "error" not in judgements:
        return None
    errors = pd.to_numeric(judgements["error"], errors="coerce").dropna().abs()
    return float(errors.mean()) if len(errors) else None


def negotiation_length(messages: pd.DataFrame) -> pd.Series[int]:
    """Messages in each negotiation, by run and episode.

    ``messages``: ``Runs.events("negotiation_message")``.
    """
    return messages.groupby(["run", "episode"], observed=True).size()


def surplus(agreed: float, alone: float, best: float) -> float:
    """The part of the gain there is that an agreement gained: (agreed - alone) / (best - alone).

    Welfare with the contract, without one, and the highest there can be. Source: the standard
    measure of bargaining efficiency. NaN where there is nothing to gain.
    """
    return (agreed - alone) / (best - alone) if best != alone else math.nan


def role_entropy(roles: Iterable[str]) -> float:
    """Shannon entropy of the distribution of roles, in bits: 0 if all have the same.

    Source: Project Sid (2024), specialisation.
    """
    return _entropy(Counter(roles).values())


def _entropy(counts: Iterable[float]) -> float:
    """In bits, of a distribution by how often each of it was."""
    found = [count for count in counts if count]
    total = sum(found)
    return -sum(n / total * math.log2(n / total) for n in found) + 0.0


def specialisation(actions: Mapping[str, Mapping[str, float]]) -> float:
    """How far actions tell which agent acts: mutual information over actions' entropy, 0 to 1.

    ``actions``: by agent, how often it did each. 0: all do the same things equally often; 1: what
    is done says which agent it was.
    """
    totals = Counter[str]()
    for done in actions.values():
        totals.update(dict(done))
    everything = sum(totals.values())
    entropy = _entropy(totals.values())
    if not entropy:
        return 0.0
    inside = sum(
        sum(done.values()) / everything * _entropy(done.values()) for done in actions.values()
    )
    return (entropy - inside) / entropy


def first_times(events: pd.DataFrame, column: str) -> pd.DataFrame:
    """When each run's agents reached each thing first: milestones (``name``) or items (``item``).

    ``events``: ``Runs.events("milestone")`` or ``("item_obtained")``. Returns ``run``,
    ``agent``, the column, ``t``: the tech tree's milestones of Voyager's and AdaSociety's figures.
    """
    keys = ["run", "agent", column]
    return events.groupby(keys, observed=True)["t"].min().reset_index()


def tax_compliance(taxes: pd.DataFrame, seasons: pd.DataFrame) -> pd.DataFrame:
    """Share paid and share asked for, by run, episode and season.

    ``taxes``: ``Runs.events("tax_paid")``, ``seasons``: ``Runs.events("season_opened")``.
    Returns ``paid`` (mean share over agents), ``asked`` (the law's rate), ``payers`` (part of the
    agents that paid anything). The published share's denominator is not defined; ours is the
    inventory at the season's opening.
    """
    keys = ["run", "episode", "season"]
    grouped = taxes.groupby(keys, observed=True)["share"]
    found = grouped.agg(paid="mean", payers=lambda share: (share > 0).mean()).reset_index()
    asked = seasons[[*keys, "tax_rate", "t"]].rename(columns={"tax_rate": "asked"})
    asked = asked.drop_duplicates(keys, keep="last")
    return found.merge(asked, on=keys)


def converts(converted: pd.DataFrame) -> pd.DataFrame:
    """The conversions of those who did not believe before, as priests do; these alone count.

    ``converted``: ``Runs.events("converted")``; records of before have no ``believed``.
    """
    if "believed" not in converted:
        return converted
    return pd.DataFrame(converted[converted["believed"] != True])  # noqa: E712  (or missing)


def conversion_counts(converted: pd.DataFrame) -> pd.DataFrame:
    """Converts of each level over time: a row a change, ``run``, ``episode``, ``t``, ``indirect``,
    ``direct``. ``converted``: ``Runs.events("converted")``.
    """
    rows = []
    for (run, episode), changes in converts(converted).groupby(["run", "episode"], observed=True):
        level: dict[Any, int] = {}
        for change in changes.sort_values("t").itertuples():
            level[change.agent] = int(str(change.level))
            counts = Counter(level.values())
            rows.append((run, episode, change.t, counts[1], counts[2]))
    return pd.DataFrame(rows, columns=["run", "episode", "t", "indirect", "direct"])


def tokens(calls: pd.DataFrame) -> pd.DataFrame:
    """Tokens, seconds and dollars by role: ``calls`` is ``Runs.calls()``."""
    columns = ["prompt_tokens", "completion_tokens", "seconds", "cost"]
    numbers = calls[["role", *columns]].apply(
        lambda column: column if column.name == "role" else pd.to_numeric(column, errors="coerce")
    )
    summed = pd.DataFrame(numbers.groupby("role").sum())
    summed["calls"] = calls.groupby("role").size()
    return summed


def cost_per_welfare(calls: pd.DataFrame, total_welfare: float) -> float:
    """Dollars of model calls for each unit of welfare; NaN where no price was known."""
    cost = pd.to_numeric(calls["cost"], errors="coerce")
    if cost.isna().all() or not total_welfare:
        return math.nan
    return float(cost.sum() / total_welfare)
