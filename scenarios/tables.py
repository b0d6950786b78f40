"""The result as a table."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from scenarios.scenario import Scenario


def print_result(scenario: Scenario, result: dict[str, Any]) -> None:
    """Print a result object (see ``experiment.summary``) for people, on standard output."""
    console = Console()
    console.print(_agents_table(scenario, result))
    console.print(_summary_line(result), highlight=False)
    console.print(f"mind: {result['mind']}", highlight=False)
    console.print(f"record: {result['run_dir']}", highlight=False, soft_wrap=True)


def _agents_table(scenario: Scenario, result: dict[str, Any]) -> Table:
    table = Table(title=f"{result['scenario']}, contract {result['contract']}")
    table.add_column("seed", justify="right")
    table.add_column("agent")
    for column in (*scenario.counted, "value", "transfer", "reward", "welfare", "Gini"):
        table.add_column(column, justify="right")
    for run in result["runs"]:
        for row, (agent, outcome) in enumerate(run["agents"].items()):
            cells = [outcome[column] for column in (*scenario.counted, "value")]
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
    optimum = result["welfare_optimum"]
    share = f" ({welfare / optimum:.0%} of the optimum {optimum:g})" if optimum else ""
    if len(result["runs"]) == 1:
        return f"welfare {welfare:g}{share}, Gini {gini:.2f}"
    sd = result["sd"]
    return (
        f"mean ± sd of {len(result['runs'])} runs: welfare {welfare:.1f} ± {sd['welfare']:.1f}"
        f"{share}, Gini {gini:.2f} ± {sd['gini']:.2f}"
    )
