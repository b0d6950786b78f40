"""Games in runs: Schelling diagrams, payoff matrices, equilibria, Shapley values."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from voxpolis import environment

environment.require("figures", "nashpy", "scipy")
import nashpy  # noqa: E402 - after the check

# Maximum number of agents for which all coalitions are evaluated.
EXACT_SHAPLEY = 10


def schelling(outcomes: Iterable[Mapping[str, tuple[bool, float]]]) -> pd.DataFrame:
    """Return mean rewards of cooperators and defectors by the number of other cooperators.

    Source: Schelling (1973); Hughes et al. (2018) for N players.

    Args:
        outcomes: for each episode and agent, whether the agent cooperated, and its reward.

    Returns:
        ``others`` (number of other cooperators), ``cooperate``, ``defect`` (mean rewards, missing
        if the case never occurred), ``episodes`` (number of rewards in the row).
    """
    found: dict[int, dict[bool, list[float]]] = defaultdict(lambda: {True: [], False: []})
    for outcome in outcomes:
        cooperators = sum(did for did, _ in outcome.values())
        for did, reward in outcome.values():
            found[cooperators - did][did].append(reward)
    rows = [
        (
            others,
            float(np.mean(by[True])) if by[True] else None,
            float(np.mean(by[False])) if by[False] else None,
            len(by[True]) + len(by[False]),
        )
        for others, by in sorted(found.items())
    ]
    return pd.DataFrame(rows, columns=["others", "cooperate", "defect", "episodes"])


def payoff_matrices(
    plays: Iterable[tuple[str, str, float, float]],
) -> tuple[list[str], list[str], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return empirical payoff matrices: mean rewards over plays of each pair of strategies.

    ``plays``: both strategies and both rewards.

    Raises:
        ValueError: a pair of strategies was never played.
    """
    sums: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for one, other, reward, others_reward in plays:
        sums[one, other].append((reward, others_reward))
    rows = sorted({one for one, _ in sums})
    columns = sorted({other for _, other in sums})
    missing = [pair for pair in itertools.product(rows, columns) if pair not in sums]
    if missing:
        raise ValueError(f"{missing[0][0]} against {missing[0][1]} was never played")
    means = np.array([[np.mean(sums[r, c], axis=0) for c in columns] for r in rows])
    return rows, columns, means[..., 0], means[..., 1]


def equilibria(
    one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]
) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
    """Return the Nash equilibria of a two-player game, by support enumeration (nashpy)."""
    return list(nashpy.Game(one, other).support_enumeration())


def shapley(
    agents: Sequence[str],
    value: Callable[[frozenset[str]], float],
    *,
    samples: int = 2000,
    seed: int = 0,
) -> dict[str, float]:
    """Return each agent's Shapley value: its mean marginal contribution to welfare.

    Exact for up to :data:`EXACT_SHAPLEY` agents (Shapley 1953), else from ``samples`` random orders
    (Castro et al. 2009). In both cases the values sum exactly to ``value(all) - value(none)``.

    Args:
        agents: their names.
        value: welfare of a coalition, from runs with only those agents.
        samples: number of random orders for many agents.
        seed: seed for the random orders.
    """
    known: dict[frozenset[str], float] = {}

    def worth(coalition: frozenset[str]) -> float:
        if coalition not in known:
            known[coalition] = value(coalition)
        return known[coalition]

    if len(agents) <= EXACT_SHAPLEY:
        return {agent: _exact(agent, agents, worth) for agent in agents}
    chance, total = random.Random(seed), dict.fromkeys(agents, 0.0)
    for _ in range(samples):
        order = chance.sample(list(agents), len(agents))
        there: frozenset[str] = frozenset()
        for agent in order:
            with_agent = there | {agent}
            total[agent] += worth(with_agent) - worth(there)
            there = with_agent
    return {agent: summed / samples for agent, summed in total.items()}


def _exact(agent: str, agents: Sequence[str], worth: Callable[[frozenset[str]], float]) -> float:
    others = [name for name in agents if name != agent]
    count, found = len(agents), 0.0
    for size in range(count):
        weight = math.factorial(size) * math.factorial(count - size - 1) / math.factorial(count)
        for coalition in itertools.combinations(others, size):
            there = frozenset(coalition)
            found += weight * (worth(there | {agent}) - worth(there))
    return found
