"""The published figures, regenerated from records: each function draws one, out of some runs.

Colours are Okabe and Ito's, which people with any kind of colour vision tell apart; lines differ
in style and bars in hatching, so that a figure reads in print. A title names the minds, so that
scripted results are never taken for a language model's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd

mpl.use("Agg")  # no screen is needed

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.comparing import bootstrap
from analysis.loading import Runs, load
from analysis.metrics import conversion_counts, tax_compliance

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
#: Towns that fit beside each other; bars that are higher have their height written on them.
MOST_TOWNS, HIGHEST_BAR = 12, 1.25
mpl.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "svg.fonttype": "none",
        "svg.hashsalt": "voxpolis",
        "figure.constrained_layout.use": True,
    }
)

#: From a figure's name to what draws it; None where the runs do not have what it takes.
FIGURES: dict[str, Callable[[Runs], Figure | None]] = {}


def figure(draw: Callable[[Runs], Figure | None]) -> Callable[[Runs], Figure | None]:
    """Register a figure under its function's name."""
    FIGURES[draw.__name__] = draw
    return draw


def save_all(where: Any, out: Path) -> Iterator[Path]:
    """Draw every figure that some runs have the events for, as PNG and SVG.

    Raises:
        FileNotFoundError: there are no runs.
    """
    runs = load(where)
    out.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        drawn = draw(runs)
        if drawn is None:
            continue
        for kind in ("png", "svg"):
            path = out / f"{name}.{kind}"
            drawn.savefig(path, dpi=150, metadata={"Date": None} if kind == "svg" else None)
            yield path
        plt.close(drawn)


