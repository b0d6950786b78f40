"""What the modules of cooperation came to in games about a commons; the measures are ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from voxpolis.analysis.figures.commons import Condition, bars_of, conditions_of, finished
from voxpolis.analysis.figures.drawing import COLOURS, legend_above, legend_of, new_sheet, sheet_of
from voxpolis.analysis.loading import Runs

#: By panel, what is measured there: label → field of an episode.
MODULE_PANELS: Sequence[tuple[str, Mapping[str, str]]] = (
    ("trees left", {"trees": "trees_alive"}),
    ("apples of all agents", {"welfare": "welfare"}),
    (
        "part",
        {
            "rules that are true": "rules_precision",
            "of all rules": "rules_recall",
            "true answers": "answered_truly",
            "Brier score": "brier",
        },
    ),
    ("promises", {"kept": "promises_kept", "broken": "promises_broken"}),
)


def commons_cooperation(runs: Runs) -> Figure | None:
    """Trees, welfare, rules found, answers and promises, by the modules that agents carried."""
    found = [one for one in conditions_of(runs) if all("welfare" in e for e in one[1])]
    if not any(_has_modules(episode) for _, episodes, _ in found for episode in episodes):
        return None
    (row,) = new_sheet(1, len(MODULE_PANELS), (3.6 * len(MODULE_PANELS), 4.4), is_one_scale=False)
    for axes, (title, names) in zip(row, MODULE_PANELS, strict=True):
        if bars_of(axes, found, names, _known, rotation=60) > 1:
            legend_above(axes)
        axes.set_ylabel(title)
    return finished(sheet_of(row[0]), runs, found, "Modules of cooperation")


def commons_reputation(runs: Runs) -> Figure | None:
    """The last reputation that was published of each agent, by the promises that it kept."""
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
    axes.plot([0, 1], [0, 10], linewidth=0.8, color="0.6", label="ten times that part")
    axes.set_xlim(-0.05, 1.05)
    axes.set_ylim(0, 10)
    axes.set_xlabel("part of its promises that an agent kept")
    axes.set_ylabel("its reputation in the end")
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


def _known(episodes: Sequence[Mapping[str, Any]], field: str) -> list[float]:
    return [float(e[field]) for e in episodes if e[field] is not None]


def _points(episodes: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [
        (share, episode["reputation"][name])
        for episode in episodes
        for name, share in episode.get("compliance", {}).items()
        if name in episode["reputation"]
    ]
