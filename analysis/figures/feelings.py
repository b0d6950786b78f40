"""Figures of feelings and words in societies (Project Sid, figures 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    LINE_COUNT,
    add_finding,
    align_samples,
    band,
    count_of,
    draw_by_condition,
    entries_by_condition,
    entries_with_conditions,
    episodes_with_conditions,
    explain,
    extremes,
    grouped_bars,
    legend_of,
    line_style,
    line_within,
    minds,
    name_ends,
    name_episode,
    new_axes,
    new_sheet,
    samples,
    shared_legend,
    sheet_of,
    since_start,
    start_at_zero,
)
from voxpolis.analysis.loading import Runs
from voxpolis.records.measures import known_mean

# Minimum number of observers needed for a perceived likeability.
OBSERVERS = 5
# Confidence bands of the line, and their opacity.
BANDS = {0.99: 0.08, 0.95: 0.12, 0.68: 0.2}
# Scores above this value are positive; scores below it are negative.
NEUTRAL = 5.0
POSITIVE, NEGATIVE, PLAIN = "#009E73", "#D55E00", "#888888"
# Bins of the histogram.
BIN = 0.5
# Key of a society in a result, and size of a panel in inches.
SOCIETY, PANEL = "by_observers", (4.6, 4.6)


def social_graph(runs: Runs) -> Figure | None:
    """Draw who has which feelings about whom at the end (figure 7 A).

    There is an edge from each observer to each person that it has scored. The edge is green for a
    score above 5 and red for a lower score. One society per condition is drawn.
    """
    return draw_by_condition(runs, SOCIETY, "Sentiments between people", _graph, (6.0, 6.0))


def _graph(axes: Axes, entries: list[Mapping[str, Any]]) -> None:
    people, edges = entries[0]["people"], entries[0]["edges"]
    graph = nx.DiGraph()
    graph.add_nodes_from(people)
    graph.add_edges_from((a, b) for a, b, _ in edges)
    at = nx.spring_layout(graph.to_undirected(), seed=0, k=1.4 / max(1, len(people)) ** 0.5)
    colours = [POSITIVE if s > NEUTRAL else NEGATIVE if s < NEUTRAL else PLAIN for *_, s in edges]
    nx.draw_networkx_edges(graph, at, ax=axes, edgelist=[(a, b) for a, b, _ in edges],
                           edge_color=colours, width=0.5, alpha=0.55, arrowsize=5,
                           node_size=60)  # fmt: skip
    marks = axes.scatter([at[n][0] for n in people], [at[n][1] for n in people], s=60, zorder=3,
                         c=[one["likeability"] for one in people.values()], cmap="cividis",
                         vmin=0, vmax=10, edgecolors="white", linewidths=0.5)  # fmt: skip
    shown = name_episode(0, len(entries), entries[0].get("seed"))
    add_finding(axes, f"{shown}: {colours.count(POSITIVE)} of {len(edges)} are positive")
    explain(axes, f"edges: one society, green above {NEUTRAL:g}, red below")
    sheet_of(axes).colorbar(marks, ax=axes, label="true likeability", shrink=0.6)
    axes.set_axis_off()


def perceived_likeability(runs: Runs) -> Figure | None:
    """Plot the mean score that observers give a person against the person's true likeability
    (figure 7 B).

    Only people with at least 5 observers are shown. A least-squares line is drawn with its 68, 95
    and 99 % confidence bands.
    """
    title = f"Perceived likeability, {OBSERVERS} observers or more"
    drawn = draw_by_condition(runs, SOCIETY, title, _perceived, PANEL)
    if drawn is not None:
        drawn.axes[0].set_ylabel("perceived: 0 hated … 10 loved")
    return drawn


def _perceived(axes: Axes, entries: list[Mapping[str, Any]]) -> None:
    known = [one for entry in entries for one in entry["people"].values()
             if one["observers"] >= OBSERVERS and one["perceived"] is not None]  # fmt: skip
    x, y = (np.array([one[key] for one in known]) for key in ("likeability", "perceived"))
    axes.scatter(x, y, s=14, color=COLOURS[0], alpha=0.7)
    if not known:
        axes.text(5, 5, f"no person has {OBSERVERS} observers", ha="center", va="center")
    if len(set(x)) > 2:
        from scipy import stats  # noqa: PLC0415  (a second to load; other figures need none of it)

        line = stats.linregress(x, y)
        ends = np.linspace(0, 10, 50)
        fit = line.intercept + line.slope * ends
        spread = np.sqrt(np.sum((y - line.intercept - line.slope * x) ** 2) / (len(x) - 2))
        error = spread * np.sqrt(1 / len(x) + (ends - x.mean()) ** 2 / np.sum((x - x.mean()) ** 2))
        for confidence, alpha in BANDS.items():
            far = stats.t.ppf((1 + confidence) / 2, len(x) - 2) * error
            axes.fill_between(ends, fit - far, fit + far, color=COLOURS[1], alpha=alpha, lw=0)
        axes.plot(ends, fit, color=COLOURS[1])
        found = f"slope {line.slope:.2f}, r {line.rvalue:.2f}, {len(x)} people"
        add_finding(axes, f": {found}")
        explain(axes, "line: least squares", "bands: its 68, 95 and 99 % intervals")
    explain(axes, "dots: people")
    axes.set_xlabel("true likeability")
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)


def likeability_over_time(runs: Runs) -> Figure | None:
    """Plot how accurately people perceive likeability over time (figure 7 C).

    The measure is the slope of perceived against true likeability, with its 95 % interval, averaged
    over societies.
    """
    found, used = entries_by_condition(runs, SOCIETY)
    if not found:
        return None
    axes = new_axes("Accuracy of perceived likeability", runs, used, "minutes",
                    "slope of perceived on true likeability")  # fmt: skip
    for number, (condition, entries) in enumerate(found.items()):
        looks = list(zip(*(entry["over_time"] for entry in entries), strict=False))
        means = [[known_mean([one[key] for one in look]) for key in ("t", "slope", "low", "high")]
                 for look in looks]  # fmt: skip
        known = np.array([row for row in means if None not in row], float)
        if not len(known):
            continue
        t, slope, low, high = known.T
        line_within(axes, number, condition, t / 60, slope, low, high, marker="o", markersize=3)
        explain(axes, "lines: means of societies", "bands: means of their 95 % intervals")
    if not axes.lines:
        return None  # not enough time for people to get to know each other
    name_ends(axes)
    axes.axhline(0, color="grey", linewidth=0.8)
    legend_of(axes)
    return sheet_of(axes)


def observers_by_extroversion(runs: Runs) -> Figure | None:
    """Plot how many observers a person has against the person's true extroversion (figure 7 D)."""
    drawn = draw_by_condition(runs, SOCIETY, "Acquaintances by extroversion", _observers, PANEL)
    if drawn is not None:
        drawn.axes[0].set_ylabel("observers (incoming edges)")
    return drawn