def _axes(
    title: str,
    runs: Runs,
    used: pd.Series[str],
    x: str,
    y: str,
    size: tuple[float, float] = (6.4, 4.0),
) -> Axes:
    _, axes = plt.subplots(figsize=size)
    axes.set_title(f"{title}\n({_minds(runs, used)})", fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes


def _minds(runs: Runs, used: pd.Series[str]) -> str:
    """Whose minds a figure is of, and how many run folders it draws."""
    told = runs.runs[runs.runs["run"].isin(set(used.astype(str)))]
    minds = ", ".join(sorted({str(mind) for mind in told["mind"].dropna()})) or "unknown"
    return f"minds: {minds}; run folders: {len(told)}"


def _of(axes: Axes) -> Figure:
    drawn = axes.figure
    assert isinstance(drawn, Figure)
    return drawn


def _band(axes: Axes, number: int, label: str, curves: pd.DataFrame) -> None:
    """A mean over runs with its band from least to greatest; columns are runs, the index is x."""
    colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
    x = curves.index.to_numpy(float)
    axes.plot(x, curves.mean(axis=1), color=colour, linestyle=style, label=label)
    axes.fill_between(x, curves.min(axis=1), curves.max(axis=1), color=colour, alpha=0.15, lw=0)


def _ends(runs: Runs) -> dict[tuple[str, int], float]:
    """How long each episode lasted, in seconds."""
    ended = runs.events("episode_ended")
    if ended.empty:
        return {}
    told = zip(ended["run"].astype(str), ended["episode"], ended["seconds"], strict=True)
    return {(run, int(episode)): float(seconds) for run, episode, seconds in told}


def _curves(
    frame: pd.DataFrame, value: str, episodes: dict[tuple[str, int], float]
) -> pd.DataFrame:
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


def _since_start(frame: pd.DataFrame, runs: Runs) -> pd.DataFrame:
    """Events with ``t`` from their episode's beginning on."""
    starts = runs.events("episode_started")
    keys = ["run", "episode"]
    first = starts.groupby(keys, observed=True)["t"].min().rename("start").reset_index()
    found = frame.merge(first, on=keys)
    return found.assign(t=found["t"] - found["start"]).query("t >= 0")


# --- Contracts (Yocum et al. 2023) ----------------------------------------------------------------


@figure
def reward_by_contract(runs: Runs) -> Figure | None:
    """Reward of each player and welfare by contract, with 95 % bootstrap intervals (table 1)."""
    rewards = runs.rewards()
    if rewards.empty or rewards["contract"].isna().all():
        return None
    rewards = rewards.dropna(subset=["contract"])
    axes = _axes("Reward by contract", runs, rewards["run"], "contract", "reward (emeralds)")
    contracts = sorted(rewards["contract"].dropna().unique())
    players = sorted(map(str, rewards["agent"].unique()))
    width = 0.8 / (len(players) + 1)
    welfare = rewards.groupby(["contract", "run", "episode"], observed=True)["reward"].sum()
    for number, name in enumerate((*players, "welfare")):
        heights, errors = [], []
        for contract in contracts:
            if name == "welfare":
                values = welfare[contract].tolist()
            else:
                is_own = (rewards["contract"] == contract) & (rewards["agent"] == name)
                values = rewards[is_own]["reward"].tolist()
            found = bootstrap(values)
            heights.append(found.value)
            errors.append((found.value - found.low, found.high - found.value))
        at = np.arange(len(contracts)) + (number - len(players) / 2) * width
        colour, hatch = COLOURS[number], ("", "//", "..", "xx", "\\\\")[number % 5]
        axes.bar(at, heights, width, yerr=np.array(errors).T, color=colour, label=name, capsize=2,
                 hatch=hatch, edgecolor="white")  # fmt: skip
    axes.set_xticks(range(len(contracts)), contracts)
    axes.legend(frameon=False, ncols=len(players) + 1, loc="upper left", bbox_to_anchor=(0, -0.15))
    return _of(axes)


@figure
def resources_over_time(runs: Runs) -> Figure | None:
    """Items that players hold over time, mean with the range over runs (figure 7)."""
    told = runs.runs
    contracts = Runs(Path(run) for run in told[told["contract"].notna()]["run"])
    held = contracts.inventories()
    if held.empty:
        return None
    held, ends = _since_start(held, contracts), _ends(contracts)
    ends = dict.fromkeys(ends, max(ends.values(), default=0.0))  # what is held at an end stays
    tops = held.groupby("item")["count"].max().sort_values(ascending=False)
    items = [item for item in tops.index if tops[item] > 1][: len(COLOURS)]
    if not items:
        return None
    agents = sorted(held["agent"].astype(str).unique())[:4]
    drawn, rows = plt.subplots(1, len(agents), figsize=(3.2 * len(agents) + 1, 3.6), sharey=True,
                               squeeze=False)  # fmt: skip
    for axes, agent in zip(rows[0], agents, strict=True):
        for number, item in enumerate(items):
            mine = held[(held["agent"] == agent) & (held["item"] == item)]
            if not mine.empty:
                _band(axes, number, item, _curves(mine, "count", ends))
        axes.set_title(agent, fontsize=10)
        axes.set_xlabel("seconds")
    rows[0][0].set_ylabel("items held")
    rows[0][-1].legend(frameon=False, fontsize=8)
    drawn.suptitle(f"Items held over time ({_minds(runs, held['run'])})", fontsize=10)
    return drawn


# --- Taxation (Project Sid, figure 10) ------------------------------------------------------------


@figure
def tax_paid_by_season(runs: Runs) -> Figure | None:
    """Share of the inventory paid in each season by condition; the dashed line is the change."""
    taxes, seasons = runs.events("tax_paid"), runs.events("season_opened")
    if taxes.empty:
        return None
    told = runs.events("condition_started")[["run", "episode", "condition"]]
    paid = tax_compliance(taxes, seasons).merge(told, on=["run", "episode"])
    axes = _axes(
        "Tax paid, by season", runs, paid["run"], "tax season", "share of the inventory paid, %"
    )
    for number, (name, found) in enumerate(paid.groupby("condition", observed=True)):
        by_season = found.groupby("season")["paid"]
        mean, spread = by_season.mean() * 100, by_season.sem().fillna(0) * 196
        colour, style = COLOURS[number % len(COLOURS)], STYLES[number % len(STYLES)]
        axes.errorbar(mean.index, mean, yerr=spread, color=colour, linestyle=style, label=str(name),
                      marker="o", markersize=3, capsize=2)  # fmt: skip
    last = int(paid["season"].max())
    axes.axvline(last / 2 + 0.5, color="grey", linestyle="--", linewidth=1)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    return _of(axes)


@figure
def tax_before_and_after(runs: Runs) -> Figure | None:
    """Share paid before and after the change by condition, 95 % intervals over runs (10 F to H)."""
    taxes = runs.events("tax_paid")
    if taxes.empty:
        return None
    told = runs.events("condition_started")[["run", "episode", "condition"]]
    taxes = taxes.merge(told, on=["run", "episode"])
    middle = taxes["season"].max() / 2
    taxes["half"] = np.where(taxes["season"] <= middle, "before", "after")
    keys = ["condition", "half", "run", "episode"]
    means = taxes.groupby(keys, observed=True)["share"].mean()
    axes = _axes("Tax paid before and after the vote", runs, taxes["run"], "", "share paid, %")
    names = sorted(taxes["condition"].unique())
    for number, half in enumerate(("before", "after")):
        found = [bootstrap((means[name, half] * 100).tolist()) for name in names]
        errors = np.array([(one.value - one.low, one.high - one.value) for one in found]).T
        at = np.arange(len(names)) + (number - 0.5) * 0.38
        axes.bar(at, [one.value for one in found], 0.36, yerr=errors, capsize=2, label=half,
                 color=COLOURS[number], hatch=("", "//")[number], edgecolor="white")  # fmt: skip
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.legend(frameon=False)
    return _of(axes)


# --- Religion (Project Sid, figures 11 and 12) ----------------------------------------------------


@figure
def conversion_over_time(runs: Runs) -> Figure | None:
    """How many are converts of each level, over time (12 C)."""
    converted = runs.events("converted")
    if converted.empty:
        return None
    counts = conversion_counts(_since_start(converted, runs))
    living = set(converted["run"].astype(str))
    ends = {key: end for key, end in _ends(runs).items() if key[0] in living}
    axes = _axes(
        "Converts over time", runs, converted["run"], "seconds", "agents (priests included)"
    )
    for number, level in enumerate(("direct", "indirect")):
        _band(axes, number, level, _curves(counts, level, ends))
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return _of(axes)


@figure
def where_the_faith_is(runs: Runs) -> Figure | None:
    """Where converts first said what they believe, by time (12 D); one run."""
    converted = runs.events("converted")
    if converted.empty:
        return None
    one = converted[converted["run"] == converted["run"].iloc[0]]
    one = one[one["episode"] == one["episode"].min()]
    place = np.array(one["position"].tolist(), float)
    axes = _axes(
        "Where converts first spoke", runs, one["run"], "x, blocks", "z, blocks", (6.4, 5.6)
    )
    people = runs.positions()
    people = people[(people["run"] == one["run"].iloc[0]) & (people["t"] == people["t"].min())]
    axes.scatter(people["x"], people["z"], s=3, color="lightgrey", label="everybody, at the start")
    marks = axes.scatter(place[:, 0], place[:, 2], c=one["t"], cmap="viridis", s=18 * one["level"],
                         label="converts (large: direct)")  # fmt: skip
    _of(axes).colorbar(marks, label="seconds")
    axes.set_aspect("equal")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2)
    return _of(axes)


