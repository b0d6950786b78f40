"""``--speed auto``: find the fastest clock that this machine can keep up with."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable

from voxpolis import environment
from voxpolis.server.server_pool import server_command, temporary_server
from voxpolis.server.state import ServerState, StartError, read_state

SLOWEST, FASTEST = 1, 50
# Speeds in ascending order. Every machine is assumed to keep up with 1, which is not tried.
CANDIDATES = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0]
# A tick of game time, in seconds.
TICK_MS = 50.0
# As many bots as in the small scenarios.
BOTS = 4
# Seconds of wall time for which the bots walk, and how many seconds at the end count, when
# everything is warmed up.
WALK_S = 10
MEASURED_S = 5
WALK_TIMEOUT_S = 120


# Minimum fraction of the target speed; a clock that falls below it is overloaded.
MIN_SPEED_FRACTION = 0.9


def lateness_query(seconds: float) -> str:
    """Return the command that asks the embedded server how well it kept its clock.

    Args:
        seconds: period to report, in game time.
    """
    return f"tick query {max(1, round(seconds * 1000 / TICK_MS))}"


def speed_fraction(answer: str) -> float | None:
    """Return the actual speed of the clock as a fraction of its target speed.

    The fraction is read from an answer to :func:`lateness_query`. The clock waits when the server
    or the bots cannot follow (``clock.js``). None for servers that do not report it (Paper).
    """
    match = re.search(r"Clock: ran at ([\d.]+) of ([\d.]+) times", answer)
    return None if match is None else float(match[1]) / float(match[2])


# Maximum fraction of an episode by which server or bots may be late before the outcome is doubtful.
# Bots spend most of their time waiting for the world (digging, walking); the tightest scenarios
# leave them a third more time than they need.
MAX_LATENESS = 0.25


def lateness_fraction(answer: str) -> float | None:
    """Return the fraction of time lost by lateness, from an answer to :func:`lateness_query`.

    The result is the larger of the server's and its clients' fractions. Of the clients, the one
    with the smallest fraction counts: a slow machine delays all clients, but an agent's program
    delays only its own bot. None for servers that do not report it (Paper).
    """
    match = re.search(r"Held up: server ([\d.]+), clients ([\d.]+)", answer)
    return None if match is None else max(float(match[1]), float(match[2]))


def longest_delays_ms(answer: str) -> dict[str, float]:
    """Return the longest single delay of ``server`` and ``bots`` in milliseconds of game time.

    The delays come from an answer to :func:`lateness_query`; empty for servers that do not report
    them (Paper).
    """
    match = re.search(r"Longest delays: server (\d+), clients (\d+) ms", answer)
    return {} if match is None else {"server": float(match[1]), "bots": float(match[2])}


def find_fastest(say: Callable[[str], None]) -> float:
    """Try speeds on temporary servers with a few walking bots; return the fastest sustainable
    speed.

    A machine that keeps up with one speed keeps up with all slower ones, so each trial halves the
    remaining candidates.

    Raises:
        StartError: a server for a trial did not start.
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
    """Return the actual speed of a clock with a few walking bots, as a fraction of its target
    speed.

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
    """Let bots walk; return True if they could."""
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
