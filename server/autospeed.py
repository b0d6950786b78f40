"""``--speed auto``: find the fastest clock that this machine can sustain."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

from voxpolis import environment
from voxpolis.server.server_pool import server_command, temporary_server
from voxpolis.server.state import ServerState, StartError, read_state

SLOWEST, FASTEST = 1, 50
# The speeds to try, in ascending order. Every machine is assumed to sustain speed 1, which is not
# tried.
CANDIDATES = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0]
# A tick of game time, in milliseconds.
TICK_MS = 50.0
# The number of bots in a trial, as many as in the small scenarios.
BOTS = 4
# The bots walk for WALK_S seconds of real time. Only the last MEASURED_S seconds count, when
# everything is warmed up.
WALK_S = 10
MEASURED_S = 5
WALK_TIMEOUT_S = 120


# A clock that reaches less than this fraction of the wanted speed is overloaded.
MIN_SPEED_FRACTION = 0.9


def lateness_query(seconds: float) -> str:
    """Return the command that asks the embedded server whether its clock kept the wanted speed.

    Args:
        seconds: the period to report, in seconds of game time.
    """
    return f"tick query {max(1, round(seconds * 1000 / TICK_MS))}"


def speed_fraction(answer: str) -> float | None:
    """Return the real speed of the clock as a fraction of the wanted speed.

    ``answer`` is the answer to the command of :func:`lateness_query`. The clock waits if the server
    or the bots are too slow (``clock.js``). The result is None for a server that does not report
    its speed (Paper).
    """
    match = re.search(r"Clock: ran at ([\d.]+) of ([\d.]+) times", answer)
    return None if match is None else float(match[1]) / float(match[2])


# If the server or the bots were late for more than this fraction of an episode, the outcome is
# doubtful. Bots mostly wait for the world (digging, walking), and the tightest scenarios leave them
# a third more time than they need.
MAX_LATENESS = 0.25


def lateness_fraction(answer: str) -> float | None:
    """Return the fraction of time that was lost because the server or its clients were late.

    ``answer`` is the answer to the command of :func:`lateness_query`. The result is the larger of
    the server's fraction and the clients' fraction. Of the clients, only the one that lost the
    least time counts: a slow machine delays all clients, but the program of an agent can only delay
    its own bot. The result is None for a server that does not report delays (Paper).
    """
    match = re.search(r"Held up: server ([\d.]+), clients ([\d.]+)", answer)
    return None if match is None else max(float(match[1]), float(match[2]))


def longest_delays_ms(answer: str) -> dict[str, float]:
    """Return the longest single delay of ``server`` and ``bots`` in milliseconds of game time.

    The delays are read from an answer to :func:`lateness_query`. The result is empty for a server
    that does not report delays (Paper).
    """
    match = re.search(r"Longest delays: server (\d+), clients (\d+) ms", answer)
    return {} if match is None else {"server": float(match[1]), "bots": float(match[2])}


def find_fastest(say: Callable[[str], None]) -> float:
    """Try speeds on temporary servers with a few walking bots.

    Return the highest speed that this machine can sustain.

    A machine that sustains a speed also sustains all slower speeds, so each trial halves the number
    of candidates.

    Raises:
        StartError: the server for a trial did not start.
    """
    sound, unsound = 0, len(CANDIDATES)
    while unsound - sound > 1:
        middle = (sound + unsound) // 2
        speed = CANDIDATES[middle]
        share = _pace(speed)
        say(f"speed {speed:g}: the clock ran {share * speed:.1f} times as fast as real time")
        if share >= MIN_SPEED_FRACTION:
            sound = middle
        else:
            unsound = middle
    return CANDIDATES[sound]


def _pace(speed: float) -> float:
    """Measure the speed of a clock with a few walking bots, as a fraction of the wanted speed.

    Raises:
        StartError: the server for the trial did not start, or does not report its speed.
    """
    with temporary_server(speed, "superflat") as folder:
        state = read_state(folder)
        if state is None or not _walk(state):
            return 0.0
        answer = server_command(folder, "command", lateness_query(MEASURED_S * speed))
    found = speed_fraction(answer)
    if found is None:
        raise StartError(f"the server does not report how fast its clock ran: {answer}")
    return found


def _walk(state: ServerState) -> bool:
    """Let bots walk. Return whether this was possible."""
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
