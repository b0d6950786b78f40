"""The command line of scenarios whose agents climb."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bots.agents.planner import planner
from bots.models.openai_model import TIMEOUT_S
from bots.agents.voyager import SkillError
from bots.agents.voyager.retrieval import Retriever, best_retriever
from bots.agents.voyager.skills import SkillLibrary
from bridge.protocol import Movement
from records import Record, RunWriter, events, read_record
from scenarios.climbing import Climb, outcome
from scenarios.climbing_grid import climb, plan_climb
from scenarios.command import (
    CONCURRENCY,
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
    ReplayOption,
    Result,
    SettingsOption,
    TimeoutOption,
    configure,
    execute,
    fail,
    find_server,
    make_folder,
    run_to_end,
    settings_help,
)
from scenarios.minds import ChosenMind, MindOptions, choose_mind
from scenarios.usage import UsageError
from scenarios.world import open_stage
from server import ServerState


@dataclass
class Plan:
    """What is to be run, from the command line or from the run that goes on."""

    scenario: Any
    mind: ChosenMind
    seed: int
    state: ServerState
    folder: Path
    retriever: Retriever
    starters: Path | None = None
    before: Record | None = None
    tokens: int = 0


WORLDS = ("minecraft", "grid")


def climbing_command(kind: type[Any]) -> Callable[[], None]:
    """The command of a scenario, a pydantic model that follows ``ClimbingScenario``."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)

    def main(
        tree: Annotated[str | None, typer.Option(help="minecraft or adasociety.")] = None,
        world: Annotated[
            str, typer.Option(help="minecraft, or grid: the synthesis tree headless, in seconds.")
        ] = "minecraft",
        agents: Annotated[int | None, typer.Option(help="How many agents.")] = None,
        mind: MindOption = None,
        iterations: Annotated[
            int | None, typer.Option(help="Programs each agent may write.")
        ] = None,
        minutes: Annotated[
            float | None, typer.Option(help="Minutes of game time the run may take.")
        ] = None,
        until: Annotated[
            str | None, typer.Option(help="End when all agents have reached this milestone.")
        ] = None,
        skills: Annotated[
            Path | None,
            typer.Option(help="Folder of skills to start with, ours or Voyager's format."),
        ] = None,
        resume: Annotated[
            Path | None, typer.Option(help="Go on with a run that was cut off: its folder.")
        ] = None,
        seed: Annotated[int, typer.Option(help="Fixes where the agents start.")] = 0,
        settings: SettingsOption = None,
        config: ConfigOption = None,
        model: ModelOption = None,
        models: ModelsOption = None,
        base_url: BaseUrlOption = None,
        request_timeout: TimeoutOption = TIMEOUT_S,
        concurrency: ConcurrencyOption = CONCURRENCY,
        budget: BudgetOption = None,
        prices: PricesOption = None,
        replay: ReplayOption = None,
        as_json: JsonOption = False,
        out: OutOption = Path("runs"),
        debug: DebugOption = False,
    ) -> None:
        options = {
            "tree": tree,
            "agents": agents,
            "iterations": iterations,
            "time_limit_s": None if minutes is None else minutes * 60,
            "until": until,
        }
        try:
            if resume and world != "minecraft":
                raise UsageError("--resume is for runs in Minecraft")
            before = _read_before(resume) if resume else None
            if before is not None:
                options = {**before.manifest["config"], **_given(options)}
                mind, seed = mind or before.manifest["mind"], before.manifest["seed"]
                model = model or before.manifest["model"]
            scenario = configure(kind, config, settings or [], options)
            minds = MindOptions(
                mind,
                model,
                models,
                base_url,
                request_timeout,
                concurrency,
                budget,
                prices,
                replay,
            )
            if world not in WORLDS:
                raise UsageError(f"there is no world {world!r}; there are: {', '.join(WORLDS)}")
            if world == "grid":
                raise typer.Exit(_on_grid(scenario, minds, seed, out, as_json, debug))
            plan = Plan(
                scenario,
                choose_mind(minds, lambda: scenario.script(seed)),
                seed,
                asyncio.run(find_server()),
                Path(),
                best_retriever(),
                starters=_check_skills(skills),
                before=before,
            )
            _check_land(plan)
            plan.folder = before.folder if before else make_folder(out, scenario.name)
        except UsageError as error:
            raise fail(str(error), USAGE, debug) from error
        _announce(plan)
        raise typer.Exit(run_to_end(_execute(plan, as_json, debug), debug))

    app.command(help=_help_text(kind))(main)
    return app


