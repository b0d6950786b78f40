"""Contracts (Yocum et al. 2023), and values over time in any game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from analysis.comparing import bootstrap
from analysis.figures.drawing import (
    COLOURS,
    STYLES,
    band,
    curves,
    episode_ends,
    minds,
    new_axes,
    new_sheet,
    shared_legend,
    sheet_of,
    since_start,
    with_conditions,
)
from analysis.loading import Runs


def reward_by_contract(runs: Runs) -> Figure | None:
    """Reward of each player and welfare by contract, with 95 % bootstrap intervals (table 1)."""
    rewards = runs.rewards()
    if rewards.empty or rewards["contract"].isna().all():
        return None
    conditions = with_conditions(runs).set_index("run")["condition"]
    rewards = rewards.dropna(subset=["contract"])
    rewards["contract"] = rewards["run"].astype(str).map(conditions)
    axes = new_axes("Reward by contract", runs, rewards["run"], "contract", "reward (emeralds)")
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
    return sheet_of(axes)


def resources_over_time(runs: Runs) -> Figure | None:
    """Items that players hold over time, mean with the range over runs (figure 7)."""
    told = runs.runs
    contracts = Runs(Path(run) for run in told[told["contract"].notna()]["run"])
    held = contracts.inventories()
    if held.empty:
        return None
    held, ends = since_start(held, contracts), episode_ends(contracts)
    ends = dict.fromkeys(ends, max(ends.values(), default=0.0))  # what is held at an end stays
    tops = held.groupby("item")["count"].max().sort_values(ascending=False)
    items = [item for item in tops.index if tops[item] > 1][: len(COLOURS)]
    if not items:
        return None
    agents = sorted(held["agent"].astype(str).unique())[:4]
    panels = new_sheet(len(agents), (3.2 * len(agents) + 1, 3.6))
    for axes, agent in zip(panels, agents, strict=True):
        for number, item in enumerate(items):
            mine = held[(held["agent"] == agent) & (held["item"] == item)]
            if not mine.empty:
                band(axes, number, item, curves(mine, "count", ends))
        axes.set_title(agent, fontsize=10)
        axes.set_xlabel("seconds")
    panels[0].set_ylabel("items held")
    shared_legend(panels)
    drawn = sheet_of(panels[0])
    drawn.suptitle(f"Items held over time ({minds(runs, held['run'])})", fontsize=10)
    return drawn


def welfare_over_time(runs: Runs) -> Figure | None:
    """Sum of what all agents' items are worth over time by condition, the band from least to
    greatest (Yocum et al., figure 4; AdaSociety's scores, figure 3a).
    """
    values = runs.values()
    if values.empty:
        return None
    told, ends = with_conditions(runs), episode_ends(runs)
    values = since_start(values, runs)
    axes = new_axes("Welfare over time, before transfers", runs, values["run"], "seconds",
                 "sum of values (emeralds or score)")  # fmt: skip
    for number, (condition, folders) in enumerate(told.groupby("condition")["run"]):
        mine = values[values["run"].astype(str).isin(set(folders))]
        if mine.empty:
            continue
        lasting = {key: end for key, end in ends.items() if key[0] in set(folders)}
        lasting = dict.fromkeys(lasting, max(lasting.values(), default=0.0))
        empty = curves(mine.iloc[:0], "value", lasting)
        sums = sum(
            (curves(part, "value", lasting) for _, part in mine.groupby("agent", observed=True)),
            start=empty,
        )
        band(axes, number, str(condition), sums)
    axes.legend(frameon=False)
    return sheet_of(axes)


def value_gap_over_time(runs: Runs) -> Figure | None:
    """What two players' items are worth to them over time, the gap between them shaded (Yocum et
    al., figures 10 and 11); a panel a condition, its first run.
    """
    values = runs.values()
    if values.empty:
        return None
    pairs = values.groupby("run", observed=True)["agent"].nunique()
    both = [str(run) for run, count in pairs.items() if count == 2]
    if not both:
        return None
    told = with_conditions(runs)
    first = told[told["run"].isin(both)].groupby("condition")["run"].first()
    values, ends = since_start(values, runs), episode_ends(runs)
    panels = new_sheet(len(first), (3.2 * len(first) + 1, 3.6))
    for axes, (condition, run) in zip(panels, first.items(), strict=True):
        mine = values[(values["run"].astype(str) == run) & (values["episode"] == 0)]
        lasting = {key: end for key, end in ends.items() if key == (run, 0)}
        found = {
            str(agent): curves(part, "value", lasting)[(run, 0)]
            for agent, part in mine.groupby("agent", observed=True)
        }
        for number, (agent, curve) in enumerate(found.items()):
            axes.plot(curve.index, curve, color=COLOURS[number], linestyle=STYLES[number],
                      label=agent)  # fmt: skip
        one, other = found.values()
        axes.fill_between(one.index, one, other, color="grey", alpha=0.2, lw=0, label="gap")
        axes.set_title(str(condition), fontsize=10)
        axes.set_xlabel("seconds")
    panels[0].set_ylabel("value of items (emeralds)")
    shared_legend(panels)
    drawn = sheet_of(panels[0])
    drawn.suptitle(f"Value before transfers ({minds(runs, first)})", fontsize=10)
    return drawn
