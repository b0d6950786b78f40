"""Figures of learners in AdaSociety's games, drawn from the records of trainings: figures 3 and 7
to 14 of the paper.

Learning curves show the published reward if the text of the paper states it. If a training was
shorter than the published one, its name in the figure says so.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    band,
    grouped_bars,
    line_style,
    minds,
    name_ends,
    new_sheet,
    shared_legend,
    sheet_of,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.results import ALGORITHMS

# Social structures of figure 3a, in the order of their colours.
STRUCTURES = tuple(f"social-{name}" for name in ("inequality", "independent", "overlapping"))
DYNAMIC = "social-dynamic"
# Size of a panel in inches, and margins of a figure.
PANEL, AROUND = (3.6, 2.6), 0.9
# Window, in steps, over which rewards per step are averaged.
SMOOTH = 5
# What each value and each curve belongs to.
OF = "trainings"
# Label of a learner, and the results of its seeds by run folder.
Learners = Mapping[str, Mapping[str, Mapping[str, Any]]]
# Draws one panel with some learners' results.
Draw = Callable[[Axes, Runs, Learners], None]


def adasociety_3(runs: Runs) -> Figure | None:
    """Plot rewards by step and learning curves in fixed and dynamic social structures (figure 3).

    Panel (a) shows the reward by step of PPO in three fixed structures and in a dynamic structure.
    Panel (b) shows the reward by step in the dynamic structure for each algorithm, and panel (c)
    shows the learning curves there.
    """
    games = (*STRUCTURES, DYNAMIC)
    found = {game: learners_of(runs, game) for game in games}
    of_ppo = {
        f"{game.removeprefix('social-')}, {name}": seeds
        for game in games
        for name, seeds in found[game].items()
        if name.startswith("ppo")
    }
    dynamic = found[DYNAMIC]
    parts: list[tuple[str, Learners, Draw]] = [
        ("(a) by structure", of_ppo, reward_by_step),
        ("(b) dynamic, by algorithm", dynamic, reward_by_step),
        ("(c) dynamic", dynamic, learning_curves),
    ]
    return _sheet(runs, "AdaSociety, figure 3: social structures", [parts])


def adasociety_7(runs: Runs) -> Figure | None:
    """Plot learning curves, fairness, completion and groups in the easy and hard Contract games
    (figure 7).
    """
    return _two_rows(runs, "AdaSociety, figure 7: contract", "contract", [])


def adasociety_8(runs: Runs) -> Figure | None:
    """Plot the Negotiation games as in figure 7, and the carpenters' share divided by the miners'
    (figure 8).
    """
    split: list[tuple[str, Draw]] = [("split ratio", split_ratios)]
    return _two_rows(runs, "AdaSociety, figure 8: negotiation", "negotiation", split)


def adasociety_9(runs: Runs) -> Figure | None:
    """Plot fairness and completion in the dynamic structure (figure 9)."""
    found = learners_of(runs, DYNAMIC)
    parts = [("fairness", found, fairness), ("completion", found, completion)]
    return _sheet(runs, "AdaSociety, figure 9: dynamic structure", [parts])


def adasociety_10(runs: Runs) -> Figure | None:
    """Plot Isolation (figure 10): reward by step, learning curves, fairness, and completion."""
    return _structure(runs, 10, "isolation")


def adasociety_11(runs: Runs) -> Figure | None:
    """Plot Connection (figure 11): reward by step, learning curves, fairness, and completion."""
    return _structure(runs, 11, "connection")


def adasociety_12(runs: Runs) -> Figure | None:
    """Plot Independent groups (figure 12): reward by step, learning curves, fairness, and
    completion.
    """
    return _structure(runs, 12, "independent")


def adasociety_13(runs: Runs) -> Figure | None:
    """Plot Overlapping groups (figure 13): reward by step, learning curves, fairness, and
    completion.
    """
    return _structure(runs, 13, "overlapping")


def adasociety_14(runs: Runs) -> Figure | None:
    """Plot Inequality (figure 14): reward by step, learning curves, fairness, and completion."""
    return _structure(runs, 14, "inequality")


# --- Sheets --------------------------------------------------------------------------------------


def _structure(runs: Runs, number: int, structure: str) -> Figure | None:
    found = learners_of(runs, f"social-{structure}")
    first = [("reward by step", found, reward_by_step), ("learning", found, learning_curves)]
    second = [("fairness", found, fairness), ("completion", found, completion)]
    return _sheet(runs, f"AdaSociety, figure {number}: {structure}", [first, second])


def _two_rows(runs: Runs, title: str, game: str, more: Sequence[tuple[str, Draw]]) -> Figure | None:
    draws: list[tuple[str, Draw]] = [
        ("learning", learning_curves),
        ("fairness", fairness),
        ("completion", completion),
        ("members of groups", degrees),
        *more,
    ]
    rows = []
    for level in ("easy", "hard"):
        found = learners_of(runs, f"{game}-{level}")
        rows.append([(f"{level}: {name}", found, draw) for name, draw in draws])
    return _sheet(runs, title, [row for row in rows if row[0][1]])


def _sheet(
    runs: Runs, title: str, rows: Sequence[Sequence[tuple[str, Learners, Draw]]]
) -> Figure | None:
    used = {run for row in rows for _, found, _ in row for seeds in found.values() for run in seeds}
    if not used:
        return None
    columns = max(map(len, rows))
    size = PANEL[0] * columns, PANEL[1] * len(rows) + AROUND
    panels = new_sheet(len(rows), columns, size, is_one_scale=False)
    for axes_row, row in zip(panels, rows, strict=True):
        for axes, (name, found, draw) in zip(axes_row, row, strict=True):
            axes.set_title(name if found else f"{name}\n(not trained)")
            if found:
                draw(axes, runs, found)
    shared_legend([axes for row in panels for axes in row])
    drawn = sheet_of(panels[0][0])
    drawn.suptitle(f"{title}\n({minds(runs, used)})")
    return drawn


# --- Panels --------------------------------------------------------------------------------------


def reward_by_step(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot an agent's reward in each step of an episode, as the mean over agents and seeds. The
    curve is smoothed.
    """
    for number, (name, seeds) in enumerate(learners.items()):
        curves = {run: result["evaluation"]["reward_by_step"] for run, result in seeds.items()}
        frame = pd.DataFrame(curves).rolling(SMOOTH, center=True, min_periods=1).mean()
        band(axes, _colour(name, number), name, frame, OF)
    axes.set_xlabel("step")
    axes.set_ylabel(f"reward (mean of {SMOOTH} steps)")


