"""Compares the conditions of a scenario in one table."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from voxpolis import environment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import check_line, purchase
from voxpolis.experiments.run.endings import DONE, FAILED, INTERRUPTED, USAGE, notes_of
from voxpolis.experiments.run.measured import label_of
from voxpolis.experiments.run.options import (
    IneffectiveSettingError,
    UsageError,
    given,
    marks_of,
    without,
)
from voxpolis.experiments.run.runner import Plan, find_server
from voxpolis.experiments.run.scenario import Result, Scenario, Sheet, counting
from voxpolis.experiments.run.spending import agree, check_endpoints
from voxpolis.experiments.run.tables import describe_extent, measure_cells, print_differences
from voxpolis.experiments.study.job_host import needed_by
from voxpolis.experiments.study.sweep_workers import Job, Outcome, ServerOptions, local
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import in_digits, say, say_error
from voxpolis.records.vanilla import needs_embedded
from voxpolis.server.state import server_folder

EXAMPLES = """\b
Examples:
  python -m experiments compare double_vein --world grid --runs 5
  python -m experiments compare cleanup --conditions none,1 --world grid
  python -m experiments compare commons --runs 30 --figures figures"""


@click.command(epilog=EXAMPLES, context_settings={"ignore_unknown_options": True})
@click.argument("scenario")
@click.option(
    "--conditions",
    "--contracts",
    help="Conditions to compare, comma-separated. By default, all conditions without a dash in "
    "their names.",
)
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    default=1,
    help="Number of conditions that are played at once. In Minecraft, each condition needs a "
    "server of its own. [default: 1]",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for figures of these runs, as drawn by python -m analysis figures.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a single JSON object.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def compare(
    scenario: str,
    conditions: str | None,
    parallel: int,
    figures: Path | None,
    as_json: bool,
    options: Sequence[str],
) -> None:
    """Compare conditions of a scenario in one table of measures.

    The command also takes the options of the scenario, such as --runs, --seed, --world and --set.
    All conditions use the same seeds. Each condition has a run folder and a budget of its own. With
    --parallel N in Minecraft, the running server and N - 1 additional embedded servers are used.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # treat SIGTERM as an interrupt
    began = time.monotonic()
    try:
        experiment = registry.scenario(scenario, is_typed=True)
        jobs, uses_own_servers = _jobs(experiment, conditions, options)
        if figures is not None:
            environment.require("figures", "matplotlib", "scipy")
            _make(figures)
        results, failed = _play(jobs, parallel, uses_own_servers=uses_own_servers, quiet=as_json)
    except (UsageError, RuntimeError) as error:
        say_error(error)
        sys.exit(USAGE if isinstance(error, UsageError) else FAILED)
    except KeyboardInterrupt:
        print("interrupted; the records hold what happened so far", file=sys.stderr)
        sys.exit(INTERRUPTED)
    ordered = [results[job.condition] for job in jobs if job.condition in results]
    if as_json:
        beside = {sheet.name: sheet.as_json() for sheet in experiment.compared(ordered)}
        told = {
            "conditions": ordered,
            "compared": beside,
            "differences": _differences(ordered),
        }
        print(json.dumps({"scenario": scenario, **told}))
    elif ordered:
        _print(experiment, ordered)
    if figures is not None and ordered:
        played = time.monotonic() - began
        failed = "; ".join(filter(None, (failed, _draw(ordered, figures, quiet=as_json))))
        drawn = time.monotonic() - began - played
        print(f"played in {played:.0f} s, drawn in {drawn:.0f} s", file=sys.stderr)
    if failed:
        say_error(failed)
    sys.exit(FAILED if failed else DONE)


