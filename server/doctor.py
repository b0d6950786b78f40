"""Checks of this machine and of the running server."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voxpolis import environment
from voxpolis.records.vanilla import MINECRAFT_VERSION
from voxpolis.server import conformance, paper, ports, running
from voxpolis.server.conformance import ConformanceError
from voxpolis.server.ping import ping
from voxpolis.server.rcon import Rcon, RconError
from voxpolis.server.state import ServerState, read_password, read_state

PROJECT = Path(environment.PROJECT)
MINIMUM_DISK_GB = 1
DEFAULT_PORTS = (25565, 25575)


@dataclass(frozen=True)
class Check:
    """The result of a check.

    ``found`` describes what was found, and ``todo`` says what to do about it.
    """

    name: str
    ok: bool
    found: str
    todo: str = ""
    optional: bool = False


def check_all() -> list[Check]:
    """Run all checks. The server is checked only if one is running."""
    checks = [_python(), _node(), _packages(), _disk(), *_docker(), _compose_file()]
    state = read_state()
    if state is None or not state.is_process_alive():
        return [*checks, *_free_ports(), _no_server()]
    return [*checks, *_server_checks(state)]


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    return Check("Python", ok, f"{version} {sys.executable}", "install Python 3.11 or newer")


def _node() -> Check:
    try:
        node = str(environment.node_executable())
        version = subprocess.check_output([node, "--version"], text=True).strip()
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        return Check("Node", False, f"{error}", f"run: {environment.how_to_install()}")
    ok = int(version[1:].split(".")[0]) >= 22
    return Check(
        "Node",
        ok,
        f"{version} {node}",
        f"Node 22 or newer is needed; run: {environment.how_to_install()}",
    )


def _packages() -> Check:
    missing = [
        name
        for name in ("mineflayer", "flying-squid", "quickjs-emscripten-core")
        if not (PROJECT / "node_modules" / name / "package.json").exists()
    ]
    found = f"missing {', '.join(missing)}" if missing else "installed"
    return Check("Node packages", not missing, found, f"run: {environment.how_to_install()}")


def _disk() -> Check:
    free_gb = shutil.disk_usage(environment.ROOT).free / 1e9
    return Check("disk", free_gb > MINIMUM_DISK_GB, f"{free_gb:.1f} GB free", "free some space")


def _docker() -> list[Check]:
    environment.unpack()
    reason = paper.why_unavailable()
    todo = "only Paper needs Docker; the embedded server is used instead"
    engine = Check("Docker", reason is None, reason or "ready for Paper", todo, optional=True)
    image = paper.describe_image()
    return [engine] if image is None else [engine, Check("Paper's image", True, image)]


def _compose_file() -> Check:
    accepted = 'EULA: "TRUE"' in paper.COMPOSE_FILE.read_text()
    found = "accepted in docker-compose.yml" if accepted else "not accepted"
    todo = 'read aka.ms/MinecraftEULA and set EULA: "TRUE" in docker-compose.yml'
    return Check("EULA (Paper)", accepted, found, todo, optional=True)


def _free_ports() -> list[Check]:
    checks = []
    for port in DEFAULT_PORTS:
        free = ports.is_free("127.0.0.1", port)
        found = "free" if free else f"taken by {ports.owner_of(port)}"
        todo = "choose another with --port or --rcon-port"
        checks.append(Check(f"port {port}", free, found, todo, optional=True))
    return checks


def _no_server() -> Check:
    todo = f"start one with: {environment.how_to_start()}"
    return Check("server", False, "none is running", todo, optional=True)


def _server_checks(state: ServerState) -> list[Check]:
    host = running.reachable(state.host)
    where = f"{state.kind} at {host}:{state.port}"
    steps: list[tuple[str, Callable[[], str], str]] = [
        (
            "server",
            lambda: f"{where}, {_version(host, state)}",
            f"see: {environment.typed('server logs')}",
        ),
        ("RCON", lambda: _rcon(host, state), "check RCON's port and password (.env for Paper)"),
    ]
    return [*(_try(*step) for step in steps), *_bots(host, state)]


def _try(name: str, look: Callable[[], str], todo: str) -> Check:
    try:
        return Check(name, True, look())
    except (OSError, TimeoutError, RconError, ConformanceError, ValueError) as error:
        return Check(name, False, str(error) or type(error).__name__, todo)


def _version(host: str, state: ServerState) -> str:
    version = asyncio.run(ping(host, state.port)).version
    if MINECRAFT_VERSION not in version:
        raise ValueError(f"it speaks {version}, not {MINECRAFT_VERSION}")
    return f"Minecraft {version}"


def _rcon(host: str, state: ServerState) -> str:
    async def ask() -> str:
        async with Rcon(host, state.rcon_port, read_password()) as rcon:
            return await rcon.command("list")

    return asyncio.run(ask())


def _bots(host: str, state: ServerState) -> list[Check]:
    """Check that bots can join and chat as in scenarios, and that commands affect them."""
    todo = {
        "join": "enable offline mode and disable the join throttle, see docs/howto/servers.md",
        "chat": "the server must not kick for spam, see docs/howto/servers.md",
        "commands": "RCON must have full rights, see docs/howto/servers.md",
    }
    try:
        rcon = (host, state.rcon_port, read_password())
        address = conformance.Address(host, state.port, *rcon, state.clock())
        found = conformance.probe(address)
    except (OSError, ConformanceError) as error:
        return [Check("join", False, str(error), todo["join"])]
    return [Check(c.group, c.ok, c.error or c.name, todo[c.group]) for c in found]
