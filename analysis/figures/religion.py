"""Figures of a religion and of memes (Project Sid, figures 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    HATCHES,
    add_finding,
    at_all_times,
    band,
    count_of,
    curves,
    draw_by_condition,
    entries_with_conditions,
    episode_ends,
    explain,
    grouped_bars,
    legend_of,
    most_of,
    name_attempt,
    name_ends,
    name_episode,
    new_axes,
    sheet_of,
    since_start,
    start_at_zero,
    with_conditions,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import conversion_counts, converts

# Number of towns that fit in a row.
MOST_TOWNS = 12
MAP_SIZE = (6.4, 5.6)


def conversion_over_time(runs: Runs) -> Figure | None:
    """Plot the numbers of direct and indirect converts over time, by condition (figure 12 C)."""
    everybody = runs.drop_uncounted(runs.events("converted", whole=True))
    converted, used = converts(everybody), everybody["run"].unique()  # some may have only priests
    if converted.empty:
        return None
    counts, ends = conversion_counts(since_start(converted, runs)), episode_ends(runs)
    axes = new_axes("Converts over time", runs, used, "seconds",
                    "agents, priests aside")  # fmt: skip
    conditions = with_conditions(runs, used).groupby("condition")["run"]
    lines = [(*one, level) for one in conditions for level in ("direct", "indirect")]
    for number, (condition, folders, level) in enumerate(lines):
        episodes = {key: end for key, end in ends.items() if key[0] in set(folders)}
        label = level if len(conditions) == 1 else f"{level}, {condition}"
        mine = counts[counts["run"].isin(set(folders))]
        band(axes, number, label, curves(mine, level, episodes))
    name_ends(axes)
    start_at_zero(axes)
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
    axes = _new_map(f"First statements of converts{_name_episode(runs, one)}", runs, one)
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
    """Return the conversions in the first episode that has converts or, if there is none, in the
    first episode that has priests.
    """
    converted = runs.drop_uncounted(runs.events("converted", whole=True))
    if converted.empty:
        return converted
    found = converts(converted)
    first = (converted if found.empty else found).iloc[0]
    keys = ["run", "episode"]
    return pd.DataFrame(converted[(converted[keys] == first[keys]).all(axis=1)])


def _name_episode(runs: Runs, events: pd.DataFrame) -> str:
    """Say in a title which episode of its run the events are from."""
    run, episode = str(events["run"].iloc[0]), int(events["episode"].iloc[0])
    attempts = runs.attempts().query("counts and run == @run")
    keys = [(run, int(number)) for number in attempts["episode"]]
    return name_attempt(runs, keys, (run, episode))


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
        band(axes, number, str(condition), at_all_times(mine))
    name_ends(axes)
    start_at_zero(axes)
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
    axes = _new_map(f"Sources of the faith{_name_episode(runs, one)}", runs, one)
    nx.draw_networkx_edges(edges, place, ax=axes, edge_color="#D55E00", width=0.8, arrowsize=7,
                           node_size=18)  # fmt: skip
    heard = [node for node in edges if edges.in_degree(node)]
    first = [node for node in edges if not edges.in_degree(node)]
    for nodes, colour, label in ((first, "#000000", "priests, and spontaneous converts"),
                                 (heard, "#0072B2", "heard it from others")):  # fmt: skip
        axes.scatter([place[n][0] for n in nodes], [place[n][1] for n in nodes], s=18,
                     color=colour, label=label, zorder=3)  # fmt: skip
    add_finding(axes, f": {len(heard)} of {len(edges)} heard it from a priest or convert")
    axes.tick_params(left=True, bottom=True, labelleft=True, labelbottom=True)
    legend_of(axes)
    return sheet_of(axes)


# --- Memes in a country, and use of the faith's words (Project Sid, figures 11 and 12) ------------

MEMES_MAP_SIZE = (6.8, 6.0)
# Maximum number of memes that can be told apart by lines and colours.
MOST_MEMES = 10
MARKS = "os^Dv<>ph*"
# Sources of a run's meme counts.
KINDS = {"towns": "in towns", "country": "in the country"}
# Key of a country in a result, and size of a panel in inches.
COUNTRY, PANEL = "memes", (6.4, 4.0)
Entries = Sequence[Mapping[str, Any]]


def _most_frequent(entries: Entries) -> list[str]:
    """Return all memes in people's goals at any time, the most frequent first."""
    found: Counter[str] = Counter()
    for entry in entries:
        found.update({meme: 0 for own in entry["memes"].values() for meme in own})
        for sample in entry.get("over_time") or ():
            found.update(_everywhere(sample.get("memes", {})))
    return [meme for meme, _ in found.most_common()]


