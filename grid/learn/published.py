"""Published results of AdaSociety's learners, and tables that compare our results with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from rich.table import Table

from voxpolis.grid.core.data import GameError
from voxpolis.records.text import one_line

# Tables 2 and 8: reward of all agents relative to the optimum, mean and spread over 3 seeds; None
# if the text gives no value. Source: Huang et al., "AdaSociety" (NeurIPS 2024).
REWARDS: Mapping[str, Mapping[str, tuple[float, float | None]]] = {
    "contract-easy": {
        "cl": (0.9136, 0.0023),
        "ppo": (0.2286, 0.0003),
        "recppo": (0.2276, 0.0015),
        "mappo": (0.2271, 0.0003),
        "rainbow": (0.1987, 0.0127),
    },
    "contract-hard": {
        "cl": (0.2773, 0.0466),
        "ppo": (0.1151, 0.0002),
        "recppo": (0.1149, 0.0000),
        "mappo": (0.1137, 0.0005),
        "rainbow": (0.0868, 0.0033),
    },
    "negotiation-easy": {
        "cl": (0.3543, None),
        "ppo": (0.2276, 0.0006),
        "recppo": (0.2278, 0.0004),
        "mappo": (0.2147, None),
        "rainbow": (0.1969, 0.0105),
    },
    "negotiation-hard": {
        "cl": (0.1945, 0.0109),
        "ppo": (0.1093, 0.0027),
        "recppo": (0.1107, 0.0019),
        "mappo": (0.0946, 0.0032),
        "rainbow": (0.0905, 0.0024),
    },
    "exploration": {
        "ppo": (0.1744, 0.0138),
        "recppo": (0.1697, 0.0041),
        "mappo": (0.0420, 0.0123),
        "rainbow": (0.0051, 0.0004),
    },
}
# Games in each table.
TABLES: Mapping[int, tuple[str, ...]] = {2: tuple(REWARDS)[:4], 8: ("exploration",)}
# Steps of games (not of agents) until the published learners had converged: table 10.
GAME_STEPS: Mapping[str, Mapping[str, float]] = {
    "contract-easy": {"cl": 112e6, "ppo": 0.80e6, "recppo": 6.0e6, "mappo": 1.2e6, "rainbow": 25e6},
    "contract-hard": {"cl": 78e6, "ppo": 0.56e6, "recppo": 1.0e6, "mappo": 0.94e6, "rainbow": 37e6},
    "negotiation-easy": {
        "cl": 14e6,
        "ppo": 0.47e6,
        "recppo": 2.4e6,
        "mappo": 1.8e6,
        "rainbow": 42e6,
    },
    "negotiation-hard": {
        "cl": 15e6,
        "ppo": 2.3e6,
        "recppo": 0.49e6,
        "mappo": 4.4e6,
        "rainbow": 53e6,
    },
    "social-dynamic": {"cl": 4.8e6, "ppo": 6e6, "recppo": 6e6, "mappo": 4.8e6, "rainbow": 2e6},
}
AGENTS = {"contract-easy": 4, "negotiation-easy": 4}
# Table 9: language models with controllers, by game: mean and spread of each of MEASURES; None if
# the game has no such event. ``social-dynamic`` is the paper's game of social structure.
MEASURES = ("fairness", "HammerCraft", "TorchCraft", "group_degree_max", "group_degree_mean")
CONTROLLED: Mapping[str, tuple[tuple[float, float | None] | None, ...]] = {
    "social-dynamic": (
        (0.8356, 0.0496), (0.6583, 0.0624), (0.6833, 0.1546), (4, None), (4, None)
    ),
    "contract-easy": ((1, None), (0.9333, 0.0236), None, (4, None), (4, None)),
    "contract-hard": ((1, None), (1, None), (0.9167, 0.1179), (8, None), (8, None)),
    "negotiation-easy": ((0.7046, 0.1401), (0.8833, 0.1041), None, (1.33, 0.58), (1.17, 0.29)),
    "negotiation-hard": (
        (0.8143, 0.0350), (1, None), (0.9167, 0.1443), (3.33, 0.58), (1.63, 0.70)
    ),
}  # fmt: skip


# Fields that a training's result must have; other files in the folder are ignored.
NEEDED = {"game", "algorithm", "options", "mean", "evaluation", "agent_steps"}


def results(folder: Path) -> list[dict[str, Any]]:
    """Return the results of all finished trainings in a folder.

    Raises:
        GameError: the folder does not exist, or a result in it is damaged.
    """
    if not folder.is_dir():
        raise GameError(f"there is no folder {folder}; set --out to the folder of the runs")
    found = []
    for path in sorted(folder.glob("*/result.json")):
        try:
            result = json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise GameError(f"cannot read {path}: {one_line(str(error))}") from error
        if isinstance(result, dict) and result.keys() >= NEEDED:
            found.append(result)
    return found


def published(game: str, algorithm: str) -> dict[str, float | None] | None:
    """Return the published reward (``normalised``) and its ``spread``; None if not published."""
    found = REWARDS.get(game, {}).get(algorithm)
    return None if found is None else {"normalised": found[0], "spread": found[1]}


def published_agent_steps(game: str, algorithm: str) -> float | None:
    """Return after how many agent-steps the published learner had converged, or None if it is
    unknown.
    """
    steps = GAME_STEPS.get(game, {}).get(algorithm)
    return None if steps is None else steps * AGENTS.get(game, 8)


def table(number: int, found: Iterable[Mapping[str, Any]]) -> Table:
    """Return a table with a row per game and algorithm, which contains our results and the
    published ones.

    A row combines only seeds with the same options. Games with changed rules are left out. A
    training that is shorter than the published one is marked ``cut``. If the published length is
    unknown, the table says so.
    """
    drawn = Table(title=f"table {number}: reward of all agents over the oracle's", box=None)
    for column in ("game", "algorithm", "ours", "seeds", "agent-steps", "published", ""):
        drawn.add_column(column, justify="left" if column in ("game", "algorithm", "") else "right")
    trained = _grouped_by_options(found)
    for game in TABLES[number]:
        for algorithm, theirs in REWARDS[game].items():
            rows = [of for of in trained if _of(of[0]) == (game, algorithm)]
            for own in rows or [[]]:
                drawn.add_row(game, algorithm, *_ours(game, own, _number(*theirs)))
    return drawn


def table_9(found: Iterable[Mapping[str, Any]]) -> Table:
    """Return a table of measures other than the reward. It contains published values for language
    models and the values of our learners.

    Rows are grouped as in :func:`table`.
    """
    title = "table 9: fairness, events over the oracle's, members of groups"
    drawn = Table(title=title, box=None)
    for column in ("game", "who", "seeds", *MEASURES, ""):
        drawn.add_column(column.removeprefix("group_"), justify="left" if not column else "right")
    trained = _grouped_by_options(found)
    for game, theirs in CONTROLLED.items():
        shown = ["-" if each is None else _number(*each) for each in theirs]
        drawn.add_row(game, "language models, published", "3", *shown, "")
        for rows in (own for own in trained if own[0]["game"] == game):
            measured = [_measured(name, rows) for name in MEASURES]
            steps = f"{rows[0]['agent_steps']:,} agent-steps{_cut(game, rows)}"
            drawn.add_row(game, rows[0]["algorithm"], str(len(rows)), *measured, steps)
    return drawn


def _measured(name: str, rows: list[Mapping[str, Any]]) -> str:
    each = [{**row["evaluation"], **row["evaluation"]["completion"]}.get(name) for row in rows]
    values = [value for value in each if value is not None]
    return _mean(values) if values else "-"


def _grouped_by_options(found: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Group the results of trainings that have the same options. Games with changed rules are left
    out.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for row in found:
        if not row["options"]["changes"]:
            how = {name: value for name, value in row["options"].items() if name != "seed"}
            alike.setdefault(json.dumps(how, sort_keys=True), []).append(row)
    return list(alike.values())


def _of(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["game"], row["algorithm"]


def _ours(game: str, rows: list[Mapping[str, Any]], published: str) -> tuple[str, ...]:
    if not rows:
        return "-", "", "", published, "not trained here"
    steps = min(row["agent_steps"] for row in rows)
    reward = _mean([row["mean"]["normalised"] for row in rows])
    return reward, str(len(rows)), f"{steps:,}", published, _cut(game, rows).removeprefix(", ")


def _cut(game: str, rows: list[Mapping[str, Any]]) -> str:
    steps = min(row["agent_steps"] for row in rows)
    theirs = published_agent_steps(game, rows[0]["algorithm"])
    if theirs is None:
        return ", theirs: steps not published"
    return f", cut to {steps / theirs:.1%} of {theirs / 1e6:,.0f}M" if steps < theirs else ""


def _mean(values: list[float]) -> str:
    return _number(mean(values), stdev(values) if len(values) > 1 else None)


def _number(value: float, spread: float | None) -> str:
    return f"{value:.4f}" + ("" if spread is None else f" ± {spread:.4f}")
