"""Crafting trees (Voyager; AdaSociety)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.drawing import (
    COLOURS,
    STYLES,
    new_axes,
    shared_legend,
    sheet_of,
    with_conditions,
)
from analysis.loading import Runs
from analysis.metrics import first_times

#: Bars that are higher have their height written on them.
HIGHEST_BAR = 1.25


def items_over_time(runs: Runs) -> Figure | None:
    """Distinct items that each agent has held, over time (Voyager, figure 1; Sid, figure 5)."""
    told = runs.runs
    trees = Runs(Path(run) for run in told[told["scenario"] == "crafting_tree"]["run"])
    obtained = _first_held(trees) if len(trees) else pd.DataFrame()
    if obtained.empty:
        return None
    axes = new_axes("Distinct items over time", runs, obtained["run"], "minutes", "distinct items")
    for number, (name, mine) in enumerate(obtained.groupby("agent", observed=True)):
        for _, one in mine.groupby("run", observed=True):
            style = STYLES[number % len(STYLES)]
            axes.step(one["t"] / 60, one["distinct"], where="post", linestyle=style,
                      color=COLOURS[number % len(COLOURS)], label=str(name))  # fmt: skip
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    axes.legend(unique.values(), unique.keys(), frameon=False)
    return sheet_of(axes)


def _first_held(runs: Runs) -> pd.DataFrame:
    """When each agent of each run held each item first, and how many kinds that made."""
    held = runs.inventories()
    if held.empty:
        return held
    first = first_times(held[held["count"] > 0], "item").sort_values("t")
    return first.assign(distinct=first.groupby(["run", "agent"], observed=True).cumcount() + 1)


def completion_and_fairness(runs: Runs) -> Figure | None:
    """Reward over the optimum, fairness, completion of events by condition (AdaSociety 7, 8)."""

    def told(run: Mapping[str, Any]) -> dict[str, float]:
        done = {event: rate for event, rate in run["completion"].items() if rate is not None}
        return {"reward / optimum": run["normalised"], "fairness": run["fairness"], **done}

    return _bars(runs, told, "Completion and fairness", "over the optimum's", HIGHEST_BAR)


def degrees_and_shares(runs: Runs) -> Figure | None:
    """Degrees of agents and groups, the carpenters' share over the miners' (AdaSociety 7, 8)."""

    def told(run: Mapping[str, Any]) -> dict[str, float]:
        ratio = (
            {} if run.get("share_ratio") is None else {"carpenters / miners": run["share_ratio"]}
        )
        return {name.replace("_", " "): value for name, value in run["degrees"].items()} | ratio

    return _bars(runs, told, "Degrees in the social graph, and shares", "edges; ratio", None)


def _bars(
    runs: Runs,
    told: Callable[[Mapping[str, Any]], dict[str, float]],
    title: str,
    label: str,
    highest: float | None,
) -> Figure | None:
    """Means over episodes of what is told of each, as bars by condition."""
    conditions = with_conditions(runs).set_index("run")["condition"]
    rows, used = [], []
    for folder, result in runs.results():
        for run in result.get("runs", ()):
            if "normalised" in run and "completion" in run:
                used.append(str(folder))
                rows.append({"condition": conditions[str(folder)], **told(run)})
    if not rows:
        return None
    means = pd.DataFrame(rows).groupby("condition").mean()
    means = means.loc[:, (means != 0).any()]
    axes = new_axes(title, runs, pd.Series(used), "", label, (7.2, 4.0))
    width = 0.8 / len(means)
    for number, (condition, row) in enumerate(means.iterrows()):
        at = np.arange(len(means.columns)) + number * width
        axes.bar(at, row, width, label=str(condition), color=COLOURS[number % len(COLOURS)],
                 hatch=("", "//", "..", "xx")[number % 4], edgecolor="white")  # fmt: skip
        for x, height in zip(at, row, strict=True):
            if highest is not None and height > highest:
                axes.text(x, highest, f"{height:.1f}", ha="center", va="top", fontsize=7)
    axes.set_ylim(0, highest)
    axes.set_xticks(np.arange(len(means.columns)) + 0.4 - width / 2, means.columns, rotation=25,
                    ha="right")  # fmt: skip
    shared_legend([axes])
    return sheet_of(axes)