def _observers(axes: Axes, entries: list[Mapping[str, Any]]) -> None:
    people = [one for entry in entries for one in entry["people"].values()]
    x, y = (np.array([one[key] for one in people], float) for key in ("extroversion", "observers"))
    axes.scatter(x, y, s=14, color=COLOURS[0], alpha=0.7)
    if len(set(x)) > 2 and len(set(y)) > 1:
        from scipy import stats  # noqa: PLC0415

        line = stats.linregress(x, y)
        ends = np.array([0.0, 10.0])
        axes.plot(ends, line.intercept + line.slope * ends, color=COLOURS[1])
        add_finding(axes, f": r {line.rvalue:.2f}")
        explain(axes, "line: least squares")
    add_finding(axes, f" ({count_of([len(people)])})")
    explain(axes, "dots: people")
    axes.set_xlabel("true extroversion")
    start_at_zero(axes)


def asymmetry_of_feelings(runs: Runs) -> Figure | None:
    """Draw a histogram of the differences between the scores that two people give each other
    (figure 7 E).
    """
    found, used = entries_by_condition(runs, SOCIETY)
    if not any(entry["asymmetry"] for entries in found.values() for entry in entries):
        return None
    axes = new_axes("Asymmetry within pairs", runs, used, "difference of their scores",
                    "fraction of the pairs, %")  # fmt: skip
    pairs = {
        c: [a for entry in entries for a in entry["asymmetry"]] for c, entries in found.items()
    }
    for number, (condition, values) in enumerate(pairs.items()):
        if not values:
            continue
        apart = np.array(values)
        edges = np.arange(0, apart.max() + 2 * BIN, BIN)
        counts, _ = np.histogram(apart, edges)
        axes.stairs(100 * counts / len(apart), edges, **line_style(number), fill=False,
                    linewidth=1.5, label=condition)  # fmt: skip
    add_finding(axes, extremes(pairs))
    start_at_zero(axes)
    legend_of(axes)
    return sheet_of(axes)


# --- Sentiment: talk and chef (Project Sid, figure 6) ---------------------------------------------

KEYS = ["run", "episode"]
MARKS = "os^Dv"


def feelings_over_time(runs: Runs) -> Figure | None:
    """Plot how a listener feels about each speaker over time, with and without social awareness
    (figure 6 B and C).

    Lines show the mean over episodes, and bands show its standard error.
    """
    scores = runs.events("profile_score", whole=True)
    if scores.empty:
        return None
    scores = since_start(runs.drop_uncounted(scores), runs).merge(_talks(runs), on=KEYS)
    if scores.empty:
        return None
    conditions = sorted(scores["condition"].unique())
    (panels,) = new_sheet(1, len(conditions), (4.6 * len(conditions), 3.6))
    for axes, condition in zip(panels, conditions, strict=True):
        mine = align_samples(scores[scores["condition"] == condition], KEYS, ["agent", "about"])
        for number, (name, own) in enumerate(mine.groupby("about", observed=True)):
            by_time = own.groupby("t")["score"]
            average, error = by_time.mean(), by_time.sem().fillna(0)
            line_within(axes, number, str(name), average.index.to_numpy(float), average,
                        average - error, average + error)  # fmt: skip
        explain(axes, "lines: means of scores", "bands: their standard errors")
        axes.set_title(f"{condition} ({count_of([len(mine[KEYS].drop_duplicates())])})")
        name_ends(axes)
        axes.set_xlabel("seconds")
        axes.set_ylim(-0.2, 10.2)
    panels[0].set_ylabel("0 hates … 10 loves")
    legend_of(panels[0])
    drawn = sheet_of(panels[0])
    who = minds(runs, scores["run"].unique())
    drawn.suptitle(f"A listener's sentiment about three speakers\n({who})")
    return drawn


