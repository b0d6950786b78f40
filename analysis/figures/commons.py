"""Figures of commons games: Commons Harvest (Mosquera et al. 2024, figures 3 to 10) and Clean Up.

The published values are printed below each figure.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    SOFT_END,
    band,
    count_of,
    explain,
    grouped_bars,
    legend_of,
    minds,
    name_ends,
    new_sheet,
    shared_legend,
    sheet_of,
    start_at_zero,
    with_conditions,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.results import is_counted

# Conditions in the order of the publication, by panel: figures 3, 6 and 7, 8, 10.
PANELS: Mapping[str, Sequence[str]] = {
    "personalities": ("none", "coop", "coop_def", "selfish", "selfish_def"),
    "one tree": ("one_tree", "one_tree_coop", "one_tree_selfish"),
    "bots": ("bots",),
    "a selfish one, announced": ("aware",),
}
PUBLISHED = [name for own in PANELS.values() for name in own]
# Number of panels with curves per row.
PANELS_IN_A_ROW = 2
# Line length of the published values, in characters.
LETTERS = 110
# Number of panels with hits per row.
MOST_IN_A_ROW = 4


def commons_reward(runs: Runs) -> Figure | None:
    """Plot how many apples agents and bots took on average, by round (figures 3, 6 and 7)."""
    return _by_round(
        runs,
        {"": "reward_by_round", ", bots": "bots_by_round"},
        "Reward by round",
        "apples per agent",
    )


def commons_apples_left(runs: Runs) -> Figure | None:
    """Plot the apples left on the map by round (figure 6)."""
    return _by_round(runs, {"": "apples_by_round"}, "Apples left by round", "apples")


def commons_attacks(runs: Runs) -> Figure | None:
    """Plot how often agents and bots attacked, and how often they hit (figures 4 and 8)."""
    names = {"agents": "attacks", "bots": "bots_attacks"}
    parts = {"agents": "effectiveness", "bots": "bots_effectiveness"}
    return _bars(runs, "Attacks", [("attacks", names, None), ("part that hit", parts, 1)])


def commons_last_apples(runs: Runs) -> Figure | None:
    """Plot how often agents went for the last apple of a tree, and how often they took it (figures
    5 and 9).
    """
    approach = {"all": "approach", "if they see it": "approach_seen"}
    taken = {"agents": "agents_last", "bots": "bots_last"}
    found = [
        one
        for one in conditions_of(runs)
        if any(e["trees_by_round"][-1:] != [None] for e in one[1])
    ]
    panels = [("part of turns", approach, 1), ("taken, each", taken, None)]
    return _bars(runs, "Last apples", panels, found)


def commons_dirt(runs: Runs) -> Figure | None:
    """Plot the dirty fraction of the river by round (Clean Up)."""
    return _by_round(
        runs, {"": "dirt_by_round"}, "Dirt in the river by round", "fraction of its cells"
    )


def commons_cleaning(runs: Runs) -> Figure | None:
    """Plot how often agents chose to clean, and how many apples they took (Clean Up)."""
    found = [one for one in conditions_of(runs) if any(e.get("dirt_by_round") for e in one[1])]
    if not found:
        return None
    (row,) = new_sheet(1, 2, (9.0, 4.2), is_one_scale=False)
    names = dict.fromkeys(
        name for _, episodes, _ in found for e in episodes for name in e["agents"]
    )
    measures = (("turns of cleaning", "turns", "cleaning"), ("apples", "apples", "apples"))
    for axes, (title, y, field) in zip(row, measures, strict=True):
        series = {
            name: [
                [float(e["agents"][name].get(field) or 0) for e in episodes if name in e["agents"]]
                for _, episodes, _ in found
            ]
            for name in names
        }
        axes.set_title(title)
        grouped_bars(axes, [condition for condition, _, _ in found], series)
        axes.set_ylabel(y)
    legend_of(row[1])
    return finished(sheet_of(row[0]), runs, found, "Cleaning and eating by agent")


def commons_hits(runs: Runs) -> Figure | None:
    """Plot, for each attacker, how its hits are distributed over the victims (figure 10)."""
    found = list(conditions_of(runs))
    found = [one for one in found if any(any(e["hits"].values()) for e in one[1])]
    if not found:
        return None
    columns = min(len(found), MOST_IN_A_ROW)
    rows = -(-len(found) // columns)
    panels = new_sheet(rows, columns, (3.4 * columns + 1, 3.4 * rows + 0.6), is_one_scale=False)
    every = [axes for row in panels for axes in row]
    hit = {
        v for _, episodes, _ in found for e in episodes for own in e["hits"].values() for v in own
    }
    for axes in every[len(found) :]:
        axes.set_axis_off()
    for axes, (condition, episodes, _) in zip(every, found, strict=False):
        pairs = [
            (attacker, victim, count)
            for episode in episodes
            for attacker, victims in episode["hits"].items()
            for victim, count in victims.items()
        ]
        frame = pd.DataFrame(pairs, columns=["attacker", "victim", "count"])
        table = frame.pivot_table(
            index="attacker", columns="victim", values="count", aggfunc="sum", fill_value=0
        )
        hits = table.sum(axis=1)
        there = {name for episode in episodes for name in episode["agents"]}
        series = {
            f"on {v}": [
                [table.at[a, v] / hits[a] if v in table else 0.0] if v in there - {a} else None
                for a in table.index
            ]
            for v in sorted(hit)  # each victim has the same colour in all panels
        }
        axes.set_title(condition)
        most = f"on {table.sum().idxmax()}"
        grouped_bars(axes, list(map(str, hits.index)), series, highest=1, of="", told=most)
        names = [f"{attacker} ({count_of([count])})" for attacker, count in hits.items()]
        axes.set_xticks(range(len(names)), names)
        explain(axes, "bars: all episodes together", "n: hits, without those by chance")
    for row in panels:
        row[0].set_ylabel("fraction of the attacker's hits")
    shared_legend(every[: len(found)])
    return finished(sheet_of(every[0]), runs, found, "Hits by attacker and victim")


# --- Common functions -----------------------------------------------------------------------------

# A condition, its episodes, and the published value.
Condition = tuple[str, list[Mapping[str, Any]], str]
# A panel with bars: its title, its measures (label → field of an episode), and the end of its axis.
Panel = tuple[str, Mapping[str, str], float | None]


def conditions_of(runs: Runs) -> Iterator[Condition]:
    """Yield the conditions of commons games, with all their episodes.

    Conditions come in the order in which the user named their runs. If the runs were found in a
    folder, conditions come in the order of the paper's list, and then by time. The name of a
    condition with bots contains the kind of bots.
    """
    found: dict[str, Condition] = {}
    for _, name, own, said in _played(runs):
        found.setdefault(name, (name, [], said))[1].extend(own)
    yield from found.values()


def _played(runs: Runs) -> Iterator[tuple[str, str, list[Mapping[str, Any]], str]]:
    named = with_conditions(runs).set_index("run")["condition"]
    results = list(runs.results())
    if not runs.are_named:
        results.sort(key=lambda one: _published_as(_condition_of(one[1])))
    for folder, result in results:
        own = [e for e in result.get("runs", ()) if "reward_by_round" in e and is_counted(e)]
        if own:
            name = str(named[str(folder)])
            kinds = sorted(set(result.get("bots", {}).values()))
            name += f" ({kinds[0]}s)" if kinds else ""
            yield str(folder), name, own, str(result.get("directions") or "")


def _condition_of(result: Mapping[str, Any]) -> str:
    """Return the condition of a result. Older results have the field ``game`` instead."""
    return str(result.get("condition") or result.get("game"))


def _published_as(condition: str) -> int:
    return PUBLISHED.index(condition) if condition in PUBLISHED else len(PUBLISHED)


def _by_round(runs: Runs, lines: Mapping[str, str], title: str, y: str) -> Figure | None:
    found = [
        one for one in conditions_of(runs) if any(e.get(f) for e in one[1] for f in lines.values())
    ]
    if not found:
        return None
    parts: dict[str, list[Condition]] = {}
    for one in found:
        parts.setdefault(_panel_of(one[0]), []).append(one)
    columns = min(len(parts), PANELS_IN_A_ROW)
    rows = -(-len(parts) // columns)
    size = (6.4, 4.0) if len(parts) == 1 else (4.8 * columns, 3.4 * rows + 0.6)
    panels = new_sheet(rows, columns, size, is_one_scale=False)
    every = [axes for row in panels for axes in row]
    for axes in every[len(parts) :]:
        axes.set_axis_off()
    for axes, (part, conditions) in zip(every, parts.items(), strict=False):
        _draw_by_round(axes, conditions, lines)
        start_at_zero(axes)
        axes.set_title(part if len(parts) > 1 else "")
        axes.set_xlabel("round")
        axes.set_ylabel(y)
        legend_of(axes)
        name_ends(axes)
    return finished(sheet_of(every[0]), runs, found, title)


def _draw_by_round(axes: Axes, conditions: Sequence[Condition], lines: Mapping[str, str]) -> None:
    number = 0
    for condition, episodes, _ in conditions:
        for suffix, field in lines.items():
            series = {k: pd.Series(e[field]) for k, e in enumerate(episodes) if e.get(field)}
            if series:
                frame = pd.DataFrame(series).ffill()  # a finished game keeps its final value
                frame.index += 1
                band(axes, number, f"{condition}{suffix}", frame)
                number += 1


def _panel_of(name: str) -> str:
    """Return the panel in which a condition is drawn. Conditions of the same published figure share
    a panel.
    """
    words = set(re.split(r"[\s,:()]+", name))
    return next((part for part, own in PANELS.items() if words & {*own}), "modules")


def _bars(
    runs: Runs,
    title: str,
    panels: Sequence[Panel],
    conditions: Sequence[Condition] | None = None,
) -> Figure | None:
    found = list(conditions_of(runs)) if conditions is None else conditions
    if not found:
        return None
    (row,) = new_sheet(1, len(panels), (9.0, 4.2), is_one_scale=False)
    for axes, panel in zip(row, panels, strict=True):
        if bars_of(axes, found, panel, _values):
            legend_of(axes)
    return finished(sheet_of(row[0]), runs, found, title)


def bars_of(
    axes: Axes,
    conditions: Sequence[Condition],
    panel: Panel,
    values: Callable[[Sequence[Mapping[str, Any]], str], list[float]],
) -> int:
    """Draw a group of bars per condition, with a bar for each label of the panel. Return the number
    of labels that have values.
    """
    title, names, highest = panel
    axes.set_title(title)
    axes.set_ylabel(title)
    series = {
        label: [
            None
            if field.startswith("bots_") and not _has_bots(episodes)
            else values(episodes, field)
            for _, episodes, _ in conditions
        ]
        for label, field in names.items()
    }
    kept = {label: bars for label, bars in series.items() if any(bars)}
    if kept:
        grouped_bars(axes, [condition for condition, _, _ in conditions], kept, highest=highest)
    return len(kept)


def _has_bots(episodes: Sequence[Mapping[str, Any]]) -> bool:
    kinds = (agent["kind"] for episode in episodes for agent in episode["agents"].values())
    return any(str(kind).endswith(" bot") for kind in kinds)


def _values(episodes: Sequence[Mapping[str, Any]], field: str) -> list[float]:
    if field not in ("agents_last", "bots_last"):
        return [float(e[field]) for e in episodes if e[field] is not None]
    found = []
    for episode in episodes:
        kinds = episode["agents"].values()
        are_bots = field == "bots_last"
        taken = [a["last_apples"] for a in kinds if str(a["kind"]).endswith(" bot") == are_bots]
        if taken:
            found.append(sum(taken) / len(taken))
    return found


def _used(runs: Runs, conditions: Sequence[Condition]) -> list[str]:
    drawn = {name for name, _, _ in conditions}
    return [folder for folder, name, _, _ in _played(runs) if name in drawn]


def finished(drawn: Figure, runs: Runs, conditions: Sequence[Condition], title: str) -> Figure:
    """Finish a figure: add a title that names the minds, write the published values below the
    panels, and return the figure.
    """
    drawn.suptitle(f"{title}\n({minds(runs, _used(runs, conditions))})")
    return _published(drawn, conditions)


def _published(drawn: Figure, conditions: Sequence[Condition]) -> Figure:
    notes = [
        SOFT_END.join(textwrap.wrap(f"published, {condition}: {said}", LETTERS))
        for condition, _, said in conditions
        if said
    ]
    if notes:
        text = "\n".join(notes)
        width, height = drawn.get_size_inches()
        drawn.set_size_inches(max(width, 8.0), height + 0.13 * len(text.split("\n")))
        told = drawn.get_supxlabel()
        drawn.supxlabel(f"{told}\n{text}".strip(), fontsize="x-small", x=0.02, ha="left")
    return drawn


# --- Effects of cooperation modules in commons games; we define the measures ----------------------

MODULE_PANELS: Sequence[Panel] = (
    ("trees left", {"trees": "trees_alive"}, None),
    ("apples of all agents", {"welfare": "welfare"}, None),
    (
        "part",
        {
            "rules that are true": "rules_precision",
            "of all rules": "rules_recall",
            "true answers": "answered_truly",
            "Brier score": "brier",
        },
        1,
    ),
    ("promises", {"kept": "promises_kept", "broken": "promises_broken"}, None),
)


def commons_cooperation(runs: Runs) -> Figure | None:
    """Plot living trees, welfare, true rules and answers, and kept promises, by set of modules."""
    found = [one for one in conditions_of(runs) if all("welfare" in e for e in one[1])]
    if not any(_has_modules(episode) for _, episodes, _ in found for episode in episodes):
        return None
    (row,) = new_sheet(1, len(MODULE_PANELS), (3.6 * len(MODULE_PANELS), 4.4), is_one_scale=False)
    for axes, panel in zip(row, MODULE_PANELS, strict=True):
        if bars_of(axes, found, panel, _known_values) > 1:
            legend_of(axes)
    return finished(sheet_of(row[0]), runs, found, "Modules of cooperation")


def commons_reputation(runs: Runs) -> Figure | None:
    """Plot each agent's last published reputation against the share of its promises that it
    kept.
    """
    found = [
        (condition, points, said)
        for condition, episodes, said in conditions_of(runs)
        if (points := _points(episodes))
    ]
    if not found:
        return None
    (row,) = new_sheet(1, 1, (5.0, 4.2), is_one_scale=False)
    (axes,) = row
    for number, (condition, points, _) in enumerate(found):
        kept, reputation = zip(*points, strict=True)
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(kept, reputation, "o", label=condition, color=colour, alpha=0.6)
    explain(axes, "dots: agents of each episode")
    axes.plot([0, 1], [0, 10], linewidth=0.8, color="0.6", label="ten times that share")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(0, 10)
    axes.set_xlabel("share of promises kept")
    axes.set_ylabel("final reputation")
    legend_of(axes)
    conditions: list[Condition] = [(condition, [], said) for condition, _, said in found]
    return finished(sheet_of(axes), runs, conditions, "Reputation and promises")


def _has_modules(episode: Mapping[str, Any]) -> bool:
    return bool(
        episode["messages"]
        or episode["law_version"]
        or episode["reputation"]
        or episode["rules_recall"] is not None
    )


def _known_values(episodes: Sequence[Mapping[str, Any]], field: str) -> list[float]:
    return [float(e[field]) for e in episodes if e[field] is not None]


def _points(episodes: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [
        (share, episode["reputation"][name])
        for episode in episodes
        for name, share in episode.get("compliance", {}).items()
        if name in episode["reputation"]
    ]
