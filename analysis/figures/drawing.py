"""What figures have in common: colours, styles, titles that name the minds, panels, bars, bands.

Colours are Okabe and Ito's, which people with any kind of colour vision tell apart; lines differ
in style and bars in hatching, so that a figure reads in print. A title names the minds, so that
scripted results are never taken for a language model's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from voxpolis.analysis.comparing import Floats, bootstrap
from voxpolis.analysis.conditions import names_of
from voxpolis.analysis.figure_styles import SETTINGS, Style
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.results import MOST_CONDITIONS

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "//", "..", "xx", "\\\\", "++")
# The part of the space between two groups of bars that the bars take.
BARS_WIDTH = 0.8
# From the middle of the first group, and of the last, to the edge of the axes.
MARGIN = 0.6
# The name of what stands where a group has no value, and how far above the axis it is, in inches.
DASH, DASH_ABOVE = "unknown", 0.04
# Names of groups that are longer together stand aslant, so that none hides another.
MOST_LETTERS = 48
# Letters of a condition's name.
LONGEST_NAME = 200
# Moments of a curve over time.
MOST_MOMENTS = 20_000
ASLANT = 25.0
# Entries of a legend that stands within axes.
MOST_WITHIN = 5
# Where a line ends only because it is long: what fits a figure to a width joins such lines again.
SOFT_END = " \n"
mpl.rcParams.update(SETTINGS[Style.SCREEN])


# --- Axes and titles -----------------------------------------------------------------------------


def new_sheet(
    rows: int, columns: int, size: tuple[float, float], *, is_one_scale: bool = True
) -> list[list[Axes]]:
    """Rows of panels on a figure of so many inches; ``is_one_scale``: one of x and one of y.

    Without pyplot: figures need no screen, and nothing keeps them.
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
    """Axes whose title names the minds that are drawn; ``used`` are the runs they are of."""
    ((axes,),) = new_sheet(1, 1, size)
    axes.set_title(f"{title}\n({minds(runs, used)})")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes


def minds(runs: Runs, used: Iterable[str]) -> str:
    """The minds that a figure is of, how many run folders it draws, and how many episodes not."""
    drawn = runs.runs[runs.runs["run"].isin({str(run) for run in used})]
    minds = ", ".join(sorted({str(mind) for mind in drawn["mind"].dropna()})) or "unknown"
    return f"minds: {minds}; run folders: {len(drawn)}{_left_out(runs, drawn['scenario'])}"


def _left_out(runs: Runs, scenarios: pd.Series[str]) -> str:
    attempts, facts = runs.attempts(), runs.runs
    mine = attempts[attempts["run"].isin(set(facts[facts["scenario"].isin(set(scenarios))]["run"]))]
    reasons = {
        "as the machine was too slow": ~mine["sound"],
        "as they did not end": mine["sound"] & ~mine["ended"],
    }
    return "".join(
        f"\nleft out, {reason}: {count} of the episodes"
        for reason, found in reasons.items()
        if (count := int(found.sum()))
    )


def sheet_of(axes: Axes) -> Figure:
    """The figure that axes are on."""
    drawn = axes.figure
    assert isinstance(drawn, Figure)
    return drawn


def finish_panels(panels: list[list[Axes]], title: str, x: str, y: str) -> Figure:
    """Label the outer panels, put one legend of all that is drawn below them, and a title above."""
    for row in panels:
        row[0].set_ylabel(y)
    for axes in panels[-1]:
        axes.set_xlabel(x)
    shared_legend([axes for row in panels for axes in row])
    drawn = sheet_of(panels[0][0])
    drawn.suptitle(title)
    return drawn


def shared_legend(panels: list[Axes]) -> None:
    """One legend of all that is drawn in any panel, below them."""
    entries = _entries(panels)
    columns = max(1, len(entries))
    sheet_of(panels[0]).legend(list(entries.values()), list(entries), loc="outside lower center",
                               frameon=False, fontsize="small", ncols=columns)  # fmt: skip


def legend_beside(panels: list[Axes]) -> None:
    """One legend of all that is drawn in any panel, to the right of them, one below another."""
    entries = _entries(panels)
    sheet_of(panels[0]).legend(list(entries.values()), list(entries), loc="outside right upper",
                               frameon=False, fontsize="small")  # fmt: skip


def _entries(panels: list[Axes]) -> dict[str, Artist]:
    entries: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    return entries


def legend_of(axes: Axes) -> None:
    """A legend within the axes, or beside them where so many entries would hide data."""
    _, labels = axes.get_legend_handles_labels()
    place: dict[str, Any] = {}
    if len(labels) > MOST_WITHIN:
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    axes.legend(frameon=False, fontsize="small", **place)


def legend_above(axes: Axes) -> None:
    """A legend above the axes, where it hides nothing."""
    axes.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0),
                ncols=2)  # fmt: skip


