"""What the commands of societies share: their options, their plan, and how a run is played."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from pydantic import BaseModel

from bots.models import ChatModel, ReplayModel, ResumedModel
from bots.models.scripted import Script
from bots.models.settings import ModelSettings
from records import (
    Clock,
    RecordDiffersError,
    ResumedWriter,
    RunWriter,
    SimulatedClock,
    events,
    read_record,
)
from scenarios.command import USAGE, execute, fail, find_server, make_folder, run_to_end
from scenarios.minds import ChosenMind, MindOptions, choose_mind
from scenarios.usage import UsageError
from scenarios.world import FaultError

WorldOption = Annotated[
    str, typer.Option(help="grid (computed, simulated time) or minecraft (the running server).")
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(help="Go on with a run folder that was cut off (grid); the same seed, same end."),
]
WORLDS = ("grid", "minecraft")


class Case(Protocol):
    """One run of an experiment."""

    @property
    def name(self) -> str:
        """Its condition, as in tables."""

    @property
    def seed(self) -> int:
        """Its seed."""


class SocietyScenario(Protocol):
    """What a society's scenario gives to its command."""

    name: str
    settings: Any

    def script(self, case: Any) -> Script:
        """The scripted persons of a run."""

    def population(self, case: Any) -> list[str]:
        """Everybody's names."""

    async def play_grid(
        self,
        case: Any,
        model: ChatModel,
        writer: RunWriter,
        clock: SimulatedClock,
        limit_s: float | None,
    ) -> dict[str, Any]:
        """One run in the computed village; gives its entry of ``runs``."""

    async def play_minecraft(
        self, case: Any, model: ChatModel, writer: RunWriter, state: Any, limit_s: float | None
    ) -> dict[str, Any]:
        """The same on a Minecraft server."""

    def summary(self, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What all runs together show."""

    def show(self, result: Mapping[str, Any]) -> None:
        """Print a result for people."""


@dataclass
class Plan:
    """What is played, and what has come of it so far."""

    scenario: SocietyScenario
    cases: Sequence[Any]
    world: str
    mind: MindOptions
    folder: Path
    is_resumed: bool = False
    runs: list[dict[str, Any]] = field(default_factory=list)


def resumed_manifest(folder: Path, scenario: str) -> Mapping[str, Any]:
    """What a run that is resumed ran with.

    Raises:
        UsageError: it cannot be resumed.
    """
    try:
        record = read_record(folder)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from error
    if record.manifest.get("scenario") != scenario:
        raise UsageError(f"{folder} holds no run of {scenario}")
    if record.manifest.get("world") != "grid":
        raise UsageError("only runs on the grid can be resumed: a Minecraft world has moved on")
    return record.manifest


def run(plan: Plan, *, as_json: bool, debug: bool) -> typer.Exit:
    """Play a plan to its end; gives the exit to raise."""
    try:
        minds = [_choose(plan, case) for case in plan.cases]
        state = asyncio.run(find_server()) if plan.world == "minecraft" else None
    except UsageError as error:
        return fail(str(error), USAGE, debug)
    clock = SimulatedClock() if state is None else state.clock()
    if not as_json:
        print(_announcement(plan, minds[0]), file=sys.stderr)

    def show(result: dict[str, Any]) -> None:
        if as_json:
            print(json.dumps(result))
        elif result["runs"]:
            plan.scenario.show(result)

    ran = execute(
        lambda: _open(plan, minds[0], clock),
        lambda writer: _play_all(plan, minds, writer, clock, state),
        lambda error: _result(plan, minds[0], error),
        show,
        folder=plan.folder,
        debug=debug,
    )
    return typer.Exit(run_to_end(ran, debug))


def _choose(plan: Plan, case: Any) -> ChosenMind:
    return choose_mind(plan.mind, lambda: plan.scenario.script(case))


def _open(plan: Plan, mind: ChosenMind, clock: Clock) -> RunWriter:
    if plan.is_resumed:
        return ResumedWriter.resume(plan.folder, clock)
    return RunWriter(plan.folder, _manifest(plan, mind), clock)


def _manifest(plan: Plan, mind: ChosenMind) -> dict[str, Any]:
    settings: BaseModel = plan.scenario.settings
    return {
        "scenario": plan.scenario.name,
        "world": plan.world,
        "config": settings.model_dump(mode="json"),
        "cases": [vars(case) for case in plan.cases],
        **mind.manifest(),
        "calls_recorded": mind.is_language_model,
        "command": sys.argv,
    }


def _announcement(plan: Plan, mind: ChosenMind) -> str:
    count = len(plan.cases)
    told = f"mind: {mind.kind}    world: {plan.world}    runs: {count}    record: {plan.folder}"
    if mind.kind == "scripted":
        told += (
            "\nScripted persons: a stochastic model with stated rates; no language model is asked."
        )
    return told


async def _play_all(
    plan: Plan, minds: Sequence[ChosenMind], writer: RunWriter, clock: Clock, state: Any
) -> None:
    scenario = plan.scenario
    # Scripted persons answer at once; to watch the time of each answer would cost a tenth of it.
    limit_s = plan.mind.request_timeout if minds[0].is_language_model else None
    try:
        writer.event(events.RunStarted, scenario=scenario.name, mind=minds[0].played)
        for number, (case, mind) in enumerate(zip(plan.cases, minds, strict=True)):
            writer.episode = number
            model = _model(plan, mind, writer)
            began = clock.now()
            writer.event(events.EpisodeStarted, run=number, attempt=1, seed=case.seed)
            names = scenario.population(case)
            writer.event(events.ConditionStarted, condition=case.name, agents=names)
            if isinstance(clock, SimulatedClock):
                run = await scenario.play_grid(case, model, writer, clock, limit_s)
            else:
                run = await scenario.play_minecraft(case, model, writer, state, limit_s)
            seconds = round(clock.now() - began, 3)
            writer.event(events.EpisodeEnded, reason="time_limit", seconds=seconds)
            plan.runs.append(run)
            print(f"run {number + 1} of {len(plan.cases)}: {case.name}", file=sys.stderr)
    except RecordDiffersError as error:
        raise FaultError(str(error)) from error


def _model(plan: Plan, mind: ChosenMind, writer: RunWriter) -> ChatModel:
    """The model of a run; scripted persons' many calls are not recorded, their seed is enough."""
    if not mind.is_language_model:
        return mind.model
    live = mind.recorded(writer.write_call)
    if not plan.is_resumed:
        return live
    record = read_record(plan.folder)
    settings = ModelSettings.model_validate(record.manifest.get("models") or {})
    return ResumedModel(ReplayModel(record.calls, settings), live)


def _result(plan: Plan, mind: ChosenMind, error: str | None) -> dict[str, Any]:
    result = {
        "scenario": plan.scenario.name,
        "world": plan.world,
        "mind": mind.kind,
        "run_dir": str(plan.folder),
        "runs": plan.runs,
        **(plan.scenario.summary(plan.runs) if plan.runs else {}),
    }
    return result if error is None else {**result, "error": error}


def open_plan(
    make: Callable[[Mapping[str, Any] | None], tuple[SocietyScenario, Sequence[Any]]],
    name: str,
    world: str,
    mind: MindOptions,
    out: Path,
    resume: Path | None,
) -> Plan:
    """The plan of a command.

    Args:
        make: gives the scenario and its cases, out of the manifest of a run that is resumed.
        name: the scenario's name.
        world: grid or minecraft.
        mind: the options of the mind.
        out: where run folders are made.
        resume: a run folder to go on with.

    Raises:
        UsageError: something that was asked for is not there.
    """
    if world not in WORLDS:
        raise UsageError(f"there is no world {world!r}; there are: {', '.join(WORLDS)}")
    if resume is None:
        scenario, cases = make(None)
        return Plan(scenario, cases, world, mind, make_folder(out, name))
    manifest = resumed_manifest(resume, name)
    scenario, cases = make(manifest)
    if manifest.get("mind") == "scripted":
        mind = MindOptions(**{**vars(mind), "mind": "scripted"})
    return Plan(scenario, cases, "grid", mind, resume, is_resumed=True)
