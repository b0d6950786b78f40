"""Tables of contract games, for one result or for the comparison of several conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

from rich.table import Table

from voxpolis.experiments.run.scenario import Entry, Result, Sheet, counting
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import many

# The baseline condition without a contract.
ALONE = "none"
# Suffixes of the conditions in which only the roles or only the transfers of a contract apply.
ROLES, TRANSFER = "{}-roles", "{}-transfer"
MEASURES = ("welfare", "gini")


def sheets(results: Sequence[Result]) -> Iterator[Sheet]:
    """Yield a table of each condition's share of the possible gain. If a contract was also played
    with only its roles and with only its transfers, yield a table of the effects of both.
    """
    by_name = {str(result["condition"] or ALONE): result for result in results}
    has_others = ALONE in by_name and len(by_name) > 1
    if has_others and any(result.get("welfare_optimum") for result in results):
        yield _gains(by_name)
    for name, whole in by_name.items():
        cells = [by_name.get(one) for one in (ALONE, ROLES.format(name), TRANSFER.format(name))]
        if all(cells):
            yield _factorial(name, [cell for cell in cells if cell], whole)


def _mean(entries: Sequence[Entry], measure: str) -> float | None:
    known = [entry[measure] for entry in entries if entry[measure] is not None]
    return mean(known) if known else None


def _gains(results: Mapping[str, Result]) -> Sheet:
    """Return a table that shows, by episode, which share of the possible gain each condition
    reached.

    The share is (welfare - baseline) / (optimum - baseline). It is 0 if the condition is no better
    than play without a contract, and 1 at the optimum. The baseline is the welfare of the same
    episode without a contract. If that episode was only played with contracts, the baseline is the
    mean over all episodes without a contract.
    """
    alone = counting(results[ALONE]["runs"])
    episodes = sorted({e["episode"] for result in results.values() for e in result["runs"]})
    single = len(episodes) == 1

    def gain(result: Result, episode: int | None) -> float | None:
        of_it = [e for e in counting(result["runs"]) if episode in (None, e["episode"])]
        beside = [e for e in alone if episode in (None, e["episode"])] or alone
        agreed, without, best = (
            _mean(of_it, "welfare"),
            _mean(beside, "welfare"),
            result["welfare_optimum"],
        )
        if agreed is None or without is None or not best or best == without:
            return None
        return (agreed - without) / (float(best) - without)

    columns = ["all episodes", *([] if single else [f"episode {number}" for number in episodes])]
    asked = [None, *([] if single else episodes)]
    rows = {
        name: [gain(result, episode) for episode in asked]
        for name, result in results.items()
        if name != ALONE
    }
    return Sheet("surplus", "Share of the possible gain that was reached", columns, rows)


def _factorial(name: str, without: Sequence[Result], whole: Result) -> Sheet:
    """Return a table of the effects of a contract's roles and of its transfers, for each measure.

    The effect of the roles is the mean of two differences between conditions with and without
    roles: one among conditions with transfers, and one among conditions without transfers. The
    effect of the transfers is computed in the same way. The interaction of roles and transfers is
    ``both - roles - transfer + none``.
    """
    rows: dict[str, list[float | None]] = {}
    for measure in MEASURES:
        cells = [_mean(counting(result["runs"]), measure) for result in (*without, whole)]
        known = [cell for cell in cells if cell is not None]
        effects: list[float | None] = [None, None, None]
        if len(known) == len(cells):
            none, roles, transfer, both = known
            effects = [
                (roles + both - none - transfer) / 2,
                (transfer + both - none - roles) / 2,
                both - roles - transfer + none,
            ]
        rows[measure] = [*cells, *effects]
    columns = [ALONE, "roles", "transfer", "both", "by roles", "by transfer", "together"]
    return Sheet(f"factorial {name}", f"Roles and transfer of contract {name}", columns, rows)


# --- A result -----------------------------------------------------------------------------------


def print_contract_result(counted: Sequence[str], result: dict[str, Any]) -> None:
    """Print a result (see docs/scenarios/contracts.md) to standard output."""
    console = plain_console()
    print_whole(console, _agents_table(counted, result))
    console.print(_summary_line(result))
    if result["contract"] == "negotiate":
        agreed = sum(bool(run["contract"]) for run in result["runs"])
        console.print(f"the players agreed in {agreed} of {many(len(result['runs']), 'episode')}")


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


def _number(value: float | None, form: str) -> str:
    return "missing" if value is None else format(value, form)


def _gini(value: float | None, welfare: float | None) -> str:
    """Format a Gini coefficient. If the welfare is zero, the text is "n/a"."""
    return "n/a" if value is None and welfare is not None else _number(value, ".2f")


def _summary_line(result: dict[str, Any]) -> str:
    welfare, gini = result["mean"]["welfare"], result["mean"]["gini"]
    if welfare is None:
        return "no run counts: there is nothing to measure"
    optimum = result["welfare_optimum"]
    share = f" ({welfare / optimum:.0%} of the optimum {optimum:g})" if optimum else ""
    sd = result["sd"]
    if sd["welfare"] is None:
        return f"welfare {welfare:g}{share}, Gini {_gini(gini, welfare)}"
    counted = counting(result["runs"])
    what = "episodes" if any(run["episode"] > 1 for run in result["runs"]) else "runs"
    spread = "" if sd["gini"] is None else f" ± {sd['gini']:.2f}"
    return (
        f"mean ± sd of {len(counted)} {what}: welfare {welfare:.1f} ± {sd['welfare']:.1f}"
        f"{share}, Gini {_gini(gini, welfare)}" + spread
    )
