"""Figures of the kinds of items that people have held (Project Sid, figures 4, 5 and 13)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.comparing import Floats
from voxpolis.analysis.figures.drawing import (
    COLOURS,
    add_finding,
    band,
    episodes_with_conditions,
    extremes,
    legend_of,
    line_style,
    name_ends,
    new_axes,
    shared_legend,
    sheet_of,
    since_start,
    start_at_zero,
)
from voxpolis.analysis.loading import Runs

KEYS = ["run", "episode"]
SCENARIO, TOGETHER = "items", "together"
# Published in figure 5: mean number of kinds after 30 minutes, and kinds that all 49 agents
# together had at the end.
PUBLISHED_MEAN, PUBLISHED_MINUTES, PUBLISHED_UNION = 17, 30, 320
# Technology tree (figure 4), in order.
TREE = (
    *("wooden_pickaxe", "cobblestone", "stone_pickaxe", "coal", "raw_iron", "furnace"),
    *("iron_ingot", "iron_pickaxe", "raw_gold", "diamond", "emerald"),
)
POINTS = 200


def _first_held(runs: Runs) -> pd.DataFrame:
    facts = runs.runs
    mine = set(facts[facts["scenario"] == SCENARIO]["run"])
    held = runs.events("item_obtained", whole=True)
    held = held[held["run"].isin(mine)] if not held.empty else held
    if held.empty:
        return held
    held = since_start(runs.drop_uncounted(held), runs)
    held = held.merge(episodes_with_conditions(runs, held["run"]), on=KEYS)
    held = held.merge(_played(runs), on=KEYS)
    return held.assign(minutes=held["t"] / 60)


def _played(runs: Runs) -> pd.DataFrame:
    started = runs.events("condition_started", whole=True)
    ends = runs.events("episode_ended", whole=True)[[*KEYS, "seconds"]]
    found = started[[*KEYS, "condition", "agents"]].merge(ends, on=KEYS)
    return pd.DataFrame(
        {
            **{key: found[key] for key in KEYS},
            "played": found["condition"],
            "people": [len(names) for names in found["agents"]],
            "length": found["seconds"] / 60,
        }
    )


def _curves(held: pd.DataFrame, grid: Floats, *, is_union: bool = False) -> pd.DataFrame:
    """Return how many kinds of items people have held by each minute in ``grid``, with a column per
    episode.

    The number is the mean over agents or, with ``is_union``, the number for all agents together.
    """
    found = {}
    for episode, one in held.groupby(KEYS, observed=True):
        moments = (
            one.groupby("item", observed=True)["minutes"].min() if is_union else one["minutes"]
        )
        counts = np.searchsorted(np.sort(moments.to_numpy(float)), grid, side="right")
        curve = counts / (1 if is_union else one["people"].iloc[0])
        found[episode] = np.where(grid <= one["length"].iloc[0] + 1e-6, curve, np.nan)
    return pd.DataFrame(found, index=grid)


def _over_time(runs: Runs, held: pd.DataFrame, groups: Sequence[str], title: str) -> Figure:
    axes = new_axes(title, runs, held["run"].unique(), "minutes", "kinds ever held, mean")
    for number, group in enumerate(groups):
        mine = held[held["group"] == group]
        grid = np.linspace(0, mine["length"].max(), POINTS)
        band(axes, number, str(group), _curves(mine, grid))
    name_ends(axes)
    axes.plot([PUBLISHED_MINUTES], [PUBLISHED_MEAN], marker="*", markersize=11, color="black",
              linestyle="", label="published, full: 17 at 30 min")  # fmt: skip
    start_at_zero(axes)
    legend_of(axes)
    return sheet_of(axes)


def items_by_architecture(runs: Runs) -> Figure | None:
    """Plot how many kinds of items isolated people have held so far, over time and by condition
    (figure 5 A).

    Lines show the mean over agents and episodes, and bands show the range over episodes.
    """
    held = _first_held(runs)
    held = held[held["played"] != TOGETHER] if not held.empty else held
    if held.empty:
        return None
    held = held.assign(group=held["condition"])
    groups = sorted(held["group"].unique())
    return _over_time(runs, held, groups, "Kinds of item over time, isolated agents")


def items_by_model(runs: Runs) -> Figure | None:
    """Plot how many kinds of items isolated people have held so far, over time and by language
    model (figure 13).

    If a model was used in several conditions, there is a line for each of them. Nothing is drawn
    unless there are at least two models.
    """
    held = _first_held(runs)
    held = held[held["played"] != TOGETHER] if not held.empty else held
    if held.empty:
        return None
    facts = runs.runs.set_index("run")
    models = facts["model"].fillna(facts["mind"]).fillna("unknown")
    answered = held["run"].astype(str).map(models)
    if answered.nunique() < 2:
        return None
    several = held["condition"].groupby(answered).nunique().max() > 1
    named = [_by_model(*one) for one in zip(answered, held["condition"], strict=True)]
    held = held.assign(group=named if several else answered)
    groups = sorted(held["group"].unique())
    return _over_time(runs, held, groups, "Kinds of item over time, by model")


def _by_model(model: str, condition: str) -> str:
    others = (one for one in condition.split(", ") if one not in (model, f"model={model}"))
    return ", ".join((model, *others))


def items_together(runs: Runs) -> Figure | None:
    """Plot how many kinds of items people in one land have held so far, over time (figure 5 B).

    For each condition, one line shows the number for all people together, and one shows the mean
    over people.
    """
    held = _first_held(runs)
    held = held[held["played"] == TOGETHER] if not held.empty else held
    if held.empty:
        return None
    axes = new_axes("Kinds of item over time, all in one land", runs, held["run"].unique(),
                    "minutes", "kinds ever held")  # fmt: skip
    grid = np.linspace(0, held["length"].max(), POINTS)
    conditions = sorted(held["condition"].unique())
    for number, condition in enumerate(conditions):
        mine, of = held[held["condition"] == condition], f", {condition}" * (len(conditions) > 1)
        band(axes, 2 * number, f"by anybody{of}", _curves(mine, grid, is_union=True))
        band(axes, 2 * number + 1, f"by each, mean{of}", _curves(mine, grid))
    name_ends(axes)
    diamonds = held[held["item"] == "diamond"]["minutes"]
    if not diamonds.empty:
        axes.axvline(diamonds.min(), color=COLOURS[2], linestyle=":", linewidth=1,
                     label=f"first diamond: {diamonds.min():.0f} min (published: 30)")  # fmt: skip
    axes.axhline(PUBLISHED_UNION, color="black", linestyle="--", linewidth=1,
                 label="published, any of 49 after 4 h: about 320")  # fmt: skip
    start_at_zero(axes)
    legend_of(axes)
    return sheet_of(axes)


def technology_tree(runs: Runs) -> Figure | None:
    """Plot when half of all people had reached each step of the technology tree, by condition
    (figure 4).

    Steps that fewer than half of the people reached are not drawn.
    """
    held = _first_held(runs)
    held = held[held["item"].isin(TREE)] if not held.empty else held
    if held.empty:
        return None
    axes = new_axes("Steps of the technology tree", runs, held["run"].unique(),
                    "minutes until half of the people had it", "")  # fmt: skip
    steps = {}
    for number, condition in enumerate(sorted(held["condition"].unique())):
        mine = held[held["condition"] == condition]
        people = mine.drop_duplicates(KEYS)["people"].sum()
        found = {item: np.sort(one["minutes"]) for item, one in mine.groupby("item", observed=True)}
        halves = {
            item: found[item][-(-people // 2) - 1]
            for item in TREE
            if len(found.get(item, ())) * 2 >= people
        }
        steps[str(condition)] = [float(len(halves))]
        axes.plot(list(halves.values()), [TREE.index(item) for item in halves], label=condition,
                  **line_style(number), marker="os^Dv"[number % 5])  # fmt: skip
    add_finding(axes, extremes(steps, "number of steps"))
    axes.set_yticks(range(len(TREE)), [item.replace("_", " ") for item in TREE])
    axes.set_xlim(left=0)
    shared_legend([axes])
    return sheet_of(axes)
