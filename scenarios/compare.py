"""Compares the contracts of a scenario: one table, with the published numbers beside ours.

Run it with ``python -m scenarios.compare --help``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bots.models.openai_model import TIMEOUT_S
from judge.negotiation import ROUNDS
from scenarios.cleanup import Cleanup
from scenarios.cli import WORLDS
from scenarios.command import (
    CONCURRENCY,
    FAILED,
    USAGE,
    BaseUrlOption,
    BudgetOption,
    ConcurrencyOption,
    ConfigOption,
    DebugOption,
    JsonOption,
    MindOption,
    ModelOption,
    ModelsOption,
    OutOption,
    PricesOption,
    Result,
    SettingsOption,
    TimeoutOption,
    configure,
    fail,
    find_server,
    run_to_end,
)
from scenarios.conditions import NEGOTIATE, choose_contract
from scenarios.double_vein import DoubleVein
from scenarios.harvest import Harvest
from scenarios.lanes import Job, Lanes
from scenarios.minds import MindOptions, choose_mind
from scenarios.scenario import Scenario
from scenarios.usage import UsageError
from server import ServerState
from server.embedded_server import StartError
from server.server_pool import servers_beside
from server.state import server_folder

SCENARIOS: dict[str, type[Any]] = {kind.name: kind for kind in (DoubleVein, Cleanup, Harvest)}

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


@app.command()
def compare(
    scenario: Annotated[str, typer.Argument(help=f"Which: {', '.join(SCENARIOS)}.")],
    contracts: Annotated[
        str | None,
        typer.Option(help="Contracts to compare, with commas; default: none, 1, 2, negotiate."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions of each, with the same seeds.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the first repetition.")] = 0,
    rounds: Annotated[
        int, typer.Option(min=1, help="Messages that players have to negotiate.")
    ] = ROUNDS,
    world: Annotated[str, typer.Option(help="minecraft, or grid: headless.")] = "minecraft",
    mind: MindOption = None,
    settings: SettingsOption = None,
    config: ConfigOption = None,
    model: ModelOption = None,
    models: ModelsOption = None,
    base_url: BaseUrlOption = None,
    request_timeout: TimeoutOption = TIMEOUT_S,
    concurrency: ConcurrencyOption = CONCURRENCY,
    budget: BudgetOption = None,
    prices: PricesOption = None,
    parallel: Annotated[
        int,
        typer.Option(
            min=1,
            help="Conditions played at the same time, each on a server of its own (embedded).",
        ),
    ] = 1,
    as_json: JsonOption = False,
    out: OutOption = Path("runs"),
    debug: DebugOption = False,
) -> None:
    """Play a scenario under several contracts and print welfare and Gini, mean ± sd, in one table.

    The conditions are played on the running server, each into a run folder of its own, with the
    same seeds. With --parallel N, N are played at the same time, on the running server and on more
    that are started for this: a server admits each player once, and all conditions have the same
    players. A budget is for each condition.
    """
    try:
        if scenario not in SCENARIOS:
            raise UsageError(f"there is no {scenario!r} here; there are: {', '.join(SCENARIOS)}")
        played = configure(SCENARIOS[scenario], config, settings or [], {})
        names = _names(played, contracts)
        for name in names:
            choose_contract(played, name)
        options = MindOptions(
            mind, model, models, base_url, request_timeout, concurrency, budget, prices, None
        )
        choose_mind(options, played.script)
        if world not in WORLDS:
            raise UsageError(f"there is no world {world!r}; there are: {', '.join(WORLDS)}")
        if world == "grid" and played.grid is None:
            raise UsageError(f"{scenario} has no form on the grid: leave out --world")
        state = asyncio.run(find_server()) if world == "minecraft" else None
        if state is not None and parallel > 1 and state.kind != "embedded":
            raise UsageError("--parallel needs the embedded server: make server")
    except UsageError as error:
        raise fail(str(error), USAGE, debug) from error
    shared = {
        "--runs": runs,
        "--seed": seed,
        "--rounds": rounds,
        "--world": world,
        "--mind": mind,
        "--config": config.absolute() if config else None,
        "--model": model,
        "--models": models.absolute() if models else None,
        "--base-url": base_url,
        "--request-timeout": request_timeout,
        "--concurrency": concurrency,
        "--budget": budget,
        "--prices": prices.absolute() if prices else None,
        "--out": out.absolute(),
    }
    arguments = [
        word for key, value in shared.items() if value is not None for word in (key, value)
    ]
    for setting in settings or []:
        arguments += ["--set", setting]
    jobs = [_job(played.name, name, arguments, debug=debug) for name in names]
    try:
        with _servers(state, min(parallel, len(jobs))) as servers:
            lanes = Lanes(jobs, servers)
            code = run_to_end(lanes.play(), debug)
    except StartError as error:
        raise fail(str(error), FAILED, debug) from error
    results = [lanes.results[number] for number in sorted(lanes.results)]
    if as_json:
        print(json.dumps({"scenario": scenario, "conditions": results}))
    elif results:
        _print_table(played, results)
    raise typer.Exit(code)


def _names(scenario: Scenario, contracts: str | None) -> list[str]:
    """The contracts that were asked for; else the shipped ones but for ablations, and one's own."""
    if contracts is not None:
        return [name.strip() for name in contracts.split(",")]
    return [*(name for name in scenario.contracts() if "-" not in name), NEGOTIATE]


@contextmanager
def _servers(running: ServerState | None, count: int) -> Iterator[list[Path]]:
    """The folders of ``count`` servers; headless play needs none, whatever they are."""
    if running is None:
        yield [server_folder()] * count
        return
    with servers_beside(running, count - 1) as folders:
        yield folders


def _job(scenario: str, contract: str, arguments: Sequence[object], *, debug: bool) -> Job:
    path = Path(contract)
    named = str(path.absolute()) if path.is_file() else contract
    words = ["-m", f"scenarios.{scenario}", "--json", "--contract", named, *map(str, arguments)]
    return Job(f"contract {contract}", [*words, "--debug"] if debug else words)


def _print_table(scenario: Scenario, results: list[Result]) -> None:
    console = Console()
    mind, runs = results[0]["mind"], max(len(result["runs"]) for result in results)
    table = Table(title=f"{scenario.name}, mind {mind}, {runs} runs a contract, mean ± sd")
    table.add_column("contract", no_wrap=True)
    welfare = f"welfare of {scenario.optimum:g}" if scenario.optimum else "welfare"
    columns = (welfare, "Gini", *scenario.agents, "published Gini")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for result in results:
        if result["runs"]:
            published = scenario.published.get(result["contract"], "-")
            table.add_row(result["contract"], *_cells(scenario, result), published)
    console.print(table)
    console.print(f"Published: {scenario.source}.", highlight=False)
    for result in results:
        console.print(f"record: {result['run_dir']}", highlight=False, soft_wrap=True)


def _cells(scenario: Scenario, result: Result) -> list[str]:
    mean, sd = result["mean"], result["sd"]
    rewards = {
        agent: sum(run["agents"][agent]["reward"] for run in result["runs"]) / len(result["runs"])
        for agent in scenario.agents
    }
    return [
        f"{mean['welfare']:.1f} ± {sd['welfare']:.1f}",
        f"{mean['gini']:.2f} ± {sd['gini']:.2f}",
        *(f"{reward:.1f}" for reward in rewards.values()),
    ]


if __name__ == "__main__":
    app()
