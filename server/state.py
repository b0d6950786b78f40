"""Where a running server is: a small folder with its address, its RCON password and its log."""

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

# The folder our packages are in.
ROOT = Path(environment.ROOT)

# The system computes when a process began, and may do so a little differently each time.
SAME_PROCESS_S = 2.0
# A remote server was started by somebody else, on another machine perhaps.
Kind = Literal["embedded", "paper", "remote"]


class StartError(RuntimeError):
    """The server did not come up; the message says what to do."""


class ServerState(BaseModel):
    """A server that was started.

    Attributes:
        pid: The embedded server's process; None for Paper and remote servers.
        process_began: When that process began, by which another with its number is told apart.
        folder: The server folder that the state was written to. In a copy of it the state is of
            another checkout's server.
        speed: With ``anchor`` and ``clock_file``, its clock, see :class:`records.Clock`.
        terrain: natural, superflat, or anvil for a world of Minecraft.
        options: Those of ``up``, as text by name.
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
        """The game's clock on this server."""
        return Clock(self.speed, self.anchor, self.clock_file)

    def is_process_alive(self) -> bool:
        """Whether the process that was started still runs (always True for Paper)."""
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
    """The folder of the server that commands and scenarios use.

    ``VOXPOLIS_SERVER`` names another one, to have several servers side by side.
    """
    return Path(os.environ.get("VOXPOLIS_SERVER") or Path(environment.STATE) / "server")


def read_state(folder: Path | None = None) -> ServerState | None:
    """The server that was started last and not taken down, or None.

    Args:
        folder: another server's than :func:`server_folder`.
    """
    folder = (folder or server_folder()).resolve()
    try:
        state = ServerState.model_validate_json((folder / "server.json").read_text())
    except (OSError, ValidationError):
        return None
    return state if state.folder == str(folder) else None


def write_state(state: ServerState) -> None:
    """Remember a server."""
    path = server_folder().resolve() / "server.json"
    state = state.model_copy(update={"folder": str(path.parent)})
    part = path.with_suffix(".part")
    part.write_text(state.model_dump_json(indent=2) + "\n")
    part.replace(path)
    listed = _listed(server_folder())
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(str(server_folder().absolute()))


def other_servers() -> Iterator[tuple[Path, ServerState]]:
    """The servers of this checkout that run besides that of :func:`server_folder`, by folder.

    Those of comparisons and sweeps are among them. What has ended is forgotten.
    """
    for listed in sorted(_list().glob("*.txt")):
        try:
            folder = Path(listed.read_text())
        except OSError:
            continue  # it was forgotten this moment
        if listed != _listed(folder):
            continue  # the list was copied with a checkout
        state = read_state(folder)
        if state is None or not state.is_process_alive():
            listed.unlink(missing_ok=True)
        elif folder != server_folder().absolute():
            yield folder, state


def clock_file() -> Path:
    """The file by which the server lends time, see :class:`records.Clock`."""
    return Path(environment.CLOCKS) / f"{name_of(server_folder())}.clock"


def _list() -> Path:
    """The folder with a file for each server, which names its folder."""
    return Path(environment.STATE) / "servers"


def _listed(folder: Path) -> Path:
    """Return the list's file for a folder; in a copy of the list it would have another name."""
    return _list() / f"{_hash(f'{_list().resolve()} {folder.absolute()}')}.txt"


def name_of(folder: Path) -> str:
    """Return a name for a server folder that no other folder has."""
    return _hash(str(folder.absolute()))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def forget_state() -> None:
    """Forget the server and its password."""
    _listed(server_folder()).unlink(missing_ok=True)
    clock_file().unlink(missing_ok=True)
    for name in ("server.json", "ready.json", "rcon.password"):
        (server_folder() / name).unlink(missing_ok=True)


def log_file() -> Path:
    """The server's log."""
    return server_folder() / "server.log"


def password_file() -> Path:
    """The file with the RCON password, readable by its owner only."""
    return server_folder() / "rcon.password"


def new_password() -> str:
    """Make a new RCON password and keep it in :func:`password_file`."""
    password = secrets.token_urlsafe(24)
    write_password(password)
    return password


def write_password(password: str) -> None:
    """Keep an RCON password in :func:`password_file`, for its owner only."""
    folder = server_folder()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = password_file()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")


def read_password() -> str:
    """The RCON password of the running server.

    Raises:
        FileNotFoundError: no server was started.
    """
    return password_file().read_text().strip()
