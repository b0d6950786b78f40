"""The command line of a scenario: ``python -m scenarios.<name>``."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import textwrap
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
    MIND_OPTIONS,
    check,
    custom_kinds,
    from_config,
    from_run,
    is_run,
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
    MUST_BE_TYPED,
    OneNameCommand,
    RunOptions,
    UsageError,
    click_options,
    configure,
    explain,
    given,
    key_of,
    refuse_ineffective,
    refuse_twice,
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
    note_on_other_world,
    note_on_uncounted_roles,
    print_costs,
    shown_prompts,
    total,
)
from voxpolis.front import as_typed, run_app
from voxpolis.grid.trained import TRAINED
from voxpolis.records import Record
from voxpolis.records.outcome import glance
from voxpolis.records.text import many, plain, say, say_error
from voxpolis.records.vanilla import needs_embedded
from voxpolis.server import RconError, ServerState
from voxpolis.server.in_use import InUseError, reserve_server
from voxpolis.server.running import find_terrain
from voxpolis.server.server_pool import temporary_server
from voxpolis.server.state import StartError

PAYING = ("model", "models", "base_url", "budget", "prices")
# Options that only apply to Minecraft.
OF_MINECRAFT = ("human", "wait_for_minds", "speed", "server", "hosts", "engine", "address")


# Columns for text inside the indentation of ``--help`` on a terminal of 80.
HELP_WIDTH = 76


class ScenarioCommand(OneNameCommand):
    """A command whose ``--help`` ends with settings and examples."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog without indentation, because its lines are already wrapped."""
        formatter.write(f"\n{self.epilog}\n")


def command(experiment: type[Scenario]) -> click.Command:
    """Return the command that plays a scenario."""
    own = click_options(experiment.settings, marked_only=True)
    return ScenarioCommand(
        experiment.name,
        params=[*own, *click_options(experiment.options)],
        callback=lambda **values: sys.exit(main(experiment, values)),
        help=help_text(experiment),
        epilog=help_end(experiment),
        context_settings={"help_option_names": ["--help", "-h"]},
    )


def start(name: str) -> NoReturn:
    """Run ``voxpolis NAME …`` or ``voxpolis run FILE …``, then exit the process."""
    try:
        scenario = registry.scenario(name, is_typed=True)
        run_app(command(scenario), as_typed(f"scenarios.{scenario.name}"))
    except UsageError as error:
        if "--debug" in sys.argv:
            raise
        say_error(error)
        sys.exit(USAGE)


def main(experiment: type[Scenario], values: Mapping[str, Any]) -> int:
    """Play the run that a command line asks for, and return the exit code."""
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

    # The output of agents' code must not mix with JSON.
    is_json = run.options.json_output
    with contextlib.redirect_stdout(sys.stderr) if is_json else contextlib.nullcontext():
        code = run_to_end(main())
    if run.options.json_output and result:
        print(json.dumps(result, default=plain))
    elif result.get("runs") and run.is_summarised:
        try:
            for line in glance(result):
                print(line)
            run.prepared.show(result)
            persons = ", and a person" if HUMAN in run.agents.values() or run.parts else ""
            print(f"mind: {result['mind']}{persons}\nrecord: {result['run_dir']}")
        except LackingError as error:
            say_error(f"{error} (partial result in {run.folder})")
            code = FAILED
        for note in notes_of(result):
            print(note)
    return code


def check_line(experiment: type[Scenario], words: Sequence[str]) -> tuple[Mapping[str, Any], Plan]:
    """Check a command line without playing. Return its values and the prepared run.

    Raises:
        UsageError: an option is unknown or invalid.
    """
    params = parse_line(experiment, words)
    return params, plan(experiment, params, choose_model)


def parse_line(experiment: type[Scenario], words: Sequence[str]) -> Mapping[str, Any]:
    """Parse a command line. Return the values of options and settings by field.

    Raises:
        UsageError: an option is unknown, or its value has the wrong type.
    """
    try:
        return command(experiment).make_context(experiment.name, list(words)).params
    except click.UsageError as error:
        raise UsageError(error.format_message()) from error


