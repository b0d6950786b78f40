"""Measures of an episode on the grid. Source: Huang et al., "AdaSociety" (NeurIPS 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import networkx as nx  # loads slowly


def fairness(rewards: Sequence[float]) -> float:
    """Return 1 minus the Gini coefficient: 1 - sum over i, j of |R_i - R_j| / (2 N sum of R).

    The result is 1 if all rewards are 0. As in the paper, the Gini coefficient is not corrected for
    small groups.
    """
    values = np.asarray(rewards, float)
    total = values.sum()
    if abs(total) < 1e-6:  # zero, apart from rounding
        return 1.0
    return 1.0 - float(np.abs(values[:, None] - values).sum() / (2 * len(values) * total))


def completion_rates(
    executed: Mapping[str, int], optimal: Mapping[str, int]
) -> dict[str, float | None]:
    """Return how often each event was carried out, divided by how often it happens in the optimum.
    The result is None for events that do not happen in the optimum.
    """
    return {
        event: executed.get(event, 0) / count if count else None for event, count in optimal.items()
    }


def degrees(graph: nx.DiGraph) -> dict[str, float]:
    """Return the mean and the maximum of the in-degrees and out-degrees of agents and groups in the
    social graph.
    """
    result: dict[str, float] = {}
    for name, level in (("agent", 0), ("group", 1)):
        nodes = [node for node, data in graph.nodes(data=True) if data["level"] == level]
        for direction, view in (("in", graph.in_degree), ("out", graph.out_degree)):
            values = [degree for _, degree in view(nodes)] or [0]
            result[f"{name}_{direction}_mean"] = float(np.mean(values))
            result[f"{name}_{direction}_max"] = float(max(values))
    return result


def share_ratio(rewards: Sequence[float], jobs: Sequence[str]) -> float | None:
    """Return the mean reward of carpenters divided by the mean reward of miners; None if it is
    undefined.
    """
    by_job = {
        trade: [r for r, job in zip(rewards, jobs, strict=True) if job.endswith(trade)]
        for trade in ("carpenter", "miner")
    }
    if not all(by_job.values()) or sum(by_job["miner"]) == 0:
        return None
    return float(np.mean(by_job["carpenter"]) / np.mean(by_job["miner"]))


def split_ratio(weights: Sequence[float], jobs: Sequence[str]) -> float | None:
    """Return the sum of the weights that carpenters were granted, divided by the sum for miners.

    Source: Huang et al., "AdaSociety", who report this ratio of shares at the end of the
    negotiation.

    Args:
        weights: each agent's share of its group's earnings; 1 for an agent without a group.
        jobs: each agent's job.

    Returns:
        The ratio, or None if there are no carpenters or the miners' sum is 0.
    """
    pairs = list(zip(weights, jobs, strict=True))
    carpenters = [weight for weight, job in pairs if job.endswith("carpenter")]
    miners = [weight for weight, job in pairs if job.endswith("miner")]
    return sum(carpenters) / sum(miners) if carpenters and sum(miners) > 0 else None
