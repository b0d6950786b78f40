"""Start the server that the command ``up`` asks for, Paper or the embedded server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from voxpolis import environment
from voxpolis.records.vanilla import EMBEDDED_ONLY, needs_embedded
from voxpolis.server import autospeed, embedded_server, paper, ports, running
from voxpolis.server.embedded_server import WorldOptions
from voxpolis.server.state import ServerState, StartError, log_file

READY_TIMEOUT_S = 60.0
# If a port is taken, the first free port from this many numbers on is suggested.
NEXT_PORT = 5


@dataclass(frozen=True)
class StartRequest:
    """A request to start a server, as the command ``up`` makes it.

    ``options`` has all options as text; ``typed`` has only the options that the user typed.
    """

    kind: str
    host: str
    port: int
    rcon_port: int
    speed: str
    seed: int
    terrain: str
    world: Path | None
    strict: bool
    allow_flight: bool = False
    monsters: bool = True
    owner: int | None = None
    temporary: bool = False
    replays: Path | None = None
    paper_timeout_s: float = 0.0
    options: dict[str, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)


def start(wanted: StartRequest, say: Callable[[str], None]) -> ServerState:
    """Start a server, which may not answer yet when this function returns.

    Raises:
        StartError: the options are invalid, or the server did not start.
    """
    kind, why = _choose(wanted)
    _check(wanted)
    say(f"starting the {kind} server ({why})")
    if kind == "paper":
        try:
            return _start_paper(wanted, say)
        except StartError as error:
            failure = f"Paper did not start: {error}; the log: {log_file()}"
            if wanted.kind == "paper":
                raise StartError(failure) from error
            say(f"{failure}; starting the embedded server instead")
    speed = autospeed.find_fastest(say) if wanted.speed == "auto" else float(wanted.speed)
    options = WorldOptions(
        wanted.seed,
        wanted.terrain,
        wanted.world,
        speed,
        wanted.strict,
        wanted.allow_flight,
        wanted.monsters,
        wanted.owner,
        wanted.temporary,
        wanted.replays,
    )
    return embedded_server.start(wanted.host, wanted.port, wanted.rcon_port, options)


def _start_paper(wanted: StartRequest, say: Callable[[str], None]) -> ServerState:
    """Start Paper, and wait until it answers.

    Raises:
        StartError: Paper did not start. Everything that it left has been removed.
    """
    try:
        state = paper.start(
            wanted.host,
            wanted.port,
            wanted.rcon_port,
            wanted.terrain,
            wanted.paper_timeout_s,
            say,
        )
    except (OSError, RuntimeError) as error:
        raise StartError(str(error)) from error
    try:
        wait_for_answer(state)
        # The volume may contain a world with another terrain.
        unknown = state.model_copy(update={"terrain": None})
        terrain = asyncio.run(running.find_terrain(unknown))
    except BaseException:
        paper.take_down(state, say)
        raise
    return state.model_copy(update={"terrain": terrain})


def wait_for_answer(state: ServerState) -> None:
    """Wait until a server answers on both of its ports.

    Raises:
        StartError: the server ended, or does not answer in time.
    """
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not running.is_answering(state):
        if not state.is_process_alive():
            raise StartError(f"the server ended; its log: {log_file()}")
        if time.monotonic() > deadline:
            raise StartError(f"the server does not answer; its log: {log_file()}")
        time.sleep(0.2)


def read_speed(text: str) -> str:
    """Check the value of ``--speed`` and return it: ``auto``, or a number in its shortest form.

    Raises:
        StartError: the value is neither ``auto`` nor a number, or is out of range.
    """
    if text == "auto":
        return text
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not autospeed.SLOWEST <= speed <= autospeed.FASTEST:
        limits = f"{autospeed.SLOWEST} to {autospeed.FASTEST}"
        raise StartError(f"--speed must be auto or a number from {limits}, not {text!r}")
    return f"{speed:g}"


def _choose(wanted: StartRequest) -> tuple[str, str]:
    """Return which kind of server to start, and the reason."""
    if wanted.kind == "embedded":
        return "embedded", "as asked"
    reason = _unsupported_by_paper(wanted) or paper.why_unavailable()
    if reason is None:
        return "paper", "as asked" if wanted.kind == "paper" else "a Docker engine answers"
    if wanted.kind == "paper":
        raise StartError(f"cannot start Paper: {reason}; use --kind embedded")
    return "embedded", reason


def _unsupported_by_paper(wanted: StartRequest) -> str | None:
    """Return a message about the first wanted feature that Paper lacks; None if it lacks none."""
    typed = [(f"--{name.replace('_', '-')}", value) for name, value in wanted.typed.items()]
    asked = {f"{flag} {value}" for flag, value in typed}  # such as "--port 0"
    asked |= {flag for flag, value in typed if (flag, value) != ("--speed", "1")}
    return next((needs_embedded(feature) for feature in EMBEDDED_ONLY if feature in asked), None)


def _check(wanted: StartRequest) -> None:
    """Reject ports that cannot be used.

    Raises:
        StartError: a port is taken, or both ports are the same.
    """
    if wanted.port == wanted.rcon_port != 0:
        raise StartError(f"--port and --rcon-port are both {wanted.port}; they must differ")
    _require_free(wanted.host, wanted.port, "port")
    _require_free(wanted.host, wanted.rcon_port, "rcon_port")


def _require_free(host: str, port: int, name: str) -> None:
    try:
        free = ports.is_free(host, port)
    except OSError as error:
        raise StartError(f"cannot listen on {host}:{port}: {error}") from error
    if not free:
        other = ports.free_from(host, port + NEXT_PORT)
        typed = running.format_option(name, str(other))
        make = f" (make server {name.upper()}={other})" if environment.IS_CHECKOUT else ""
        owner = ports.owner_of(port)
        raise StartError(f"port {port} is taken by {owner}; choose another: {typed}{make}")