def _on_grid(
    scenario: Any, minds: MindOptions, seed: int, out: Path, as_json: bool, debug: bool
) -> int:
    """Play headless; returns the exit code.

    Raises:
        UsageError: the scenario cannot be played there.
    """
    mind = choose_mind(minds, planner)
    plan_climb(scenario, mind, seed, Path())
    plan = plan_climb(scenario, mind, seed, make_folder(out, scenario.name))
    print(f"mind: {mind.kind}    world: grid    record: {plan.folder}", file=sys.stderr)

    def show(result: Result) -> None:
        if as_json:
            print(json.dumps(result))
        else:
            _print_result(scenario, result)

    return run_to_end(climb(scenario, plan, show, debug=debug), debug)


def _help_text(kind: type[Any]) -> str:
    story = (sys.modules[kind.__module__].__doc__ or "").split("\n\nRun it")[0]
    call = f"python -m scenarios.{kind.name}"
    return "\n\n".join(
        [
            story,
            settings_help(kind()),
            f"\b\nExamples:\n  {call} --until iron\n  {call} --tree adasociety --seed 3\n"
            f"  {call} --tree adasociety --world grid --minutes 15\n"
            f"  {call} --tree adasociety --agents 2 --set 'jobs={{Ada: carpenter, Bo: miner}}'\n"
            f"  {call} --agents 2 --minutes 30 --skills my_skills/\n"
            f"  {call} --resume runs/{kind.name}/20261121T101500Z-1a2b3c",
        ]
    )


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


def _read_before(folder: Path) -> Record:
    try:
        record = read_record(folder)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from error
    missing = {"config", "mind", "model", "seed"} - set(record.manifest)
    if missing:
        raise UsageError(f"{folder} cannot go on: its run.yaml lacks {', '.join(sorted(missing))}")
    return record


def _check_skills(folder: Path | None) -> Path | None:
    if folder is not None:
        try:
            SkillLibrary(best_retriever()).load(folder)
        except SkillError as error:
            raise UsageError(str(error)) from error
    return folder


def _check_land(plan: Plan) -> None:
    if plan.scenario.tree == "minecraft" and plan.state.terrain == "superflat":
        raise UsageError(
            "the running server's land is flat, and nothing grows there; start another: "
            "python -m server down, then python -m server up --terrain natural"
        )


def _announce(plan: Plan) -> None:
    goes_on = " (goes on)" if plan.before else ""
    lines = [
        f"mind: {plan.mind.kind}    tree: {plan.scenario.tree}    skills found by: "
        f"{plan.retriever.name}    record: {plan.folder}{goes_on}"
    ]
    if plan.mind.replay:
        lines.append(f"Answers are replayed from {plan.mind.replay}; no model is asked.")
    if not plan.mind.is_language_model:
        lines.append("Scripted minds: programs written beforehand, no language model is asked.")
        if plan.scenario.roles:
            lines.append("They cannot read roles in free words; jobs they know.")
    if plan.state.speed != 1:
        lines.append(
            f"The game's clock runs {plan.state.speed:g} times as fast; all times are its."
        )
    print("\n".join(lines), file=sys.stderr)


async def _execute(plan: Plan, as_json: bool, debug: bool) -> int:
    climbs: list[Climb] = []
    faults: list[str] = []
    clock = plan.state.clock()

    def open_record() -> RunWriter:
        if plan.before:
            return RunWriter.reopen(plan.folder, clock)
        return RunWriter(plan.folder, _manifest(plan), clock)

    def summarise(error: str | None) -> dict[str, Any]:
        return _summary(plan, climbs[0] if climbs else None, faults, error)

    def show(result: dict[str, Any]) -> None:
        if as_json:
            print(json.dumps(result))
        elif climbs:
            _print_result(plan.scenario, result)

    return await execute(
        open_record,
        lambda writer: _play(plan, writer, climbs, faults),
        summarise,
        show,
        folder=plan.folder,
        debug=debug,
    )


