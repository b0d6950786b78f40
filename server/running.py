"""Questions to a running server, and the comparison of its options with the wanted options."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from voxpolis.records.vanilla import MINECRAFT_VERSION
from voxpolis.server.ping import ping
from voxpolis.server.rcon import Rcon, RconError
from voxpolis.server.state import ServerState, read_password

TERRAINS = ("natural", "superflat")
# The height of the surface of Minecraft's default flat land. Natural land has rock there. Several
# columns of one chunk are checked, because a player may have dug in one of them.
FLAT_Y, COLUMNS = -61, ((1, 1), (5, 9), (9, 5), (14, 14))
# The values of options that every running server satisfies.
ANY = {("kind", "auto"), ("port", "0"), ("rcon_port", "0")}


def is_answering(state: ServerState) -> bool:
    """Return whether a Minecraft server and its RCON port answer."""
    try:
        asyncio.run(list_players(state))
    except (OSError, TimeoutError, RconError):
        return False
    return True


def look(state: ServerState) -> dict[str, Any]:
    """Return what the command ``status`` shows.

    ``running`` says whether the server answers. If it does, the result also contains the fields of
    ``state``, the ``players``, and ``paused``, which says whether the clock is frozen. If it does
    not, the result also contains the reason (``error``).
    """
    try:
        players = asyncio.run(list_players(state))
        is_frozen = asyncio.run(command(state, "tick query 1")).startswith("The game is frozen")
    except (OSError, TimeoutError, RconError) as error:
        return {"running": False, "error": str(error)}
    more = {"players": players, "paused": is_frozen}
    return {"running": True, **state.model_dump(mode="json"), **more}


async def list_players(state: ServerState) -> str:
    """Check that the Minecraft port answers, and return the answer to the command ``list``.

    Raises:
        RconError: RCON does not answer, or rejects the password.
        OSError: no Minecraft server answers on the Minecraft port.
        TimeoutError: no answer came in time.
    """
    await ping(reachable(state.host), state.port)
    return await command(state, "list")


async def command(state: ServerState, line: str) -> str:
    """Send a command over RCON, and return the server's answer.

    Raises:
        RconError: RCON does not answer, or rejects the password.
    """
    async with Rcon(reachable(state.host), state.rcon_port, read_password()) as rcon:
        return await rcon.command(line)


async def find_terrain(state: ServerState) -> str:
    """Return whether the terrain is natural or superflat.

    If the state does not contain the terrain, blocks of the world are checked.

    Raises:
        RconError: RCON does not answer, or rejects the password.
    """
    if state.terrain in TERRAINS:
        return state.terrain
    (x, z), *_ = COLUMNS
    async with Rcon(reachable(state.host), state.rcon_port, read_password()) as rcon:
        is_marked = (await rcon.command(f"forceload add {x} {z}")).startswith("Marked")
        surfaces = [f"execute if block {x} {FLAT_Y} {z} grass_block" for x, z in COLUMNS]
        answers = [await rcon.command(line) for line in surfaces]
        if is_marked:
            await rcon.command(f"forceload remove {x} {z}")
    return "superflat" if "Test passed" in answers else "natural"


def reachable(host: str) -> str:
    """Return the address for connecting to a server that is bound to ``host``."""
    return "127.0.0.1" if host == "0.0.0.0" else host


def describe(state: ServerState) -> str:
    """Describe a server in one line."""
    pid = f", process {state.pid}" if state.pid else ""
    address = f"{reachable(state.host)}:{state.port}"
    speed = f", speed {state.speed:g}" if state.speed != 1 else ""
    speed += ", flat land" if state.terrain == "superflat" else ""
    version = f"Minecraft {MINECRAFT_VERSION}"
    return f"{state.kind} server, {version} at {address}, RCON {state.rcon_port}{pid}{speed}"


def differences(state: ServerState, wanted: Mapping[str, str]) -> list[str]:
    """Return the wanted options that differ from the server's options, each as a user would type
    it.

    An option does not differ if ``up`` was given the same text, or if the server's actual value is
    the wanted value (``--speed auto`` found 10, ``--port 0`` chose 40123).
    """
    has = {"kind": state.kind, "host": state.host, "speed": f"{state.speed:g}"}
    has |= {"port": str(state.port), "rcon_port": str(state.rcon_port)}
    has |= {} if state.terrain is None else {"terrain": state.terrain}
    return [
        format_option(name, value)
        for name, value in wanted.items()
        if (name, value) not in ANY and value not in (state.options.get(name), has.get(name))
    ]


def format_option(name: str, value: str) -> str:
    """Return an option as a user would type it."""
    flag = "--" + name.replace("_", "-")
    if value == "False":
        return flag.replace("--", "--no-", 1)
    return flag if value == "True" else f"{flag} {value}"
