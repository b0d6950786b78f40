"""Exclusive use of a server: one scenario at a time, since a server admits each player once."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from voxpolis.server.state import server_folder

# Locks held by this process, by file; the system releases them when it ends.
_held: dict[Path, TextIO] = {}


class InUseError(RuntimeError):
    """Another process uses the server; the message names it."""


def reserve_server(what: str) -> None:
    """Reserve the server of :func:`~server.state.server_folder` for this process until it ends.

    Args:
        what: description of the run, for processes that are refused meanwhile.

    Raises:
        InUseError: another process uses it.
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
