"""``--speed auto``: the fastest clock that this machine keeps up with."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

from voxpolis import environment
from voxpolis.server.server_pool import server_command, temporary_server
from voxpolis.server.state import ServerState, StartError, read_state

SLOWEST, FASTEST = 1, 50
# From slow to fast; at 1, which every machine is taken to keep up with, nothing is tried.
CANDIDATES = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0]
# A tick of game time.
TICK_MS = 50.0
# As many bots as the small scenarios have.
BOTS = 4
# Seconds of the wall's time that the bots walk, and of them the last that count: all is warm then.
WALK_S = 10
MEASURED_S = 5
WALK_TIMEOUT_S = 120


# Of its speed: a clock that stands still for longer than the rest of the time has too much to do.
SOUND_PACE = 0.9


def lateness_query(seconds: float) -> str:
    """The command that asks the embedded server how it kept its clock in the last seconds.

    Args:
        seconds: of game time.
    """
    return f"tick query {max(1, round(seconds * 1000 / TICK_MS))}"


def pace(answer: str) -> float | None:
    """The share of its speed at which the clock ran, in the answer to :func:`lateness_query`.

    The clock stands still where server or bots cannot follow (``clock.js``). None for servers that
    do not say it (Paper).
    """
    match = re.search(r"Clock: ran at ([\d.]+) of ([\d.]+) times", answer)
    return None if match is None else float(match[1]) / float(match[2])


# Share of an episode by which server or bots may be late without its outcome being doubted. Bots
# spend most of their time waiting for the world (digging, walking); the tightest scenarios leave
# them a third more time than they need.
MOST_HELD_UP = 0.25


def held_up(answer: str) -> float | None:
    """The share of the time, in the answer to :func:`lateness_query`, that was lost by lateness.

    The server's, or its clients' if that is more: of those the one that was held up least, since
    the machine holds up all, and an agent's own program only its own bot.
    None for servers that do not say it (Paper).
    """
    match = re.search(r"Held up: server ([\d.]+), clients ([\d.]+)", answer)
    return None if match is None else max(float(match[1]), float(match[2]))


def find_fastest(say: Callable[[str], None]) -> float:
    """Try speeds on servers of their own, with a few walking bots; return the fastest that is kept.

    A machine that keeps up with one speed keeps up with all that are slower, so each trial halves
    the candidates that are left.

    Raises:
        StartError: a server for the trial did not start.
    """
    sound, unsound = 0, len(CANDIDATES)
    while unsound - sound > 1:
        middle = (sound + unsound) // 2
        speed = CANDIDATES[middle]
        share = _pace(speed)
        say(f"speed {speed:g}: the clock ran at {share * speed:.1f} times the wall's")
        if share >= SOUND_PACE:
            sound = middle
        else:
            unsound = middle
    return CANDIDATES[sound]


def _pace(speed: float) -> float:
    """The share of a speed at which a clock runs with a few walking bots.

    Raises:
        StartError: the server for the trial did not start, or does not say how fast it is.
    """
    with temporary_server(speed, "superflat") as folder:
        state = read_state(folder)
        if state is None or not _walk(state):
            return 0.0
        answer = server_command(folder, "command", lateness_query(MEASURED_S * speed))
    found = pace(answer)
    if found is None:
        raise StartError(f"the server does not say how fast its clock ran: {answer}")
    return found


def _walk(state: ServerState) -> bool:
    """Let bots walk about; whether they came through."""
    options = {
        "--port": state.port,
        "--speed": state.speed,
        "--anchor": state.anchor * 1000,
        "--clock": state.clock_file,
        "--bots": BOTS,
        "--seconds": WALK_S,
    }
    command = environment.node_command("server/conformance/load.js")
    command += [str(part) for option in options.items() for part in option]
    try:
        done = subprocess.run(
            command,
            cwd=environment.PROJECT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WALK_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
