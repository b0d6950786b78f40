"""Exclusive use of a server: one scenario at a time, because a server admits each player name only
once.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from voxpolis.server.state import server_folder

# Locks held by this process, by file; the system releases them when it ends.
_held: dict[Path, TextIO] = {}


class InUseError(RuntimeError):
    """Another process is using the server; the message names that process."""


def reserve_server(what: str) -> None:
    """Reserve the server of :func:`~server.state.server_folder` for this process until it ends.

    Args:
        what: description of the run, shown to processes that are refused meanwhile.

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
