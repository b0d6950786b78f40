"""``python -m server``: start, stop and look at the Minecraft server."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from server import conformance as conformance_checks
from server import doctor as checks
from server import embedded_server, paper, ports, speeds
from server.conformance import Address, Check, ConformanceError
from server.embedded_server import StartError, WorldOptions
from server.ping import ping
from server.rcon import Rcon, RconError
from server.state import (
    ServerState,
    forget_state,
    log_file,
    read_password,
    read_state,
    server_folder,
    write_password,
    write_state,
)

app = typer.Typer(
    help="Start, stop and look at the Minecraft 1.20.4 server that scenarios play on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

READY_TIMEOUT_S = 60.0
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object only.")]


class KindOption(StrEnum):
    """What ``--kind`` takes."""

    auto = "auto"
    paper = "paper"
    embedded = "embedded"


class TerrainOption(StrEnum):
    """What ``--terrain`` takes."""

    superflat = "superflat"
    natural = "natural"


@app.command()
def up(
    kind: Annotated[
        KindOption, typer.Option(help="auto takes Paper where Docker answers, else embedded.")
    ] = KindOption.auto,
    port: Annotated[
        int, typer.Option(help="Minecraft port; 0 takes a free one (embedded).")
    ] = 25565,
    rcon_port: Annotated[int, typer.Option(help="RCON port; 0 takes a free one.")] = 25575,
    host: Annotated[str, typer.Option(help="Address both ports bind to.")] = "127.0.0.1",
    seed: Annotated[int, typer.Option(help="Seed of the world and of loot (embedded).")] = 1,
    terrain: Annotated[
        TerrainOption | None,
        typer.Option(
            help="natural (the default) with trees, water and ores, or superflat (embedded)."
        ),
    ] = None,
    world: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the world in; in memory when left out (embedded)."),
    ] = None,
    speed: Annotated[
        str,
        typer.Option(
            help="Speed of the game's clock, bots and rules included: a number, or auto for the "
            "fastest that this machine keeps up with (embedded)."
        ),
    ] = "1",
    strict: Annotated[
        bool, typer.Option("--strict", help="Check each packet sent; slow, for tests (embedded).")
    ] = False,
) -> None:
    """Start the server and wait until it answers. Starting it twice is harmless."""
    running = read_state()
    if running is not None and running.is_process_alive() and _answers(running):
        _say(f"already running: {_describe(running)}")
        _say("it keeps the options it was started with; for others: python -m server down, then up")
        return
    if running is not None and running.kind == "embedded":
        embedded_server.stop(running)
    chosen, why = _choose(kind)
    _say(f"starting the {chosen} server ({why})")
    for wanted in (port, rcon_port):
        _require_free(host, wanted)
    try:
        if chosen == "paper" and (world is not None or terrain is not None):
            raise _failure("--world and --terrain are for the embedded server: add --kind embedded")
        wanted_speed = _speed(speed, chosen)
        land = (terrain or TerrainOption.natural).value
        options = WorldOptions(seed, land, world, wanted_speed, strict)
        state = _start(chosen, host, port, rcon_port, options)
        write_state(state)
        _wait_for_answer(state)
    except (StartError, RuntimeError, OSError) as error:
        raise _failure(str(error)) from error
    _say(f"ready: {_describe(state)}")
    if host not in ("127.0.0.1", "localhost"):
        _say("warning: both ports can be reached from other machines, RCON by its password")


@app.command()
def down() -> None:
    """Stop the server. Stopping it twice is harmless."""
    state = read_state()
    if state is None:
        _say("no server is running")
        return
    if state.kind == "remote":
        forget_state()
        _say(f"forgot the server at {state.host}; it runs on")
        return
    (embedded_server if state.kind == "embedded" else paper).stop(state)
    forget_state()
    _say(f"stopped the {state.kind} server")


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Say whether the server answers, where, and who is on it."""
    state = read_state()
    found: dict[str, Any] = {"running": False}
    if state is not None:
        found = asyncio.run(_look(state))
    if as_json:
        print(json.dumps(found))
    elif found["running"]:
        assert state is not None
        print(f"{_describe(state)}; {found['players']}")
    else:
        print("no server is running; start one with: make server")
    raise typer.Exit(0 if found["running"] else 1)