@figure
def memes_by_town(runs: Runs) -> Figure | None:
    """What people's goals are about, by town, at the end (11 D); one run."""
    found = [(str(run), one) for run, told in runs.results() for one in told.get("runs", ())]
    with_memes = [(run, one["memes"]) for run, one in found if one.get("memes")]
    if not with_memes:
        return None
    run, memes = with_memes[0]
    frame = pd.DataFrame(memes).T.fillna(0).iloc[:MOST_TOWNS]
    shares = frame.div(frame.sum(axis=1), axis=0) * 100
    axes = _axes("What goals are about, by town", runs, pd.Series([run]), "", "% of a town's goals")
    bottom = np.zeros(len(shares))
    hatches = ("", "//", "..", "xx", "\\\\", "++")
    for number, meme in enumerate(shares.columns):
        axes.bar(shares.index, shares[meme], bottom=bottom, label=meme, width=0.7,
                 color=COLOURS[number % len(COLOURS)], hatch=hatches[number % 6],
                 edgecolor="white")  # fmt: skip
        bottom += shares[meme].to_numpy()
    axes.tick_params(axis="x", rotation=20)
    axes.legend(frameon=False, fontsize=8, ncols=6, loc="upper left", bbox_to_anchor=(0, -0.2))
    return _of(axes)


# --- Crafting trees (Voyager; AdaSociety) ---------------------------------------------------------


@figure
def items_over_time(runs: Runs) -> Figure | None:
    """Distinct items that each agent has held, over time (Voyager, figure 1; Sid, figure 5)."""
    obtained = runs.events("item_obtained")
    if obtained.empty:
        return None
    axes = _axes("Distinct items over time", runs, obtained["run"], "minutes", "distinct items")
    for number, (name, mine) in enumerate(obtained.groupby("agent", observed=True)):
        for _, one in mine.groupby(["run", "episode"], observed=True):
            style = STYLES[number % len(STYLES)]
            axes.step(one["t"] / 60, one["distinct"], where="post", linestyle=style,
                      color=COLOURS[number % len(COLOURS)], label=str(name))  # fmt: skip
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    axes.legend(unique.values(), unique.keys(), frameon=False)
    return _of(axes)


@figure
def completion_and_fairness(runs: Runs) -> Figure | None:
    """Reward over the optimum, fairness, and completion of each event by game (AdaSociety 7, 8)."""
    rows = []
    used = []
    for folder, result in runs.results():
        for run in result.get("runs", ()):
            if "normalised" in run and "completion" in run:
                told = {"reward / optimum": run["normalised"], "fairness": run["fairness"]}
                done = {
                    event: rate for event, rate in run["completion"].items() if rate is not None
                }
                used.append(str(folder))
                rows.append({"game": result.get("game"), **told, **done})
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    means = frame.groupby("game").mean()
    label = "over the optimum's"
    axes = _axes("Completion and fairness", runs, pd.Series(used), "", label, (7.2, 4.0))
    width = 0.8 / len(means)
    for number, (game, row) in enumerate(means.iterrows()):
        at = np.arange(len(means.columns)) + number * width
        axes.bar(at, row, width, label=str(game), color=COLOURS[number % len(COLOURS)],
                 hatch=("", "//", "..", "xx")[number % 4], edgecolor="white")  # fmt: skip
        for x, height in zip(at, row, strict=True):
            if height > HIGHEST_BAR:
                axes.text(x, HIGHEST_BAR, f"{height:.1f}", ha="center", va="top", fontsize=7)
    axes.set_ylim(0, HIGHEST_BAR)
    axes.set_xticks(np.arange(len(means.columns)) + 0.4 - width / 2, means.columns, rotation=25,
                    ha="right")  # fmt: skip
    axes.legend(frameon=False, fontsize=8)
    return _of(axes)
