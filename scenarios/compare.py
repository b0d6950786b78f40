"""Compares the contracts of a scenario: one table, with the published numbers beside ours.

Run it with ``python -m scenarios.compare --help``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bots.models.openai_model import TIMEOUT_S
from judge.negotiation import ROUNDS
from scenarios.cleanup import Cleanup
from scenarios.command import (
    CONCURRENCY,
    DONE,
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
    make_folder,
    run_to_end,
)
from scenarios.conditions import NEGOTIATE, choose_contract, run_condition
from scenarios.double_vein import DoubleVein
from scenarios.experiment import Condition
from scenarios.harvest import Harvest
from scenarios.minds import ChosenMind, MindOptions, choose_mind
from scenarios.scenario import Scenario
from scenarios.usage import UsageError
from server import ServerState

SCENARIOS: dict[str, type[Any]] = {kind.name: kind for kind in (DoubleVein, Cleanup, Harvest)}

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


@app.command()
def compare(
    scenario: Annotated[str, typer.Argument(help=f"Which: {', '.join(SCENARIOS)}.")],
    contracts: Annotated[
        str, typer.Option(help="Contracts to compare, with commas between them.")
    ] = f"none,1,2,{NEGOTIATE}",
    runs: Annotated[int, typer.Option(min=1, help="Repetitions of each, with the same seeds.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the first repetition.")] = 0,
    rounds: Annotated[
        int, typer.Option(min=1, help="Messages that players have to negotiate.")
    ] = ROUNDS,
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
    as_json: JsonOption = False,
    out: OutOption = Path("runs"),
    debug: DebugOption = False,
) -> None:
    """Play a scenario under several contracts and print welfare and Gini, mean ± sd, in one table.

    The conditions are played one after another on the running server, each into a run folder of its
    own, with the same seeds. A budget is for each condition.
    """
    try:
        if scenario not in SCENARIOS:
            raise UsageError(f"there is no {scenario!r} here; there are: {', '.join(SCENARIOS)}")
        played = configure(SCENARIOS[scenario], config, settings or [], {})
        options = MindOptions(
            mind, model, models, base_url, request_timeout, concurrency, budget, prices, None
        )
        conditions = [
            _condition(
                played, name.strip(), choose_mind(options, played.script), rounds, seed, runs
            )
            for name in contracts.split(",")
        ]
        state = asyncio.run(find_server())
        folders = [make_folder(out, played.name) for _ in conditions]
    except UsageError as error:
        raise fail(str(error), USAGE, debug) from error
    results: list[Result] = []
    code = run_to_end(_play_all(played, conditions, state, folders, results, debug=debug), debug)
    if as_json:
        print(json.dumps({"scenario": scenario, "conditions": results}))
    elif results:
        _print_table(played, results)
    raise typer.Exit(code)


def _condition(
    scenario: Scenario, contract: str, mind: ChosenMind, rounds: int, seed: int, runs: int
) -> Condition:
    agreed = choose_contract(scenario, contract)
    negotiated = rounds if contract == NEGOTIATE else None
    return Condition(agreed, negotiated, "exact", mind, mind.model, seed, runs)


async def _play_all(
    scenario: Scenario,
    conditions: list[Condition],
    state: ServerState,
    folders: list[Path],
    results: list[Result],
    *,
    debug: bool,
) -> int:
    """Play the conditions in turn; the first that fails ends the comparison."""
    for number, (condition, folder) in enumerate(zip(conditions, folders, strict=True), start=1):
        name = condition.contract.name
        print(
            f"condition {number} of {len(conditions)}: contract {name}, mind "
            f"{condition.mind.kind}, record {folder}",
            file=sys.stderr,
        )
        code = await run_condition(scenario, condition, state, folder, results.append, debug=debug)
        if code != DONE:
            return code
    return DONE


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