def _make(folder: Path) -> None:
    """Create the folder for figures before the first run.

    Raises:
        UsageError: the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error


def _draw(results: Sequence[Result], folder: Path, *, quiet: bool) -> str:
    """Draw the figures of the runs. Return an error message, or None if there was no error."""
    # Importing matplotlib is slow.
    from voxpolis.analysis.figures import FigureError, save_all  # noqa: PLC0415

    try:
        paths = list(save_all([str(result["run_dir"]) for result in results], folder))
    except OSError as error:
        return f"cannot write to {folder}: {error.strerror}"
    except FigureError as error:
        return str(error)
    if not quiet:
        for path in paths:
            say(path)
    return "" if paths else "the runs contain no events for figures"


def _jobs(
    experiment: type[Scenario], conditions: str | None, options: Sequence[str]
) -> tuple[list[Job], bool]:
    """Return a job for each condition, and whether the jobs use servers that workers provide. With
    ``--server new``, each job starts a server of its own. All options are checked first.

    Raises:
        UsageError: an option is invalid.
    """
    names = [name for name in experiment.conditions if "-" not in name and name != "FILE"]
    if conditions is not None:
        names = [name.strip() for name in conditions.split(",")]
        if not all(names):
            raise UsageError("--conditions contains an empty name")
        if len(set(names)) < len(names):
            raise UsageError("--conditions contains a name twice")
    jobs, uses_own_servers, purchases = [], False, []
    if "--estimate" in options:
        raise UsageError("compare takes no --estimate")
    for name in names:
        words, params, run = _used_options(experiment, options, name, names)
        for refused in ("show_prompts", "replay", "resume"):
            if params.get(refused):
                raise UsageError(f"compare takes no --{refused.replace('_', '-')}")
        world = params["world"] or next(iter(experiment.worlds))
        uses_own_servers = world == "minecraft" and params.get("server") != "new"
        module = ("-m", "voxpolis", *experiment.called, "--json")
        words = [*module, *words, "--condition", name, "--yes"]
        purchases.append(purchase(experiment, params, run))
        jobs.append(Job(name, 0, tuple(words), needed_by(experiment, world)))
    agree(experiment.name, purchases, given(experiment.options, params))
    check_endpoints(purchases)
    return jobs, uses_own_servers


def _used_options(
    experiment: type[Scenario], options: Sequence[str], name: str, names: Sequence[str]
) -> tuple[list[str], Mapping[str, Any], Plan]:
    """Return the options that have an effect in a condition, their values, and the prepared run.

    Options that only have an effect in other conditions are left out.

    Raises:
        UsageError: an option is invalid, or has no effect in any condition.
    """
    words = [*options]
    while True:
        try:
            return words, *check_line(experiment, [*words, "--condition", name])
        except IneffectiveSettingError as error:
            its = marks_of(experiment.settings.model_fields[error.field]).get("conditions")
            shorter = without(words, error)
            if not its or not {*its} & {*names} or shorter == words:  # the option comes from a file
                raise
            words = shorter


def _play(
    jobs: Sequence[Job], parallel: int, *, uses_own_servers: bool, quiet: bool
) -> tuple[dict[str, Result], str]:
    """Play all jobs. Return the results by condition, and an error message or None.

    If a condition fails, its finished runs still count.
    """
    results: dict[str, Result] = {}
    failures: list[str] = []

    def take(outcome: Outcome) -> bool:
        found = outcome.result or outcome.unfinished
        if found is not None:
            results[outcome.job.condition] = found
        if outcome.result is not None:
            return False
        lines = outcome.said.strip().splitlines() or ["it said nothing"]
        failures.append(f"condition {outcome.job.condition}: {lines[-1].removeprefix('error: ')}")
        return False

    def tell(job: Job, line: str) -> None:
        if not quiet:
            print(f"{job.condition} · {line}", file=sys.stderr)

    workers = min(parallel, len(jobs))
    with local(workers, _servers(workers) if uses_own_servers else None, tell) as play:
        play(jobs, take)
    return results, "; ".join(failures)


def _servers(workers: int) -> ServerOptions:
    """Return the servers of the workers: the running server, and new servers."""
    state = asyncio.run(find_server())
    if workers > 1 and state.kind != "embedded":
        raise UsageError(needs_embedded("--parallel"))
    if workers > 1 and state.terrain == "anvil":
        raise UsageError(
            "--parallel starts servers without the running server's world: leave it out"
        )
    terrain = state.terrain or "superflat"
    return ServerOptions(None, state.speed, terrain, (str(server_folder()),))


def _print(experiment: type[Scenario], results: Sequence[Result]) -> None:
    rows = [row for result in results for row in _rows(experiment, result)]
    extents = {row.pop("played") for row in rows}
    counts = {row["n"] for row in rows}
    title = [experiment.name, results[0]["world"], f"mind {results[0]['mind']}"]
    title += [f"{extents.pop()} each"] * (len(extents) == len(counts) == 1)
    title += ["mean [95 % interval]"] * any("[" in cell for row in rows for cell in row.values())
    table = Table(title=", ".join(title))
    _fill(table, rows)
    console = plain_console()
    print_whole(console, table)
    if any(others := [_others(result) for result in results]):
        beside = Table(title="rewards, and stored results")
        names = [{"condition": str(result["condition"])} for result in results]
        _fill(beside, [name | row for name, row in zip(names, others, strict=True)])
        print_whole(console, beside)
    source = results[0].get("source")
    if source:
        console.print(f"Published: {source}.")
    print_differences(console, _differences(results))
    for sheet in experiment.compared(results):
        print_whole(console, _sheet(sheet))
    for result in results:
        for note in notes_of(result):
            console.print(f"{result['condition']}: {note}", soft_wrap=True)
    for result in results:
        console.print(f"record: {result['run_dir']}", soft_wrap=True)


def _fill(table: Table, rows: Sequence[Mapping[str, str]]) -> None:
    """Add rows to a table, and leave out the columns in which no row has a value."""
    known = (column for row in rows for column, cell in row.items() if cell != "n/a")
    columns = list(dict.fromkeys(known))
    for column in columns:
        justify: Any = "left" if column == "condition" else "right"
        table.add_column(column, justify=justify, no_wrap=True)
    for row in rows:
        table.add_row(*(row.get(column, "n/a") for column in columns))


def _differences(results: Sequence[Result]) -> list[dict[str, Any]]:
    from voxpolis.analysis.comparing import differences  # noqa: PLC0415 - loads pandas

    return differences(
        {name: found for result in results for name, found in result.get("by_seed", {}).items()}
    )


def _sheet(sheet: Sheet) -> Table:
    table = Table(title=sheet.title)
    table.add_column("", no_wrap=True)
    for column in sheet.columns:
        table.add_column(column, justify="right", no_wrap=True)
    for name, row in sheet.rows.items():
        table.add_row(name, *("n/a" if value is None else in_digits(value) for value in row))
    return table


def _rows(experiment: type[Scenario], result: Result) -> list[dict[str, str]]:
    """Return a row of cells for each variant of a condition that was played."""
    seeds = result.get("by_seed") or {str(result["condition"]): {}}
    rows = []
    for name, measures in seeds.items():
        mine = [run for run in result["runs"] if str(run["condition"]) == name] or result["runs"]
        row = {
            "condition": name if len(seeds) > 1 else str(result["condition"]),
            "played": describe_extent(mine),
        }
        values = [list(measures.get(path, {}).values()) for path in experiment.measures]
        played = len({str(run["seed"]) for run in counting(mine)})
        columns = ["n", *map(label_of, experiment.measures)]
        rows.append(row | dict(zip(columns, measure_cells(values, played), strict=True)))
    return rows


def _others(result: Result) -> dict[str, str]:
    """Return those cells of a condition's row that show something other than measures."""
    row = {name: f"{value:.1f}" for name, value in result.get("rewards", {}).items()}
    if "published" in result:
        row["published Gini"] = result["published"] or "n/a"
    measured = result.get("measured", {})
    return row | {f"scripted, {world}": known or "n/a" for world, known in measured.items()}