def learning_curves(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot the reward relative to the optimum during training. Published rewards are dotted lines
    with an open circle.
    """
    metrics = runs.events("train_metric", whole=True)
    colours = {name: _colour(name, number) for number, name in enumerate(learners)}
    for name, seeds in learners.items():
        band(axes, colours[name], name, _curves(metrics, list(seeds), "normalised"), OF)
    name_ends(axes)
    for name, seeds in learners.items():
        published = next(iter(seeds.values())).get("published")
        if published:
            label = f"{_algorithm(name)}, published"
            axes.axhline(published["normalised"], color=COLOURS[colours[name]], linestyle=":",
                         marker="o", markerfacecolor="none", label=label)  # fmt: skip
    axes.set_xlabel("agent-steps")
    axes.set_ylabel("reward / optimum")


def degrees(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot the number of members of groups during training: the mean as a line, and the maximum as
    a thinner line.
    """
    metrics = runs.events("train_metric", whole=True)
    for number, (name, seeds) in enumerate(learners.items()):
        colour = _colour(name, number)
        band(axes, colour, name, _curves(metrics, list(seeds), "group_degree_mean"), OF)
        greatest = _curves(metrics, list(seeds), "group_degree_max").mean(axis=1)
        axes.plot(greatest.index.to_numpy(float), greatest, **line_style(colour), lw=0.7)
    axes.set_xlabel("agent-steps")
    axes.set_ylabel("members: mean, thin: maximum")


def fairness(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot the fairness (1 minus the Gini coefficient of rewards) at the end of training."""
    _bars(axes, learners, lambda evaluation: {"": evaluation["fairness"]})
    axes.set_ylabel("fairness")


def completion(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot how often each recipe (event) is used after training, relative to the optimum."""

    def rates(evaluation: Mapping[str, Any]) -> dict[str, float]:
        return {e: rate for e, rate in evaluation["completion"].items() if rate is not None}

    _bars(axes, learners, rates)
    axes.set_ylabel("executions / optimum")


def split_ratios(axes: Axes, runs: Runs, learners: Learners) -> None:
    """Plot the carpenters' share divided by the miners' share, at the end of training."""

    def ratio(evaluation: Mapping[str, Any]) -> dict[str, float]:
        return {} if evaluation["split_ratio"] is None else {"": evaluation["split_ratio"]}

    _bars(axes, learners, ratio)
    axes.set_ylabel("carpenters / miners")


def _bars(
    axes: Axes, learners: Learners, measures: Callable[[Mapping[str, Any]], dict[str, float]]
) -> None:
    measured = {
        name: [measures(result["evaluation"]) for result in seeds.values()]
        for name, seeds in learners.items()
    }
    groups = sorted({key for each in measured.values() for of in each for key in of})
    if groups:
        series = {
            name: [[of[group] for of in each if group in of] for group in groups]
            for name, each in measured.items()
        }
        grouped_bars(axes, groups, series, of=OF)


# --- Training runs --------------------------------------------------------------------------------


def learners_of(runs: Runs, game: str) -> Learners:
    """Return the finished trainings on a game whose rules were not changed, grouped by learner.

    Only trainings with the same settings are grouped. If a training was shorter than the published
    one, the name of the learner states the fraction of the published steps. If an algorithm was
    trained in several ways, the name states its steps and variant.
    """
    alike: dict[tuple[int, str, str], dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for folder, result in runs.results():
        if result.get("game") != game or "reward_by_step" not in result.get("evaluation", {}):
            continue
        ways = {name: value for name, value in result["options"].items() if name != "seed"}
        if not ways["changes"]:
            algorithm = result["algorithm"]
            way = ALGORITHMS.index(algorithm), algorithm, json.dumps(ways, sort_keys=True)
            alike[way][str(folder)] = result
    algorithms = [algorithm for _, algorithm, _ in alike]
    found: dict[str, Mapping[str, Mapping[str, Any]]] = {}
    for key in sorted(alike):
        algorithm, seeds = key[1], alike[key]
        first = next(iter(seeds.values()))
        name = algorithm + _cut(first)
        if algorithms.count(algorithm) > 1:
            name += f", {first['agent_steps']:,} steps"
        same = sum(known.startswith(name) for known in found)
        found[f"{name} ({same + 1})" if same else name] = seeds
    return found


def _cut(result: Mapping[str, Any]) -> str:
    steps = result.get("published_agent_steps") or 0
    return f" (cut to {result['agent_steps'] / steps:.1%})" if result["agent_steps"] < steps else ""


def _curves(metrics: pd.DataFrame, folders: Sequence[str], measure: str) -> pd.DataFrame:
    columns = {}
    for folder in folders:
        own = metrics[
            (metrics["run"].astype(str) == folder) & ~metrics["is_evaluation"].astype(bool)
        ]
        values = [each.get(measure, np.nan) for each in own["values"]]
        curve = pd.Series(values, index=own["agent_steps"].to_numpy(), dtype=float)
        columns[folder] = curve[~curve.index.duplicated(keep="last")]
    return pd.DataFrame(columns).dropna(how="all")


def _colour(name: str, number: int) -> int:
    """Return the number of a learner's colour. Each algorithm has its own colour; other
    learners get the next colour.
    """
    algorithm = _algorithm(name)
    return ALGORITHMS.index(algorithm) if algorithm in ALGORITHMS else number % len(COLOURS)


def _algorithm(name: str) -> str:
    return name.split(" ", maxsplit=1)[0].rstrip(",")
