"""The commands of ``python -m server``."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from voxpolis import environment
from voxpolis.records.command_line import CommandLine
from voxpolis.records.text import say_error
from voxpolis.records.vanilla import MINECRAFT_VERSION, is_refusal
from voxpolis.server import conformance as conformance_checks
from voxpolis.server import doctor as checks
from voxpolis.server import embedded_server, paper, running, starting
from voxpolis.server.conformance import Address, Check, ConformanceError
from voxpolis.server.rcon import RconError
from voxpolis.server.starting import StartRequest
from voxpolis.server.state import (
    ServerState,
    StartError,
    forget_state,
    log_file,
    other_servers,
    read_password,
    read_state,
    server_folder,
    write_password,
    write_state,
)

app = CommandLine(
    help=f"Start, stop and inspect the Minecraft {MINECRAFT_VERSION} server for scenarios.",
    no_args_is_help=True,
)

# The exit code of `server command` if the server refuses the command.
REFUSED = 1
# With this mark the vanilla server shows where in a command an error is.
HERE = "<--[HERE]"
# Headings in the help of ``up``.
MAIN, WORLD, TESTS = "Main options", "World", "Tests and recordings"
JsonOption = Annotated[bool, typer.Option("--json", help="Print a single JSON object.")]
PortOption = Annotated[int, typer.Option(min=1, max=65535, help="Minecraft port of the server.")]
RconPortOption = Annotated[int, typer.Option(min=1, max=65535, help="RCON port of the server.")]


class KindOption(StrEnum):
    """The values of ``--kind``."""

    auto = "auto"
    paper = "paper"
    embedded = "embedded"


class TerrainOption(StrEnum):
    """The values of ``--terrain``."""

    superflat = "superflat"
    natural = "natural"


@app.command()
def up(
    context: typer.Context,
    kind: Annotated[
        KindOption,
        typer.Option(
            help="Kind of server. auto: Paper if Docker answers, otherwise embedded.",
            rich_help_panel=MAIN,
        ),
    ] = KindOption.auto,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65535,
            help="Port for Minecraft clients. 0: a free port (embedded).",
            rich_help_panel=MAIN,
        ),
    ] = 25565,
    rcon_port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Port for RCON. 0: a free port (embedded).", rich_help_panel=MAIN
        ),
    ] = 25575,
    host: Annotated[
        str, typer.Option(help="Address on which the server listens.", rich_help_panel=MAIN)
    ] = "127.0.0.1",
    seed: Annotated[
        int, typer.Option(help="Seed of the world and of loot (embedded).", rich_help_panel=WORLD)
    ] = 1,
    terrain: Annotated[
        TerrainOption,
        typer.Option(
            help="Terrain of the world. natural: with trees and ores.", rich_help_panel=WORLD
        ),
    ] = TerrainOption.natural,
    world: Annotated[
        Path | None,
        typer.Option(
            help="Folder in which the world is saved. By default, the world is kept in memory "
            "(embedded).",
            rich_help_panel=WORLD,
        ),
    ] = None,
    speed: Annotated[
        str,
        typer.Option(
            help="Speed of the game's clock: a number, or auto for the highest speed that this "
            "machine sustains (embedded).",
            rich_help_panel=MAIN,
        ),
    ] = "1",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Validate each packet before it is sent. This is slow (embedded).",
            rich_help_panel=TESTS,
        ),
    ] = False,
    allow_flight: Annotated[
        bool,
        typer.Option(
            "--allow-flight",
            help="Let players fly without being kicked (embedded).",
            rich_help_panel=WORLD,
        ),
    ] = False,
    monsters: Annotated[
        bool,
        typer.Option(
            help="Whether monsters spawn, for example at night (embedded).", rich_help_panel=WORLD
        ),
    ] = True,
    owner: Annotated[
        int | None,
        typer.Option(
            help="Id of a process. The server ends when this process ends (embedded).",
            rich_help_panel=TESTS,
        ),
    ] = None,
    temporary: Annotated[
        bool,
        typer.Option(
            "--temporary",
            help="Remove the folder of the server when its owner ends (embedded).",
            rich_help_panel=TESTS,
        ),
    ] = False,
    replays: Annotated[
        Path | None,
        typer.Option(
            help="Folder for recordings of each client, for ReplayMod (embedded).",
            rich_help_panel=TESTS,
        ),
    ] = None,
    paper_timeout: Annotated[
        float,
        typer.Option(
            min=1,
            help="Seconds that Paper has for its download and its start.",
            rich_help_panel=MAIN,
        ),
    ] = 600,
) -> None:
    """Start the server and wait until it answers. Starting it twice is harmless."""
    try:
        speed = starting.read_speed(speed)
        world = world and world.absolute()
        options = {name: str(value) for name, value in context.params.items()}
        options |= {"speed": speed, "world": str(world)}
        del options["paper_timeout"]  # the running server does not have this option
        typed = _typed(context, options)
        given = (host, port, rcon_port, speed, seed, terrain, world, strict, allow_flight)
        more = (monsters, owner, temporary, replays, paper_timeout)
        wanted = StartRequest(kind, *given, *more, options, typed)
        if not _is_already_running(wanted):
            _start(wanted)
    except (StartError, OSError) as error:
        raise _failure(str(error)) from error


def _typed(context: typer.Context, options: dict[str, str]) -> dict[str, str]:
    """Return the options that the user set, leaving out the options that keep their default."""
    sources = {name: context.get_parameter_source(name) for name in options}
    return {
        name: options[name] for name in options if getattr(sources[name], "name", "") != "DEFAULT"
    }


def _is_already_running(wanted: StartRequest) -> bool:
    """Return whether a server with these options is running.

    If a server has ended, clean up after it.

    Raises:
        StartError: a server is running with other options.
    """
    state = read_state()
    if state is None:
        return False
    if state.is_process_alive() and running.is_answering(state):
        others = running.differences(state, wanted.typed)
        if others:
            raise StartError(
                f"already running, without {' '.join(others)}: {running.describe(state)}; "
                f"stop it first: {environment.typed('server down')}"
            )
        _say(f"already running: {running.describe(state)}")
        return True
    if state.kind == "embedded":
        embedded_server.stop(state)
    return False


def _start(wanted: StartRequest) -> None:
    server_folder().mkdir(parents=True, exist_ok=True)
    state = starting.start(wanted, _say).model_copy(update={"options": wanted.options})
    write_state(state)
    try:
        starting.wait_for_answer(state)
    except StartError:
        if not state.is_process_alive():
            forget_state()
        raise
    _say(f"ready: {running.describe(state)}")
    if wanted.host not in ("127.0.0.1", "localhost"):
        _say("warning: both ports can be reached from other machines, RCON by its password")


@app.command()
def down() -> None:
    """Stop the server. Stopping it twice is harmless."""
    state = read_state()
    if state is None or not state.is_process_alive():
        if state is not None:
            forget_state()
        _say("no server is running")
        return
    if state.kind == "remote":
        forget_state()
        _say(f"forgot the server at {state.host}; it is still running")
        return
    try:
        (embedded_server if state.kind == "embedded" else paper).stop(state)
    except StartError as error:
        raise _failure(str(error)) from error
    forget_state()
    _say(f"stopped the {state.kind} server")


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Show whether the server answers, and its address and players.

    Other running servers are listed as well.
    """
    state = read_state()
    found: dict[str, Any] = {"running": False} if state is None else running.look(state)
    others = list(other_servers())
    if as_json:
        print(json.dumps({**found, "others": [one.model_dump(mode="json") for _, one in others]}))
    elif state is not None and found["running"]:
        print(f"{running.describe(state)}; {found['players']}")
        if found["paused"]:
            freed = environment.typed('server command "tick unfreeze"')
            print(f"its clock is frozen; to resume: {freed}")
    else:
        print(_no_server_text())
    for folder, other in others if not as_json else ():
        print(f"besides: {running.describe(other)} (VOXPOLIS_SERVER={folder})")
    raise typer.Exit(0 if found["running"] else 1)


