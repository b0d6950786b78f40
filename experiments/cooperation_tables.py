"""What modules of cooperation came to, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from voxpolis.experiments.cooperation_measures import MEASURED
from voxpolis.experiments.experiment import Result, Sheet
from voxpolis.experiments.tables import mean_with_sd
from voxpolis.records.console import plain_console, print_whole


def cooperation_sheets(results: Sequence[Result]) -> list[Sheet]:
    """Return what cooperation came to; nothing where no agent carries a module."""
    if not any(result["modules"] for result in results):
        return []
    found = {str(result["condition"]): _means(result) for result in results}
    names = [name for name in MEASURED if any(name in own for own in found.values())]
    rows = {condition: [own.get(name) for name in names] for condition, own in found.items()}
    columns = [MEASURED[name] for name in names]
    return [Sheet("cooperation", "cooperation, means", columns, rows)]


def _means(result: Result) -> Mapping[str, Any]:
    """Reputation is over all episodes: three agents of one say little."""
    found = result.get("cooperation") or result
    means = {name: found["mean"][name] for name in MEASURED if name in found["mean"]}
    if result["modules"] or "cooperation" not in result:
        means["reputation_spearman"] = found.get("reputation_spearman")
    return means


def print_cooperation(title: str, found: Mapping[str, Any]) -> None:
    """Print what modules came to, over all repetitions, each up to its last episode or round.

    ``found``: see :func:`experiments.cooperation_measures.spread_of`.
    """
    names = [name for name, mean in found["mean"].items() if mean is not None]
    table = Table(title=f"cooperation: {title}")
    for name in names:
        table.add_column(MEASURED[name], justify="right", no_wrap=True)
    table.add_row(*(mean_with_sd(found["mean"][name], found["sd"][name]) for name in names))
    print_whole(plain_console(), table)