def prepare(experiment: type[Scenario], values: Mapping[str, Any]) -> Plan | None:
    """Check everything and prepare the run. If the user only wants a preview (an estimate of costs,
    or the prompts), print the preview and return None.

    Raises:
        UsageError: the request is invalid.
    """
    named = _config_of(experiment, values)[0]
    if values.get("estimate") or named.get("estimate"):
        if values.get("show_prompts") or named.get("show_prompts"):
            raise UsageError("--estimate and --show-prompts cannot be combined: leave one out")
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
    headless_world: str | None = None,
) -> Plan:
    """Check everything and return the run. No server is started and no folder is created.

    ``choose`` returns the models. If ``headless_world`` is given, the run is played in that world
    instead of the world that the user asked for.

    Raises:
        UsageError: the request is invalid.
    """
    options, settings, before = read_options(experiment, values)
    if headless_world is not None:
        fields = experiment.options.model_fields
        plain = {name: fields[name].get_default(call_default_factory=True) for name in OF_MINECRAFT}
        options = options.model_copy(update={**plain, "world": headless_world})
    world = options.world or next(iter(experiment.worlds))
    if world not in experiment.worlds:
        there = ", ".join(experiment.worlds)
        raise UsageError(f"there is no world {world!r} for {experiment.name}; choose from {there}")
    options = options.model_copy(update={"world": world})
    if world != "minecraft":
        _refuse_options_of_minecraft(options)
    prepared = experiment.prepare(options, settings, world)
    where = f"{experiment.name} in the world {world}"
    agents = assign(options.kinds_asked, prepared.agent_names, experiment.worlds[world], where)
    is_joined = world in experiment.joined
    if is_joined and set(agents.values()) == {HUMAN}:
        raise UsageError("at least one agent must be a bot, to hear what persons type")
    if is_joined and options.replay is not None and HUMAN in agents.values():
        raise UsageError("runs with persons who joined with a Minecraft client cannot be replayed")
    choice = choose(options, before)
    check_agents(choice.settings, agents)
    kinds = {kind_of(kind) for kind in agents.values()}
    if kinds <= MINDLESS:
        mind: MindKind = RANDOM if kinds == {RANDOM} else TRAINED
        choice = replace(choice, kind=mind)
    run = (experiment, options, settings, world, agents, prepared, choice)
    seats = seats_of(agents) if is_joined else {}
    parts = [part for part in parts_of(options.human, agents) if part not in _whole(seats)]
    return Plan(*run, server=None, folder=options.out, before=before, seats=seats, parts=parts)


def _whole(seats: Collection[str]) -> set[Part]:
    """Return the parts that people with Minecraft clients have in the game. Each of these people
    plays a whole agent.
    """
    return {(name, None) for name in seats}


