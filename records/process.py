"""The process that writes a run: it holds a lock in the run folder for as long as it lives.

The operating system releases the lock when the process ends, however it ends, so a run whose
process was killed is known at once, also while it waited for a person. A lock says nothing to
another machine, so the file names the machine that it was made on.
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
# Seconds that readers, which lock the file for a moment, can hold up a writer.
READERS_S = 1.0
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def hold(folder: Path) -> IO[Any] | None:
    """Lock a run folder for this process until what is returned is closed.

    Returns:
        the locked file; None where the file system has no locks.

    Raises:
        OSError: another process writes the run, or the file cannot be written.
    """
    if sys.platform == "win32":
        return None
    file = open_of_run(folder / LOCK_FILE, "a+")
    deadline = time.monotonic() + READERS_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError as error:  # another writer, or a reader that looks this moment
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
    """Return whether the process that writes a run lives.

    None: that is not known. The record is of another machine, or of a version without locks.
    """
    if sys.platform == "win32":
        return None
    path = folder / LOCK_FILE
    try:
        if read_text(path, opener=unlinked) != _machine():
            return None
        with open_of_run(path) as file:
            # Readers share this lock, so they do not stop each other.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except (OSError, UnicodeDecodeError):
        return None


def _machine() -> str:
    """Return what tells this machine, since it was started, from all others."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()
