"""Figures of contracts (Yocum et al. 2023), and of values over time in any game."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    band,
    by_scenario,
    count_of,
    curves,
    episode_ends,
    extend_to_longest,
    finish_panels,
    grouped_bars,
    legend_of,
    line_style,
    minds,
    name_attempt,
    name_ends,
    name_means,
    new_sheet,
    samples,
    sheet_of,
    since_start,
    with_conditions,
)
from voxpolis.analysis.loading import Runs

# Maximum number of agents that get a column of panels, and size of a panel in inches.
MOST_AGENTS = 4
PANEL = (3.2, 2.0)
# Size in inches of a panel for one scenario.
BARS = (6.4, 4.0)


def reward_by_contract(runs: Runs) -> Figure | None:
    """Plot rewards and welfare by contract, with 95 % bootstrap intervals over repetitions (table
    1).

    The episodes of a repetition depend on each other, so their mean counts as one value.
    """
    rewards = runs.rewards()
    if rewards.empty or rewards["contract"].isna().all():
        return None
    rewards = rewards.dropna(subset=["contract"])
    parts = by_scenario(runs, rewards)
    panels = new_sheet(len(parts), 1, (BARS[0], BARS[1] * len(parts)), is_one_scale=False)
    for (axes,), (scenario, own, mine) in zip(panels, parts, strict=True):
        axes.set_title(scenario)
        _draw_rewards(axes, own, mine)
    title = f"Reward by contract\n({minds(runs, rewards['run'])})"
    return finish_panels(panels, title, "contract", "reward")


def _draw_rewards(axes: Axes, runs: Runs, rewards: pd.DataFrame) -> None:
    conditions = with_conditions(runs, rewards["run"]).set_index("run")["condition"]
    rewards = rewards.assign(condition=rewards["run"].astype(str).map(conditions))
    attempts = runs.attempts().drop_duplicates(["run", "episode"], keep="last")
    attempts = attempts[["run", "episode", "repetition"]]
    rewards = rewards.merge(attempts, on=["run", "episode"], how="left")
    rewards["repetition"] = rewards["repetition"].fillna(-1)  # a damaged record may lack it
    keys = ["condition", "run", "repetition"]
    groups = sorted(rewards["condition"].unique())
    by_agent = rewards.groupby([*keys, "agent"], observed=True)["reward"].mean()
    found = samples(by_agent.reset_index(), ["agent", "condition"], "reward")
    series = {
        player: [found.get((player, group), []) for group in groups]
        for player in sorted(rewards["agent"].dropna().astype(str).unique())
    }
    sums = rewards.groupby([*keys, "episode"], observed=True)["reward"].sum()
    means = sums.groupby(keys, observed=True).mean()
    welfare = samples(means.reset_index(), ["condition"], "reward")
    series["welfare"] = [welfare[group,] for group in groups]
    grouped_bars(axes, groups, series, lowest=None, of="repetitions", told="welfare")


def resources_over_time(runs: Runs) -> Figure | None:
    """Plot the items of each agent over time (figure 7).

    Lines show the mean over episodes, and bands show the range. There is a row of panels for each
    condition, with a panel for each agent.
    """
    facts = runs.runs
    contracts = Runs(Path(run) for run in facts[facts["contract"].notna()]["run"])
    held = contracts.drop_uncounted(contracts.inventories())
    if held.empty:
        return None
    held, ends = since_start(held, contracts), episode_ends(contracts)
    tops = held.groupby("item")["count"].max().sort_values(ascending=False)
    items = [str(item) for item in tops.index if tops[item] > 1][: len(COLOURS)]
    if not items:
        return None
    conditions = with_conditions(runs, held["run"]).groupby("condition")["run"]
    agents = sorted(held["agent"].dropna().astype(str).unique())[:MOST_AGENTS]
    width, height = PANEL
    panels = new_sheet(
        len(conditions), len(agents), (width * len(agents) + 1, height * len(conditions) + 0.8)
    )
    for row, (condition, folders) in zip(panels, conditions, strict=True):
        episodes = extend_to_longest(ends, folders)
        for axes, agent in zip(row, agents, strict=True):
            mine = held[(held["agent"] == agent) & held["run"].isin(set(folders))]
            axes.set_title(f"{condition}: {agent} ({count_of([len(episodes)])})")
            _draw_items(axes, mine, items, episodes)
            name_ends(axes)
    title = f"Items held over time\n({minds(runs, held['run'])})"
    return finish_panels(panels, title, "seconds", "items held")


def _draw_items(
    axes: Axes, held: pd.DataFrame, items: list[str], episodes: dict[tuple[str, int], float]
) -> None:
    for number, item in enumerate(items):
        counts = held[held["item"] == item]
        if not counts.empty:
            band(axes, number, item, curves(counts, "count", episodes), is_counted=False)


def welfare_over_time(runs: Runs) -> Figure | None:
    """Plot the total value of all agents' items over time, by condition.

    Lines show the mean, and bands show the range. There is a panel for each scenario. This is
    figure 4 of Yocum et al. or, with scores in AdaSociety's games, figure 3a of AdaSociety.
    """
    values = runs.drop_uncounted(runs.values())
    if values.empty:
        return None
    parts = by_scenario(runs, values)
    panels = new_sheet(len(parts), 1, (BARS[0], BARS[1] * len(parts)), is_one_scale=False)
    for (axes,), (scenario, own, mine) in zip(panels, parts, strict=True):
        _draw_welfare(axes, own, mine)
        axes.set_title(scenario if len(parts) > 1 else "")
        # values are in emeralds if there are contracts, and otherwise they are scores
        is_paid = mine["contract"].notna().any()
        axes.set_ylabel("sum of values (emeralds)" if is_paid else "sum of scores")
        legend_of(axes)
    panels[-1][0].set_xlabel("seconds")
    drawn = sheet_of(panels[0][0])
    used = values["run"].unique()
    drawn.suptitle(f"Welfare over time, before transfers\n({minds(runs, used)})")
    for (axes,) in panels:
        name_ends(axes)
    return drawn


def _draw_welfare(axes: Axes, runs: Runs, values: pd.DataFrame) -> None:
    values, ends = since_start(values, runs), episode_ends(runs)
    conditions = with_conditions(runs, values["run"].unique()).groupby("condition")["run"]
    for number, (condition, folders) in enumerate(conditions):
        mine = values[values["run"].isin(set(folders))]
        episodes = extend_to_longest(ends, folders)
        sums = sum(
            (curves(part, "value", episodes) for _, part in mine.groupby("agent", observed=True)),
            start=curves(mine.iloc[:0], "value", episodes),
        )
        band(axes, number, str(condition), sums)


def payoffs_by_round(runs: Runs) -> Figure | None:
    """Plot the sum of all payoffs in each round by condition, for games of choices.

    Lines show the mean over repetitions, and bands show the range. There is a panel for each
    scenario.
    """
    rounds = runs.drop_uncounted(runs.events("payoffs_made", whole=True))
    if rounds.empty:
        return None
    rounds = rounds.assign(total=[sum(one.values()) for one in rounds["payoffs"]])
    parts = by_scenario(runs, rounds)
    panels = new_sheet(len(parts), 1, (BARS[0], BARS[1] * len(parts)), is_one_scale=False)
    for (axes,), (scenario, own, mine) in zip(panels, parts, strict=True):
        conditions = with_conditions(own, mine["run"].unique()).groupby("condition")["run"]
        for number, (condition, folders) in enumerate(conditions):
            part = mine[mine["run"].isin(set(folders))]
            table = part.pivot_table(index="round", columns=["run", "episode"], values="total")
            band(axes, number, str(condition), table)
            axes.lines[-1].set_marker(".")  # a game with a single round is a point
        axes.set_title(scenario if len(parts) > 1 else "")
        axes.set_xlabel("round")
        axes.set_ylabel("payoffs of a round")
        legend_of(axes)
    drawn = sheet_of(panels[0][0])
    drawn.suptitle(f"Payoffs of all players by round\n({minds(runs, rounds['run'])})")
    for (axes,) in panels:
        name_means(axes)
    return drawn


def value_gap_over_time(runs: Runs) -> Figure | None:
    """Plot the values of two players' items over time. The gap between the two is shaded.

    There is a panel for each condition, which shows its first episode. Yocum et al., figures 10
    and 11.
    """
    values = runs.values()
    if values.empty:
        return None
    pairs = values.groupby("run", observed=True)["agent"].nunique()
    both = [str(run) for run, count in pairs.items() if count == 2]
    ends = {key: end for key, end in sorted(episode_ends(runs).items()) if key[0] in both}
    if not ends:
        return None
    ended = with_conditions(runs, {run for run, _ in ends})
    played = {
        str(condition): [key for key in ends if key[0] in set(folders)]
        for condition, folders in ended.groupby("condition")["run"]
    }
    values = since_start(values, runs)
    panels = new_sheet(1, len(played), (PANEL[0] * len(played) + 1, 3.6))
    for axes, (condition, keys) in zip(panels[0], played.items(), strict=True):
        run, episode = keys[0]
        mine = values[(values["run"] == run) & (values["episode"] == episode)]
        axes.set_title(f"{condition}{name_attempt(runs, keys, keys[0])}")
        _draw_gap(axes, mine, keys[0], ends[keys[0]])
        name_ends(axes)
    who = minds(runs, {keys[0][0] for keys in played.values()})
    title = f"Value before transfers\n({who})"
    return finish_panels(panels, title, "seconds", "value of items")


def _draw_gap(axes: Axes, values: pd.DataFrame, key: tuple[str, int], end: float) -> None:
    found = {
        str(agent): curves(part, "value", {key: end})[key]
        for agent, part in values.groupby("agent", observed=True)
    }
    for number, (agent, curve) in enumerate(found.items()):
        axes.plot(curve.index, curve, **line_style(number), label=agent)
    if len(found) == 2:
        one, other = found.values()
        axes.fill_between(one.index, one, other, color="grey", alpha=0.2, lw=0, label="gap")
