"""Game theory for recorded runs: Schelling diagrams, payoff matrices, equilibria, and Shapley
values.
"""

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
    """Return the mean rewards of cooperators and defectors by the number of other agents that
    cooperate.

    Source: Schelling (1973); Hughes et al. (2018) for N players.

    Args:
        outcomes: for each episode and agent, whether the agent cooperated, and its reward.

    Returns:
        ``others`` is the number of other cooperators. ``cooperate`` and ``defect`` are mean
        rewards, which are missing if the case never occurred. ``episodes`` is the number of rewards
        in the row.
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
    """Return payoff matrices that contain the mean rewards of each pair of strategies.

    ``plays`` contains both strategies and both rewards of each play.

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
    """Return the Nash equilibria of a two-player game. The equilibria are found by support
    enumeration (nashpy).
    """
    return list(nashpy.Game(one, other).support_enumeration())


def shapley(
    agents: Sequence[str],
    value: Callable[[frozenset[str]], float],
    *,
    samples: int = 2000,
    seed: int = 0,
) -> dict[str, float]:
    """Return each agent's Shapley value, which is its mean contribution to the welfare of a
    coalition.

    Values are exact for up to :data:`EXACT_SHAPLEY` agents (Shapley 1953). For more agents, they
    are estimated from ``samples`` random orders (Castro et al. 2009). In both cases, the values sum
    exactly to ``value(all) - value(none)``.

    Args:
        agents: names of the agents.
        value: returns the welfare of a coalition, from runs with only these agents.
        samples: number of random orders if there are many agents.
        seed: seed of the random orders.
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
