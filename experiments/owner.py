"""Jobs of comparisons and sweeps end with the process that started them, however that ends."""

from __future__ import annotations

import os
import signal
import threading
import time

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