async def _play(plan: Plan, writer: RunWriter, climbs: list[Climb], faults: list[str]) -> None:
    scenario = plan.scenario
    if plan.before:
        writer.event(events.RunResumed)
    else:
        writer.event(events.RunStarted, scenario=scenario.name, mind=plan.mind.kind)

    def record_call(call: dict[str, Any]) -> None:
        plan.tokens += (call.get("prompt_tokens") or 0) + (call.get("completion_tokens") or 0)
        writer.write_call(call)

    def say(text: str) -> None:
        minutes, seconds = divmod(int(writer.now()), 60)
        print(f"{minutes:3d}:{seconds:02d}  {text}", file=sys.stderr, flush=True)

    movement: Movement = "free" if scenario.tree == "minecraft" else "careful"
    refereed = scenario.tree == "adasociety"
    async with open_stage(
        plan.state, writer, scenario.agent_names, movement, refereed=refereed
    ) as stage:
        climb = Climb(scenario, stage, plan.seed, plan.folder, say)
        climbs.append(climb)
        climb.add_agents(plan.mind.recorded(record_call), plan.retriever, plan.starters)
        if plan.before and plan.before.of(events.TaskStarted):
            climb.recall(plan.before)
        else:
            await climb.prepare()
        started = writer.now()
        await climb.play()
        unsound = await stage.check_speed(writer.now() - started)
        if unsound is not None:
            faults.append(unsound)
            say(f"warning: {unsound}")


def _manifest(plan: Plan) -> dict[str, Any]:
    state = plan.state
    return {
        "scenario": plan.scenario.name,
        "config": plan.scenario.model_dump(mode="json"),
        **plan.mind.manifest(),
        "retriever": plan.retriever.name,
        "skills": str(plan.starters) if plan.starters else None,
        "seed": plan.seed,
        "server": {"kind": state.kind, "host": state.host, "port": state.port},
        "command": sys.argv,
    }


def _summary(
    plan: Plan, climb: Climb | None, faults: list[str], error: str | None
) -> dict[str, Any]:
    scenario = plan.scenario
    climbers = climb.climbers.items() if climb else ()
    result = {
        "scenario": scenario.name,
        "tree": scenario.tree,
        "world": "minecraft",
        "mind": plan.mind.kind,
        "seed": plan.seed,
        "run_dir": str(plan.folder),
        "agents": {name: outcome(scenario, name, climber) for name, climber in climbers},
        "seconds": climb.stage.writer.now() if climb else 0.0,
        "tokens": plan.tokens,
        "faults": faults,
    }
    return result if error is None else {**result, "error": error}


def _print_result(scenario: Any, result: dict[str, Any]) -> None:
    console = Console()
    agents = result["agents"]
    table = Table(title=f"{result['scenario']}, tree {result['tree']}, seed {result['seed']}")
    table.add_column("")
    for name in agents:
        table.add_column(name, justify="right")
    for milestone in scenario.milestones:
        table.add_row(milestone, *(_when(a["milestones"].get(milestone)) for a in agents.values()))
    table.add_section()
    for label, key in LINES.items():
        if any(entry[key] is not None for entry in agents.values()):
            table.add_row(label, *(f"{entry[key]:g}" for entry in agents.values()))
    console.print(table)
    console.print("Milestones: minutes of game time (prompting iteration).", highlight=False)
    console.print(f"mind: {result['mind']}, {result['tokens']} tokens", highlight=False)
    console.print(f"record: {result['run_dir']}", highlight=False, soft_wrap=True)


#: What the table counts, below the milestones.
LINES = {
    "kinds of item": "items",
    "iterations": "iterations",
    "deaths": "deaths",
    "score": "score",
}


def _when(reached: Mapping[str, float] | None) -> str:
    if reached is None:
        return "-"
    return f"{reached['seconds'] / 60:.1f} ({reached['iteration']:g})"
