"""Exclusive use of a server.

Only one scenario at a time can use a server, because a player name can join only once.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from voxpolis.server.state import server_folder

# The locks that this process holds, by file. The operating system releases them when the process
# ends.
_held: dict[Path, TextIO] = {}


class InUseError(RuntimeError):
    """Another process is using the server. The message names this process."""


def reserve_server(what: str) -> None:
    """Reserve the server in :func:`~server.state.server_folder` for this process, until it ends.

    Args:
        what: a description of the run, for the error message in other processes.

    Raises:
        InUseError: another process is using the server.
    """
    path = (server_folder() / "in_use").absolute()
    if path in _held:
        return
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        told = file.read().strip() or "another process uses the server"
        file.close()
        raise InUseError(told) from error
    file.truncate(0)
    file.write(f"process {os.getpid()} plays {what} there\n")
    file.flush()
    _held[path] = file
