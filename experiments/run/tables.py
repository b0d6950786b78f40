"""The result as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import NOISE, in_digits, many


def print_contract_result(counted: Sequence[str], result: dict[str, Any]) -> None:
    """Print a result object (see docs/scenarios.md) for people, on standard output."""
    console = plain_console()
    print_whole(console, _agents_table(counted, result))
    console.print(_summary_line(result))
    console.print(f"mind: {result['mind']}")
    console.print(f"record: {result['run_dir']}", soft_wrap=True)


def print_end(console: Console, result: Mapping[str, Any], *notes: str) -> None:
    """Print what a society's result ends with: unusable answers, notes, its mind and record."""
    failed = sum(sum(f.values()) for run in result["runs"] for f in run["faults"].values())
    if failed:
        console.print(
            f"minds gave no usable answer {many(failed, 'time')}; see faults in result.json"
        )
    vain = sum(
        sum(f.values()) for run in result["runs"] for f in run.get("failed_actions", {}).values()
    )
    if vain:
        console.print(f"{many(vain, 'decision')} did nothing; see failed_actions in result.json")
    for note in notes:
        console.print(note)
    console.print(f"mind: {result['mind']}")
    console.print(f"record: {result['run_dir']}", soft_wrap=True)


def with_ci95(spread: Mapping[str, float | None], form: str, scale: float = 1.0) -> str:
    """Return a ``mean``, with half its 95 % confidence interval (``ci95``) where that is known.

    ``form``: how each number is written; ``scale``: what it is multiplied with before.
    """
    mean, ci95 = spread["mean"], spread["ci95"]
    if mean is None:
        return "-"
    return format(mean * scale, form) + ("" if ci95 is None else f" ± {ci95 * scale:{form}}")


def _agents_table(counted: Sequence[str], result: dict[str, Any]) -> Table:
    has_episodes = any(run["episode"] > 1 for run in result["runs"])
    table = Table(title=f"{result['scenario']}, contract {result['contract']}")
    table.add_column("seed", justify="right")
    if has_episodes:
        table.add_column("episode", justify="right")
    table.add_column("agent", no_wrap=True)
    for column in (*counted, "value", "transfer", "reward", "welfare", "Gini"):
        table.add_column(column, justify="right", no_wrap=True)
    for run in result["runs"]:
        for row, (agent, outcome) in enumerate(run["agents"].items()):
            where = [str(run["seed"]), *([str(run["episode"])] if has_episodes else [])]
            shared = [_number(run["welfare"], "g"), _gini(run["gini"], run["welfare"])]
            table.add_row(
                *(where if row == 0 else [""] * len(where)),
                agent,
                *(f"{outcome[column]:g}" for column in (*counted, "value")),
                f"{outcome['transfer']:+g}",
                f"{outcome['reward']:g}",
                *(shared if row == 0 else ["", ""]),
            )
        table.add_section()
    return table


def extent(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return in words how much the entries ``runs`` of a result are: "3 runs of 2 episodes"."""
    episodes = max((int(run.get("episode", 1)) for run in runs), default=1)
    repetitions = sum(run.get("episode", 1) == 1 for run in runs)
    text = f"{repetitions} run{'s' * (repetitions != 1)}"
    return text if episodes == 1 else f"{text} of {episodes} episodes"


def mean_with_sd(mean: float | None, sd: float | None) -> str:
    """Return "mean ± sd" to the sd's second digit; the mean alone where there is no sd, as of one
    run, and a dash where there is no mean.
    """
    if mean is None:
        return "-"
    if sd is None:
        return in_digits(mean)
    if sd < NOISE:
        return f"{in_digits(mean)} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(sd)))
    return f"{mean:.{decimals}f} ± {sd:.{decimals}f}"


def _number(value: float | None, form: str) -> str:
    return "missing" if value is None else format(value, form)


def _gini(value: float | None, welfare: float | None) -> str:
    """Return a Gini coefficient; "-" where there is none of what the agents have."""
    return "-" if value is None and welfare is not None else _number(value, ".2f")


def _summary_line(result: dict[str, Any]) -> str:
    welfare, gini = result["mean"]["welfare"], result["mean"]["gini"]
    if welfare is None:
        return "no run counts: there is nothing to measure"
    optimum = result["welfare_optimum"]
    share = f" ({welfare / optimum:.0%} of the optimum {optimum:g})" if optimum else ""
    sd = result["sd"]
    if sd["welfare"] is None:
        return f"welfare {welfare:g}{share}, Gini {_gini(gini, welfare)}"
    counted = [run for run in result["runs"] if run["welfare"] is not None and run["sound"]]
    what = "episodes" if any(run["episode"] > 1 for run in result["runs"]) else "runs"
    spread = "" if sd["gini"] is None else f" ± {sd['gini']:.2f}"
    return (
        f"mean ± sd of {len(counted)} {what}: welfare {welfare:.1f} ± {sd['welfare']:.1f}"
        f"{share}, Gini {_gini(gini, welfare)}" + spread
    )