@app.command()
def logs(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as it is written.")] = False,
    lines: Annotated[int, typer.Option(help="How many of the last lines.")] = 50,
) -> None:
    """Show the server's log."""
    state = read_state()
    if state is not None and state.kind == "paper":
        raise typer.Exit(subprocess.call(paper.logs(follow)))
    if not log_file().exists():
        raise _failure("there is no log yet; start a server with: make server")
    tail = ["tail", "-n", str(lines), *(["-f"] if follow else []), str(log_file())]
    try:
        code = subprocess.call(tail)
    except KeyboardInterrupt:
        code = 0
    raise typer.Exit(code)


@app.command()
def command(line: Annotated[str, typer.Argument(help='For example "list".')]) -> None:
    """Give the server one command over RCON and print its answer."""
    state = read_state()
    if state is None:
        raise _failure("no server is running; start one with: make server")
    try:
        print(asyncio.run(_command(state, line)))
    except (RconError, OSError) as error:
        raise _failure(str(error)) from error


@app.command()
def use(
    host: Annotated[str, typer.Argument(help="Address of the machine the server runs on.")],
    port: Annotated[int, typer.Option(help="Its Minecraft port.")] = 25565,
    rcon_port: Annotated[int, typer.Option(help="Its RCON port.")] = 25575,
) -> None:
    """Have scenarios play on a server that runs elsewhere.

    Its RCON password is read from the environment variable VOXPOLIS_RCON_PASSWORD and kept in
    the server folder. `down` forgets the server and leaves it running.
    """
    password = os.environ.get("VOXPOLIS_RCON_PASSWORD")
    if not password:
        raise _failure("set VOXPOLIS_RCON_PASSWORD to the RCON password of that server")
    state = ServerState(
        kind="remote", host=host, port=port, rcon_port=rcon_port, pid=None, started=time.time()
    )
    write_password(password)
    try:
        asyncio.run(_look_closely(state))
    except (OSError, TimeoutError, RconError) as error:
        forget_state()
        raise _failure(f"{host} does not answer: {error}") from error
    write_state(state)
    _say(f"using: {_describe(state)}")


@app.command()
def conformance(
    host: Annotated[str | None, typer.Option(help="Another server than the running one.")] = None,
    port: Annotated[int, typer.Option(help="Its Minecraft port.")] = 25565,
    rcon_port: Annotated[int, typer.Option(help="Its RCON port.")] = 25575,
    rcon_host: Annotated[str | None, typer.Option(help="Its RCON address, if it differs.")] = None,
    only: Annotated[str, typer.Option(help='Part of a name, such as "chests".')] = "",
    as_json: JsonOption = False,
) -> None:
    """Try everything that scenarios rely on with two real bots, and print what works.

    Without options the running server is tried. For another one, give its address; its RCON
    password is read from the environment variable VOXPOLIS_RCON_PASSWORD.
    """
    checks_done = []
    try:
        for check in conformance_checks.run(
            _address(host, port, rcon_host or host, rcon_port), only
        ):
            checks_done.append(check)
            if not as_json:
                _print_check(check)
    except ConformanceError as error:
        raise _failure(str(error)) from error
    passed = sum(check.ok for check in checks_done)
    if as_json:
        print(json.dumps({"passed": passed, "checks": [asdict(c) for c in checks_done]}))
    else:
        print(f"{passed} of {len(checks_done)} checks passed")
    raise typer.Exit(0 if passed == len(checks_done) > 0 else 1)


def _address(host: str | None, port: int, rcon_host: str | None, rcon_port: int) -> Address:
    if host is not None:
        password = os.environ.get("VOXPOLIS_RCON_PASSWORD")
        if not password:
            raise _failure("set VOXPOLIS_RCON_PASSWORD to the RCON password of that server")
        return Address(host, port, rcon_host or host, rcon_port, password)
    state = read_state()
    if state is None:
        raise _failure("no server is running; start one with: make server")
    reachable = _reachable(state.host)
    password = read_password()
    return Address(reachable, state.port, reachable, state.rcon_port, password, state.clock())


