"""What all runs of the scenario come to, beside what is published."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from rich.table import Table

from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_end
from voxpolis.records.console import plain_console
from voxpolis.scenarios.sentiment.measures import LAGS_S, mean, regression
from voxpolis.scenarios.sentiment.society import OBSERVERS, SHOWN_OBSERVERS

SOURCE = "Project Sid (Altera.AL 2024), figures 6 and 7, tables 1 and 2"
PUBLISHED: Mapping[str, str] = {
    "talk": "the score follows the moods: Lila's falls and rises again",
    "talk_ablated": "it does not",
    "chef": "food goes to those by whom the chef feels valued most",
    "chef_ablated": "-",
    "society": "slope .373 [.269, .476], r .807 of 31 people with 5 observers or more",
    "society_ablated": "slope .161 [.093, .229], r .617 of 39 people",
}
#: Tables 1 and 2: by condition, for 1 to 11 observers or more: r, people, slope, intercept.
TABLES: Mapping[str, Sequence[tuple[float, int, float, float]]] = {
    "society": (
        *((0.646, 46, 0.365, 4.136), (0.669, 41, 0.383, 4.173), (0.701, 39, 0.370, 4.372)),
        *((0.711, 37, 0.364, 4.384), (0.807, 31, 0.373, 4.328), (0.790, 28, 0.349, 4.498)),
        *((0.813, 27, 0.365, 4.368), (0.870, 24, 0.378, 4.366), (0.870, 24, 0.378, 4.366)),
        *((0.901, 22, 0.385, 4.403), (0.907, 18, 0.368, 4.496)),
    ),
    "society_ablated": (
        *((0.610, 48, 0.175, 4.171), (0.606, 45, 0.177, 4.170), (0.606, 45, 0.177, 4.170)),
        *((0.606, 45, 0.177, 4.170), (0.617, 39, 0.161, 4.297), (0.600, 35, 0.148, 4.388)),
        *((0.591, 32, 0.144, 4.435), (0.663, 26, 0.159, 4.441), (0.721, 20, 0.173, 4.439)),
        *((0.725, 18, 0.159, 4.575), (0.686, 15, 0.142, 4.637)),
    ),
}


def summary(entries: Sequence[Entry]) -> Result:
    """Return by condition, over the ``runs`` in which anybody acted: of talks the mean correlation
    of Lila's moods and scores with its lag, and that of each speaker; of kitchens the regression of
    pieces received on scores, over all customers.
    """
    names = dict.fromkeys(entry["condition"] for entry in entries)
    return {
        "conditions": {
            name: _of([entry for entry in entries if entry["condition"] == name]) for name in names
        }
    }


def _of(entries: Sequence[Entry]) -> Result:
    runs = [entry for entry in entries if entry["acted"]]
    if not runs:
        found: Result = {"runs": 0, "r": None, "lag_s": None, "speakers": {}}
    else:
        found = {"runs": len(runs), **_measured(runs)}
    return {**found, "in_words": _told(found)}


def _measured(runs: Sequence[Entry]) -> Result:
    if "by_observers" in runs[0]:
        return _society(runs)
    if "customers" in runs[0]:
        points = [(name, one) for run in runs for name, one in run["customers"].items()]
        found = regression([one["score"] for _, one in points], [one["items"] for _, one in points])
        customers = dict.fromkeys(name for name, _ in points)
        for name in customers:
            mine = [one for other, one in points if other == name]
            customers[name] = {
                key: sum(one[key] for one in mine) / len(mine) for key in ("items", "score")
            }
        return {**found, "points": len(points), "customers": customers}
    by_speaker = {
        name: mean([run["speakers"][name]["r"] for run in runs]) for name in runs[0]["speakers"]
    }
    lags = mean([run["speakers"]["Lila"]["lag_s"] for run in runs])
    return {"r": by_speaker["Lila"], "lag_s": lags, "speakers": by_speaker}


def _society(runs: Sequence[Entry]) -> Result:
    """Return the means of what is measured, for each number of observers, and at the one shown."""
    keys = ("n", "r", "slope", "intercept", "low", "high")
    rows = [
        {"observers": k}
        | {key: mean([run["by_observers"][at][key] for run in runs]) for key in keys}
        for at, k in enumerate(OBSERVERS)
    ]
    apart = [value for run in runs for value in run["asymmetry"]]
    return {
        **next(row for row in rows if row["observers"] == SHOWN_OBSERVERS),
        "by_observers": rows,
        "edges": mean([len(run["edges"]) for run in runs]),
        "extroversion_r": mean([run["extroversion_r"] for run in runs]),
        "asymmetry": mean(apart),
    }


def show(result: Result) -> None:
    """Print all experiments beside what is published."""
    table = Table(title=f"how feelings follow words, and food feelings; {result['mind']}")
    for column in ("condition", "runs", "measured", f"published ({SOURCE})"):
        table.add_column(column, no_wrap=column == "condition")
    for name, found in result["conditions"].items():
        table.add_row(name, str(found["runs"]), found["in_words"], PUBLISHED.get(name, "-"))
    console = plain_console()
    console.print(table)
    for name, found in result["conditions"].items():
        if "by_observers" in found:
            console.print(_by_observers(name, found))
    print_end(console, result)


def _by_observers(name: str, found: Result) -> Table:
    """Return tables 1 and 2: the line of perceived on true likeability, by number of observers."""
    table = Table(title=f"{name}: perceived on true likeability, mean over {found['runs']} runs")
    for column in ("observers", "people", "r", "slope", "95 % interval", "intercept"):
        table.add_column(column, justify="right")
    table.add_column("published: people, r, slope, intercept", justify="right")
    published = TABLES.get(name, ())
    for row, known in itertools.zip_longest(found["by_observers"], published):
        interval = f"[{_number(row['low'])}, {_number(row['high'])}]"
        cells = [_number(row[key]) for key in ("r", "slope", "intercept")]
        people = f"{row['n']:.0f}"
        r, n, slope, intercept = known
        table.add_row(
            *(f"{row['observers']}+", people, *cells[:2], interval, cells[2]),
            f"{n}, {r:.2f}, {slope:.2f}, {intercept:.2f}",
        )
    return table


def _told(found: Result) -> str:
    if not found["runs"]:
        return "nobody acted"
    if "by_observers" in found:
        people = f"{found['n']:.0f} people with {found['observers']} observers or more"
        interval = f"[{_number(found['low'])}, {_number(found['high'])}]"
        line = f"slope {_number(found['slope'])} {interval}, r {_number(found['r'])} of {people}"
        company = f"r of observers and extroversion {_number(found['extroversion_r'])}"
        apart = f"two who know each other are {_number(found['asymmetry'])} apart"
        return f"{line}; {company}; {apart}"
    if "customers" in found:
        each = ", ".join(
            f"{name} {one['items']:.1f} (feeling {one['score']:.1f})"
            for name, one in found["customers"].items()
        )
        return (
            f"pieces: {each}; {_number(found['slope'])} a point of feeling, r {_number(found['r'])}"
        )
    each = ", ".join(f"{name} {_number(r)}" for name, r in found["speakers"].items())
    lags = ", ".join(f"{lag:g}" for lag in LAGS_S)
    return f"r of score and mood: {each} (the greatest of lags of {lags} s)"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
