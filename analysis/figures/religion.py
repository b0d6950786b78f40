"""Figures of a religion and of memes (Project Sid, figures 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    HATCHES,
    add_finding,
    band,
    curves,
    entries_with_conditions,
    episode_ends,
    grouped_bars,
    legend_of,
    line_style,
    name_ends,
    new_axes,
    sheet_of,
    since_start,
    with_conditions,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import conversion_counts, converts

# Number of towns that fit in a row.
MOST_TOWNS = 12
MAP_SIZE = (6.4, 5.6)


def conversion_over_time(runs: Runs) -> Figure | None:
    """Plot the numbers of direct and indirect converts over time, by condition (figure 12 C)."""
    converted = converts(runs.drop_uncounted(runs.events("converted", whole=True)))
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
    name_ends(axes)
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)


def where_the_faith_is(runs: Runs) -> Figure | None:
    """Draw a map of where and when converts first stated their belief, for one episode (figure 12
    D).
    """
    everybody = _first_episode(runs)
    one = converts(everybody)
    if one.empty:
        return None
    priests = everybody.drop(one.index)
    place = np.array(one["position"].tolist(), float)
    axes = _new_map("First statements of converts", runs, one)
    people = runs.positions()
    people = people[people["run"] == one["run"].iloc[0]]
    people = people[people["t"] == people["t"].min()]
    axes.scatter(people["x"], people["z"], s=3, color="lightgrey", label="everyone, at the start")
    marks = axes.scatter(place[:, 0], place[:, 2], c=one["t"], cmap="viridis", s=18 * one["level"],
                         label="converts (large: direct)")  # fmt: skip
    if not priests.empty:
        at = np.array(priests["position"].tolist(), float)
        axes.scatter(at[:, 0], at[:, 2], s=24, marker="^", color="black", label="priests")
    sheet_of(axes).colorbar(marks, label="seconds")
    legend_of(axes)
    return sheet_of(axes)


def _first_episode(runs: Runs) -> pd.DataFrame:
    """Return the conversions in the first episode of the first run that contains conversions."""
    converted = runs.drop_uncounted(runs.events("converted", whole=True))
    if converted.empty:
        return converted
    mine = pd.DataFrame(converted[converted["run"] == converted["run"].iloc[0]])
    return pd.DataFrame(mine[mine["episode"] == mine["episode"].min()])


def _new_map(title: str, runs: Runs, conversions: pd.DataFrame) -> Axes:
    axes = new_axes(title, runs, conversions["run"].unique(), "x, blocks", "z, blocks", MAP_SIZE)
    # so that the area around two nearby converts is not a sliver
    axes.set_aspect("equal", adjustable="datalim")
    return axes


def area_over_time(runs: Runs) -> Figure | None:
    """Plot the area in which direct converts can be heard, in square blocks, by condition (figure
    12 D).
    """
    areas: dict[tuple[str, int], pd.Series[float]] = {}
    for number, (run, episode) in enumerate(runs.entries()):
        samples = episode.get("over_time")
        if samples and "area_blocks" in samples[0]:
            area = {sample["t"]: sample.get("area_blocks", 0) for sample in samples}
            areas[run, number] = pd.Series(area)
    if not areas:
        return None
    used = {folder for folder, _ in areas}
    axes = new_axes("Area in which the faith is heard", runs, used, "seconds",
                    "union of the hearing circles, square blocks")  # fmt: skip
    for number, (condition, folders) in enumerate(
        with_conditions(runs, used).groupby("condition")["run"]
    ):
        mine = {key: area for key, area in areas.items() if key[0] in set(folders)}
        band(axes, number, str(condition), pd.DataFrame(mine))
    name_ends(axes)
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)


def exposure_graph(runs: Runs) -> Figure | None:
    """Draw from whom direct converts first heard of the faith, for one episode (figure 12 E).

    An edge leads to the place where the convert first stated the belief.
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
    axes = _new_map("Sources of the faith", runs, one)
    nx.draw_networkx_edges(edges, place, ax=axes, edge_color="#D55E00", width=0.8, arrowsize=7,
                           node_size=18)  # fmt: skip
    heard = [node for node in edges if edges.in_degree(node)]
    first = [node for node in edges if not edges.in_degree(node)]
    for nodes, colour, label in ((first, "#000000", "priests, and spontaneous converts"),
                                 (heard, "#0072B2", "heard it from a convert")):  # fmt: skip
        axes.scatter([place[n][0] for n in nodes], [place[n][1] for n in nodes], s=18,
                     color=colour, label=label, zorder=3)  # fmt: skip
    add_finding(axes, f": {len(heard)} of {len(edges)} heard it from a convert")
    axes.tick_params(left=True, bottom=True, labelleft=True, labelbottom=True)
    legend_of(axes)
    return sheet_of(axes)


