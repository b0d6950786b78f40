"""Religion (Project Sid, figures 11 and 12)."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.drawing import (
    COLOURS,
    band,
    curves,
    episode_ends,
    new_axes,
    sheet_of,
    since_start,
)
from analysis.loading import Runs
from analysis.metrics import conversion_counts

#: Towns that fit beside each other.
MOST_TOWNS = 12


def conversion_over_time(runs: Runs) -> Figure | None:
    """How many are converts of each level, over time (12 C)."""
    converted = runs.events("converted")
    if converted.empty:
        return None
    counts = conversion_counts(since_start(converted, runs))
    living = set(converted["run"].astype(str))
    ends = {key: end for key, end in episode_ends(runs).items() if key[0] in living}
    axes = new_axes(
        "Converts over time", runs, converted["run"], "seconds", "agents (priests included)"
    )
    for number, level in enumerate(("direct", "indirect")):
        band(axes, number, level, curves(counts, level, ends))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return sheet_of(axes)


def where_the_faith_is(runs: Runs) -> Figure | None:
    """Where converts first said what they believe, by time (12 D); one run."""
    converted = runs.events("converted")
    if converted.empty:
        return None
    one = converted[converted["run"] == converted["run"].iloc[0]]
    one = one[one["episode"] == one["episode"].min()]
    place = np.array(one["position"].tolist(), float)
    axes = new_axes(
        "Where converts first spoke", runs, one["run"], "x, blocks", "z, blocks", (6.4, 5.6)
    )
    people = runs.positions()
    people = people[(people["run"] == one["run"].iloc[0]) & (people["t"] == people["t"].min())]
    axes.scatter(people["x"], people["z"], s=3, color="lightgrey", label="everybody, at the start")
    marks = axes.scatter(place[:, 0], place[:, 2], c=one["t"], cmap="viridis", s=18 * one["level"],
                         label="converts (large: direct)")  # fmt: skip
    sheet_of(axes).colorbar(marks, label="seconds")
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2)
    return sheet_of(axes)


def area_over_time(runs: Runs) -> Figure | None:
    """Where a direct convert is heard, in square blocks, over time (12 D)."""
    curves, used = {}, []
    for folder, result in runs.results():
        for number, run in enumerate(result.get("runs", [])):
            samples = run.get("over_time") if isinstance(run, dict) else None
            if samples and "area_blocks" in samples[0]:
                area = {sample["t"]: sample["area_blocks"] for sample in samples}
                curves[str(folder), number] = pd.Series(area)
                used.append(str(folder))
    if not curves:
        return None
    axes = new_axes("Area in which the faith is heard", runs, pd.Series(used), "seconds",
                 "area, square blocks")  # fmt: skip
    band(axes, 0, "union of the converts' hearing circles", pd.DataFrame(curves))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return sheet_of(axes)


def exposure_graph(runs: Runs) -> Figure | None:
    """From whom direct converts first heard of the faith: critical edges, drawn where each first
    said it (12 E); one run.
    """
    converted = runs.events("converted")
    if converted.empty or "heard_from" not in converted:
        return None
    one = converted[converted["run"] == converted["run"].iloc[0]]
    one = one[(one["episode"] == one["episode"].min()) & (one["level"] == 2)]
    place = {str(row.agent): (row.position[0], row.position[2]) for row in one.itertuples()}
    edges = nx.DiGraph()
    edges.add_nodes_from(place)
    for row in one.itertuples():
        if row.heard_from in place:
            edges.add_edge(row.heard_from, str(row.agent))
    axes = new_axes("From whom converts first heard it", runs, one["run"], "x, blocks", "z, blocks",
                 (6.4, 5.6))  # fmt: skip
    told = [node for node in edges if edges.in_degree(node)]
    first = [node for node in edges if not edges.in_degree(node)]
    nx.draw_networkx_edges(edges, place, ax=axes, edge_color="#D55E00", width=0.8, arrowsize=7,
                           node_size=18)  # fmt: skip
    for nodes, colour, label in ((first, "#000000", "priests, and who thought of it alone"),
                                 (told, "#0072B2", "heard it from a convert")):  # fmt: skip
        axes.scatter([place[n][0] for n in nodes], [place[n][1] for n in nodes], s=18,
                     color=colour, label=label, zorder=3)  # fmt: skip
    axes.set_aspect("equal")
    axes.tick_params(left=True, bottom=True, labelleft=True, labelbottom=True)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2)
    return sheet_of(axes)


def memes_by_town(runs: Runs) -> Figure | None:
    """What people's goals are about, by town, at the end (11 D); one run."""
    found = [(str(run), one) for run, told in runs.results() for one in told.get("runs", ())]
    with_memes = [(run, one["memes"]) for run, one in found if one.get("memes")]
    if not with_memes:
        return None
    run, memes = with_memes[0]
    frame = pd.DataFrame(memes).T.fillna(0).iloc[:MOST_TOWNS]
    shares = frame.div(frame.sum(axis=1), axis=0) * 100
    axes = new_axes(
        "What goals are about, by town", runs, pd.Series([run]), "", "% of a town's goals"
    )
    bottom = np.zeros(len(shares))
    hatches = ("", "//", "..", "xx", "\\\\", "++")
    for number, meme in enumerate(shares.columns):
        axes.bar(shares.index, shares[meme], bottom=bottom, label=meme, width=0.7,
                 color=COLOURS[number % len(COLOURS)], hatch=hatches[number % 6],
                 edgecolor="white")  # fmt: skip
        bottom += shares[meme].to_numpy()
    axes.tick_params(axis="x", rotation=20)
    axes.legend(frameon=False, fontsize=8, ncols=6, loc="upper left", bbox_to_anchor=(0, -0.2))
    return sheet_of(axes)
