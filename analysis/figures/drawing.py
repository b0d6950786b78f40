"""Common parts of figures: colours, line styles, titles, panels, bars and bands.

The colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart.
Lines also differ in style, and bars in hatching, so that figures work in black and white. Titles
name the minds, so that nobody takes results of scripted minds for results of a language model.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.comparing import LEAST, Floats, bootstrap
from voxpolis.analysis.conditions import names_of
from voxpolis.analysis.figure_styles import SETTINGS, Style
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.results import MOST_CONDITIONS
from voxpolis.records.text import in_digits, many

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "//", "..", "xx", "\\\\", "++")
# Fraction of the distance between two groups that the bars fill.
BARS_WIDTH = 0.8
# Distance from the centre of the first and last group to the edge of the axes.
MARGIN = 0.6
# Margin at both ends of a value axis, so that lines at its ends are visible.
AXIS_MARGIN = 0.02
# Maximum length of a condition's name.
LONGEST_NAME = 200
# Maximum number of points in a curve.
MOST_MOMENTS = 20_000
# Soft line break: fitting a figure to a width can join such lines again.
SOFT_END = " \n"
mpl.rcParams.update(SETTINGS[Style.SCREEN])


# What precedes a number of values, without line breaks; the same after the name of a line.
COUNT = "n\u00a0=\u00a0"
LINE_COUNT = f", {COUNT}"
# Maximum number of counts in a list without line breaks.
SHORT_LIST = 4

# --- Axes and titles -----------------------------------------------------------------------------


def new_sheet(
    rows: int, columns: int, size: tuple[float, float], *, is_one_scale: bool = True
) -> list[list[Axes]]:
    """Create a figure of the given size in inches, with rows of panels.

    If ``is_one_scale`` is True, the panels share their x and y scales. The figure is created
    without pyplot. Figures therefore need no screen, and are not kept in memory.
    """
    sheet = Figure(figsize=size, layout="constrained")
    found = sheet.subplots(rows, columns, sharex=is_one_scale, sharey=is_one_scale, squeeze=False)
    return [list(row) for row in found]


def new_axes(
    title: str,
    runs: Runs,
    used: Iterable[str],
    x: str,
    y: str,
    size: tuple[float, float] = (6.4, 4.0),
) -> Axes:
    """Create axes with a title that names the minds. ``used`` are the runs that are drawn."""
    ((axes,),) = new_sheet(1, 1, size)
    axes.set_title(f"{title}\n({minds(runs, used)})")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes


def minds(runs: Runs, used: Iterable[str]) -> str:
    """Describe the minds of a figure, the number of its runs, and the episodes that were left
    out. If the figure shows only one of several runs, name it.
    """
    drawn = runs.runs[runs.runs["run"].isin({str(run) for run in used})]
    minds = ", ".join(sorted({str(mind) for mind in drawn["mind"].dropna()})) or "unknown"
    count, several = len(drawn), runs.runs["scenario"].isin(set(drawn["scenario"])).sum() > 1
    shown = (
        f"run {Path(drawn['run'].iloc[0]).name}"
        if count == 1 and several
        else f"run folders: {count}"
    )
    open_runs = int((~drawn["finished"].astype(bool)).sum())
    unfinished = f", not finished: {open_runs}" if open_runs else ""
    doubled = len(runs.doubled & set(drawn["run"].astype(str)))
    twice = f"\na part of {many(doubled, 'run')} is counted twice" if doubled else ""
    return f"minds: {minds}; {shown}{unfinished}{twice}{_left_out(runs, drawn['scenario'])}"


def _left_out(runs: Runs, scenarios: pd.Series[str]) -> str:
    attempts, facts = runs.attempts(), runs.runs
    mine = attempts[attempts["run"].isin(set(facts[facts["scenario"].isin(set(scenarios))]["run"]))]
    reasons = {
        "because the machine was too slow": ~mine["sound"],
        "because they did not end": mine["sound"] & ~mine["ended"],
        "because their condition did not happen": mine["sound"] & mine["excluded"],
    }
    return "".join(
        f"\nleft out, {reason}: {count} of the episodes"
        for reason, found in reasons.items()
        if (count := int(found.sum()))
    )


def sheet_of(axes: Axes) -> Figure:
    """Return the figure to which axes belong."""
    drawn = axes.figure
    assert isinstance(drawn, Figure)
    return drawn


def finish_panels(panels: list[list[Axes]], title: str, x: str, y: str) -> Figure:
    """Label the outer panels. Add a title above the panels, and a legend for all panels."""
    for row in panels:
        row[0].set_ylabel(y)
    for axes in panels[-1]:
        axes.set_xlabel(x)
    shared_legend([axes for row in panels for axes in row])
    drawn = sheet_of(panels[0][0])
    drawn.suptitle(title)
    return drawn


def shared_legend(panels: list[Axes]) -> None:
    """Add one legend for all panels."""
    entries: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    if entries:
        sheet_of(panels[0]).legend(list(entries.values()), list(entries))


def legend_of(axes: Axes) -> None:
    """Add a legend of the axes. Fitting the figure to a width moves the legend below the axes."""
    axes.legend()


# --- Captions and findings -----------------------------------------------------------------------


def explain(axes: Axes, *texts: str) -> None:
    """Say in the caption below the figure what its marks mean. Each text appears only once."""
    drawn = sheet_of(axes)
    said = [one for one in drawn.get_supxlabel().split("; ") if one]
    caption = "; ".join(dict.fromkeys((*said, *texts)))
    drawn.supxlabel(caption, fontsize="x-small", x=0.02, ha="left")


def explain_intervals(axes: Axes, means: Sequence[float], whiskers: Floats) -> None:
    """Say what intervals mean, if there are any, and whether the axis cuts some of them."""
    if not np.isfinite(whiskers).any():
        return
    how = f"Student's t if n < {LEAST}, otherwise bootstrap"
    explain(axes, f"error bars: 95 % intervals ({how})")
    low, high = axes.get_ylim()
    if np.nanmin(means - whiskers[0]) < low or np.nanmax(means + whiskers[1]) > high:
        explain(axes, "error bars are cut at the ends of the axis")


def extremes(values: Mapping[str, Sequence[float]], of: str = "mean") -> str:
    """Say which group has the highest and which the lowest mean, for titles. If all means are
    equal, state their value, and how many of the groups have one. The text is empty if there are
    no values.

    ``of`` says what the values are.
    """
    means = {name: float(np.mean(sample)) for name, sample in values.items() if len(sample)}
    written: dict[str, list[str]] = {}  # groups by mean: equal ones are named together
    for name in sorted(means, key=means.__getitem__):
        written.setdefault(in_digits(means[name]), []).append(name)
    if not written:
        return ""
    if len(written) == 1:
        where = " for all" if len(means) > 1 else ""
        if len(means) < len(values):
            where = f" in {len(means)} of {len(values)} groups"
        return f": {of}: {next(iter(written))}{where}"
    low, *_, high = (
        f"{' and '.join(names) if len(names) < 3 else f'{len(names)} groups'} ({mean})"
        for mean, names in written.items()
    )
    return f": highest {of}: {high}, lowest: {low}"


def most_of(counts: pd.Series[Any]) -> str:
    """Name the entries with the highest value, for titles."""
    return " and ".join(sorted(map(str, counts.index[counts == counts.max()])))


def add_finding(axes: Axes, finding: str) -> None:
    """Add a finding to the first line of a panel's title."""
    title, line_end, rest = axes.get_title().partition("\n")
    axes.set_title(f"{title}{finding}{line_end}{rest}".removeprefix(": "))