def legend_below(axes: Axes, columns: int) -> None:
    """A legend below the axes and all that is written below them, where it hides nothing."""
    drawn = sheet_of(axes)
    renderer = FigureCanvasAgg(drawn).get_renderer()  # type: ignore[no-untyped-call]
    written = axes.xaxis.get_tightbbox(renderer)
    below = 0.0 if written is None else (axes.bbox.y0 - written.y0) / drawn.dpi
    lower = ScaledTranslation(0, -max(0.0, below), drawn.dpi_scale_trans)
    axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0, 0),
                bbox_transform=axes.transAxes + lower, ncols=columns)  # fmt: skip


# --- Bars and bands ------------------------------------------------------------------------------


def grouped_bars(
    axes: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Sequence[float]]],
    *,
    rotation: float = 0.0,
    highest: float | None = None,
) -> None:
    """Means as bars beside each other, with 95 % bootstrap intervals from two values on.

    Args:
        axes: where to draw.
        groups: names of the groups.
        series: by label, each group's values; a group without values has a dash and no bar.
        rotation: of the groups' names, in degrees.
        highest: where the axis ends; higher bars have their height written on them.
    """
    width = BARS_WIDTH / len(series)
    missing: list[float] = []
    for number, (label, values) in enumerate(series.items()):
        means, whiskers = _means(values)
        at = np.arange(len(groups)) + (number - (len(series) - 1) / 2) * width
        axes.bar(at, means, width, yerr=whiskers, capsize=2, label=label, edgecolor="white",
                 color=COLOURS[number % len(COLOURS)],
                 hatch=HATCHES[number % len(HATCHES)])  # fmt: skip
        for x, height in zip(at, means, strict=True):
            if highest is not None and height > highest:
                axes.text(x, highest, f"{height:.1f}", ha="center", va="top", fontsize="x-small")
        missing += [x for x, height in zip(at, means, strict=True) if np.isnan(height)]
    _dash(axes, missing, width)
    if sum(map(len, groups)) > MOST_LETTERS:
        rotation = max(rotation, ASLANT)
    side = "right" if rotation else "center"
    axes.set_xticks(range(len(groups)), groups, rotation=rotation, ha=side)
    axes.set_xlim(-MARGIN, len(groups) - 1 + MARGIN)  # also where some groups have no bar
    axes.set_ylim(None, highest)


def _dash(axes: Axes, missing: Sequence[float], width: float) -> None:
    """A dash for each place without a bar, as wide as half of one, a little above the axis."""
    lifted = axes.transData + ScaledTranslation(0, DASH_ABOVE, sheet_of(axes).dpi_scale_trans)
    for x in missing:
        axes.plot([x - width / 4, x + width / 4], [0, 0], color="0.3", linewidth=0.9, gid=DASH,
                  transform=lifted, label="_")  # fmt: skip


def samples(frame: pd.DataFrame, by: list[str], value: str) -> dict[tuple[str, ...], list[float]]:
    """The values of a column by what several others say."""
    found: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for *key, number in frame[[*by, value]].itertuples(index=False, name=None):
        found[tuple(map(str, key))].append(float(number))
    return found


def _means(values: Sequence[Sequence[float]]) -> tuple[list[float], Floats]:
    """Means, and how far their intervals reach down and up: nothing for fewer than two values."""
    means, whiskers = [], np.full((2, len(values)), np.nan)
    for number, sample in enumerate(values):
        means.append(float(np.mean(sample)) if len(sample) else np.nan)
        if len(sample) > 1:
            found = bootstrap(sample)
            whiskers[:, number] = found.value - found.low, found.high - found.value
    return means, whiskers


def look(number: int) -> dict[str, Any]:
    """Return the colour and style of a line; a colour that comes again has another style."""
    again, place = divmod(number, len(COLOURS))
    return {"color": COLOURS[place], "linestyle": STYLES[(place + again) % len(STYLES)]}


def line_within(
    axes: Axes, number: int, label: str, x: Any, line: Any, low: Any, high: Any, **more: Any
) -> None:
    """Draw a line in a band from low to high."""
    (drawn,) = axes.plot(x, line, **look(number), label=label, **more)
    axes.fill_between(x, low, high, color=drawn.get_color(), alpha=0.15, lw=0)


def band(axes: Axes, number: int, label: str, curves: pd.DataFrame) -> None:
    """A mean with its band from least to greatest; columns are what it is of, the index is x."""
    x = curves.index.to_numpy(float)
    if len(curves.columns) > 1:
        low, high = curves.min(axis=1), curves.max(axis=1)
        line_within(axes, number, label, x, curves.mean(axis=1), low, high)
    else:
        axes.plot(x, curves.mean(axis=1), **look(number), label=label)


# --- Episodes and conditions ---------------------------------------------------------------------


