"""``python -m bridge.host``: bots in a separate process, for :class:`bridge.hosts.ChildHost`.

The process passes JSON lines between its parent and Node: commands in, answers out. It ends when
its standard input closes, for whatever reason the parent ended.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

from voxpolis.bridge.link import Link, node_pid

# Time limit for Node to receive the last commands.
LEAVE_S = 5.0


def main() -> None:
    """Pass commands to Node and its answers back until the input closes."""
    # The parent decides when this process ends: Ctrl-C reaches the whole process group.
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # output from libraries must not mix with answers
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
    with saying:  # the first line identifies the Node process and must precede all answers
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