def name_ends(axes: Axes) -> None:
    """Add to the title of a panel which of its lines ends highest, and which ends lowest."""
    _compare_lines(axes, "value at the end", lambda values: values[-1])


def name_means(axes: Axes) -> None:
    """Add to the title of a panel which of its lines has the highest mean over all rounds, and
    which has the lowest.
    """
    _compare_lines(axes, "mean over rounds", np.mean)


def _compare_lines(axes: Axes, of: str, measure: Callable[[Floats], Any]) -> None:
    found: dict[str, list[float]] = {}
    for line in axes.get_lines():
        values = np.asarray(line.get_ydata(), float)
        label = str(line.get_label())
        if not label.startswith("_") and np.isfinite(values).any():
            name = label.partition(LINE_COUNT)[0]
            found.setdefault(name, []).append(float(measure(values[np.isfinite(values)])))
    add_finding(axes, extremes(found, of))


def start_at_zero(axes: Axes, top: float | None = None) -> None:
    """Let the y axis start slightly below 0, so that lines at 0 are visible. It ends slightly above
    ``top``, by default above the values of all panels that share it.
    """
    if top is None:
        alike = axes.get_shared_y_axes().get_siblings(axes)
        highest = max(one.dataLim.y1 for one in alike)
        top = max(axes.get_ylim()[1], highest) if highest > 0 else 1.0
    axes.set_ylim(-AXIS_MARGIN * top, (1 + AXIS_MARGIN) * top)