def episode_ends(runs: Runs) -> dict[tuple[str, int], float]:
    """How long each episode lasted, in seconds; only attempts that count."""
    ended = runs.counting(runs.events("episode_ended", whole=True))
    if ended.empty:
        return {}
    rows = zip(ended["run"].astype(str), ended["episode"], ended["seconds"], strict=True)
    return {(run, int(episode)): float(seconds) for run, episode, seconds in rows}


def curves(frame: pd.DataFrame, value: str, episodes: dict[tuple[str, int], float]) -> pd.DataFrame:
    """A step curve for each episode, by the second: 0 at first, nothing after its end.

    Of an episode of more than :data:`MOST_MOMENTS` seconds it has so many moments.
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


def lasting(
    episodes: Mapping[tuple[str, int], float], runs: Iterable[str]
) -> dict[tuple[str, int], float]:
    """The episodes of some runs, each as long as their longest: what holds at an end stays."""
    names = set(runs)
    ends = {key: end for key, end in episodes.items() if key[0] in names}
    return dict.fromkeys(ends, max(ends.values(), default=0.0))


def since_start(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """Events with ``t`` from their episode's beginning on."""
    starts = runs.events("episode_started", whole=True)
    keys = ["run", "episode"]
    first = starts.groupby(keys, observed=True)["t"].min().rename("start").reset_index()
    found = frame.merge(first, on=keys)
    return found.assign(t=found["t"] - found["start"]).query("t >= 0")


def at_looks(frame: pd.DataFrame, whole: list[str], of: list[str]) -> pd.DataFrame:
    """What is looked at again and again, each row with the ``t`` of its look: the mean of all.

    In Minecraft one look is at slightly other times for each of those that are looked at, and in
    each episode.

    Args:
        frame: with ``t``, in seconds.
        whole: columns that tell episodes apart.
        of: columns that tell those apart that are looked at in an episode.
    """
    again = frame.sort_values("t").groupby([*whole, *of], observed=True)["t"].diff()
    every_s = again[again > 0].median()
    if not every_s > 0:
        return frame
    first = frame.groupby(whole, observed=True)["t"].transform("min")
    look = ((frame["t"] - first) / every_s).round()
    return frame.assign(t=frame.groupby(look)["t"].transform("mean"))


def by_scenario(runs: Runs, frame: pd.DataFrame) -> list[tuple[str, Runs, pd.DataFrame]]:
    """A frame of several runs by scenario: its name, its runs, and its part of the frame.

    What scenarios count has other units and scales: they have no axis in common.
    """
    used = runs.runs[runs.runs["run"].isin(set(frame["run"].astype(str)))]
    found = []
    for scenario, own in used.groupby(used["scenario"].fillna("unknown")):
        folders = set(own["run"])
        part = frame[frame["run"].isin(folders)]
        found.append((str(scenario), Runs(Path(run) for run in own["run"]), part))
    return found


def with_conditions(runs: Runs, used: Iterable[str] | None = None) -> pd.DataFrame:
    """Runs (all, or those used) with their ``condition``: contract, condition or game.

    It names all else in which they differ; see :mod:`analysis.conditions`: runs of different
    conditions are never drawn as one.
    """
    frame = runs.runs
    if used is not None:
        frame = frame[frame["run"].isin({str(run) for run in used})]
    named = frame["contract"].fillna(frame["condition"]).fillna(frame["game"])
    named = named.fillna(frame["scenario"]).fillna("unknown")
    return frame.assign(condition=_told_apart(runs, frame["run"], named))


def episodes_with_conditions(runs: Runs) -> pd.DataFrame:
    """Societies' episodes (``run``, ``episode``) with the ``condition`` that each was played in.

    It names all else in which their runs differ. There are at most :data:`MOST_CONDITIONS`: further
    ones have no panel, no colour and no room.
    """
    started = runs.events("condition_started", whole=True)[["run", "episode", "condition"]]
    started = started.drop_duplicates(["run", "episode"], keep="last")
    first = started["condition"].drop_duplicates()[:MOST_CONDITIONS]
    started = started[started["condition"].isin(set(first))]
    named = started["condition"].str.slice(0, LONGEST_NAME)
    return started.assign(condition=_told_apart(runs, started["run"], named))


def entries_with_conditions(runs: Runs) -> list[tuple[str, str, Mapping[str, Any]]]:
    """The entries of all results, one an episode of a society: run, condition, entry.

    Conditions are told apart as those of :func:`episodes_with_conditions`.
    """
    found = [
        (str(folder), entry)
        for folder, result in runs.results()
        for entry in result.get("runs", ())
        if isinstance(entry, Mapping) and "condition" in entry
    ]
    names = [str(entry["condition"]) for _, entry in found]
    conditions = _told_apart(runs, [run for run, _ in found], names)
    return [(run, name, entry) for (run, entry), name in zip(found, conditions, strict=True)]


def _told_apart(runs: Runs, folders: Iterable[Any], named: Iterable[Any]) -> list[str]:
    return names_of(runs.cases(map(str, folders), map(str, named)))