def _print_check(check: Check) -> None:
    mark = "ok" if check.ok else "NO"
    print(f"{mark}  {check.group:10} {check.name}  ({check.seconds:.1f} s)", flush=True)
    if check.error:
        print(f"    {check.error}", flush=True)


@app.command()
def doctor() -> None:
    """Check this machine and the running server, and say what to do about each failure.

    Of a running server: version, RCON, whether a bot can join, whether commands work.
    """
    results = checks.check_all()
    for check in results:
        mark = "ok" if check.ok else ("--" if check.optional else "NO")
        print(f"{mark}  {check.name:14} {check.found}")
        if not check.ok:
            print(f"{'':20}→ {check.todo}")
    raise typer.Exit(0 if all(c.ok or c.optional for c in results) else 1)


def _choose(kind: KindOption) -> tuple[str, str]:
    """Which server, and why."""
    if kind is KindOption.embedded:
        return "embedded", "as asked"
    reason = paper.why_unavailable()
    if kind is KindOption.paper:
        if reason is not None:
            raise _failure(f"cannot start Paper: {reason}; use --kind embedded")
        return "paper", "as asked"
    if reason is None:
        return "paper", "a Docker engine answers"
    return "embedded", reason


def _start(kind: str, host: str, port: int, rcon_port: int, options: WorldOptions) -> ServerState:
    if kind == "embedded":
        return embedded_server.start(host, port, rcon_port, options)
    return paper.start(host, port, rcon_port)


def _speed(text: str, kind: str) -> float:
    """What ``--speed`` asks for."""
    if text == "auto" and kind == "embedded":
        return speeds.find_fastest(_say)
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not speeds.SLOWEST <= speed <= speeds.FASTEST:
        raise _failure(f"--speed takes auto or a number from 1 to {speeds.FASTEST}, not {text!r}")
    if speed != 1 and kind != "embedded":
        raise _failure("Paper runs at --speed 1 only; use --kind embedded for more")
    return speed


def _require_free(host: str, port: int) -> None:
    try:
        free = port == 0 or ports.is_free(host, port)
    except (OSError, OverflowError) as error:
        raise _failure(f"cannot listen on {host}:{port}: {error}") from error
    if not free:
        owner = ports.owner_of(port)
        raise _failure(f"port {port} is taken by {owner}; choose another with --port, --rcon-port")


def _wait_for_answer(state: ServerState) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not _answers(state):
        if not state.is_process_alive():
            raise StartError(f"the server ended; its log: {log_file()}")
        if time.monotonic() > deadline:
            raise StartError(f"the server does not answer; its log: {log_file()}")
        time.sleep(0.2)


def _answers(state: ServerState) -> bool:
    try:
        asyncio.run(_look_closely(state))
    except (OSError, TimeoutError, RconError):
        return False
    return True


async def _look_closely(state: ServerState) -> str:
    await ping(_reachable(state.host), state.port)
    return await _command(state, "list")


async def _look(state: ServerState) -> dict[str, Any]:
    try:
        players = await _look_closely(state)
    except (OSError, TimeoutError, RconError) as error:
        return {"running": False, "error": str(error)}
    return {"running": True, **state.model_dump(), "players": players}


async def _command(state: ServerState, line: str) -> str:
    async with Rcon(_reachable(state.host), state.rcon_port, read_password()) as rcon:
        return await rcon.command(line)


def _reachable(host: str) -> str:
    return "127.0.0.1" if host == "0.0.0.0" else host


def _describe(state: ServerState) -> str:
    pid = f", process {state.pid}" if state.pid else ""
    address = f"{_reachable(state.host)}:{state.port}"
    speed = f", speed {state.speed:g}" if state.speed != 1 else ""
    return f"{state.kind} server, Minecraft 1.20.4 at {address}, RCON {state.rcon_port}{pid}{speed}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _failure(text: str) -> typer.Exit:
    _say(f"error: {text}")
    return typer.Exit(2)


if __name__ == "__main__":
    server_folder().mkdir(parents=True, exist_ok=True)
    app()
