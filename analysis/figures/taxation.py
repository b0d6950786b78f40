"""Taxation (Project Sid, figure 10)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from analysis.comparing import bootstrap
from analysis.figures.drawing import COLOURS, STYLES, new_axes, sheet_of
from analysis.loading import Runs
from analysis.metrics import tax_compliance


def tax_paid_by_season(runs: Runs) -> Figure | None:
    """Share of the inventory paid in each season by condition; the dashed line is the change."""
    taxes, seasons = runs.events("tax_paid"), runs.events("season_opened")
    if taxes.empty:
        return None
    told = runs.events("condition_started")[["run", "episode", "condition"]]
    paid = tax_compliance(taxes, seasons).merge(told, on=["run", "episode"])
    axes = new_axes(
        "Tax paid, by season", runs, paid["run"], "tax season", "share of the inventory paid, %"
    )
    for number, (name, found) in enumerate(paid.groupby("condition", observed=True)):
        by_season = found.groupby("season")["paid"]
        mean, spread = by_season.mean() * 100, by_season.sem().fillna(0) * 196
        colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
        axes.errorbar(mean.index, mean, yerr=spread, color=colour, linestyle=style, label=str(name),
                      marker="o", markersize=3, capsize=2)  # fmt: skip
    last = int(paid["season"].max())
    axes.axvline(last / 2 + 0.5, color="grey", linestyle="--", linewidth=1)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    return sheet_of(axes)


def tax_before_and_after(runs: Runs) -> Figure | None:
    """Share paid before and after the change by condition, 95 % intervals over runs (10 F to H)."""
    taxes = runs.events("tax_paid")
    if taxes.empty:
        return None
    told = runs.events("condition_started")[["run", "episode", "condition"]]
    taxes = taxes.merge(told, on=["run", "episode"])
    middle = taxes["season"].max() / 2
    taxes["half"] = np.where(taxes["season"] <= middle, "before", "after")
    keys = ["condition", "half", "run", "episode"]
    means = taxes.groupby(keys, observed=True)["share"].mean()
    axes = new_axes("Tax paid before and after the vote", runs, taxes["run"], "", "share paid, %")
    names = sorted(taxes["condition"].unique())
    for number, half in enumerate(("before", "after")):
        found = [bootstrap((means[name, half] * 100).tolist()) for name in names]
        errors = np.array([(one.value - one.low, one.high - one.value) for one in found]).T
        at = np.arange(len(names)) + (number - 0.5) * 0.38
        axes.bar(at, [one.value for one in found], 0.36, yerr=errors, capsize=2, label=half,
                 color=COLOURS[number], hatch=("", "//")[number], edgecolor="white")  # fmt: skip
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.legend(frameon=False)
    return sheet_of(axes)
