"""``python -m bridge.host``: bots in a separate process, for :class:`bridge.hosts.ChildHost`.

The process passes JSON lines from its parent to Node (commands) and back (answers). The process
ends when its standard input is closed. This happens even if the parent crashes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

from voxpolis.bridge.link import Link, node_pid

# Time in seconds that Node has for the last commands.
LEAVE_S = 5.0


def main() -> None:
    """Pass commands to Node and answers back, until the input is closed."""
    # Ctrl-C reaches all processes of the group, but only the parent decides when this process ends.
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the output of libraries must not be mixed with the answers
    saying = threading.RLock()

    def say(line: str) -> None:
        with saying:
            answers.write(line + "\n")
            answers.flush()

    def give_up(reason: str) -> None:
        try:
            say(json.dumps({"down": reason}, separators=(",", ":")))
        finally:
            os._exit(1)

    link = Link(say, give_up)
    with saying:  # the first line tells the id of the Node process, before all answers
        try:
            link.open()
        except RuntimeError as error:
            give_up(str(error))
        say(json.dumps({"node": node_pid()}))
    for line in sys.stdin:
        link.send(line.rstrip("\n"))
    end = threading.Timer(LEAVE_S, os._exit, (0,))
    end.daemon = True
    end.start()
    link.close()
    os._exit(0)


if __name__ == "__main__":
    main()
