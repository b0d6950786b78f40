"""The result as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table


def print_contract_result(counted: Sequence[str], result: dict[str, Any]) -> None:
    """Print a result object (see docs/scenarios.md) for people, on standard output."""
    console = Console()
    console.print(_agents_table(counted, result))
    console.print(_summary_line(result), highlight=False)
    failed = result["failed_answers"]
    if failed:
        console.print(f"{failed} answers of models could not be used", highlight=False)
    console.print(f"mind: {result['mind']}", highlight=False)
    console.print(f"record: {result['run_dir']}", highlight=False, soft_wrap=True)


def _agents_table(counted: Sequence[str], result: dict[str, Any]) -> Table:
    table = Table(title=f"{result['scenario']}, contract {result['contract']}")
    table.add_column("seed", justify="right")
    table.add_column("agent")
    for column in (*counted, "value", "transfer", "reward", "welfare", "Gini"):
        table.add_column(column, justify="right")
    for run in result["runs"]:
        for row, (agent, outcome) in enumerate(run["agents"].items()):
            cells = [outcome[column] for column in (*counted, "value")]
            shared = [f"{run['welfare']:g}", f"{run['gini']:.2f}"] if row == 0 else ["", ""]
            table.add_row(
                str(run["seed"]) if row == 0 else "",
                agent,
                *(f"{cell:g}" for cell in cells),
                f"{outcome['transfer']:+g}",
                f"{outcome['reward']:g}",
                *shared,
            )
        table.add_section()
    return table


def _summary_line(result: dict[str, Any]) -> str:
    welfare, gini = result["mean"]["welfare"], result["mean"]["gini"]
    if welfare is None:
        return "no agent acted: there is nothing to measure"
    optimum = result["welfare_optimum"]
    share = f" ({welfare / optimum:.0%} of the optimum {optimum:g})" if optimum else ""
    if len(result["runs"]) == 1:
        return f"welfare {welfare:g}{share}, Gini {gini:.2f}"
    sd = result["sd"]
    return (
        f"mean ± sd of {len(result['runs'])} runs: welfare {welfare:.1f} ± {sd['welfare']:.1f}"
        f"{share}, Gini {gini:.2f} ± {sd['gini']:.2f}"
    )