def memes_by_town(runs: Runs) -> Figure | None:
    """Plot which memes people's goals contain at the end, by town, for one episode (figure 11
    D).
    """
    run, one = next(_episodes(runs, "memes"), ("", {}))
    if not one:
        return None
    frame = pd.DataFrame(one["memes"]).T.astype(float).fillna(0).iloc[:MOST_TOWNS]
    shares = (frame.div(frame.sum(axis=1), axis=0) * 100).fillna(0)  # a town may have no memes
    axes = new_axes("Memes in goals, by town", runs, [run], "", "% of a town's goals")
    total = frame.sum() / max(1.0, frame.to_numpy().sum())
    add_finding(axes, f": most frequent is {total.idxmax()} ({100 * total.max():.0f}\u00a0%)")
    bottom = np.zeros(len(shares))
    for number, meme in enumerate(shares.columns):
        axes.bar(shares.index, shares[meme], bottom=bottom, label=meme, width=0.7,
                 color=COLOURS[number % len(COLOURS)], hatch=HATCHES[number % len(HATCHES)],
                 edgecolor="white")  # fmt: skip
        bottom += shares[meme].to_numpy()
    for place, total in enumerate(bottom):
        if not total:
            axes.annotate("none", (place, 0), ha="center", va="bottom", rotation=90)
    legend_of(axes)
    return sheet_of(axes)


# --- Memes in a country, and use of the faith's words (Project Sid, figures 11 and 12) ------------

MEMES_MAP_SIZE = (6.8, 6.0)
# Maximum number of memes that can be told apart by lines and colours.
MOST_MEMES = 10
MARKS = "os^Dv<>ph*"
# Sources of a run's meme counts.
KINDS = {"towns": "in towns", "country": "in the country"}