def _countries(runs: Runs) -> list[Mapping[str, Any]]:
    return [entry for _, _, entry in entries_with_conditions(runs, COUNTRY)]


def memes_by_town(runs: Runs) -> Figure | None:
    """Plot which memes people's goals contain at the end, by town and condition (figure 11 D).

    A bar shows the mean shares of the memes over the episodes in which the town has any.
    """
    order = _most_frequent(_countries(runs))
    if not order:
        return None

    def draw(axes: Axes, entries: Entries) -> None:
        frames = {n: pd.DataFrame(entry["memes"]).T for n, entry in enumerate(entries)}
        counts = pd.concat(frames, names=["entry", "town"]).astype(float).fillna(0)
        counts = counts.reindex(columns=order, fill_value=0.0)
        towns = list(counts.index.unique("town"))[:MOST_TOWNS]
        shares = 100 * counts.div(counts.sum(axis=1), axis=0).dropna()
        means = shares.groupby("town").mean().reindex(towns)
        numbers = shares.groupby("town").size().reindex(towns, fill_value=0)
        if total := counts.to_numpy().sum():
            part = f"{100 * counts.sum().max() / total:.0f}\u00a0%"
            add_finding(axes, f": most frequent: {most_of(counts.sum())} ({part})")
        bottom = np.zeros(len(towns))
        for number, meme in enumerate(order):
            axes.bar(range(len(towns)), means[meme].fillna(0), bottom=bottom, label=meme,
                     width=0.7, color=COLOURS[number % len(COLOURS)],
                     hatch=HATCHES[number % len(HATCHES)], edgecolor="white")  # fmt: skip
            bottom += means[meme].fillna(0).to_numpy()
        names = [f"{town} ({count_of([count])})" for town, count in numbers.items()]
        axes.set_xticks(range(len(towns)), names)
        axes.set_ylabel("% of a town's goals")
        axes.set_ylim(0, 100)
        explain(axes, "bars: means of the episodes in which a town has memes")
        legend_of(axes)

    return draw_by_condition(
        runs, COUNTRY, "Memes in goals, by town", draw, PANEL, is_one_scale=False
    )


def memes_on_the_map(runs: Runs) -> Figure | None:
    """Draw a map of people at the end, coloured by the meme in their goal, for one episode per
    condition (figure 11 A).
    """
    order = _most_frequent(_countries(runs))[:MOST_MEMES]
    if not any(entry.get("meme_places") for entry in _countries(runs)):
        return None

    def draw(axes: Axes, entries: Entries) -> None:
        found = [place for place, entry in enumerate(entries) if entry.get("meme_places")] or [0]
        one = entries[found[0]]
        points = one.get("meme_places") or []
        add_finding(axes, name_episode(found[0], len(entries), one.get("seed")))
        places = pd.DataFrame(points, columns=["x", "z", "meme"])
        axes.set_aspect("equal", adjustable="datalim")
        for number, meme in enumerate(order):
            mine = places[places["meme"] == meme]
            axes.scatter(mine["x"], mine["z"], s=22, marker=MARKS[number % len(MARKS)],
                         color=COLOURS[number % len(COLOURS)], label=meme)  # fmt: skip
        axes.set_xlabel("x, blocks")
        axes.set_ylabel("z, blocks")
        legend_of(axes)

    return draw_by_condition(
        runs, COUNTRY, "Memes in goals, by place", draw, MEMES_MAP_SIZE, is_one_scale=False
    )


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
    """Plot how many people have each meme in their goals over time, by condition (figure 11 C and
    E).

    Lines show the mean over episodes, and bands show the range.
    """
    order = _most_frequent(_countries(runs))[:MOST_MEMES]
    if not order:
        return None

    def draw(axes: Axes, entries: Entries) -> None:
        found = [
            {sample["t"]: _everywhere(sample["memes"]) for sample in samples}
            for entry in entries
            if (samples := [one for one in entry.get("over_time") or () if "memes" in one])
        ]
        add_finding(axes, f" ({count_of([len(found)])})")
        for number, meme in enumerate(order):
            counts = [pd.Series({t: memes[meme] for t, memes in one.items()}) for one in found]
            band(axes, number, meme, at_all_times(dict(enumerate(counts))), is_counted=False)
        name_ends(axes)
        start_at_zero(axes)
        axes.set_xlabel("seconds")
        axes.set_ylabel("people")
        legend_of(axes)

    return draw_by_condition(runs, COUNTRY, "Memes in goals over time", draw, PANEL)