def cut_axis(axes: Axes, most: float) -> None:
    """Let the y axis end at the largest possible value if it would end above that value."""
    axes.set_ylim(top=min(most, axes.get_ylim()[1]))


# --- Bars and bands ------------------------------------------------------------------------------


def grouped_bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Sequence[float] | None]],
    *,
    lowest: float | None = 0.0,
    highest: float | None = None,
    most: float | None = None,
    of: str = "episodes",
    told: str = "",
) -> None:
    """Draw means as grouped bars. If there are at least two values, draw their 95 % interval.

    The caption says what the bars mean, and the title of the panel says which mean is highest and
    which is lowest.

    Args:
        axes: where to draw.
        groups: names of the groups.
        series: for each label, the values of each group. A group without values gets "no data"
            instead of a bar, a group to which the label does not apply (None) gets "n/a", and a
            mean of 0 is drawn as a coloured line. The names of the groups say how many values their
            bars have.
        lowest: start of the axis; None if values can be negative.
        highest: end of the axis: 1 for shares, and 100 for percentages. If a bar is higher than the
            axis, the height of the bar is written on it.
        most: largest possible value. The axis ends there if it would end above that value.
        of: what the values belong to; empty if each value is computed from all episodes.
        told: name of the series whose groups the title compares, or name of the group whose series
            it compares; by default, the first series, or the only group.
    """
    width = BARS_WIDTH / len(series)
    drawn = {label: means_of([s or () for s in values]) for label, values in series.items()}
    for number, (label, values) in enumerate(series.items()):
        means, whiskers = drawn[label]
        at = np.arange(len(groups)) + (number - (len(series) - 1) / 2) * width
        axes.bar(at, means, width, yerr=whiskers, capsize=2, label=label, edgecolor="white",
                 color=COLOURS[number % len(COLOURS)],
                 hatch=HATCHES[number % len(HATCHES)])  # fmt: skip
        for x, height in zip(at, means, strict=True):
            if highest is not None and height > highest:
                axes.text(x, highest, f"{height:.1f}", ha="center", va="top", fontsize="x-small")
        for x, sample, height in zip(at, values, means, strict=True):
            if sample and height == 0:
                axes.plot([x - width / 3, x + width / 3], [0, 0], linewidth=3, clip_on=False,
                          color=COLOURS[number % len(COLOURS)], label="_")  # fmt: skip
    _mark_gaps(axes, list(series.values()), width)
    counts = [[len(sample or ()) for sample in own] for own in zip(*series.values(), strict=True)]
    names = [f"{name} ({count_of(found)})" if of else name
             for name, found in zip(groups, counts, strict=True)]  # fmt: skip
    axes.set_xticks(range(len(groups)), names)
    axes.set_xlim(-MARGIN, len(groups) - 1 + MARGIN)  # even if some groups have no bar
    axes.set_ylim(lowest, highest)
    if most is not None:
        cut_axis(axes, most)
    if of:
        explain(axes, f"bars: means of {of}")
    if of and any("," in count_of(found) for found in counts):
        explain(axes, "n: in the order of the bars")
    for means, whiskers in drawn.values():
        explain_intervals(axes, means, whiskers)
    add_finding(axes, _finding(groups, series, told, "mean" if of else "value"))


