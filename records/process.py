"""A lock in the run folder, which the process that writes the run holds while it is alive.

The operating system releases the lock when the process ends for any reason. A killed run is
therefore recognised immediately, even if it was waiting for a person. Locks do not work across
machines, so the lock file names the machine on which it was created.
"""

from __future__ import annotations

import platform
import sys
import time
from pathlib import Path
from typing import IO, Any

from voxpolis.records.files import open_of_run, read_text, unlinked

if sys.platform != "win32":
    import fcntl

LOCK_FILE = "writer.lock"
# Readers lock the file for a short time, and can delay a writer by at most this many seconds.
READERS_S = 1.0
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def lock_run(folder: Path) -> IO[Any] | None:
    """Lock a run folder for this process, until the returned file is closed.

    Returns:
        The locked file; None if the file system has no locks.

    Raises:
        OSError: another process writes this run, or the lock file cannot be written.
    """
    if sys.platform == "win32":
        return None
    file = open_of_run(folder / LOCK_FILE, "a+")
    deadline = time.monotonic() + READERS_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        # Another process writes the run, or a reader is checking the lock at this moment.
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                file.close()
                message = "another process writes this run"
                raise OSError(None, message, str(folder)) from error
            time.sleep(0.02)
        except OSError:
            file.close()
            return None
    file.truncate(0)
    file.write(_machine())
    file.flush()
    return file


def is_running(folder: Path) -> bool | None:
    """Return whether the process that writes a run is alive.

    None means that this is unknown: the record comes from another machine, or from a version
    without locks.
    """
    if sys.platform == "win32":
        return None
    path = folder / LOCK_FILE
    try:
        if read_text(path, opener=unlinked) != _machine():
            return None
        with open_of_run(path) as file:
            # Readers use a shared lock, so that they do not block each other.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except (OSError, UnicodeDecodeError):
        return None


def _machine() -> str:
    """Return an identifier of this machine, which changes when the machine is restarted."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()
