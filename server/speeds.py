"""``--speed auto``: the fastest clock that this machine keeps up with."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import environment
from server.embedded_server import StartError
from server.state import ROOT, ServerState

SLOWEST, FASTEST = 1, 50
#: Tried from the fastest down.
CANDIDATES = [30.0, 20.0, 15.0, 10.0, 7.0, 5.0, 3.0, 2.0]
#: Ticks of game time that may start this late in one of a hundred: one tick's length.
LATEST_MS = 50.0
#: As many bots as the small scenarios have.
BOTS = 4
#: Seconds of game time that the bots walk, and of them the last that count: all is warm then.
GAME_SECONDS = 80
MEASURED_S = 40
WALK_TIMEOUT_S = 120
KIND = ("--kind", "embedded", "--terrain", "superflat")
LOAD = ROOT / "server" / "conformance" / "load.js"


def find_fastest(say: Callable[[str], None]) -> float:
    """Try speeds on servers of their own, with a few walking bots; return the fastest sound one.

    Raises:
        StartError: a server for the trial did not start.
    """
    for speed in CANDIDATES:
        late = _late_ms(speed)
        how = f"up to {late:.0f} ms of game time late" if late < math.inf else "far too late"
        say(f"speed {speed:g}: ticks start {how}")
        if late <= LATEST_MS:
            return speed
    return 1.0


def _late_ms(speed: float) -> float:
    """How late one tick of a hundred starts, in milliseconds of game time."""
    with tempfile.TemporaryDirectory(prefix="voxpolis-speed-") as folder:
        variables = {**os.environ, "VOXPOLIS_SERVER": folder}
        _server(variables, "up", *KIND, *_free_ports(), "--speed", str(speed))
        try:
            state = ServerState.model_validate_json((Path(folder) / "server.json").read_text())
            if not _walk(state):
                return math.inf
            answer = _server(variables, "command", f"tick query {MEASURED_S * 20}")
        finally:
            _server(variables, "down")
    match = re.search(r"Start delay: .*P99: ([\d.]+)ms", answer)
    if match is None:
        raise StartError(f"the server does not say how late it is: {answer}")
    return float(match[1])


def _free_ports() -> list[str]:
    return ["--port", "0", "--rcon-port", "0"]


def _walk(state: ServerState) -> bool:
    """Let bots walk about; whether they came through."""
    options = {
        "--port": state.port,
        "--speed": state.speed,
        "--anchor": state.anchor * 1000,
        "--bots": BOTS,
        "--seconds": GAME_SECONDS,
    }
    flags = [str(part) for option in options.items() for part in option]
    try:
        done = subprocess.run(
            [str(environment.node_executable()), str(LOAD), *flags],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WALK_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _server(variables: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise StartError(done.stderr.strip())
    return done.stdout