@app.command()
def logs(
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Continue to show new lines of the log.")
    ] = False,
    lines: Annotated[int, typer.Option(min=0, help="Number of lines to show.")] = 50,
) -> None:
    """Show the server's log."""
    state = read_state()
    if state is not None and state.kind == "paper":
        raise typer.Exit(subprocess.call(paper.logs(follow)))
    if not log_file().exists():
        raise _failure(f"there is no log yet; start a server with: {environment.how_to_start()}")
    tail = ["tail", "-n", str(lines), *(["-f"] if follow else []), str(log_file())]
    try:
        code = subprocess.call(tail)
    except KeyboardInterrupt:
        code = 0
    raise typer.Exit(code)


@app.command()
def command(
    line: Annotated[
        str, typer.Argument(metavar="COMMAND", help='Command without a slash, for example "list".')
    ],
) -> None:
    """Send a command over RCON and print the answer.

    The exit code is 1 if the server refuses the command.
    """
    state = _running_server()
    try:
        answer = asyncio.run(running.command(state, line))
    except (RconError, OSError) as error:
        raise _failure(str(error)) from error
    print(answer)
    raise typer.Exit(REFUSED if is_refusal(answer) or HERE in answer else 0)


@app.command()
def export(
    world: Annotated[
        Path,
        typer.Argument(metavar="WORLD", help="Folder of a world that was saved with up --world."),
    ],
    to: Annotated[Path, typer.Argument(metavar="TO", help="New folder for the Minecraft world.")],
    around: Annotated[
        int,
        typer.Option(
            min=0,
            max=64,
            help="Number of columns of blocks that are also written around each change.",
        ),
    ] = 8,
) -> None:
    """Convert a saved world to the format of Minecraft 1.20.4 (Anvil).

    Paper also reads this format. If the saved world is based on a Minecraft world, the new folder
    is a copy of that Minecraft world with all changes that were made since.

    For example: python -m server export worlds/seven worlds/seven-in-minecraft
    """
    try:
        command = environment.node_command("server/embedded/world/anvil/export.js")
    except RuntimeError as error:
        raise _failure(str(error)) from error
    command += [str(world.absolute()), str(to.absolute()), str(around)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            told, faults = process.communicate()
        except KeyboardInterrupt:
            process.kill()
            raise
        finally:  # also after Ctrl-C
            process.wait()
            shutil.rmtree(f"{to.resolve()}.{process.pid}.part", ignore_errors=True)
    if process.returncode:
        said = faults.strip().splitlines()
        raise _failure(said[-1] if said else f"Node ended with code {process.returncode}")
    written = json.loads(told)
    if written["copied"]:
        _say(f"{to}: a copy in which {written['columns']} columns have changed")
    else:
        _say(f"{to}: {written['columns']} columns, {written['changed']} of them changed")


@app.command()
def use(
    host: Annotated[str, typer.Argument(metavar="HOST", help="Address of the server's machine.")],
    port: PortOption = 25565,
    rcon_port: RconPortOption = 25575,
    terrain: Annotated[
        TerrainOption | None,
        typer.Option(help="Terrain of the server. By default, it is detected."),
    ] = None,
) -> None:
    """Let scenarios use a server that was started elsewhere.

    The RCON password of the server is read from the environment variable VOXPOLIS_RCON_PASSWORD,
    and kept in the server folder. `down` forgets the server and leaves it running.
    """
    password = _password_from_environment()
    state = ServerState(
        kind="remote", host=host, port=port, rcon_port=rcon_port, pid=None, started=time.time()
    )
    write_password(password)
    try:
        asyncio.run(running.list_players(state))
        land = terrain or asyncio.run(running.find_terrain(state))
    except (OSError, TimeoutError, RconError) as error:
        forget_state()
        raise _failure(f"{host} does not answer: {error}") from error
    state = state.model_copy(update={"terrain": str(land)})
    write_state(state)
    _say(f"using: {running.describe(state)}")


@app.command()
def conformance(
    host: Annotated[
        str | None, typer.Option(help="Address of a server to test instead of the running server.")
    ] = None,
    port: PortOption = 25565,
    rcon_port: RconPortOption = 25575,
    rcon_host: Annotated[
        str | None, typer.Option(help="Address for RCON, if it differs from --host.")
    ] = None,
    only: Annotated[
        str,
        typer.Option(help='Run only the checks with this text in their names, such as "chests".'),
    ] = "",
    as_json: JsonOption = False,
    report: Annotated[
        Path | None,
        typer.Option(help="File for the versions, the kind of server and all results (JSON)."),
    ] = None,
) -> None:
    """Let two bots test everything that scenarios need, and print the results.

    By default, the running server is tested. To test another server, give its address. The RCON
    password of the other server is read from the environment variable VOXPOLIS_RCON_PASSWORD.
    """
    kind = "other"
    if host is not None:
        address = Address(host, port, rcon_host or host, rcon_port, _password_from_environment())
    else:
        address, kind = _address_of_running(), _running_server().kind
    checks_done: list[Check] = []
    try:
        for check in conformance_checks.run(address, only):
            checks_done.append(check)
            if not as_json:
                _print_check(check)
    except ConformanceError as error:
        checks_done.append(Check("suite", "all checks ran", False, str(error), 0.0))
        raise _failure(str(error)) from error
    finally:
        found = conformance_checks.report(address, kind, checks_done)
        if report is not None:
            report.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    passed = found["passed"]
    if as_json:
        print(json.dumps(found))
    else:
        print(f"{passed} of {len(checks_done)} checks passed")
    raise typer.Exit(0 if passed == len(checks_done) > 0 else 1)


def _address_of_running() -> Address:
    state = _running_server()
    host = running.reachable(state.host)
    return Address(host, state.port, host, state.rcon_port, read_password(), state.clock())


def _print_check(check: Check) -> None:
    mark = "ok" if check.ok else "NO"
    print(f"{mark}  {check.group:10} {check.name}  ({check.seconds:.1f} s)", flush=True)
    if check.error:
        print(f"    {check.error}", flush=True)


@app.command()
def doctor() -> None:
    """Check this machine and the running server.

    For each failed check, a remedy is suggested. If a server is running, the checks include its
    version and RCON, whether a bot can join, and whether commands work.
    """
    results = checks.check_all()
    for check in results:
        mark = "ok" if check.ok else ("--" if check.optional else "NO")
        print(f"{mark}  {check.name:14} {check.found}")
        if not check.ok:
            print(f"{'':20}→ {check.todo}")
    raise typer.Exit(0 if all(c.ok or c.optional for c in results) else 1)


def _running_server() -> ServerState:
    state = read_state()
    if state is None:
        raise _failure(_no_server_text())
    return state


def _no_server_text() -> str:
    return f"no server is running; start one with: {environment.how_to_start()}"


def _password_from_environment() -> str:
    password = os.environ.get("VOXPOLIS_RCON_PASSWORD")
    if not password:
        raise _failure("set VOXPOLIS_RCON_PASSWORD to the RCON password of that server")
    return password


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _failure(text: str) -> typer.Exit:
    say_error(text)
    return typer.Exit(2)
