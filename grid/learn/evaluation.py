"""Evaluates a policy, which plays whole episodes for all agents. The results are AdaSociety's
measures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from voxpolis.grid.adasociety.game import read_game, with_changes
from voxpolis.grid.adasociety.metrics import completion_rates, fairness, split_ratio
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.learn.games import AssignedGroups, Games
from voxpolis.grid.learn.networks import Network

# Number of episodes (as in the paper), and a seed that no training uses.
EPISODES = 100
SEED = 1_000_003


def evaluate(
    network: Network,
    game: str,
    *,
    changes: Mapping[str, Any] | None = None,
    episodes: int = EPISODES,
    seed: int = SEED,
    device: str = "cpu",
    given: AssignedGroups | None = None,
) -> dict[str, Any]:
    """Play episodes with actions that are drawn from the policy (for Rainbow, with its noise).

    Returns:
        Means over episodes: ``normalised`` is the reward of all agents divided by the optimum.
            ``fairness`` is explained in :mod:`grid.adasociety.metrics`. ``completion`` says for
            each event how often it was carried out, divided by how often it happens in the optimum
            (None for events that do not happen there). ``group_degree_mean`` and
            ``group_degree_max`` are the numbers of members of groups that are not empty (0 without
            groups). Games with negotiation also have a ``split_ratio``. In addition, ``greatest``
            is the highest normalised reward of an episode, and ``reward_by_step`` is the reward in
            each step, averaged over agents.
    """
    games = Games(
        game, episodes, seed, changes=dict(changes or {}), device=device, autoreset="next_step"
    )
    games.give_groups(given)
    generator = torch.Generator(device).manual_seed(seed)
    with torch.no_grad():
        memory, earned = network.begin(games.observe()), []
        for _ in range(games.tables.length):
            actions, memory = network.act(games.observe(), memory, generator)
            earned.append(float(games.step(actions)[0].mean()) / games.scale)
    totals, degrees = games.take_ended()
    mean_degree, most_degree = np.mean(degrees, 0).tolist() if degrees else (0.0, 0.0)
    return {
        "normalised": float(np.mean(totals)),
        "greatest": float(np.max(totals)),
        "episodes": episodes,
        "fairness": float(np.mean([fairness(row) for row in games.batch.state.score.tolist()])),
        "completion": _completion(games, game, dict(changes or {})),
        "group_degree_mean": mean_degree,
        "group_degree_max": most_degree,
        "split_ratio": _split_ratio(games),
        "reward_by_step": [round(reward, 5) for reward in earned],
    }


def _completion(games: Games, name: str, changes: dict[str, Any]) -> dict[str, float | None]:
    rules, game = read_game(name)
    best = optimum(rules, with_changes(rules, game, changes) if changes else game)
    executed = games.batch.state.executed.mean(0).tolist()
    return completion_rates(dict(zip(games.names.events, executed, strict=True)), best.executions)


def _split_ratio(games: Games) -> float | None:
    """Return the mean split ratio of the episodes in which it is defined. Return None if the game
    has no negotiation.
    """
    if not games.tables.negotiation_steps:
        return None
    state = games.batch.state
    weights = np.where(state.group[..., 0] < 0, 1.0, state.weight[..., 0])
    jobs = [games.names.jobs[job] for job in games.tables.job.tolist()]
    ratios = [split_ratio(row, jobs) for row in weights.tolist()]
    there = [ratio for ratio in ratios if ratio is not None]
    return float(np.mean(there)) if there else None
