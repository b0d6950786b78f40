"""The lock that the process writing a run holds in the run folder while it is alive.

The operating system releases the lock when the process ends for any reason, so a killed run is
detected immediately, even while it waits for a person. Locks do not work across machines, so the
file names the machine that it was created on.
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
# Maximum time in seconds that readers, which lock the file briefly, can delay a writer.
READERS_S = 1.0
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def lock_run(folder: Path) -> IO[Any] | None:
    """Lock a run folder for this process until the returned file is closed.

    Returns:
        the locked file; None if the file system has no locks.

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
        # another writer, or a reader that is checking the lock now
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

    None means unknown: the record is from another machine, or from a version without locks.
    """
    if sys.platform == "win32":
        return None
    path = folder / LOCK_FILE
    try:
        if read_text(path, opener=unlinked) != _machine():
            return None
        with open_of_run(path) as file:
            # Readers share this lock, so they do not block each other.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except (OSError, UnicodeDecodeError):
        return None


def _machine() -> str:
    """Return an identifier of this machine since its last boot."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return platform.node()
