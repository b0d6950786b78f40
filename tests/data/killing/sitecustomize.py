"""Kills at a point of a program that is named by ``KILL``; see ``tests/kills.py``.

Python imports this file by itself where its folder is in ``PYTHONPATH``, so that the processes that
a command starts, too, are those in which the point may be.
"""

import json
import os
import sys
import threading
from pathlib import Path

ORDER = json.loads(os.environ.get("KILL", "null"))
# Every call of Python is looked at; most are told apart by this.
NAME = ORDER["at"].rpartition(":")[2].rpartition(".")[2] if ORDER else ""
# At how many calls of it nothing happens yet.
LEFT = [ORDER["count"] if ORDER else 0]


def children(name: str) -> list[int]:
    """Processes of this run whose command line holds a name."""
    import psutil  # noqa: PLC0415 - at its import this file must need nothing

    found = []
    for process in psutil.process_iter():
        try:
            is_ours = process.environ().get("KILL_MARK") == os.environ["KILL_MARK"]
            if is_ours and name in " ".join(process.cmdline()):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def victims() -> list[int]:
    """Whom the order is for."""
    if ORDER["whom"] == "itself":
        return [os.getpid()]
    if ORDER["whom"] == "command":
        return [int(Path(ORDER["folder"], "command").read_text())]
    return children({"node": "bridge.js", "server": "embedded/main.js"}[ORDER["whom"]])


def watch(frame, event, _argument):
    """Notice the point, and carry out the order there, once."""
    code = frame.f_code
    if event != "call" or code.co_name != NAME or LEFT[0] <= 0:
        return
    if f"{frame.f_globals.get('__name__')}:{code.co_qualname}" != ORDER["at"]:
        return
    caller = frame.f_back
    if ORDER["called_by"] and (caller is None or caller.f_code.co_name != ORDER["called_by"]):
        return
    LEFT[0] -= 1
    if LEFT[0]:
        return
    try:
        os.close(os.open(Path(ORDER["folder"], "done"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return  # another process of this run was there
    sys.setprofile(None)
    for victim in victims():
        os.kill(victim, ORDER["how"])


if ORDER:
    Path(ORDER["folder"]).mkdir(exist_ok=True)
    try:
        with open(Path(ORDER["folder"], "command"), "x") as file:
            file.write(str(os.getpid()))  # the first is the command itself
    except FileExistsError:
        pass
    sys.setprofile(watch)
    threading.setprofile(watch)
