"""Figures of crafting trees (Voyager; AdaSociety)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    explain,
    grouped_bars,
    line_style,
    minds,
    name_ends,
    new_axes,
    shared_legend,
    sheet_of,
    since_start,
    with_conditions,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import first_times

# Higher bars are labelled with their height.
HIGHEST_BAR = 1.25


def items_over_time(runs: Runs) -> Figure | None:
    """Plot how many distinct items each agent has had so far over time, with a line per run
    (Voyager, figure 1; Project Sid, figure 5).
    """
    facts = runs.runs
    trees = Runs(Path(run) for run in facts[facts["scenario"] == "crafting_tree"]["run"])
    obtained = _first_held(trees) if len(trees) else pd.DataFrame()
    if obtained.empty:
        return None
    axes = new_axes("Distinct items over time", runs, obtained["run"], "minutes", "distinct items")
    conditions = with_conditions(trees).set_index("run")["condition"]
    obtained["condition"] = obtained["run"].astype(str).map(conditions)
    is_one = obtained["condition"].nunique() == 1
    groups = obtained.groupby(["agent", "condition"], observed=True)
    for number, ((agent, condition), mine) in enumerate(groups):
        label = str(agent) if is_one else f"{agent}: {condition}"
        for _, one in mine.groupby(["run", "episode"], observed=True):
            axes.step(
                one["t"] / 60, one["distinct"], where="post", label=label, **line_style(number)
            )
    name_ends(axes)
    explain(axes, "lines: one episode each")
    shared_legend([axes])
    return sheet_of(axes)


def _first_held(runs: Runs) -> pd.DataFrame:
    held = since_start(runs.drop_uncounted(runs.inventories()), runs)
    if held.empty:
        return held
    first = first_times(held[held["count"] > 0], "item").sort_values("t")
    keys = ["run", "episode", "agent"]
    return first.assign(distinct=first.groupby(keys, observed=True).cumcount() + 1)


def completion_and_fairness(runs: Runs) -> Figure | None:
    """Plot reward relative to the optimum, fairness and completion, by condition (AdaSociety,
    figures 7 and 8).
    """

    def measures(episode: Mapping[str, Any]) -> dict[str, float]:
        done = {event: rate for event, rate in episode["completion"].items() if rate is not None}
        return {"reward / optimum": episode["normalised"], "fairness": episode["fairness"], **done}

    parts = [(measures, "share of the optimum's value")]
    return _bars(runs, parts, "Completion and fairness", HIGHEST_BAR)


def degrees_and_shares(runs: Runs) -> Figure | None:
    """Plot the degrees of agents and groups in the social graph, and the carpenters' share divided
    by the miners' (AdaSociety, figures 7 and 8).
    """

    def degrees(episode: Mapping[str, Any]) -> dict[str, float]:
        return {name.replace("_", " "): value for name, value in episode["degrees"].items()}

    def ratio(episode: Mapping[str, Any]) -> dict[str, float]:
        found = episode.get("split_ratio")
        return {} if found is None else {"carpenters / miners": found}

    parts = [(degrees, "edges"), (ratio, "ratio")]
    return _bars(runs, parts, "Degrees in the social graph, and shares", None)


def _bars(
    runs: Runs,
    parts: Sequence[tuple[Callable[[Mapping[str, Any]], dict[str, float]], str]],
    title: str,
    highest: float | None,
) -> Figure | None:
    found = [(frame, unit) for measures, unit in parts
             if not (frame := _measured(runs, measures)).drop(columns="run").empty]  # fmt: skip
    if not found:
        return None
    used = found[0][0]["run"]
    conditions = with_conditions(runs, used).set_index("run")["condition"]
    widths = [len(frame.columns) for frame, _ in found]
    sheet = Figure(figsize=(7.2, 4.0), layout="constrained")
    panels = sheet.subplots(1, len(found), squeeze=False, width_ratios=widths)[0]
    for axes, (frame, unit) in zip(panels, found, strict=True):
        numbers = frame.drop(columns="run").astype(float)
        # A measure that no episode of a game has, such as an event, is not part of that game.
        series = {
            str(condition): [own[name].dropna().tolist() or None for name in numbers.columns]
            for condition, own in numbers.groupby(frame["run"].map(conditions))
        }
        measures = list(numbers.columns)
        grouped_bars(axes, measures, series, highest=highest, told=measures[0])
        axes.set_ylabel(unit)
    shared_legend(list(panels))
    sheet.suptitle(f"{title}\n({minds(runs, used)})")
    return sheet


def _measured(
    runs: Runs, measures: Callable[[Mapping[str, Any]], dict[str, float]]
) -> pd.DataFrame:
    """Return a row for each episode, with its run and its measures. Measures that are zero in all
    episodes are left out.
    """
    rows = [
        {"run": run, **measures(episode)}
        for run, episode in runs.entries()
        if "normalised" in episode and "completion" in episode
    ]
    frame = pd.DataFrame(rows, columns=None if rows else ["run"])
    kept = [name for name in frame if name == "run" or (frame[name].fillna(0) != 0).any()]
    return frame[kept]
