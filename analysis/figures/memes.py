"""What people of a country care about, and who says the faith's words (Project Sid, 11 and 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from voxpolis.analysis.figures.drawing import (
    COLOURS,
    STYLES,
    entries_with_conditions,
    episode_ends,
    grouped_bars,
    legend_below,
    legend_of,
    new_axes,
    sheet_of,
    since_start,
)
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.metrics import converts

MEMES_MAP_SIZE = (6.8, 6.0)
#: Memes that lines and colours tell apart.
MOST_MEMES = 10
MARKS = "os^Dv<>ph*"
#: Where the parts of a run's memes are from.
KINDS = {"towns": "in towns", "country": "in the country"}


def _episodes(runs: Runs, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for folder, result in runs.results():
        for one in result.get("runs", ()):
            if isinstance(one, Mapping) and one.get(key):
                yield str(folder), one


def memes_on_the_map(runs: Runs) -> Figure | None:
    """Where those are whose goal is about a meme at the end, by meme; one episode (11 A)."""
    run, one = next(_episodes(runs, "meme_places"), ("", {}))
    if not one:
        return None
    places = pd.DataFrame(one["meme_places"], columns=["x", "z", "meme"])
    axes = new_axes("Where goals are about what", runs, [run], "x, blocks", "z, blocks", MEMES_MAP_SIZE)
    axes.set_aspect("equal", adjustable="datalim")
    common = places["meme"].value_counts().index[:MOST_MEMES]
    for number, meme in enumerate(common):
        mine = places[places["meme"] == meme]
        axes.scatter(mine["x"], mine["z"], s=22, marker=MARKS[number % len(MARKS)],
                     color=COLOURS[number % len(COLOURS)], label=meme)  # fmt: skip
    legend_below(axes, 4)
    return sheet_of(axes)


def memes_per_head(runs: Runs) -> Figure | None:
    """Memes in goals a person, in towns and in the country, on average over time, by condition;
    95 % bootstrap intervals over episodes (11 B).
    """
    found = [
        (run, condition, entry["memes_per_head"])
        for run, condition, entry in entries_with_conditions(runs)
        if entry.get("memes_per_head")
    ]
    known = [one for one in found if None not in one[2].values()]
    if not known:
        return None
    axes = new_axes("What goals are about", runs, {run for run, *_ in known}, "",
                    "memes in the goal of a person")  # fmt: skip
    conditions = dict.fromkeys(condition for _, condition, _ in known)
    series = {
        name: [[heads[kind] for _, own, heads in known if own == name] for kind in KINDS]
        for name in conditions
    }
    grouped_bars(axes, list(KINDS.values()), series)
    if len(conditions) > 1:
        legend_below(axes, 2)
    return sheet_of(axes)


def memes_over_time(runs: Runs) -> Figure | None:
    """How many people's goals are about each meme, over time; one episode (11 C and E)."""
    of_memes = (
        (run, [sample for sample in one["over_time"] if "memes" in sample])
        for run, one in _episodes(runs, "over_time")
    )
    run, samples = next((both for both in of_memes if both[1]), ("", []))
    rows = {sample["t"]: _everywhere(sample["memes"]) for sample in samples}
    counts = pd.DataFrame(rows).T.fillna(0)
    if counts.empty:
        return None
    axes = new_axes("What goals are about, over time", runs, [run], "seconds", "people")
    common = counts.sum().sort_values(ascending=False).index[:MOST_MEMES]
    for number, meme in enumerate(common):
        axes.plot(counts.index, counts[meme], color=COLOURS[number % len(COLOURS)], label=meme,
                  linestyle=STYLES[number // len(COLOURS) % len(STYLES)])  # fmt: skip
    axes.set_ylim(bottom=0)
    legend_below(axes, 4)
    return sheet_of(axes)


def _everywhere(memes: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for town in memes.values():
        found.update(town)
    return found


def keyword_chats(runs: Runs) -> Figure | None:
    """How often each person named the faith, and its food alone, the most talkative first; one
    episode (12 A).
    """
    run, one = next(_episodes(runs, "keyword_chats"), ("", {}))
    if not one:
        return None
    chats = np.array(sorted(one["keyword_chats"].values(), key=lambda said: (-said[1], -said[0])))
    axes = new_axes("Who says the faith's words", runs, [run], "people, by how often",
                    "utterances")  # fmt: skip
    rank = np.arange(1, len(chats) + 1)
    axes.bar(rank, chats[:, 1], width=1.0, color=COLOURS[1], label="the faith (direct)")
    axes.bar(rank, chats[:, 0], width=1.0, bottom=chats[:, 1], color=COLOURS[5],
             label="the food alone (indirect)")  # fmt: skip
    axes.set_xlim(0.4, len(chats) + 0.6)
    legend_of(axes)
    return sheet_of(axes)


def levels_by_agent(runs: Runs) -> Figure | None:
    """The level of conversion of each convert over time, the first at the bottom; one episode
    (12 B).
    """
    mine = since_start(converts(runs.counting(runs.events("converted", whole=True))), runs)
    if mine.empty:
        return None
    run, episode = str(mine["run"].iloc[0]), int(mine["episode"].iloc[0])
    mine = mine[(mine["run"].astype(str) == run) & (mine["episode"] == episode)].sort_values("t")
    end = episode_ends(runs).get((run, episode), float(mine["t"].max()))
    rows = {name: number for number, name in enumerate(dict.fromkeys(mine["agent"].astype(str)))}
    axes = new_axes("Level of each convert", runs, [run], "seconds", "converts, the first below")
    for name, own in mine.groupby("agent", observed=True):
        times, levels = [*own["t"], end], list(own["level"])
        for level, begin, until in zip(levels, times, times[1:], strict=False):
            axes.barh(rows[str(name)], until - begin, left=begin, height=1.0, lw=0,
                      color=COLOURS[1] if level == 2 else COLOURS[5])  # fmt: skip
    for colour, label in ((COLOURS[5], "indirect"), (COLOURS[1], "direct")):
        axes.barh(0, 0, color=colour, label=label)
    axes.set_xlim(0, end)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    legend_below(axes, 2)
    return sheet_of(axes)
