"""Start and stop the embedded server, a Node process that outlives the Python process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from voxpolis import environment
from voxpolis.server.state import (
    ServerState,
    StartError,
    clock_file,
    log_file,
    new_password,
    password_file,
    server_folder,
)

START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class WorldOptions:
    """The world and the behaviour of the embedded server.

    Attributes:
        terrain: natural or superflat.
        world: the folder in which the world is saved every few seconds. A world that was saved
            before is loaded with its own seed and terrain. None: the world is only kept in
            memory.
        speed: the speed of the game's clock; see :class:`records.Clock`.
        strict: whether each packet is validated before it is sent (slow, for tests).
        allow_flight: whether players may fly without being kicked.
        monsters: whether monsters spawn.
        owner: the id of a process. The server ends when this process ends for any reason.
        temporary: whether the server's folder is removed when the owner ends.
        replays: the folder for recordings of each client, for ReplayMod.
    """

    seed: int = 1
    terrain: str = "natural"
    world: Path | None = None
    speed: float = 1.0
    strict: bool = False
    allow_flight: bool = False
    monsters: bool = True
    owner: int | None = None
    temporary: bool = False
    replays: Path | None = None

    def flags(self) -> list[str]:
        flags = ["--seed", str(self.seed), "--terrain", self.terrain, "--speed", str(self.speed)]
        if self.world is not None:
            flags += ["--world", str(self.world.absolute())]
        if self.owner is not None:
            flags += ["--owner", str(self.owner)]
        if self.replays is not None:
            flags += ["--replays", str(self.replays.absolute())]
        if self.temporary:
            flags.append("--temporary")
        if self.allow_flight:
            flags.append("--allow-flight")
        if not self.monsters:
            flags.append("--no-monsters")
        return [*flags, "--strict"] if self.strict else flags


def start(host: str, port: int, rcon_port: int, options: WorldOptions) -> ServerState:
    """Start the embedded server, and wait until both of its ports accept connections.

    Raises:
        StartError: the server ended or did not become ready, or Node is not installed.
    """
    try:
        command = environment.node_command("server/embedded/main.js")
    except RuntimeError as error:
        raise StartError(str(error)) from error
    new_password()
    ready = server_folder() / "ready.json"
    ready.unlink(missing_ok=True)
    command += ["--host", host, "--port", str(port), "--rcon-port", str(rcon_port)]
    command += options.flags()
    anchor = round(time.time(), 3)
    clock_file().parent.mkdir(parents=True, exist_ok=True)
    command += ["--anchor", str(anchor * 1000), "--clock", str(clock_file())]
    command += ["--password-file", str(password_file()), "--ready-file", str(ready)]
    # The server ends with this process as long as the server's state has not been written.
    command += ["--starter", str(os.getpid())]
    process = None
    try:
        with _delay_interrupts():
            process = _spawn(command)
        found = _wait_until_ready(process, ready)
    except BaseException:  # also after Ctrl-C: no server may keep running without a state file
        if process is not None:
            process.kill()
            process.wait()
        for path in (password_file(), ready):
            path.unlink(missing_ok=True)
        raise
    return ServerState(
        kind="embedded",
        host=host,
        port=found["port"],
        rcon_port=found["rconPort"],
        pid=process.pid,
        process_began=psutil.Process(process.pid).create_time(),
        started=time.time(),
        speed=options.speed,
        anchor=anchor,
        clock_file=clock_file(),
        terrain=found["terrain"],
    )


@contextmanager
def _delay_interrupts() -> Iterator[None]:
    """Delay Ctrl-C until the end of the ``with`` block, in which a process is started."""
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held and before is not signal.SIG_IGN:
        raise KeyboardInterrupt


def _spawn(command: list[str]) -> subprocess.Popen[bytes]:
    with log_file().open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=environment.PROJECT,
            # Node stores compiled scripts, which makes starting an eighth faster.
            env={"NODE_COMPILE_CACHE": environment.COMPILED, **os.environ},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _wait_until_ready(process: subprocess.Popen[bytes], ready: Path) -> dict[str, Any]:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not ready.exists():
        if process.poll() is not None:
            raise StartError(_why_it_ended())
        if time.monotonic() > deadline:
            raise StartError(f"the embedded server did not become ready; its log: {log_file()}")
        time.sleep(0.05)
    found: dict[str, Any] = json.loads(ready.read_text())
    return found


def _why_it_ended() -> str:
    last = log_file().read_text(errors="replace").splitlines()[-1:]
    if last and last[0].startswith("refused: "):
        return last[0].removeprefix("refused: ")
    said = f"; the last line of its log: {last[0]}" if last else ", and its log is empty"
    return f"the embedded server ended at once{said}"


def stop(state: ServerState) -> None:
    """Stop the embedded server. If it does not end by itself, kill it."""
    process = process_of(state)
    if process is None:
        return
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(STOP_TIMEOUT_S)


def process_of(state: ServerState) -> psutil.Process | None:
    """Return the process of an embedded server; None if it has ended."""
    if state.pid is None or not state.is_process_alive():
        return None
    try:
        process = psutil.Process(state.pid)
        is_server = any(part.endswith("server/embedded/main.js") for part in process.cmdline())
    except psutil.Error:
        return None
    return process if is_server else None  # the id may meanwhile belong to another process
