"""Sentiment: talk and chef (Project Sid, figure 6)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    STYLES,
    at_looks,
    entries_with_conditions,
    episodes_with_conditions,
    legend_of,
    minds,
    new_axes,
    new_sheet,
    sheet_of,
    since_start,
)
from voxpolis.analysis.loading import Runs

KEYS = ["run", "episode"]
MARKS = "os^Dv"


def feelings_over_time(runs: Runs) -> Figure | None:
    """How a listener feels about each speaker over time, with and without social awareness; the
    mean over episodes and its standard error (6 B and C).
    """
    scores = runs.events("profile_score", whole=True)
    if scores.empty:
        return None
    scores = since_start(runs.counting(scores), runs).merge(_talks(runs), on=KEYS)
    if scores.empty:
        return None
    conditions = sorted(scores["condition"].unique())
    (panels,) = new_sheet(1, len(conditions), (4.6 * len(conditions), 3.6))
    for axes, condition in zip(panels, conditions, strict=True):
        mine = at_looks(scores[scores["condition"] == condition], KEYS, ["agent", "about"])
        for number, (name, own) in enumerate(mine.groupby("about", observed=True)):
            by_time = own.groupby("t")["score"]
            average, error = by_time.mean(), by_time.sem().fillna(0)
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(average.index, average, color=colour, label=str(name),
                      linestyle=STYLES[number % len(STYLES)])  # fmt: skip
            axes.fill_between(average.index.to_numpy(float), average - error, average + error,
                              color=colour, alpha=0.2, lw=0)  # fmt: skip
        axes.set_title(condition)
        axes.set_xlabel("seconds")
        axes.set_ylim(-0.2, 10.2)
    panels[0].set_ylabel("0 hates … 10 loves")
    legend_of(panels[0])
    drawn = sheet_of(panels[0])
    who = minds(runs, scores["run"].unique())
    drawn.suptitle(f"How a listener feels about three speakers\n({who})")
    return drawn


def _talks(runs: Runs) -> pd.DataFrame:
    played = runs.events("condition_started", whole=True).drop_duplicates(KEYS, keep="last")
    is_talk = played["condition"].str.startswith("talk")
    return episodes_with_conditions(runs).merge(played.loc[is_talk, KEYS], on=KEYS)


def food_by_feeling(runs: Runs) -> Figure | None:
    """What each customer received against how the chef felt about it, a point an episode and
    customer, with the line of least squares (6 E).
    """
    rows = [
        (run, condition, name, one["score"], one["items"])
        for run, condition, episode in entries_with_conditions(runs)
        for name, one in (episode.get("customers") or {}).items()
    ]
    if not rows:
        return None
    food = pd.DataFrame(rows, columns=["run", "condition", "who", "score", "items"])
    axes = new_axes("Food by feeling", runs, food["run"].unique(), "how the chef feels, 0 … 10",
                    "pieces received")  # fmt: skip
    for number, (condition, mine) in enumerate(food.groupby("condition", observed=True)):
        colour = COLOURS[number % len(COLOURS)]
        axes.scatter(mine["score"], mine["items"], color=colour, label=str(condition),
                     marker=MARKS[number % len(MARKS)], s=22)  # fmt: skip
        if mine["score"].nunique() > 1 and len(mine) > 2:
            slope, start = np.polyfit(mine["score"], mine["items"], 1)
            ends = np.array([mine["score"].min(), mine["score"].max()])
            axes.plot(ends, start + slope * ends, color=colour, linewidth=1,
                      label=f"{condition}: {slope:.2f} pieces a point")  # fmt: skip
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)