def _episodes(runs: Runs, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((run, one) for run, one in runs.entries() if one.get(key))


def memes_on_the_map(runs: Runs) -> Figure | None:
    """Draw a map of people at the end, coloured by the meme in their goal, for one episode (figure
    11 A).
    """
    run, one = next(_episodes(runs, "meme_places"), ("", {}))
    if not one:
        return None
    places = pd.DataFrame(one["meme_places"], columns=["x", "z", "meme"])
    axes = new_axes(
        "Memes in goals, by place", runs, [run], "x, blocks", "z, blocks", MEMES_MAP_SIZE
    )
    axes.set_aspect("equal", adjustable="datalim")
    common = places["meme"].value_counts().index[:MOST_MEMES]
    for number, meme in enumerate(common):
        mine = places[places["meme"] == meme]
        axes.scatter(mine["x"], mine["z"], s=22, marker=MARKS[number % len(MARKS)],
                     color=COLOURS[number % len(COLOURS)], label=meme)  # fmt: skip
    legend_of(axes)
    return sheet_of(axes)


def memes_per_head(runs: Runs) -> Figure | None:
    """Plot how many memes the goals of a person contain in towns and in the country (figure 11 B).

    The numbers are averaged over time and shown by condition, with 95 % bootstrap intervals over
    episodes.
    """
    found = [
        (run, condition, entry["memes_per_head"])
        for run, condition, entry in entries_with_conditions(runs, "memes_per_head")
    ]
    known = [one for one in found if None not in one[2].values()]
    if not known:
        return None
    axes = new_axes("Memes in goals", runs, {run for run, *_ in known}, "",
                    "memes in a person's goal")  # fmt: skip
    conditions = dict.fromkeys(condition for _, condition, _ in known)
    series = {
        name: [[heads[kind] for _, own, heads in known if own == name] for kind in KINDS]
        for name in conditions
    }
    grouped_bars(axes, list(KINDS.values()), series)
    if len(conditions) > 1:
        legend_of(axes)
    return sheet_of(axes)


def memes_over_time(runs: Runs) -> Figure | None:
    """Plot how many people have each meme in their goals over time, for one episode (figure 11 C
    and E).
    """
    of_memes = (
        (run, [sample for sample in one["over_time"] if "memes" in sample])
        for run, one in _episodes(runs, "over_time")
    )
    run, samples = next((both for both in of_memes if both[1]), ("", []))
    rows = {sample["t"]: _everywhere(sample["memes"]) for sample in samples}
    counts = pd.DataFrame(rows).T.fillna(0)
    if counts.empty:
        return None
    axes = new_axes("Memes in goals over time", runs, [run], "seconds", "people")
    common = counts.sum().sort_values(ascending=False).index[:MOST_MEMES]
    for number, meme in enumerate(common):
        axes.plot(counts.index, counts[meme], **line_style(number), label=meme)
    name_ends(axes)
    axes.set_ylim(bottom=0)
    legend_of(axes)
    return sheet_of(axes)


def _everywhere(memes: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for town in memes.values():
        found.update(town)
    return found


def keyword_chats(runs: Runs) -> Figure | None:
    """Plot how often each person mentioned the faith, and how often only its food, for one episode
    (figure 12 A).

    The people who mentioned the faith most often come first.
    """
    run, one = next(_episodes(runs, "keyword_chats"), ("", {}))
    if not one:
        return None
    chats = np.array(sorted(one["keyword_chats"].values(), key=lambda said: (-said[1], -said[0])))
    told = f"{np.count_nonzero(chats[:, 1])} of {len(chats)} people name it"
    axes = new_axes(f"Use of the faith's words: {told}", runs, [run], "people, by frequency",
                    "utterances")  # fmt: skip
    rank = np.arange(1, len(chats) + 1)
    axes.bar(rank, chats[:, 1], width=1.0, color=COLOURS[1], label="the faith (direct)")
    axes.bar(rank, chats[:, 0], width=1.0, bottom=chats[:, 1], color=COLOURS[5],
             label="the food alone (indirect)")  # fmt: skip
    axes.set_xlim(0.4, len(chats) + 0.6)
    legend_of(axes)
    return sheet_of(axes)


def levels_by_agent(runs: Runs) -> Figure | None:
    """Plot the level of conversion of each convert over time, for one episode (figure 12 B).

    The first convert is at the bottom.
    """
    mine = since_start(converts(runs.drop_uncounted(runs.events("converted", whole=True))), runs)
    if mine.empty:
        return None
    run, episode = str(mine["run"].iloc[0]), int(mine["episode"].iloc[0])
    mine = mine[(mine["run"].astype(str) == run) & (mine["episode"] == episode)].sort_values("t")
    end = episode_ends(runs).get((run, episode), float(mine["t"].max()))
    rows = {name: number for number, name in enumerate(dict.fromkeys(mine["agent"].astype(str)))}
    axes = new_axes(
        "Level of each convert", runs, [run], "seconds", "converts, first at the bottom"
    )
    for name, own in mine.groupby("agent", observed=True):
        times, levels = [*own["t"], end], list(own["level"])
        for level, begin, until in zip(levels, times, times[1:], strict=False):
            axes.barh(rows[str(name)], until - begin, left=begin, height=1.0, lw=0,
                      color=COLOURS[1] if level == 2 else COLOURS[5])  # fmt: skip
    for colour, label in ((COLOURS[5], "indirect"), (COLOURS[1], "direct")):
        axes.barh(0, 0, color=colour, label=label)
    axes.set_xlim(0, end)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    legend_of(axes)
    return sheet_of(axes)
