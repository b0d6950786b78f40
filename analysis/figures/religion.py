"""Religion (Project Sid, figures 11 and 12)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    HATCHES,
    band,
    curves,
    episode_ends,
    legend_below,
    legend_of,
    new_axes,
    sheet_of,
    since_start,
    with_conditions,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import conversion_counts, converts

#: Towns that fit beside each other.
MOST_TOWNS = 12
MAP_SIZE = (6.4, 5.6)


def conversion_over_time(runs: Runs) -> Figure | None:
    """How many are converts of each level, over time (12 C); a line a level and condition."""
    converted = converts(runs.counting(runs.events("converted", whole=True)))
    if converted.empty:
        return None
    counts, ends = conversion_counts(since_start(converted, runs)), episode_ends(runs)
    axes = new_axes("Converts over time", runs, converted["run"].unique(), "seconds",
                    "agents, priests aside")  # fmt: skip
    conditions = with_conditions(runs, converted["run"].unique()).groupby("condition")["run"]
    lines = [(*one, level) for one in conditions for level in ("direct", "indirect")]
    for number, (condition, folders, level) in enumerate(lines):
        episodes = {key: end for key, end in ends.items() if key[0] in set(folders)}
        label = level if len(conditions) == 1 else f"{level}, {condition}"
        mine = counts[counts["run"].isin(set(folders))]
        band(axes, number, label, curves(mine, level, episodes))
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)


def where_the_faith_is(runs: Runs) -> Figure | None:
    """Where converts first said what they believe, by time (12 D); one episode."""
    everybody = _first_episode(runs)
    one = converts(everybody)
    if one.empty:
        return None
    priests = everybody.drop(one.index)
    place = np.array(one["position"].tolist(), float)
    axes = _new_map("Where converts first spoke", runs, one)
    people = runs.positions()
    people = people[people["run"] == one["run"].iloc[0]]
    people = people[people["t"] == people["t"].min()]
    axes.scatter(people["x"], people["z"], s=3, color="lightgrey", label="everybody, at the start")
    marks = axes.scatter(place[:, 0], place[:, 2], c=one["t"], cmap="viridis", s=18 * one["level"],
                         label="converts (large: direct)")  # fmt: skip
    if not priests.empty:
        at = np.array(priests["position"].tolist(), float)
        axes.scatter(at[:, 0], at[:, 2], s=24, marker="^", color="black", label="priests")
    sheet_of(axes).colorbar(marks, label="seconds")
    legend_below(axes, 2)
    return sheet_of(axes)


def _first_episode(runs: Runs) -> pd.DataFrame:
    """The conversions of the first run's first episode that has any."""
    converted = runs.counting(runs.events("converted", whole=True))
    if converted.empty:
        return converted
    mine = pd.DataFrame(converted[converted["run"] == converted["run"].iloc[0]])
    return pd.DataFrame(mine[mine["episode"] == mine["episode"].min()])


def _new_map(title: str, runs: Runs, conversions: pd.DataFrame) -> Axes:
    axes = new_axes(title, runs, conversions["run"].unique(), "x, blocks", "z, blocks", MAP_SIZE)
    axes.set_aspect("equal", adjustable="datalim")  # two converts beside each other are no sliver
    return axes


def area_over_time(runs: Runs) -> Figure | None:
    """Where a direct convert is heard, in square blocks, over time (12 D); a line a condition."""
    areas: dict[tuple[str, int], pd.Series[float]] = {}
    for folder, result in runs.results():
        for number, episode in enumerate(result.get("runs", [])):
            samples = episode.get("over_time") if isinstance(episode, dict) else None
            if samples and "area_blocks" in samples[0]:
                area = {sample["t"]: sample.get("area_blocks", 0) for sample in samples}
                areas[str(folder), number] = pd.Series(area)
    if not areas:
        return None
    used = {folder for folder, _ in areas}
    axes = new_axes("Area in which the faith is heard", runs, used, "seconds",
                    "area, square blocks")  # fmt: skip
    for number, (condition, folders) in enumerate(
        with_conditions(runs, used).groupby("condition")["run"]
    ):
        mine = {key: area for key, area in areas.items() if key[0] in set(folders)}
        band(axes, number, f"union of the hearing circles, {condition}", pd.DataFrame(mine))
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)


def exposure_graph(runs: Runs) -> Figure | None:
    """From whom direct converts first heard of the faith: critical edges, drawn where each first
    said it (12 E); one episode.
    """
    one = _first_episode(runs)
    if one.empty or "heard_from" not in one:
        return None
    one = one[one["level"] == 2]
    place = {
        str(agent): (x, z)
        for agent, (x, _, z) in zip(one["agent"], one["position"].tolist(), strict=True)
    }
    edges = nx.DiGraph()
    edges.add_nodes_from(place)
    for agent, source in zip(one["agent"].astype(str), one["heard_from"], strict=True):
        if source in place:
            edges.add_edge(source, agent)
    axes = _new_map("From whom converts first heard it", runs, one)
    nx.draw_networkx_edges(edges, place, ax=axes, edge_color="#D55E00", width=0.8, arrowsize=7,
                           node_size=18)  # fmt: skip
    heard = [node for node in edges if edges.in_degree(node)]
    first = [node for node in edges if not edges.in_degree(node)]
    for nodes, colour, label in ((first, "#000000", "priests, and who thought of it alone"),
                                 (heard, "#0072B2", "heard it from a convert")):  # fmt: skip
        axes.scatter([place[n][0] for n in nodes], [place[n][1] for n in nodes], s=18,
                     color=colour, label=label, zorder=3)  # fmt: skip
    axes.tick_params(left=True, bottom=True, labelleft=True, labelbottom=True)
    legend_below(axes, 2)
    return sheet_of(axes)


def memes_by_town(runs: Runs) -> Figure | None:
    """What people's goals are about, by town, at the end (11 D); one episode."""
    episodes = ((str(folder), one) for folder, result in runs.results()
                for one in result.get("runs", ()))  # fmt: skip
    run, memes = next(((run, one["memes"]) for run, one in episodes if one.get("memes")), ("", {}))
    if not memes:
        return None
    frame = pd.DataFrame(memes).T.astype(float).fillna(0).iloc[:MOST_TOWNS]
    shares = (frame.div(frame.sum(axis=1), axis=0) * 100).fillna(0)  # a town may be without
    axes = new_axes("What goals are about, by town", runs, [run], "", "% of a town's goals")
    bottom = np.zeros(len(shares))
    for number, meme in enumerate(shares.columns):
        axes.bar(shares.index, shares[meme], bottom=bottom, label=meme, width=0.7,
                 color=COLOURS[number % len(COLOURS)], hatch=HATCHES[number % len(HATCHES)],
                 edgecolor="white")  # fmt: skip
        bottom += shares[meme].to_numpy()
    axes.tick_params(axis="x", rotation=20)
    legend_below(axes, 6)
    return sheet_of(axes)
