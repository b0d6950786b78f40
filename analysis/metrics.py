"""Measures, one function each, with formula, unit and source.

They take plain numbers or the frames from :class:`analysis.loading.Runs`.
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
    """Return the reward of the worst-off agent, as in Rawls' criterion."""
    return min(rewards)


def judge_error(judgements: pd.DataFrame) -> float | None:
    """Return the judge model's mean absolute error in emeralds, compared with exact settlements.

    ``judgements``: ``Runs.events("judgement")``. None if no error was measured.
    """
    if "error" not in judgements:
        return None
    errors = pd.to_numeric(judgements["error"], errors="coerce").dropna().abs()
    return float(errors.mean()) if len(errors) else None


def negotiation_length(messages: pd.DataFrame) -> pd.Series[int]:
    """Return the number of messages in each negotiation, by run and episode.

    ``messages``: ``Runs.events("negotiation_message")``.
    """
    return messages.groupby(["run", "episode"], observed=True).size()


def surplus(agreed: float, alone: float, best: float) -> float:
    """Return the share of the possible gain that was achieved: (agreed - alone) / (best - alone).

    ``agreed`` is the welfare with the contract, ``alone`` without one, and ``best`` the maximum.
    Source: the standard measure of bargaining efficiency. NaN if there is nothing to gain.
    """
    return (agreed - alone) / (best - alone) if best != alone else math.nan


def role_entropy(roles: Iterable[str]) -> float:
    """Return the Shannon entropy of the distribution of roles in bits: 0 if all are the same.

    Source: Project Sid (2024), specialisation.
    """
    return _entropy(Counter(roles).values())


def _entropy(counts: Iterable[float]) -> float:
    """Return the entropy of a distribution given as counts, in bits."""
    found = [count for count in counts if count]
    total = sum(found)
    return -sum(n / total * math.log2(n / total) for n in found) + 0.0


def specialisation(actions: Mapping[str, Mapping[str, float]]) -> float:
    """Return mutual information of agents and actions divided by the actions' entropy, 0 to 1.

    ``actions``: agent → action → count. 0: all agents have the same distribution; 1: an action
    identifies its agent.
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
    """Return when each agent first reached each milestone (``name``) or item (``item``).

    ``events``: ``Runs.events("milestone")`` or ``("item_obtained")``. Returns ``run``, ``episode``,
    ``agent``, the given column, and ``t``. Milestones are those of the tech trees in Voyager's and
    AdaSociety's figures.
    """
    keys = ["run", "episode", "agent", column]
    return events.groupby(keys, observed=True)["t"].min().reset_index()


def tax_compliance(taxes: pd.DataFrame, seasons: pd.DataFrame) -> pd.DataFrame:
    """Return share paid and share demanded, by run, episode and season.

    ``taxes``: ``Runs.events("tax_paid")``, ``seasons``: ``Runs.events("season_opened")``. Returns
    ``paid`` (mean share over agents), ``asked`` (the law's rate), ``payers`` (fraction of the
    agents that paid anything). The publication does not define the denominator of its share; ours
    is the inventory at the season's opening.
    """
    keys = ["run", "episode", "season"]
    grouped = taxes.groupby(keys, observed=True)["share"]
    found = grouped.agg(paid="mean", payers=lambda share: (share > 0).mean()).reset_index()
    asked = seasons[[*keys, "tax_rate", "t"]].rename(columns={"tax_rate": "asked"})
    asked = asked.drop_duplicates(keys, keep="last")
    return found.merge(asked, on=keys)


def converts(converted: pd.DataFrame) -> pd.DataFrame:
    """Return the conversions of agents that did not believe before (priests, for example, did).

    ``converted``: ``Runs.events("converted")``; older records lack ``believed``.
    """
    if "believed" not in converted:
        return converted
    return pd.DataFrame(converted[converted["believed"] != True])  # noqa: E712  (or missing)


def conversion_counts(converted: pd.DataFrame) -> pd.DataFrame:
    """Return the number of converts at each level over time, one row per change.

    ``run``, ``episode``, ``t``, ``indirect``, ``direct``. ``converted``:
    ``Runs.events("converted")``.
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
    """Return tokens, seconds and dollars by role; ``calls`` is ``Runs.calls()``."""
    columns = ["prompt_tokens", "completion_tokens", "seconds", "cost"]
    numbers = calls[["role", *columns]].apply(
        lambda column: column if column.name == "role" else pd.to_numeric(column, errors="coerce")
    )
    summed = pd.DataFrame(numbers.groupby("role").sum())
    summed["calls"] = calls.groupby("role").size()
    return summed


def cost_per_welfare(calls: pd.DataFrame, total_welfare: float) -> float:
    """Return the cost in dollars of model calls per unit of welfare; NaN without a known price."""
    cost = pd.to_numeric(calls["cost"], errors="coerce")
    if cost.isna().all() or not total_welfare:
        return math.nan
    return float(cost.sum() / total_welfare)
