"""One condition of a contract scenario: which contract, and all its repetitions in one record."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from judge import Contract, ContractError, read_contract_file
from records import RunWriter, events
from scenarios.command import Result, execute
from scenarios.experiment import Condition, Experiment, RunOutcome, note_contract, summary
from scenarios.live import LiveView
from scenarios.scenario import Scenario
from scenarios.usage import UsageError
from scenarios.world import open_stage
from server import ServerState

#: The contract that players make themselves.
NEGOTIATE = "negotiate"


def choose_contract(scenario: Scenario, name: str) -> Contract:
    """A shipped contract, one from a file, or the promise of one that is negotiated.

    Raises:
        UsageError: there is none of that name.
    """
    shipped = scenario.contracts()
    if name == NEGOTIATE:
        return Contract(NEGOTIATE, "")
    if name in shipped:
        return shipped[name]
    path = Path(name)
    if not path.exists() and path.suffix == "" and os.sep not in name:
        raise UsageError(
            f"there is no contract {name!r}; there are: {', '.join(shipped)}, {NEGOTIATE}, "
            "or a FILE"
        )
    try:
        return read_contract_file(path)
    except ContractError as error:
        raise UsageError(str(error)) from error


async def run_condition(
    scenario: Scenario,
    condition: Condition,
    state: ServerState,
    folder: Path,
    show: Callable[[Result], None],
    *,
    debug: bool,
) -> int:
    """Play all repetitions of a condition into a run folder; return the exit code.

    ``show`` gets the result object, also of a run that was cut short.
    """
    outcomes: list[RunOutcome] = []
    manifest = _manifest(scenario, condition, state)
    return await execute(
        lambda: RunWriter(folder, manifest, state.clock()),
        lambda writer: _play_all(scenario, condition, state, writer, outcomes),
        partial(summary, scenario, condition, str(folder), outcomes),
        show,
        folder=folder,
        debug=debug,
    )


async def _play_all(
    scenario: Scenario,
    condition: Condition,
    state: ServerState,
    writer: RunWriter,
    outcomes: list[RunOutcome],
) -> None:
    writer.event(events.RunStarted, scenario=scenario.name, mind=condition.mind.kind)
    contract = condition.contract
    if condition.rounds is None:
        note_contract(writer.event, contract)
    recorded = condition.mind.recorded(writer.write_call)
    condition = replace(condition, model=recorded)
    title = f"{scenario.name} · contract {contract.name} · mind {condition.mind.kind}"
    async with open_stage(state, writer, scenario.agents) as stage:
        with LiveView(title, scenario.agents, stage.seen) as live:
            experiment = Experiment(scenario, condition, stage, live)
            for number in range(condition.runs):
                outcomes.append(await experiment.run(number))


def _manifest(scenario: Any, condition: Condition, state: ServerState) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "config": scenario.model_dump(mode="json"),
        "contract": {"name": condition.contract.name, "text": condition.contract.text},
        "rounds": condition.rounds,
        "judge": condition.judge,
        **condition.mind.manifest(),
        "seed": condition.seed,
        "runs": condition.runs,
        "server": {"kind": state.kind, "host": state.host, "port": state.port},
        "command": sys.argv,
    }
