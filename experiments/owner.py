"""What ends with whom: jobs with the process that started them, and what a process keeps open."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import threading
import time
from typing import TypeVar

T = TypeVar("T")

#: Names the process that a job is played for.
VARIABLE = "VOXPOLIS_OWNER"
CHECK_S = 0.5
#: How long a job has to close its record.
GRACE_S = 20.0


def end_with_owner() -> None:
    """End this process when the one that ``VOXPOLIS_OWNER`` names is no longer its parent."""
    owner = os.environ.pop(VARIABLE, "")
    if owner.isdecimal():
        threading.Thread(target=_watch, args=(int(owner),), daemon=True).start()


def _watch(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(CHECK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(1)


_kept = contextlib.ExitStack()


def until_exit(opening: contextlib.AbstractContextManager[T]) -> T:
    """Enter what stays open until this process ends, and return what it gives.

    Its end is asked for anew each time, since what was asked for last comes first: so it is closed
    before whatever it uses, such as a temporary folder.
    """
    entered = _kept.enter_context(opening)
    atexit.register(_kept.close)
    return entered
