"""What figures have in common: colours, styles, titles that name the minds, bands, curves.

Colours are Okabe and Ito's, which people with any kind of colour vision tell apart; lines differ
in style and bars in hatching, so that a figure reads in print. A title names the minds, so that
scripted results are never taken for a language model's.
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.loading import Runs

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
mpl.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "svg.fonttype": "none",
        "svg.hashsalt": "voxpolis",
    }
)


def new_sheet(panels: int, size: tuple[float, float]) -> list[Axes]:
    """Panels beside each other with one scale of y, on a figure of so many inches.

    Without pyplot: figures need no screen, and nothing keeps them.
    """
    sheet = Figure(figsize=size, layout="constrained")
    return list(sheet.subplots(1, panels, sharey=True, squeeze=False)[0])


def new_axes(
    title: str,
    runs: Runs,
    used: pd.Series[str],
    x: str,
    y: str,
    size: tuple[float, float] = (6.4, 4.0),
) -> Axes:
    """Axes whose title names the minds that are drawn."""
    (axes,) = new_sheet(1, size)
    axes.set_title(f"{title}\n({minds(runs, used)})", fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes


def minds(runs: Runs, used: pd.Series[str]) -> str:
    """Whose minds a figure is of, and how many run folders it draws."""
    told = runs.runs[runs.runs["run"].isin(set(used.astype(str)))]
    minds = ", ".join(sorted({str(mind) for mind in told["mind"].dropna()})) or "unknown"
    return f"minds: {minds}; run folders: {len(told)}"


def sheet_of(axes: Axes) -> Figure:
    """The figure that axes are on."""
    drawn = axes.figure
    assert isinstance(drawn, Figure)
    return drawn


def shared_legend(panels: list[Axes]) -> None:
    """One legend of all that is drawn in any panel, below them."""
    told: dict[str, Artist] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        told |= dict(zip(labels, handles, strict=True))
    sheet_of(panels[0]).legend(list(told.values()), list(told), loc="outside lower center",
                               frameon=False, fontsize=8, ncols=len(told))  # fmt: skip


def band(axes: Axes, number: int, label: str, curves: pd.DataFrame) -> None:
    """A mean over runs with its band from least to greatest; columns are runs, the index is x."""
    colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
    x = curves.index.to_numpy(float)
    axes.plot(x, curves.mean(axis=1), color=colour, linestyle=style, label=label)
    axes.fill_between(x, curves.min(axis=1), curves.max(axis=1), color=colour, alpha=0.15, lw=0)


def episode_ends(runs: Runs) -> dict[tuple[str, int], float]:
    """How long each episode lasted, in seconds."""
    ended = runs.events("episode_ended")
    if ended.empty:
        return {}
    told = zip(ended["run"].astype(str), ended["episode"], ended["seconds"], strict=True)
    return {(run, int(episode)): float(seconds) for run, episode, seconds in told}


def curves(frame: pd.DataFrame, value: str, episodes: dict[tuple[str, int], float]) -> pd.DataFrame:
    """A step curve for each episode, by the second: 0 at first, nothing after its end."""
    seconds = np.arange(0.0, max(episodes.values(), default=0.0) + 1.0)
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


def since_start(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """Events with ``t`` from their episode's beginning on."""
    starts = runs.events("episode_started")
    keys = ["run", "episode"]
    first = starts.groupby(keys, observed=True)["t"].min().rename("start").reset_index()
    found = frame.merge(first, on=keys)
    return found.assign(t=found["t"] - found["start"]).query("t >= 0")


def with_conditions(runs: Runs) -> pd.DataFrame:
    """Runs with their ``condition``: contract or game, with scenario and mind where they differ.

    Runs of different minds are never drawn as one.
    """
    told = runs.runs
    named = told["contract"].fillna(told["game"]).fillna(told["scenario"])
    if told["scenario"].nunique() > 1:
        named = told["scenario"] + ": " + named
    if told["mind"].nunique() > 1:
        named = named + ", " + told["mind"].fillna("unknown")
    return told.assign(condition=named)
