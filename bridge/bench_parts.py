"""What the embedded server's processor time goes to, by part, from a profile of Node's.

A sample belongs to the file of ours that its stack entered first, after the tick's own and the
network's: so what a plugin asks of others is its part, and what nobody asked for, such as reading
packets and writing sockets, is parted by what does it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The files through which the server enters its parts.
_ENTRIES = ("ticks.js", "main.js", "server.js", "log.js", "connections.js")
_OURS = "/server/embedded/"
#: Parts of no file of ours: words of a file's path, and what is done there.
_OTHERS = (
    ("/protodef/", "reading packets"),
    ("/minecraft-protocol/", "reading packets"),
    ("/readable-stream/", "reading packets"),
    ("node:net", "reading sockets"),
    ("stream_base", "reading sockets"),
    ("internal/streams", "reading sockets"),
)
_IDLE = ("(idle)", "(program)")


def shares_of(profile: Path, began: float, ended: float) -> dict[str, float]:
    """Return which share of its time the server spent on each part, idle time aside.

    Samples are taken by the wall's clock, so on a busy machine only their shares say something.

    Args:
        profile: a ``.cpuprofile`` of the server's.
        began: from when on, in seconds of the machine's monotonic clock, which is Node's, too.
        ended: until when.
    """
    data = json.loads(profile.read_text())
    nodes = {node["id"]: node for node in data["nodes"]}
    above = {child: node["id"] for node in data["nodes"] for child in node.get("children", ())}
    taken: dict[int, float] = defaultdict(float)
    at = float(data["startTime"])
    for number, microseconds in zip(data["samples"], data["timeDeltas"], strict=True):
        at += microseconds
        if began * 1e6 <= at <= ended * 1e6:
            taken[number] += microseconds / 1000
    parts: dict[str, float] = defaultdict(float)
    for number, milliseconds in taken.items():
        stack = [nodes[number]["callFrame"]]
        while (number := above.get(number, 0)) in nodes:
            stack.append(nodes[number]["callFrame"])
        if (name := _part(stack[::-1])) is not None:
            parts[name] += milliseconds
    whole = sum(parts.values())
    return {name: taken / whole for name, taken in parts.items()}


def _part(stack: list[dict[str, Any]]) -> str | None:
    """Return the part that a stack is of, the outermost frame first; None: of none."""
    name = str(stack[-1]["functionName"])
    if name in _IDLE:
        return None
    if name == "(garbage collector)":
        return "garbage"
    files = [str(frame["url"]) for frame in stack]
    if any(frame["functionName"] == "flush" for frame in stack) and "network.js" in str(files):
        return "writing sockets"
    for file in files:
        if _OURS in file and not file.endswith(_ENTRIES):
            return Path(file).stem
    return next(
        (what for words, what in _OTHERS if any(words in file for file in files)), "the rest"
    )


def table(parts: Mapping[str, float], most: int = 10) -> str:
    """Return the greatest parts of milliseconds a tick, and their shares, as a Markdown table."""
    whole = sum(parts.values())
    rows = ["| part | ms a tick | share |", "|---|--:|--:|"]
    for name, taken in sorted(parts.items(), key=lambda pair: -pair[1])[:most]:
        rows.append(f"| {name} | {taken:.2f} | {taken / whole:.0%} |")
    return "\n".join([*rows, f"| all | {whole:.2f} | 100% |"])