def _finding(
    groups: Sequence[str],
    series: Mapping[str, Sequence[Sequence[float] | None]],
    told: str,
    of: str,
) -> str:
    told = told or (groups[0] if len(groups) == 1 else next(iter(series)))
    if told in series:
        compared, is_one_of_many = dict(zip(groups, series[told], strict=True)), len(series) > 1
    else:
        at = groups.index(told)
        compared, is_one_of_many = {n: own[at] for n, own in series.items()}, len(groups) > 1
    found = {name: sample or () for name, sample in compared.items()}
    return extremes(found, f"{of} ({told})" if is_one_of_many else of)


def count_of(counts: Sequence[int]) -> str:
    """Return a text that says how many values the bars of a group or the points of a line have. If
    the numbers differ, all are listed.
    """
    if len(set(counts) - {0}) < 2:  # where there are no values, the figure says so
        return f"{COUNT}{max(counts, default=0)}"
    comma = ",\u00a0" if len(counts) <= SHORT_LIST else ", "
    return f"{COUNT}{comma.join(map(str, counts))}"


def _mark_gaps(
    axes: Axes, series: Sequence[Sequence[Sequence[float] | None]], width: float
) -> None:
    """Write wherever a bar is missing why it is missing: once for a group if this is true for all
    of its bars.
    """
    for group, own in enumerate(zip(*series, strict=True)):
        marks = ["n/a" if s is None else "" if len(s) else "no data" for s in own]
        if len(set(marks)) == 1:
            marks = marks[:1]
        for number, mark in enumerate(marks):
            if not mark:
                continue
            axes.text(group + (number - (len(marks) - 1) / 2) * width, 0, f" {mark}", rotation=90,
                      ha="center", va="bottom", fontsize="xx-small", color="0.3")  # fmt: skip


def samples(frame: pd.DataFrame, by: list[str], value: str) -> dict[tuple[str, ...], list[float]]:
    """Return the values of the column ``value``, grouped by the columns ``by``."""
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for *key, number in frame[[*by, value]].itertuples(index=False, name=None):
        found[tuple(map(str, key))].append(float(number))
    return found


def means_of(values: Sequence[Sequence[float]]) -> tuple[list[float], Floats]:
    """Return means, and how far their intervals extend below and above (0 for a single value)."""
    means, whiskers = [], np.full((2, len(values)), np.nan)
    for number, sample in enumerate(values):
        means.append(float(np.mean(sample)) if len(sample) else np.nan)
        if len(sample) > 1:
            found = bootstrap(sample)
            whiskers[:, number] = found.value - found.low, found.high - found.value
    return means, whiskers


def line_style(number: int) -> dict[str, Any]:
    """Return the colour and the style of line ``number``. When colours repeat, the style
    differs.
    """
    again, place = divmod(number, len(COLOURS))
    return {"color": COLOURS[place], "linestyle": STYLES[(place + again) % len(STYLES)]}


def line_within(
    axes: Axes, number: int, label: str, x: Any, line: Any, low: Any, high: Any, **more: Any
) -> None:
    """Draw a line, and a band around it from ``low`` to ``high``. The caller explains both."""
    (drawn,) = axes.plot(x, line, **line_style(number), label=label, **more)
    axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, lw=0)


def band(
    axes: Axes,
    number: int,
    label: str,
    curves: pd.DataFrame,
    of: str = "episodes",
    *,
    is_counted: bool = True,
) -> None:
    """Draw the mean of several curves as a line, and their range as a band. Each column of
    ``curves`` is a curve; the index contains the x values. The caption says that they are curves
    ``of`` episodes, or of something else.

    If ``is_counted`` is True, the label says how many curves there are. Otherwise, the title of the
    panel says so.
    """
    explain(axes, f"lines: means of {of}")
    if is_counted:
        label = f"{label}{LINE_COUNT}{len(curves.columns)}"
    x = curves.index.to_numpy(float)
    if len(curves.columns) > 1:
        low, high = curves.min(axis=1), curves.max(axis=1)
        if (low < high).any():
            explain(axes, "bands: lowest to highest")
        line_within(axes, number, label, x, curves.mean(axis=1), low, high)
    else:
        axes.plot(x, curves.mean(axis=1), **line_style(number), label=label)


# --- Episodes and conditions ---------------------------------------------------------------------