def _refuse_options_of_minecraft(options: RunOptions) -> None:
    """Raise a UsageError if there is an option that has no effect outside Minecraft."""
    changes_nothing = {
        "--speed": (options.speed is not None, "other worlds run as fast as possible"),
        "--server new": (options.server == "new", "other worlds need no server"),
        "--wait-for-minds": (options.wait_for_minds, "other worlds always wait"),
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
    """Return what the user has to agree to pay for: playing the run ``runs`` times."""
    return Purchase(run.choice, runs, lambda: expected_dollars(experiment, values, runs))


def expected_dollars(
    experiment: type[Scenario], values: Mapping[str, Any], runs: int = 1
) -> float | None:
    """Estimate the price of a command that is run ``runs`` times. No API key is needed.

    The result is None if a price is unknown.
    """
    counted, _ = _counted(experiment, values)
    dollars = total(count(counted)).dollars
    return None if dollars is None else runs * dollars


def _counted(experiment: type[Scenario], values: Mapping[str, Any]) -> tuple[Plan, Plan]:
    """Return two runs: one to count calls in for an estimate, and the one that the user asked for.

    Calls of a run in Minecraft are counted on the grid.
    """
    asked = plan(experiment, values, priced)
    if asked.is_simulated:
        return asked, asked
    return plan(experiment, values, priced, headless_world="grid"), asked


def _print_estimate(experiment: type[Scenario], values: Mapping[str, Any]) -> None:
    run, asked = _counted(experiment, values)
    notes = [note_on_other_world(asked, run)] if run.world != asked.world else []
    runs = many(len(run.prepared.cases), "run")
    played = len(FirstOfEach(run.prepared).cases)
    print(f"counting: scripted minds play {played} of {runs}; no model is called", file=sys.stderr)
    costs = count(run)
    most = at_most(run, costs)
    notes = [*filter(None, [note_on_uncounted_roles(run, costs)]), *notes]
    if run.options.json_output:
        print(json.dumps({"estimate": as_json(costs, most), "world": run.world, "notes": notes}))
    else:
        condition = f", {run.options.condition}" if run.options.condition else ""
        print_costs(f"{experiment.name}{condition}, world {run.world}, {runs}", costs, most)
        print("\n".join(notes), end="\n" * len(notes))


def _server(experiment: type[Scenario], options: RunOptions, agents: Sequence[str]) -> ServerState:
    """Return the server on which the run will be played, and reserve it for this run.

    Raises:
        UsageError: there is no suitable server, or the server is in use.
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
        raise UsageError(needs_embedded("--wait-for-minds"))
    if options.engine == "ray":
        until_exit(ray_cluster(options.address, state.host))
    try:
        reserve_server(f"{experiment.name} ({', '.join(agents)})")
    except InUseError as error:
        raise UsageError(
            f"the server at {state.host}:{state.port} is in use: {error}; wait, or start a "
            "separate server with --server new"
        ) from error
    return state


def _require_land(experiment: type[Scenario], state: ServerState) -> None:
    """Check that the server has natural terrain.

    Raises:
        UsageError: the terrain is flat.
    """
    try:
        terrain = asyncio.run(find_terrain(state))
    except (RconError, OSError) as error:
        raise UsageError(f"the server does not report its terrain: {error}") from error
    if terrain == "superflat":
        down, up = map(environment.typed, ("server down", "server up --terrain natural"))
        raise UsageError(
            f"{experiment.name} needs natural terrain, and the server's is flat: "
            f"add --server new, or: {down}, then {up}"
        )


def read_options(
    experiment: type[Scenario], values: Mapping[str, Any]
) -> tuple[RunOptions, BaseModel, Record | None]:
    """Return the options and settings from the command line, from ``--config``, or from the run
    that is replayed or resumed.

    Raises:
        UsageError: an option or a setting is unknown or invalid.
    """
    typed, own = given(experiment.options, values), given(experiment.settings, values)
    if "replay" in typed and "resume" in typed:
        raise UsageError("choose one of --replay and --resume")
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
        refuse_ineffective(experiment.settings, named_settings, condition, world)
    return made, settings, None


def _config_of(
    experiment: type[Scenario], values: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
    """Return the options and the settings in the ``--config`` file, and the settings of a recorded
    run.

    If the file is the run.yaml of a run, the third value contains all settings of this run, and the
    second value is empty. Otherwise, the third value is None.
    """
    path = values.get("config")
    fields = read_config(path)
    if path is None or not is_run(fields):
        return *from_config(experiment.options, fields), None
    options, settings = from_run(experiment, fields, path)
    if values.get("world", options.get("world")) != options.get("world"):
        options = {name: value for name, value in options.items() if name not in OF_MINECRAFT}
    # options on the command line take precedence
    if any(values.get(name) for name in MIND_OPTIONS):
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
            raise UsageError(f"--{key.replace('_', '-')} does not take a yes or no (found {value})")
    return made


def _recorded(
    experiment: type[Scenario], typed: Mapping[str, Any], record: Record
) -> tuple[RunOptions, BaseModel, Record]:
    """Return the options and settings of a recorded run.

    Raises:
        UsageError: the run played another scenario, or an option cannot be combined with a recorded
            run.
    """
    manifest = record.manifest
    action: Literal["replay", "resume"] = "replay" if "replay" in typed else "resume"
    check(record, experiment.name, action)
    free = set(RunOptions.FREE)
    if action == "resume":
        free |= {"mind", "answer_within", *PAYING, "engine", "address"}
    classes = custom_kinds(manifest["options"].get("agent"))
    if classes and sorted(typed.get("agent", ())) == sorted(classes):
        typed = {name: value for name, value in typed.items() if name != "agent"}
        # the user named the code again on the command line
        again = {"agent": manifest["options"]["agent"]}
    else:
        again = {}
    for name in typed:
        if name not in free:
            option = {"settings": "set"}.get(name, name).replace("_", "-")
            raise UsageError(f"--{action} uses the recorded options; leave out --{option}")
    own = {key: value for key, value in typed.items() if key in free}
    before = manifest["options"]
    if action == "replay":  # a replay calls no model and needs no bots
        before = {name: value for name, value in before.items() if name not in MUST_BE_TYPED}
    refuse_untyped(f"--{action}: {record.folder}", before, {**typed, **again}, experiment.options)
    options = _options(experiment, {**before, **own})
    return options, configure(experiment.settings, {}, recorded=manifest["config"]), record


def announcement(run: Plan) -> list[str]:
    """Return the messages that are printed before a run, one per line."""
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
        lines.append(f"The run stops before it exceeds {choice.budget}{default}.")
    if choice.replay:
        lines.append(f"World and answers are replayed from {choice.replay}.")
    lines += run.prepared.notes(choice)
    if run.parts and options.replay is None:
        lines.append(f"Persons answer on the page of: python -m analysis watch {run.folder}")
    if run.server is not None and run.server.speed != 1:
        lines.append(
            f"The game clock runs {run.server.speed:g} times as fast as real time; "
            "all times are game time."
        )
    return lines


def help_text(experiment: type[Scenario]) -> str:
    """Return the text above the options in ``--help``."""
    worlds = [f"  {world}: {', '.join(kinds)}" for world, kinds in experiment.worlds.items()]
    conditions = [f"  {name}: {text}" for name, text in experiment.conditions.items()]
    blocks = [
        ("Worlds, with their kinds of agents (the first is the default):", worlds),
        ("Conditions:", conditions),
    ]
    shown = ["\b\n" + "\n".join([title, *_wrapped(lines)]) for title, lines in blocks if lines]
    story = experiment.story.split("\n\nRun it")[0]
    return "\n\n".join([story, *shown])


def help_end(experiment: type[Scenario]) -> str:
    """Return the text below the options in ``--help``: settings and examples."""
    call = as_typed(f"scenarios.{experiment.name}")
    settings = settings_help(experiment.settings()).splitlines()
    examples = [
        f"  {call} {line}".rstrip() for line in (experiment.examples or _examples(experiment))[:3]
    ]
    watch = f"  {as_typed('analysis')} watch runs    # follow runs in a browser"
    blocks = [
        ("Settings for --set and --config, with their defaults:", _wrapped(settings)),
        ("Examples:", [*_wrapped(examples), watch]),
    ]
    return "\n\n".join("\n".join([title, *lines]) for title, lines in blocks if lines)


def _wrapped(lines: Sequence[str]) -> list[str]:
    """Wrap indented lines. Continuation lines are indented further."""
    return [
        part
        for line in lines
        for part in textwrap.wrap(
            line, HELP_WIDTH, subsequent_indent=" " * 6, break_on_hyphens=False
        )
    ]


def _examples(experiment: type[Scenario]) -> list[str]:
    grid = next((world for world in experiment.worlds if world != "minecraft"), None)
    second = next(iter(list(experiment.conditions)[1:]), None)
    world = f"--world {grid} " if grid and grid != next(iter(experiment.worlds)) else ""
    lines = [world, f"{world}--condition {second} --runs 10" if second else f"{world}--runs 10"]
    return [*lines, f"{world}--json"]
