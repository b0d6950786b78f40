"""The command of a scenario: ``python -m scenarios.<name>``."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NoReturn

import click
from pydantic import BaseModel, ValidationError

from voxpolis import environment
from voxpolis.experiments.people.people import HUMAN, Part, parts_of, seats_of
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.agents import MINDLESS, RANDOM, assign, kind_of
from voxpolis.experiments.run.earlier import (
    NAMES_A_MIND,
    check,
    from_config,
    from_run,
    is_run,
    own_kinds,
    read,
    read_config,
    refuse_untyped,
)
from voxpolis.experiments.run.endings import (
    DONE,
    FAILED,
    USAGE,
    end_with_owner,
    notes_of,
    run_to_end,
    until_exit,
)
from voxpolis.experiments.run.model_choice import (
    MindKind,
    ModelChoice,
    check_agents,
    choose_model,
    priced,
)
from voxpolis.experiments.run.options import (
    TYPED_TOO,
    OneNameCommand,
    RunOptions,
    UsageError,
    click_options,
    configure,
    explain,
    given,
    key_of,
    refuse_twice,
    refuse_unused,
    settings_help,
)
from voxpolis.experiments.run.ray_cluster import ray_cluster
from voxpolis.experiments.run.runner import Plan, find_server, make_folder, play
from voxpolis.experiments.run.scenario import LackingError, Scenario
from voxpolis.experiments.run.spending import Purchase, agree
from voxpolis.experiments.study.estimate import (
    FirstOfEach,
    as_json,
    at_most,
    count,
    not_counted,
    of_another_world,
    print_costs,
    shown_prompts,
    total,
)
from voxpolis.front import as_typed, run_app
from voxpolis.grid.trained import TRAINED
from voxpolis.records import Record
from voxpolis.records.text import many, plain, say, say_error
from voxpolis.server import RconError, ServerState
from voxpolis.server.in_use import InUseError, reserve_server
from voxpolis.server.running import find_terrain
from voxpolis.server.server_pool import temporary_server
from voxpolis.server.state import StartError

# Options that only a run in Minecraft has.
PAYING = ("model", "models", "base_url", "budget", "prices")
OF_MINECRAFT = ("human", "wait_for_minds", "speed", "server", "hosts", "engine", "address")


def command(experiment: type[Scenario]) -> click.Command:
    """Return the command that plays an experiment."""
    own = click_options(experiment.settings, marked_only=True)
    return OneNameCommand(
        experiment.name,
        params=[*own, *click_options(experiment.options)],
        callback=lambda **values: sys.exit(main(experiment, values)),
        help=help_text(experiment),
        context_settings={"max_content_width": 100, "help_option_names": ["--help", "-h"]},
    )


def start(name: str) -> NoReturn:
    """Play what ``voxpolis NAME …`` or ``voxpolis run FILE …`` asks for; ends the process."""
    try:
        scenario = registry.scenario(name, is_typed=True)
        run_app(command(scenario), as_typed(f"scenarios.{scenario.name}"))
    except UsageError as error:
        if "--debug" in sys.argv:
            raise
        say_error(error)
        sys.exit(USAGE)


def main(experiment: type[Scenario], values: Mapping[str, Any]) -> int:
    """Play what a command line asks for; return the exit code."""
    debug = bool(values.get("debug"))
    end_with_owner()
    try:
        run = prepare(experiment, values)
        if run is None:
            return DONE
    except UsageError as error:
        if debug:
            raise
        say_error(error)
        return USAGE
    if not run.options.json_output:
        for line in announcement(run):
            say(line, sys.stderr)
    result: dict[str, Any] = {}

    async def main() -> int:
        nonlocal result
        code, result = await play(run)
        return code

    # what agents' code prints is no JSON
    is_json = run.options.json_output
    with contextlib.redirect_stdout(sys.stderr) if is_json else contextlib.nullcontext():
        code = run_to_end(main())
    if run.options.json_output and result:
        print(json.dumps(result, default=plain))
    elif result.get("runs") and run.is_summarised:
        try:
            run.prepared.show(result)
        except LackingError as error:
            say_error(f"{error} (the result is in {run.folder})")
            code = FAILED
        for note in notes_of(result):
            print(note)
    return code


def check_line(experiment: type[Scenario], words: Sequence[str]) -> tuple[Mapping[str, Any], Plan]:
    """Check a command line without playing it; return its values and what it would play.

    Raises:
        UsageError: something in it is unknown or wrong.
    """
    params = parse_line(experiment, words)
    return params, plan(experiment, params, choose_model)


def parse_line(experiment: type[Scenario], words: Sequence[str]) -> Mapping[str, Any]:
    """Return the values of a command line by the fields of options and settings.

    Raises:
        UsageError: an option is unknown, or has a value of another type.
    """
    try:
        return command(experiment).make_context(experiment.name, list(words)).params
    except click.UsageError as error:
        raise UsageError(error.format_message()) from error


def prepare(experiment: type[Scenario], values: Mapping[str, Any]) -> Plan | None:
    """Check all that was asked for; None where it was only to be shown.

    Raises:
        UsageError: something cannot be done.
    """
    named = _config_of(experiment, values)[0]
    if values.get("estimate") or named.get("estimate"):
        if values.get("show_prompts") or named.get("show_prompts"):
            raise UsageError(
                "--estimate and --show-prompts print a thing of their own each: leave one out"
            )
        _print_estimate(experiment, values)
        return None
    run = plan(experiment, values, choose_model)
    options = run.options
    if options.show_prompts:
        text = run.prepared.prompts() or shown_prompts(run)
        print(json.dumps({"prompts": text}) if options.json_output else text)
        return None
    typed = given(experiment.options, values)
    agree(experiment.name, [purchase(experiment, values, run)], typed)
    if run.world == "minecraft" and options.replay is None:
        run.server = _server(experiment, options, tuple(run.agents))
        if run.prepared.needs_land:
            _require_land(experiment, run.server)
    run.folder = options.resume or make_folder(options.out, experiment.name)
    return run


def plan(
    experiment: type[Scenario],
    values: Mapping[str, Any],
    choose: Callable[[RunOptions, Record | None], ModelChoice],
    instead: str | None = None,
) -> Plan:
    """Check all that was asked for, and return the run without a server or a folder of its own.

    ``choose``: returns the models; ``instead``: a world without Minecraft that takes the place of
    the one that was asked for, with its options.

    Raises:
        UsageError: something cannot be done.
    """
    options, settings, before = read_options(experiment, values)
    if instead is not None:
        fields = experiment.options.model_fields
        plain = {name: fields[name].get_default(call_default_factory=True) for name in OF_MINECRAFT}
        options = options.model_copy(update={**plain, "world": instead})
    world = options.world or next(iter(experiment.worlds))
    if world not in experiment.worlds:
        there = ", ".join(experiment.worlds)
        raise UsageError(f"there is no world {world!r} for {experiment.name}; there are: {there}")
    options = options.model_copy(update={"world": world})
    if world != "minecraft":
        _refuse_options_of_minecraft(options)
    prepared = experiment.prepare(options, settings, world)
    where = f"{experiment.name} in the world {world}"
    agents = assign(options.kinds_asked, prepared.agent_names, experiment.worlds[world], where)
    is_joined = world in experiment.joined
    if is_joined and set(agents.values()) == {HUMAN}:
        raise UsageError("one agent at least must be a bot, which hears what persons type")
    if is_joined and options.replay is not None and HUMAN in agents.values():
        raise UsageError("runs that persons joined with a client of their own cannot be replayed")
    choice = choose(options, before)
    check_agents(choice.settings, agents)
    kinds = {kind_of(kind) for kind in agents.values()}
    if kinds <= MINDLESS:
        mind: MindKind = RANDOM if kinds == {RANDOM} else TRAINED
        choice = replace(choice, kind=mind, played=mind)
    run = (experiment, options, settings, world, agents, prepared, choice)
    seats = seats_of(agents) if is_joined else {}
    parts = [part for part in parts_of(options.human, agents) if part not in _whole(seats)]
    return Plan(*run, server=None, folder=options.out, before=before, seats=seats, parts=parts)


def _whole(seats: Collection[str]) -> set[Part]:
    """Return what persons with clients of their own answer: all that their agents are asked."""
    return {(name, None) for name in seats}


def _refuse_options_of_minecraft(options: RunOptions) -> None:
    """Raise a UsageError for an option that would change nothing outside Minecraft."""
    changes_nothing = {
        "--speed": (options.speed is not None, "other worlds go as fast as this machine can"),
        "--server new": (options.server == "new", "other worlds need no server"),
        "--wait-for-minds": (options.wait_for_minds, "other worlds wait anyway"),
        "--hosts": (options.hosts is not None, "other worlds have no bots"),
        "--engine ray": (options.engine == "ray", "other worlds have no bots; see sweep"),
        "--address": (options.address is not None, "other worlds have no bots; see sweep"),
    }
    for name, (is_given, why) in changes_nothing.items():
        if is_given:
            raise UsageError(f"{name} is for --world minecraft: {why}")


def purchase(
    experiment: type[Scenario], values: Mapping[str, Any], run: Plan, runs: int = 1
) -> Purchase:
    """Return what a command line pays for where it is played a number of times."""

    def estimate() -> float | None:
        counted, _ = _counted(experiment, values)
        dollars = total(count(counted)).dollars
        return None if dollars is None else runs * dollars

    return Purchase(run.choice, runs, estimate)


def _counted(experiment: type[Scenario], values: Mapping[str, Any]) -> tuple[Plan, Plan]:
    """Return the run whose calls are counted, and the run that was asked for.

    One in Minecraft is counted on the grid, where it can be.
    """
    asked = plan(experiment, values, priced)
    if asked.is_simulated:
        return asked, asked
    return plan(experiment, values, priced, instead="grid"), asked


def _print_estimate(experiment: type[Scenario], values: Mapping[str, Any]) -> None:
    """Print what a run asks and costs."""
    run, asked = _counted(experiment, values)
    notes = [of_another_world(asked, run)] if run.world != asked.world else []
    runs = many(len(run.prepared.cases), "run")
    played = len(FirstOfEach(run.prepared).cases)
    print(f"counting: scripted minds play {played} of {runs}; no model is asked", file=sys.stderr)
    costs = count(run)
    most = at_most(run, costs)
    notes = [*filter(None, [not_counted(run, costs)]), *notes]
    if run.options.json_output:
        print(json.dumps({"estimate": as_json(costs, most), "world": run.world, "notes": notes}))
    else:
        condition = f", {run.options.condition}" if run.options.condition else ""
        print_costs(f"{experiment.name}{condition}, world {run.world}, {runs}", costs, most)
        print("\n".join(notes), end="\n" * len(notes))


def _server(experiment: type[Scenario], options: RunOptions, agents: Sequence[str]) -> ServerState:
    """Return the server to play on, which is then this run's alone.

    Raises:
        UsageError: none runs as asked for, or somebody else plays there.
    """
    if options.address is not None and options.engine != "ray":
        raise UsageError("--address names a Ray cluster: add --engine ray, or leave it out")
    if options.server == "new":
        opening = temporary_server(options.speed or 1.0, "natural")
        try:
            os.environ["VOXPOLIS_SERVER"] = str(until_exit(opening))
        except StartError as error:
            raise UsageError(str(error)) from error
    state = asyncio.run(find_server(options.speed))
    if options.wait_for_minds and state.clock_file is None:
        raise UsageError("--wait-for-minds needs the embedded server, whose clock can stand still")
    if options.engine == "ray":
        until_exit(ray_cluster(options.address, state.host))
    try:
        reserve_server(f"{experiment.name} ({', '.join(agents)})")
    except InUseError as error:
        raise UsageError(
            f"the server at {state.host}:{state.port} is in use: {error}; wait, or play on a "
            "server of its own with --server new"
        ) from error
    return state


def _require_land(experiment: type[Scenario], state: ServerState) -> None:
    """Look at the server's land.

    Raises:
        UsageError: It is flat.
    """
    try:
        terrain = asyncio.run(find_terrain(state))
    except (RconError, OSError) as error:
        raise UsageError(f"the server does not say what its land is: {error}") from error
    if terrain == "superflat":
        down, up = map(environment.typed, ("server down", "server up --terrain natural"))
        raise UsageError(
            f"{experiment.name} needs natural land, and the server's land is flat: "
            f"add --server new, or: {down}, then {up}"
        )


def read_options(
    experiment: type[Scenario], values: Mapping[str, Any]
) -> tuple[RunOptions, BaseModel, Record | None]:
    """Return options and settings of a command line, its ``--config``, or the run it goes on with.

    Raises:
        UsageError: something is unknown or wrong.
    """
    typed, own = given(experiment.options, values), given(experiment.settings, values)
    if "replay" in typed and "resume" in typed:
        raise UsageError(
            "a run is either replayed or gone on with: leave out --replay, or --resume"
        )
    folder = typed.get("replay") or typed.get("resume")
    if folder is not None:
        return _recorded(experiment, {**typed, **own}, read(folder))
    named, more, recorded = _config_of(experiment, typed)
    refuse_untyped(f"--config: {typed.get('config')}", named, typed, experiment.options)
    now = typed.get("settings", ())
    refuse_twice(experiment.settings, own, now)
    sets = [one for one in named.get("settings", ()) if key_of(one) not in own] + [*now]
    options = {"runs": experiment.runs, **named, **typed, "settings": sets}
    settings = configure(experiment.settings, {**more, **own}, sets, own, recorded)
    made = _options(experiment, options)
    condition = made.condition if made.condition in experiment.conditions else None
    if (world := made.world or next(iter(experiment.worlds))) in experiment.worlds:
        named_settings = {*more, *own, *map(key_of, sets)}
        refuse_unused(experiment.settings, named_settings, condition, world)
    return made, settings, None


def _config_of(
    experiment: type[Scenario], values: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
    """Return the options and the settings of the ``--config`` file that is named, if any is.

    The last are all settings of a run, where it is that of one; else None.
    """
    path = values.get("config")
    fields = read_config(path)
    if path is None or not is_run(fields):
        return *from_config(experiment.options, fields), None
    options, settings = from_run(experiment, fields, path)
    if values.get("world", options.get("world")) != options.get("world"):
        options = {name: value for name, value in options.items() if name not in OF_MINECRAFT}
    if any(values.get(name) for name in NAMES_A_MIND):  # what is typed wins over what it was
        options["mind"] = None
    if values.get("mind") == "scripted":
        options = {name: value for name, value in options.items() if name not in PAYING}
    return options, {}, settings


def _options(experiment: type[Scenario], fields: Mapping[str, Any]) -> RunOptions:
    try:
        made = experiment.options(**fields)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0]).replace("_", "-")
        raise UsageError(f"--{name}: {explain(None, error).partition(': ')[2]}") from error
    for key, value in fields.items():
        if isinstance(value, bool) and not isinstance(getattr(made, key), bool):
            raise UsageError(f"--{key.replace('_', '-')} takes no yes or no (found {value})")
    return made


def _recorded(
    experiment: type[Scenario], typed: Mapping[str, Any], record: Record
) -> tuple[RunOptions, BaseModel, Record]:
    """Return what a recorded run was played with.

    Raises:
        UsageError: it cannot be played by that scenario, or more was asked for.
    """
    manifest = record.manifest
    action: Literal["replay", "resume"] = "replay" if "replay" in typed else "resume"
    check(record, experiment.name, action)
    free = set(RunOptions.FREE)
    if action == "resume":
        free |= {"mind", "answer_within", *PAYING, "engine", "address"}
    classes = own_kinds(manifest["options"].get("agent"))
    if classes and sorted(typed.get("agent", ())) == sorted(classes):
        typed = {name: value for name, value in typed.items() if name != "agent"}
        again = {"agent": manifest["options"]["agent"]}  # the code was typed again
    else:
        again = {}
    for name in typed:
        if name not in free:
            option = {"settings": "set"}.get(name, name).replace("_", "-")
            raise UsageError(f"--{action} plays what was recorded; leave out --{option}")
    own = {key: value for key, value in typed.items() if key in free}
    before = manifest["options"]
    if action == "replay":  # asks no model and needs no bots
        before = {name: value for name, value in before.items() if name not in TYPED_TOO}
    refuse_untyped(f"--{action}: {record.folder}", before, {**typed, **again}, experiment.options)
    options = _options(experiment, {**before, **own})
    return options, configure(experiment.settings, {}, recorded=manifest["config"]), record


def announcement(run: Plan) -> list[str]:
    """Return what people should know before a run begins, a line each."""
    options, choice = run.options, run.choice
    mind = f"{choice.kind} ({choice.who})" if choice.endpoints else choice.kind
    parts = [f"mind: {mind}", f"world: {run.world}"]
    if options.condition:
        parts.insert(1, f"condition: {options.condition}")
    kinds = set(run.agents.values())
    if len(kinds) > 1:
        parts.append("agents: " + ", ".join(f"{n} {kind}" for n, kind in run.agents.items()))
    elif kinds != {run.experiment.worlds[run.world][0]}:
        parts.append(f"agents: {kinds.pop()}")
    lines = ["    ".join([*parts, f"record: {run.folder}{' (goes on)' * run.is_resumed}"])]
    if choice.budget is not None:
        default = ", the default (--budget sets another)" if options.budget is None else ""
        lines.append(f"It stops before it spends more than {choice.budget}{default}.")
    if choice.replay:
        lines.append(f"World and answers are replayed from {choice.replay}.")
    lines += run.prepared.notes(choice)
    if run.parts and options.replay is None:
        lines.append(f"Persons answer on the page of: python -m analysis watch {run.folder}")
    if run.server is not None and run.server.speed != 1:
        lines.append(
            f"The game's clock runs {run.server.speed:g} times as fast; all times are its."
        )
    return lines


def help_text(experiment: type[Scenario]) -> str:
    """Return what ``--help`` says above the options."""
    call = as_typed(f"scenarios.{experiment.name}")
    worlds = [f"  {world}: {', '.join(kinds)}" for world, kinds in experiment.worlds.items()]
    conditions = [f"  {name}: {text}" for name, text in experiment.conditions.items()]
    examples = [
        f"  {call} {line}".rstrip() for line in experiment.examples or _examples(experiment)
    ]
    blocks = [
        ("Worlds, and the kinds of agents that can play there (the first is the default):", worlds),
        ("Conditions:", conditions),
        (
            "Settings for --set and --config, with their defaults:",
            settings_help(experiment.settings()).splitlines(),
        ),
        ("Examples:", examples),
    ]
    shown = ["\b\n" + "\n".join([title, *lines]) for title, lines in blocks if lines]
    story = experiment.story.split("\n\nRun it")[0]
    return "\n\n".join([story, *shown])


def _examples(experiment: type[Scenario]) -> list[str]:
    """Return a few lines that can be typed behind any scenario's name."""
    grid = next((world for world in experiment.worlds if world != "minecraft"), None)
    second = next(iter(list(experiment.conditions)[1:]), None)
    lines = ["", *([f"--condition {second}"] if second else [])]
    return [*lines, *([f"--world {grid} --runs 10 --json"] if grid else [])]