def name_episode(place: int, count: int, seed: Any) -> str:
    """Say in a title which of several episodes is drawn. ``place`` counts from 0."""
    told = "" if seed is None else f", seed {seed}"
    return f", episode {place + 1} of {count}{told}" if count > 1 else ""


def name_attempt(runs: Runs, keys: Sequence[tuple[str, int]], shown: tuple[str, int]) -> str:
    """Say in a title which of the attempts ``keys`` is drawn, each given by its run and its
    number.
    """
    attempts = runs.attempts().set_index(["run", "episode"])["seed"]
    return name_episode(keys.index(shown), len(keys), attempts.to_dict().get(shown))


def episode_ends(runs: Runs) -> dict[tuple[str, int], float]:
    """Return the duration of each episode in seconds. Attempts that do not count are left out."""
    ended = runs.drop_uncounted(runs.events("episode_ended", whole=True))
    if ended.empty:
        return {}
    rows = zip(ended["run"].astype(str), ended["episode"], ended["seconds"], strict=True)
    return {(run, int(episode)): float(seconds) for run, episode, seconds in rows}


def curves(frame: pd.DataFrame, value: str, episodes: dict[tuple[str, int], float]) -> pd.DataFrame:
    """Return a step curve for each episode. A curve is 0 until the first value, and missing after
    the episode's end.

    The index is in seconds. If episodes are longer than :data:`MOST_MOMENTS` seconds, the curve
    only contains that many points.
    """
    longest = max(episodes.values(), default=0.0)
    seconds = np.arange(0.0, longest + 1.0, max(1.0, longest / MOST_MOMENTS))
    found = {key: np.where(seconds <= end, 0.0, np.nan) for key, end in episodes.items()}
    for (run, episode), group in frame.groupby(["run", "episode"], observed=True):
        curve = found.get((str(run), int(str(episode))))
        if curve is None:
            continue
        ordered = group.sort_values("t")
        at = np.searchsorted(ordered["t"].to_numpy(float), seconds, side="right") - 1
        held = ordered[value].to_numpy(float)[np.maximum(at, 0)]
        curve[:] = np.where((at >= 0) & ~np.isnan(curve), held, curve)
    return pd.DataFrame(found, index=seconds)


def extend_to_longest(
    episodes: Mapping[tuple[str, int], float], runs: Iterable[str]
) -> dict[tuple[str, int], float]:
    """Return the episodes of some runs, all with the length of the longest episode. The last value
    of each curve then continues to the end of the plot.
    """
    names = set(runs)
    ends = {key: end for key, end in episodes.items() if key[0] in names}
    return dict.fromkeys(ends, max(ends.values(), default=0.0))


