"""Coherence: words and deeds, and how a rumour spreads (Project Sid, figure 2)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    STYLES,
    at_looks,
    entries_with_conditions,
    grouped_bars,
    legend_of,
    new_axes,
    samples,
    shared_legend,
    sheet_of,
)
from voxpolis.analysis.loading import Runs

#: What is measured of words, the share of it that is drawn, and how that is called.
SHARES = {
    ("announced", "kept"): "announcements kept",
    ("promised", "kept"): "promises kept",
    ("claimed", "denied"): "claims denied",
}


def words_and_deeds(runs: Runs) -> Figure | None:
    """Parts of announcements and promises that were kept, and of claims that the world denied, by
    condition of the scenario ``coherence``; 95 % bootstrap intervals over episodes.
    """
    mine = set(runs.runs.loc[runs.runs["scenario"] == "coherence", "run"])
    rows = [
        (run, condition, label, 100 * share)
        for run, condition, entry in entries_with_conditions(runs)
        for (kind, name), label in SHARES.items()
        if run in mine and (share := (entry.get("words_and_deeds") or {})[kind][name]) is not None
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["run", "condition", "words", "share"])
    axes = new_axes("Words and deeds", runs, frame["run"].unique(), "", "part, %")
    groups = list(dict.fromkeys(frame["condition"]))
    found = samples(frame, ["words", "condition"], "share")
    series = {
        label: [found.get((label, group), []) for group in groups] for label in SHARES.values()
    }
    grouped_bars(axes, groups, series, rotation=20)
    axes.set_ylim(0, 100)
    shared_legend([axes])
    return sheet_of(axes)


def rumour_over_time(runs: Runs) -> Figure | None:
    """Part of the people who repeated a false statement in the last two minutes, from when it was
    put into one memory, by condition; the mean over episodes, and from the least to the greatest.
    """
    rows = [
        (run, condition, number, one["after_s"], 100 * one["lately"])
        for number, (run, condition, entry) in enumerate(entries_with_conditions(runs))
        for one in entry.get("rumour") or ()
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["run", "condition", "entry", "t", "share"])
    axes = new_axes("Who repeats what is not so", runs, frame["run"].unique(),
                    "seconds since one was made to remember it",
                    "repeated it in the last 120 s, %")  # fmt: skip
    for number, (condition, found) in enumerate(frame.groupby("condition", observed=True)):
        colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
        by_time = at_looks(found, ["entry"], []).groupby("t")["share"]
        mean = by_time.mean()
        axes.plot(mean.index, mean, color=colour, linestyle=style, label=str(condition))
        axes.fill_between(mean.index.to_numpy(float), by_time.min(), by_time.max(), color=colour,
                          alpha=0.15, lw=0)  # fmt: skip
    axes.axvline(600, color="grey", linestyle="--", linewidth=1)
    axes.set_ylim(0, 100)
    legend_of(axes)
    return sheet_of(axes)
