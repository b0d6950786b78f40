"""One condition of a contract scenario: which contract, and all its repetitions in one record."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bots.action import JAVASCRIPT
from judge import Contract, ContractError, read_contract_file
from records import Clock, Record, RunWriter, SimulatedClock, events
from scenarios.command import Result, execute
from scenarios.experiment import Condition, Experiment, RunOutcome, note_contract, summary
from scenarios.live import LiveView
from scenarios.minds import ChosenMind
from scenarios.on_the_grid import GridTheatre, grid_language
from scenarios.replaying import RecordedTheatre, ReplayWriter
from scenarios.scenario import Scenario
from scenarios.theatre import LiveTheatre, Theatre
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
    server = {"kind": state.kind, "host": state.host, "port": state.port}
    manifest = _manifest(scenario, condition, server)

    async def play(writer: RunWriter, outcomes: list[RunOutcome]) -> None:
        async with open_stage(state, writer, scenario.agents) as stage:
            await _play_all(scenario, condition, LiveTheatre(stage), writer, outcomes)

    def open_record() -> RunWriter:
        return RunWriter(folder, manifest, state.clock())

    return await _run(scenario, condition, open_record, play, folder, show, debug=debug)


async def grid_condition(
    scenario: Scenario,
    condition: Condition,
    folder: Path,
    show: Callable[[Result], None],
    *,
    debug: bool,
) -> int:
    """Play all repetitions of a condition on the grid, headless; return the exit code."""
    clock = SimulatedClock()

    async def play(writer: RunWriter, outcomes: list[RunOutcome]) -> None:
        theatre = GridTheatre(scenario, writer, clock)
        await _play_all(scenario, condition, theatre, writer, outcomes)

    def open_record() -> RunWriter:
        return RunWriter(folder, _manifest(scenario, condition, None), clock)

    return await _run(scenario, condition, open_record, play, folder, show, debug=debug)


async def replay_condition(
    scenario: Scenario,
    condition: Condition,
    record: Record,
    folder: Path,
    show: Callable[[Result], None],
    *,
    debug: bool,
) -> int:
    """Replay a recorded run (``scenarios.replaying``) into a run folder; return the exit code."""
    manifest = _manifest(scenario, condition, record.manifest.get("server"))
    clock = Clock(record.manifest.get("speed", 1.0))

    async def play(writer: RunWriter, outcomes: list[RunOutcome]) -> None:
        assert isinstance(writer, ReplayWriter)
        language = grid_language(scenario) if condition.world == "grid" else JAVASCRIPT
        theatre = RecordedTheatre(writer, language)
        await _play_all(scenario, condition, theatre, writer, outcomes)

    def open_record() -> RunWriter:
        return ReplayWriter(folder, manifest, clock, record.events)

    return await _run(scenario, condition, open_record, play, folder, show, debug=debug)


async def _run(
    scenario: Scenario,
    condition: Condition,
    open_record: Callable[[], RunWriter],
    play: Callable[[RunWriter, list[RunOutcome]], Awaitable[None]],
    folder: Path,
    show: Callable[[Result], None],
    *,
    debug: bool,
) -> int:
    outcomes: list[RunOutcome] = []

    async def begin(writer: RunWriter) -> None:
        writer.event(events.RunStarted, scenario=scenario.name, mind=condition.mind.played)
        if condition.rounds is None:
            note_contract(writer.event, condition.contract)
        await play(writer, outcomes)

    return await execute(
        open_record,
        begin,
        partial(summary, scenario, condition, str(folder), outcomes),
        show,
        folder=folder,
        debug=debug,
    )


async def _play_all(
    scenario: Scenario,
    condition: Condition,
    theatre: Theatre,
    writer: RunWriter,
    outcomes: list[RunOutcome],
) -> None:
    model = condition.mind.recorded(writer.write_call)
    title = f"{scenario.name} · contract {condition.contract.name} · mind {condition.mind.kind}"
    with LiveView(title, scenario.agents, theatre.seen) as live:
        experiment = Experiment(scenario, replace(condition, model=model), theatre, live)
        for number in range(condition.runs):
            async for outcome in experiment.run(number):
                outcomes.append(outcome)


def _manifest(scenario: Any, condition: Condition, server: Any) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "config": scenario.model_dump(mode="json"),
        "contract": {"name": condition.contract.name, "text": condition.contract.text},
        "rounds": condition.rounds,
        "compiled": condition.compiled,
        "episodes": condition.episodes,
        "renegotiate": condition.renegotiate,
        "world": condition.world,
        "judge": condition.judge,
        **condition.mind.manifest(),
        "seed": condition.seed,
        "runs": condition.runs,
        "server": server,
        "command": sys.argv,
    }


def recorded_condition(
    kind: Callable[..., Any], name: str, record: Record, mind: ChosenMind
) -> tuple[Any, Condition]:
    """The scenario and the condition of a recorded run, by its manifest.

    Raises:
        UsageError: it is another scenario's, or its manifest does not say.
    """
    told = record.manifest
    if told.get("scenario") != name:
        raise UsageError(f"{record.folder} is a run of {told.get('scenario')}, not of {name}")
    try:
        scenario = kind(**told["config"])
        contract = _recorded_contract(scenario, **told["contract"])
        condition = Condition(
            contract,
            told["rounds"],
            told["judge"],
            mind,
            mind.model,
            told["seed"],
            told["runs"],
            told.get("compiled", False),
            told.get("episodes", 1),
            told.get("renegotiate", False),
            told.get("world", "minecraft"),
        )
    except (KeyError, TypeError, ValidationError) as error:
        raise UsageError(f"{record.folder}/run.yaml does not tell what was played") from error
    return scenario, condition


def _recorded_contract(scenario: Scenario, name: str, text: str) -> Contract:
    """The shipped contract, where it is one and still says the same."""
    shipped = scenario.contracts().get(name)
    return shipped if shipped is not None and shipped.text == text else Contract(name, text)