def _talks(runs: Runs) -> pd.DataFrame:
    played = runs.events("condition_started", whole=True).drop_duplicates(KEYS, keep="last")
    is_talk = played["condition"].str.startswith("talk")
    talks = played.loc[is_talk, KEYS]
    return episodes_with_conditions(runs, talks["run"]).merge(talks, on=KEYS)


def food_by_feeling(runs: Runs) -> Figure | None:
    """Plot what each customer received against the chef's feeling about the customer (figure 6 E).

    There is a point for each episode and customer, and a least-squares line.
    """
    rows = [
        (run, condition, name, one["score"], one["items"])
        for run, condition, episode in entries_with_conditions(runs, "customers")
        for name, one in episode["customers"].items()
    ]
    if not rows:
        return None
    food = pd.DataFrame(rows, columns=["run", "condition", "who", "score", "items"])
    axes = new_axes("Food by feeling", runs, food["run"].unique(), "the chef's sentiment, 0 … 10",
                    "pieces received")  # fmt: skip
    slopes = {}
    for number, (condition, mine) in enumerate(food.groupby("condition", observed=True)):
        colour = COLOURS[number % len(COLOURS)]
        axes.scatter(mine["score"], mine["items"], color=colour,
                     label=f"{condition}{LINE_COUNT}{len(mine)}",
                     marker=MARKS[number % len(MARKS)], s=22)  # fmt: skip
        if mine["score"].nunique() > 1 and len(mine) > 2:
            slope, start = np.polyfit(mine["score"], mine["items"], 1)
            ends = np.array([mine["score"].min(), mine["score"].max()])
            axes.plot(ends, start + slope * ends, color=colour, linewidth=1)
            slopes[str(condition)] = [slope]
            explain(axes, "lines: least squares")
    add_finding(axes, extremes(slopes, "slope"))
    explain(axes, "dots: customers of each episode")
    start_at_zero(axes)
    legend_of(axes)
    return sheet_of(axes)


# --- Coherence of words and actions, and the spread of a rumour (Project Sid, figure 2) -----------

# Measures of statements, the shares to draw, and their labels.
SHARES = {
    ("announced", "kept"): "announcements kept",
    ("promised", "kept"): "promises kept",
    ("claimed", "denied"): "claims denied",
}


def statements(runs: Runs) -> Figure | None:
    """Plot the shares of announcements and promises that were kept, and of claims that were not
    true.

    The shares are shown for each condition of the scenario ``coherence``, with 95 % bootstrap
    intervals over episodes.
    """
    is_mine = runs.runs["scenario"] == "coherence"  # other societies have statements, too
    if not is_mine.any():
        return None
    runs = Runs(Path(run) for run in runs.runs.loc[is_mine, "run"])
    rows = [
        (run, condition, label, 100 * share)
        for run, condition, entry in entries_with_conditions(runs, "statements")
        for (kind, name), label in SHARES.items()
        if (share := entry["statements"][kind][name]) is not None
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["run", "condition", "words", "share"])
    axes = new_axes("Statements kept and denied", runs, frame["run"].unique(), "", "part, %")
    groups = list(dict.fromkeys(frame["condition"]))
    found = samples(frame, ["words", "condition"], "share")
    series = {
        label: [found.get((label, group), []) for group in groups] for label in SHARES.values()
    }
    grouped_bars(axes, groups, series, highest=100)
    shared_legend([axes])
    return sheet_of(axes)


def rumour_over_time(runs: Runs) -> Figure | None:
    """Plot the fraction of people who have repeated a false statement within the last two minutes.

    Time starts when the statement is put into the memory of one person. For each condition, the
    line shows the mean over episodes, and the band shows the range.
    """
    rows = [
        (run, condition, number, one["after_s"], 100 * one["lately"])
        for number, (run, condition, entry) in enumerate(entries_with_conditions(runs, "rumour"))
        for one in entry["rumour"]
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows, columns=["run", "condition", "entry", "t", "share"])
    axes = new_axes("Spread of a false statement", runs, frame["run"].unique(),
                    "seconds since the false memory",
                    "repeated it in the last 120 s, %")  # fmt: skip
    for number, (condition, found) in enumerate(frame.groupby("condition", observed=True)):
        aligned = align_samples(found, ["entry"], [])
        band(axes, number, str(condition),
             aligned.pivot_table(index="t", columns="entry", values="share"))  # fmt: skip
    name_ends(axes)
    axes.axvline(600, color="grey", linestyle="--", linewidth=1)
    start_at_zero(axes, 100)
    legend_of(axes)
    return sheet_of(axes)