def _everywhere(memes: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for town in memes.values():
        found.update(town)
    return found


def keyword_chats(runs: Runs) -> Figure | None:
    """Plot how often each person mentioned the faith, and how often only its food, by condition
    (figure 12 A).

    The people of all episodes are shown. Those who mentioned the faith most often come first.
    """
    if not any(entry.get("keyword_chats") for entry in _countries(runs)):
        return None

    def draw(axes: Axes, entries: Entries) -> None:
        said = [c for entry in entries for c in (entry.get("keyword_chats") or {}).values()]
        chats = np.array(sorted(said, key=lambda one: (-one[1], -one[0]))).reshape(-1, 2)
        people = sum(entry.get("agents") or 0 for entry in entries) or len(said)
        add_finding(axes, f" ({count_of([len(entries)])})")
        add_finding(axes, f": {np.count_nonzero(chats[:, 1])} of {people} people name it")
        explain(axes, "bars: people of all episodes", "n: episodes")
        rank = np.arange(1, len(chats) + 1)
        axes.bar(rank, chats[:, 1], width=1.0, color=COLOURS[1], label="the faith (direct)")
        axes.bar(rank, chats[:, 0], width=1.0, bottom=chats[:, 1], color=COLOURS[5],
                 label="the food alone (indirect)")  # fmt: skip
        axes.set_xlim(0.4, len(chats) + 0.6)
        axes.set_xlabel("people, by frequency")
        axes.set_ylabel("utterances")
        legend_of(axes)

    return draw_by_condition(
        runs, COUNTRY, "Use of the faith's words", draw, PANEL, is_one_scale=False
    )


def levels_by_agent(runs: Runs) -> Figure | None:
    """Plot the level of conversion of each convert over time, for one episode (figure 12 B).

    The first convert is at the bottom.
    """
    mine = since_start(converts(_first_episode(runs)), runs)
    if mine.empty:
        return None
    run, episode = str(mine["run"].iloc[0]), int(mine["episode"].iloc[0])
    mine = mine.sort_values("t")
    end = episode_ends(runs).get((run, episode), float(mine["t"].max()))
    names = dict.fromkeys(mine["agent"].astype(str))
    rows = {name: number for number, name in enumerate(names, start=1)}
    axes = new_axes(f"Level of each convert{_name_episode(runs, mine)}", runs, [run], "seconds",
                    "converts, first at the bottom")  # fmt: skip
    for name, own in mine.groupby("agent", observed=True):
        times, levels = [*own["t"], end], list(own["level"])
        for level, begin, until in zip(levels, times, times[1:], strict=False):
            axes.barh(rows[str(name)], until - begin, left=begin, height=1.0, lw=0,
                      color=COLOURS[1] if level == 2 else COLOURS[5])  # fmt: skip
    for colour, label in ((COLOURS[5], "indirect"), (COLOURS[1], "direct")):
        axes.barh(1, 0, color=colour, label=label)
    axes.set_xlim(0, end)
    axes.set_ylim(0.5, len(rows) + 0.5)
    axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    legend_of(axes)
    return sheet_of(axes)
