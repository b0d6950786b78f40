"""Measures with their formulas, units and sources. There is one function per measure.

Measures take plain numbers, or frames from :class:`analysis.loading.Runs`.
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
    """Return the reward of the agent that is worst off, as in Rawls' criterion."""
    return min(rewards)


def judge_error(judgements: pd.DataFrame) -> float | None:
    """Return how far a judge model's settlements are from the exact ones, which code computes: the
    mean absolute error, in emeralds.

    ``judgements`` is ``Runs.events("judgement")``. The result is None if no error was measured.
    """
    if "error" not in judgements:
        return None
    errors = pd.to_numeric(judgements["error"], errors="coerce").dropna().abs()
    return float(errors.mean()) if len(errors) else None


def negotiation_length(messages: pd.DataFrame) -> pd.Series[int]:
    """Return the number of messages in each negotiation, by run and episode.

    ``messages`` is ``Runs.events("negotiation_message")``.
    """
    return messages.groupby(["run", "episode"], observed=True).size()


def surplus(agreed: float, alone: float, best: float) -> float:
    """Return what share of the possible gain was achieved: (agreed - alone) / (best - alone).

    ``agreed`` is the welfare with the contract, ``alone`` is the welfare without a contract, and
    ``best`` is the maximum. The formula is the standard measure of how efficient bargaining is. The
    share is NaN if there is nothing to gain.
    """
    return (agreed - alone) / (best - alone) if best != alone else math.nan


def role_entropy(roles: Iterable[str]) -> float:
    """Return the Shannon entropy of the distribution of roles in bits. The entropy is 0 if all
    roles are the same.

    Source: Project Sid (2024), specialisation.
    """
    return _entropy(Counter(roles).values())


def _entropy(counts: Iterable[float]) -> float:
    """Return the entropy in bits of a distribution that is given by counts."""
    found = [count for count in counts if count]
    total = sum(found)
    return -sum(n / total * math.log2(n / total) for n in found) + 0.0


def specialisation(actions: Mapping[str, Mapping[str, float]]) -> float:
    """Return how specialised agents are, from 0 to 1: the mutual information of agents and actions,
    divided by the entropy of actions.

    ``actions`` maps an agent to actions, and each action to a count. The result is 0 if all agents
    have the same distribution of actions, and 1 if an action identifies its agent.
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
    """Return when each agent first reached each milestone (column ``name``) or held each item
    (column ``item``).

    ``events`` is ``Runs.events("milestone")`` or ``Runs.events("item_obtained")``. The result has
    the columns ``run``, ``episode``, ``agent``, the given column, and ``t``. Milestones are the
    steps of the technology trees in Voyager's and AdaSociety's figures.
    """
    keys = ["run", "episode", "agent", column]
    return events.groupby(keys, observed=True)["t"].min().reset_index()


def tax_compliance(taxes: pd.DataFrame, seasons: pd.DataFrame) -> pd.DataFrame:
    """Return what share of their items people paid and should have paid, by run, episode and
    season.

    ``taxes`` is ``Runs.events("tax_paid")``, and ``seasons`` is ``Runs.events("season_opened")``.
    In the result, ``paid`` is the mean share over agents, ``asked`` is the rate in the law, and
    ``payers`` is the fraction of the agents that paid anything. The publication does not say what
    the paid share refers to; ours is a share of the inventory when the season opened.
    """
    keys = ["run", "episode", "season"]
    grouped = taxes.groupby(keys, observed=True)["share"]
    found = grouped.agg(paid="mean", payers=lambda share: (share > 0).mean()).reset_index()
    asked = seasons[[*keys, "tax_rate", "t"]].rename(columns={"tax_rate": "asked"})
    asked = asked.drop_duplicates(keys, keep="last")
    return found.merge(asked, on=keys)


def converts(converted: pd.DataFrame) -> pd.DataFrame:
    """Return the conversions of agents that were not believers at the start. The conversions of
    priests, for example, are left out.

    ``converted`` is ``Runs.events("converted")``. Older records lack ``believed``.
    """
    if "believed" not in converted:
        return converted
    return pd.DataFrame(converted[converted["believed"] != True])  # noqa: E712  (or missing)


def conversion_counts(converted: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of direct and indirect converts over time, with a row per change.

    The columns are ``run``, ``episode``, ``t``, ``indirect`` and ``direct``. ``converted`` is
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
    """Return, for each role, the number of calls and their total tokens, seconds and dollars.
    ``calls`` is ``Runs.calls()``.
    """
    columns = ["prompt_tokens", "completion_tokens", "seconds", "cost"]
    numbers = calls[["role", *columns]].apply(
        lambda column: column if column.name == "role" else pd.to_numeric(column, errors="coerce")
    )
    summed = pd.DataFrame(numbers.groupby("role").sum())
    summed["calls"] = calls.groupby("role").size()
    return summed


def cost_per_welfare(calls: pd.DataFrame, total_welfare: float) -> float:
    """Return what model calls cost per unit of welfare, in dollars. The cost is NaN if no price is
    known.
    """
    cost = pd.to_numeric(calls["cost"], errors="coerce")
    if cost.isna().all() or not total_welfare:
        return math.nan
    return float(cost.sum() / total_welfare)
