"""The state of a running server: a small folder with its address, its RCON password and its log."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from voxpolis import environment
from voxpolis.records import Clock

# The folder that contains the packages of voxpolis.
ROOT = Path(environment.ROOT)

# Tolerance in seconds. The system computes the time at which a process started, and the result
# varies slightly between calls.
SAME_PROCESS_S = 2.0
# A remote server was not started by voxpolis, and may be on another machine.
Kind = Literal["embedded", "paper", "remote"]


class StartError(RuntimeError):
    """The server did not start. The message says what can be done."""


class ServerState(BaseModel):
    """A server that was started.

    Attributes:
        pid: the id of the embedded server's process; None for Paper and for remote servers.
        process_began: the time at which this process started, to distinguish this process from a
            later process with the same id.
        folder: the server folder to which the state was written. A copy of the folder has another
            path, so the copy counts as a folder without a server.
        speed: describes the server's clock together with ``anchor`` and ``clock_file``; see
            :class:`records.Clock`.
        terrain: natural, superflat, or anvil (a world of Minecraft).
        options: a dictionary from the name of each option of ``up`` to its value as text.
    """

    model_config = ConfigDict(defer_build=True)

    kind: Kind
    host: str
    port: int
    rcon_port: int
    pid: int | None
    process_began: float = 0.0
    folder: str = ""
    started: float
    speed: float = 1.0
    anchor: float = 0.0
    clock_file: Path | None = None
    terrain: str | None = None
    options: dict[str, str] = {}

    def clock(self) -> Clock:
        return Clock(self.speed, self.anchor, self.clock_file)

    def is_process_alive(self) -> bool:
        """Return whether the server's process is still running.

        The result is always true for Paper.
        """
        if self.pid is None:
            return True
        import psutil  # noqa: PLC0415 - every command imports this file, few look at a server

        try:
            process = psutil.Process(self.pid)
            is_another = abs(process.create_time() - self.process_began) > SAME_PROCESS_S
            return not is_another and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


def server_folder() -> Path:
    """Return the folder of the server that commands and scenarios use.

    The environment variable ``VOXPOLIS_SERVER`` names another folder, to run several servers in
    parallel.
    """
    return Path(os.environ.get("VOXPOLIS_SERVER") or Path(environment.STATE) / "server")


def read_state(folder: Path | None = None) -> ServerState | None:
    """Return the state of the server that was started last.

    Return None if no server was started, or if the server was taken down.

    Args:
        folder: the folder of another server; by default :func:`server_folder`.
    """
    folder = (folder or server_folder()).resolve()
    try:
        state = ServerState.model_validate_json((folder / "server.json").read_text())
    except (OSError, ValidationError):
        return None
    return state if state.folder == str(folder) else None


def write_state(state: ServerState) -> None:
    """Store a server's state."""
    path = server_folder().resolve() / "server.json"
    state = state.model_copy(update={"folder": str(path.parent)})
    part = path.with_suffix(".part")
    part.write_text(state.model_dump_json(indent=2) + "\n")
    part.replace(path)
    listed = _registry_file(server_folder())
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(str(server_folder().absolute()))


def other_servers() -> Iterator[tuple[Path, ServerState]]:
    """Yield this checkout's other running servers, with their folders.

    The current server is left out.

    Servers for comparisons and sweeps are included. Servers that have ended are removed from the
    list.
    """
    for listed in sorted(_registry_folder().glob("*.txt")):
        try:
            folder = Path(listed.read_text())
        except OSError:
            continue  # the file has just been removed
        if listed != _registry_file(folder):
            continue  # the list was copied with a checkout
        state = read_state(folder)
        if state is None or not state.is_process_alive():
            listed.unlink(missing_ok=True)
        elif folder != server_folder().absolute():
            yield folder, state


def clock_file() -> Path:
    """Return the file through which the server controls the time of bots.

    See :class:`records.Clock`.
    """
    return Path(environment.CLOCKS) / f"{unique_name(server_folder())}.clock"


def _registry_folder() -> Path:
    """Return the folder of the list of servers, with one file for each server folder."""
    return Path(environment.STATE) / "servers"


def _registry_file(folder: Path) -> Path:
    """Return the file that represents a server folder in the list of servers.

    The name of the file depends on the checkout, so that a copy of the checkout has other files.
    """
    return (
        _registry_folder() / f"{_hash(f'{_registry_folder().resolve()} {folder.absolute()}')}.txt"
    )


def unique_name(folder: Path) -> str:
    """Return a name that is unique to a server folder."""
    return _hash(str(folder.absolute()))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def forget_state() -> None:
    """Remove the state of the server and its password."""
    _registry_file(server_folder()).unlink(missing_ok=True)
    clock_file().unlink(missing_ok=True)
    for name in ("server.json", "ready.json", "rcon.password"):
        (server_folder() / name).unlink(missing_ok=True)


def log_file() -> Path:
    """Return the path of the server's log."""
    return server_folder() / "server.log"


def password_file() -> Path:
    """Return the path of the file with the RCON password, which only its owner can read."""
    return server_folder() / "rcon.password"


def new_password() -> str:
    """Create an RCON password and store it in :func:`password_file`."""
    password = secrets.token_urlsafe(24)
    write_password(password)
    return password


def write_password(password: str) -> None:
    """Store an RCON password in :func:`password_file`, which only its owner can read."""
    folder = server_folder()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = password_file()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")


def read_password() -> str:
    """Return the RCON password of the running server.

    Raises:
        FileNotFoundError: no server was started.
    """
    return password_file().read_text().strip()
