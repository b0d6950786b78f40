"""Figures of taxes and votes (Project Sid, figure 10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    count_of,
    cut_axis,
    entries_with_conditions,
    episodes_with_conditions,
    explain,
    explain_intervals,
    extremes,
    grouped_bars,
    legend_of,
    line_style,
    means_of,
    minds,
    new_axes,
    new_sheet,
    samples,
    sheet_of,
    start_at_zero,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import tax_compliance

# Keys of stances and of amendments' effects in a result, and their labels.
STANCES = {"anti": "for less tax", "neutral": "neither", "pro": "for more tax"}
DIRECTIONS = {"lowers": "to lower the tax", "raises": "to raise the tax"}


def tax_paid_by_season(runs: Runs) -> Figure | None:
    """Plot what share of their items people paid in each season, by condition.

    If there are at least two episodes, 95 % bootstrap intervals are shown. The dashed line marks
    the change of the law.
    """
    taxes, seasons = (
        runs.drop_uncounted(runs.events("tax_paid", whole=True)),
        runs.events("season_opened", whole=True),
    )
    if taxes.empty:
        return None
    paid = tax_compliance(taxes, seasons)
    paid = paid.merge(episodes_with_conditions(runs, paid["run"]), on=["run", "episode"])
    if paid.empty:
        return None
    last = int(paid["season"].max())
    ends = paid[paid["season"] == last].groupby("condition", observed=True)["paid"]
    shares = {str(condition): [100 * share for share in own] for condition, own in ends}
    told = extremes(shares, "mean in the last season, %")
    axes = new_axes(f"Tax paid, by season{told}", runs, paid["run"].unique(), "tax season",
                    "share of the inventory paid, %")  # fmt: skip
    explain(axes, "points: means of episodes", "dashed: change of the law")
    drawn = []
    axes.axvline(last / 2 + 0.5, color="grey", linestyle="--", linewidth=1)
    for number, (condition, found) in enumerate(paid.groupby("condition", observed=True)):
        by_season = {season: list(100 * paid) for season, paid in found.groupby("season")["paid"]}
        means, whiskers = means_of([*by_season.values()])
        label = f"{condition} ({count_of([*map(len, by_season.values())])})"
        axes.errorbar(np.array([*by_season]), means, yerr=whiskers, **line_style(number),
                      label=label, marker="o", markersize=3, capsize=2)  # fmt: skip
        drawn.append((means, whiskers))
    start_at_zero(axes)
    cut_axis(axes, 100)
    for means, whiskers in drawn:
        explain_intervals(axes, means, whiskers)
    legend_of(axes)
    return sheet_of(axes)


def tax_before_and_after(runs: Runs) -> Figure | None:
    """Plot what share people paid before and after the change of the law, by condition (figure 10
    F to H).

    The shares have 95 % bootstrap intervals over episodes.
    """
    taxes = runs.drop_uncounted(runs.events("tax_paid", whole=True))
    if taxes.empty:
        return None
    taxes = taxes.merge(episodes_with_conditions(runs, taxes["run"]), on=["run", "episode"])
    if taxes.empty:
        return None
    middle = taxes["season"].max() / 2
    taxes["half"] = np.where(taxes["season"] <= middle, "before", "after")
    keys = ["half", "condition", "run", "episode"]
    means = taxes.groupby(keys, observed=True)["share"].mean().mul(100).reset_index()
    groups = sorted(taxes["condition"].unique())
    found = samples(means, ["half", "condition"], "share")
    axes = new_axes("Tax paid", runs, taxes["run"].unique(), "", "share paid, %")
    halves = ("before", "after")
    series = {half: [found[half, group] for group in groups] for half in halves}
    grouped_bars(axes, groups, series, most=100, told="after")
    legend_of(axes)
    return sheet_of(axes)


def people_near_the_chest(runs: Runs) -> Figure | None:
    """Plot what fraction of the constituents came within 6 blocks of the community chest (figure
    10 C).

    The fraction is shown for tax seasons, and for equally long times between seasons, by condition
    and with 95 % bootstrap intervals over episodes.
    """
    keys = {"season": "in a tax season", "between": "between seasons"}
    rows = [
        (run, condition, key, came * 100)
        for run, condition, episode in entries_with_conditions(runs, "near_chest")
        for key, came in episode["near_chest"].items()
        if came is not None
    ]
    if not rows:
        return None
    near = pd.DataFrame(rows, columns=["run", "condition", "span", "near"])
    groups = sorted(near["condition"].unique())
    found = samples(near, ["span", "condition"], "near")
    axes = new_axes("Visits to the community chest", runs, near["run"].unique(), "",
                    "came within 6 blocks, %")  # fmt: skip
    series = {name: [found[key, group] for group in groups] for key, name in keys.items()}
    grouped_bars(axes, groups, series, highest=100)
    legend_of(axes)
    return sheet_of(axes)


def feedback_and_votes(runs: Runs) -> Figure | None:
    """Plot which opinions people stated about the law, and how they voted on amendments that change
    the tax.

    The figure shows the fractions of statements that want less tax, more tax or neither, and the
    fractions of yes votes on amendments that lower or raise the tax. All fractions are shown by
    condition, with 95 % bootstrap intervals over episodes. A village without statements, or without
    votes on such amendments, has "n/a".
    """
    found = entries_with_conditions(runs, "feedback")
    said, voted = [], []
    for run, condition, episode in found:
        where = (run, condition)
        count = {name: episode["feedback"].get(name, 0) for name in STANCES}
        said += [(*where, name, 100 * n / total) for name, n in count.items()
                 if (total := sum(count.values()))]  # fmt: skip
        voted += [(*where, kind, share) for kind, share in _yes_shares(episode)]
    if not said:
        return None
    stances = pd.DataFrame(said, columns=["run", "condition", "stance", "share"])
    votes = pd.DataFrame(voted, columns=["run", "condition", "direction", "share"])
    ((left, right),) = new_sheet(1, 2, (9.6, 4.2), is_one_scale=False)
    groups = sorted({condition for _, condition, _ in found})
    for axes, frame, names, by, title in (
        (left, stances, STANCES, "stance", "Statements about the law"),
        (right, votes, DIRECTIONS, "direction", "Votes for amendments"),
    ):
        shares = samples(frame, [by, "condition"], "share")
        series = {label: [shares[key, g] or None for g in groups] for key, label in names.items()}
        axes.set_title(title)
        grouped_bars(axes, groups, series, highest=100)
        legend_of(axes)
    left.set_ylabel("fraction of all statements, %")
    right.set_ylabel("yes, % of all votes")
    drawn = sheet_of(left)
    who = minds(runs, {run for run, _, _ in found})
    drawn.suptitle(f"Stances before the vote, and votes\n({who})")
    return drawn


def _yes_shares(episode: Mapping[str, Any]) -> list[tuple[str, float]]:
    found = []
    for direction in DIRECTIONS:
        counts = [by[direction] for by in (episode.get("votes") or {}).values() if direction in by]
        if cast := sum(sum(count.values()) for count in counts):
            found.append((direction, 100 * sum(count.get("yes", 0) for count in counts) / cast))
    return found
