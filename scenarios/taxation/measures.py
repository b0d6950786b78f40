"""What came of the taxed villages, as a table beside the published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_end, with_ci95
from voxpolis.records.console import plain_console
from voxpolis.records.measures import mean_and_ci95
from voxpolis.scenarios.taxation.stances import STANCES, yes_share

SOURCE = "Project Sid (Altera.AL 2024), figure 10"
#: Share paid, in per cent, before and after the change. Source: Project Sid, figure 10.
PUBLISHED: Mapping[str, str] = {
    "full-anti": "about 20 before, about 9 after",
    "full-pro": "about 20 before, rises after",
    "frozen-anti": "stays at about 20",
    "frozen-pro": "stays at about 20",
    "ablated-anti": "rises, whatever its influencers want",
    "ablated-pro": "rises, whatever its influencers want",
}
HALVES = ("tax_share_before", "tax_share_after")


def mean_share(shares: Sequence[float]) -> float | None:
    """Return the mean, from 0 to 1; None of nothing."""
    return sum(shares) / len(shares) if shares else None


def summary(entries: Sequence[Entry]) -> Result:
    """Return mean shares by condition, with 95 % confidence intervals over those of its runs
    (``runs``) in which anybody acted: where nobody does, nobody pays.
    """
    names = dict.fromkeys(entry["condition"] for entry in entries)
    return {"conditions": {name: _spread(entries, name) for name in names}}


def _spread(entries: Sequence[Entry], name: str) -> dict[str, Any]:
    runs = counted(entries, name)
    return {"runs": len(runs)} | {half: mean_and_ci95(run[half] for run in runs) for half in HALVES}


def counted(entries: Sequence[Entry], name: str) -> list[Entry]:
    """Return those of a condition's runs in which anybody acted."""
    return [entry for entry in entries if entry["condition"] == name and entry["acted"]]


def show(result: Result) -> None:
    """Print the table beside the published figures."""
    table = Table(title=f"share of what they held that constituents paid, %; {result['mind']}")
    columns = ("condition", "runs", "before", "after", "law after", f"published ({SOURCE})")
    for column in columns:
        table.add_column(column, no_wrap=column in ("before", "after"))
    for name, found in result["conditions"].items():
        law = mean_share([run["tax_rate_after"] for run in counted(result["runs"], name)])
        cells = [with_ci95(found[half], ".1f", 100) for half in HALVES]
        law_cell = "-" if law is None else f"{law * 100:.1f}"
        table.add_row(name, str(found["runs"]), *cells, law_cell, PUBLISHED.get(name, "-"))
    console = plain_console()
    console.print(table)
    has_spread = any(
        f[h]["ci95"] is not None for f in result["conditions"].values() for h in HALVES
    )
    spread = "mean ± half the 95 % confidence interval over runs; " if has_spread else ""
    console.print(f"{spread}published: {SOURCE}")
    acted = [run for run in result["runs"] if run["acted"]]
    console.print(_attendance(acted))
    show_stances(console, acted)
    print_end(console, result)


def show_stances(console: Console, runs: Sequence[Entry]) -> None:
    """Print what people said of the law and how they voted, by condition; nothing of no vote."""
    voted = [run for run in runs if any(run["feedback"][stance] for stance in STANCES)]
    if not voted:
        return
    table = Table(title="what people said of the law, and how they voted then")
    columns = ("condition", "sentiment", *STANCES)
    for column in (*columns, "yes to lower", "yes to raise"):
        is_name = column == "condition"
        table.add_column(column, justify="left" if is_name else "right", no_wrap=is_name)
    for name in dict.fromkeys(run["condition"] for run in voted):
        of = [run for run in voted if run["condition"] == name]
        said = [sum(run["feedback"][stance] for run in of) for stance in STANCES]
        score = mean_share([s for run in of if (s := run["feedback"]["sentiment"]) is not None])
        shares = [yes_share([run["votes"] for run in of], kind) for kind in ("lowers", "raises")]
        table.add_row(
            name,
            "-" if score is None else f"{score:+.2f}",
            *map(str, said),
            *("-" if share is None else f"{share:.0%}" for share in shares),
        )
    console.print(table)


def _attendance(runs: Sequence[Entry]) -> str:
    """Who came to the chest when; see :class:`scenarios.taxation.institution.Attendance`."""
    parts = {}
    for kind in ("season", "between"):
        found = mean_share([v for run in runs if (v := run["near_chest"][kind]) is not None])
        parts[kind] = "-" if found is None else f"{found:.0%}"
    return (
        f"within 6 blocks of the chest came {parts['season']} of the constituents in a season, "
        f"{parts['between']} in as long a time between seasons (figure 10 C)"
    )