def since_start(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """Return events whose time ``t`` is counted from the start of their episode."""
    starts = runs.events("episode_started", whole=True)
    keys = ["run", "episode"]
    first = starts.groupby(keys, observed=True)["t"].min().rename("start").reset_index()
    found = frame.merge(first, on=keys)
    return found.assign(t=found["t"] - found["start"]).query("t >= 0")


def align_samples(frame: pd.DataFrame, whole: list[str], of: list[str]) -> pd.DataFrame:
    """Align samples that were taken repeatedly: replace ``t`` by the mean time of each round of
    samples.

    In Minecraft, the agents that are sampled in one round have slightly different times. The times
    of a round also differ slightly between episodes.

    Args:
        frame: samples, with ``t`` in seconds.
        whole: columns that identify episodes.
        of: columns that identify the sampled agents within an episode.
    """
    again = frame.sort_values("t").groupby([*whole, *of], observed=True)["t"].diff()
    every_s = again[again > 0].median()
    if not every_s > 0:
        return frame
    first = frame.groupby(whole, observed=True)["t"].transform("min")
    look = ((frame["t"] - first) / every_s).round()
    return frame.assign(t=frame.groupby(look)["t"].transform("mean"))


def at_all_times(samples: Mapping[Any, pd.Series[Any]]) -> pd.DataFrame:
    """Return the samples of several episodes, with a row for each time of a sample. Values between
    two samples are interpolated, and the last value continues to the end of the longest episode.
    """
    frame = pd.DataFrame(dict(samples)).astype(float).sort_index()
    return frame.interpolate(method="index", limit_direction="forward")


def by_scenario(runs: Runs, frame: pd.DataFrame) -> list[tuple[str, Runs, pd.DataFrame]]:
    """Split a frame that contains several runs by scenario. Return, for each scenario, its name,
    its runs, and its part of the frame.

    Scenarios have different units and scales, so they cannot share axes.
    """
    used = runs.runs[runs.runs["run"].isin(set(frame["run"].astype(str)))]
    found = []
    for scenario, own in used.groupby(used["scenario"].fillna("unknown")):
        folders = set(own["run"])
        part = frame[frame["run"].isin(folders)]
        found.append((str(scenario), Runs(Path(run) for run in own["run"]), part))
    return found


def with_conditions(runs: Runs, used: Iterable[str] | None = None) -> pd.DataFrame:
    """Return all runs, or only the used runs, with the name of their ``condition``.

    The name states the contract, condition or game, and all other differences between the runs; see
    :mod:`analysis.conditions`. Runs with different conditions are therefore never merged.
    """
    frame = runs.runs
    if used is not None:
        frame = frame[frame["run"].isin({str(run) for run in used})]
    named = frame["contract"].fillna(frame["condition"]).fillna(frame["game"])
    named = named.fillna(frame["scenario"]).fillna("unknown")
    return frame.assign(condition=_distinguish(runs, frame["run"], named))


def episodes_with_conditions(runs: Runs, used: Iterable[Any]) -> pd.DataFrame:
    """Return the episodes of societies (``run``, ``episode``), with the ``condition`` of each.

    ``used`` are the names of the runs that are drawn. The name of a condition states all other
    differences between these runs. At most :data:`MOST_CONDITIONS` conditions are returned, because
    a figure has neither space nor colours for more.
    """
    started = runs.events("condition_started", whole=True)[["run", "episode", "condition"]]
    started = started[started["run"].astype(str).isin({str(run) for run in used})]
    started = started.drop_duplicates(["run", "episode"], keep="last")
    first = started["condition"].drop_duplicates()[:MOST_CONDITIONS]
    started = started[started["condition"].isin(set(first))]
    named = started["condition"].str.slice(0, LONGEST_NAME)
    return started.assign(condition=_distinguish(runs, started["run"], named))


def entries_with_conditions(runs: Runs, key: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return (run, condition, entry) for each entry of a result that counts and contains ``key``.

    A society has one entry per episode. Conditions are distinguished as in
    :func:`episodes_with_conditions`.
    """
    found = [(run, entry) for run, entry in runs.entries()
             if "condition" in entry and entry.get(key)]  # fmt: skip
    names = [str(entry["condition"]) for _, entry in found]
    conditions = _distinguish(runs, [run for run, _ in found], names)
    return [(run, name, entry) for (run, entry), name in zip(found, conditions, strict=True)]


def entries_by_condition(
    runs: Runs, key: str
) -> tuple[dict[str, list[Mapping[str, Any]]], set[str]]:
    """Return the entries that contain ``key``, by condition, and their runs."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    used = set()
    for run, condition, entry in entries_with_conditions(runs, key):
        found.setdefault(condition, []).append(entry)
        used.add(run)
    return found, used


def draw_by_condition(
    runs: Runs,
    key: str,
    title: str,
    draw: Callable[[Axes, list[Mapping[str, Any]]], None],
    size: tuple[float, float],
    *,
    is_one_scale: bool = True,
) -> Figure | None:
    """Draw a panel for each condition whose entries contain ``key``. ``draw`` gets the panel, with
    the condition as its title, and the entries. ``size`` is the size of a panel in inches.
    """
    found, used = entries_by_condition(runs, key)
    if not found:
        return None
    wide, high = size
    (panels,) = new_sheet(1, len(found), (wide * len(found), high), is_one_scale=is_one_scale)
    for axes, (condition, entries) in zip(panels, found.items(), strict=True):
        axes.set_title(condition)
        draw(axes, entries)
    drawn = sheet_of(panels[0])
    drawn.suptitle(f"{title}\n({minds(runs, used)})")
    return drawn


def _distinguish(runs: Runs, folders: Iterable[Any], named: Iterable[Any]) -> list[str]:
    return names_of(runs.cases(map(str, folders), map(str, named)))
