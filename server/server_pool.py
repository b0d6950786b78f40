"""Additional embedded servers, with which several experiments can be played in parallel."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from voxpolis.server.state import ROOT, ServerState, StartError, server_folder

# The prefix of the folders of temporary servers, and the file in each folder that its owner keeps
# locked.
PREFIX, OWNER = "voxpolis-server-", "owner"


@contextmanager
def extra_servers(running: ServerState, count: int) -> Iterator[list[Path]]:
    """Yield the folders of the running server and of ``count`` additional servers.

    To use one of these servers, set the environment variable ``VOXPOLIS_SERVER`` to its folder.

    The additional servers are embedded servers with the same speed and terrain. The additional
    servers end when the context ends.

    Raises:
        StartError: a server did not start.
    """
    terrain = running.terrain or "superflat"
    with ExitStack() as stack:
        more = [stack.enter_context(temporary_server(running.speed, terrain)) for _ in range(count)]
        yield [server_folder(), *more]


def remove_abandoned(within: Path | None = None) -> None:
    """Remove the folders of temporary servers that were killed together with their owners.

    Normally the server or its owner removes the folder. While the owner is alive, it holds a lock
    on a file in the folder.

    Args:
        within: the parent folder; by default the folder for temporary files.
    """
    for path in (within or Path(tempfile.gettempdir())).glob(f"{PREFIX}*/{OWNER}"):
        with suppress(OSError), path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path.parent, ignore_errors=True)


@contextmanager
def temporary_server(speed: float, terrain: str) -> Iterator[Path]:
    """Yield the folder of an embedded server on free ports. The server ends with the context.

    The server also ends if this process is killed.

    Args:
        speed: the speed of the game's clock.
        terrain: natural or superflat.

    Raises:
        StartError: the server did not start.
    """
    remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, _mark_owned(Path(name)) as folder:
        options = ["--kind", "embedded", "--port", "0", "--rcon-port", "0"]
        options += ["--speed", str(speed), "--terrain", terrain, "--owner", str(os.getpid())]
        # Without this option, the folder would remain if this process were killed.
        options.append("--temporary")
        try:
            server_command(folder, "up", *options)
            yield folder
        finally:
            server_command(folder, "down")


@contextmanager
def _mark_owned(folder: Path) -> Iterator[Path]:
    """Mark a folder as owned by this process with a file, locked until the context ends."""
    mark = folder / f"{OWNER}.new"
    with mark.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark.rename(folder / OWNER)
        yield folder


def server_command(folder: Path, *arguments: str) -> str:
    """Run ``python -m server`` for a server folder, and return its output.

    Raises:
        StartError: the command failed. The message is the last line of its output.
    """
    done = subprocess.run(
        [sys.executable, "-m", "voxpolis.server", *arguments],
        cwd=ROOT,
        env={**os.environ, "VOXPOLIS_SERVER": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # Ctrl-C in this process must not reach it
    )
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        reason = said[-1].removeprefix("error: ") if said else f"exit code {done.returncode}"
        raise StartError(f"server {arguments[0]}: {reason}")
    return done.stdout
