"""One HTML file of a run: all of it is inside, packed, and nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analysis.report.page_parts import page
from analysis.report.reading import Calls, is_event, lines_of, summary_of
from analysis.report.telling import Teller

#: Events to a batch: what is unpacked when one of its texts is looked at.
BATCH = 5000
#: How many are packed together: what is unpacked when one is looked at.
CALLS_A_PACK, MESSAGES_A_PACK = 20, 50
TEXTS = ("texts", "details")


def build(folder: Path, out: Path, progress: Callable[[int], None] = lambda _: None) -> None:
    """Write a run's report.

    Args:
        folder: the run folder; what of it cannot be read is told on the page.
        out: the file.
        progress: called now and then with the bytes of events read so far.

    Raises:
        OSError: the file cannot be written.
    """
    part = out.with_name(f"{out.name}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    first, last = page("packed", "\0").split("\0")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(first)
            for name, data in _packed(folder, progress):
                file.write(f'<script type="text/plain" id="{name}">{_pack(data)}</script>\n')
            file.write(last)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def _packed(folder: Path, progress: Callable[[int], None]) -> Iterator[tuple[str, Any]]:
    """The page's data by the names of its elements."""
    problems: list[str] = []
    count = 0
    for batch in _batches(folder, problems, progress):
        yield f"body-{count}", {name: batch.pop(name) for name in TEXTS}
        yield f"head-{count}", batch
        count += 1
    calls = Calls(folder)
    yield "calls", calls.new()
    for number, start in enumerate(range(0, len(calls), CALLS_A_PACK)):
        stop = min(start + CALLS_A_PACK, len(calls))
        yield f"call-{number}", [calls.call(k) for k in range(start, stop)]
    for number, start in enumerate(range(0, calls.message_count, MESSAGES_A_PACK)):
        stop = min(start + MESSAGES_A_PACK, calls.message_count)
        yield f"message-{number}", [calls.message(k) for k in range(start, stop)]
    packs = {"calls": CALLS_A_PACK, "messages": MESSAGES_A_PACK}
    yield "summary", {**summary_of(folder, problems), "batches": count, "packs": packs}


def _batches(
    folder: Path, problems: list[str], progress: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    teller, taken, end = Teller(), 0, 0
    path = folder / "events.jsonl"
    for number, (end, event) in enumerate(lines_of(path), start=1):
        if event is None or not is_event(event):
            problems.append(f"events.jsonl line {number} is not a whole event")
            continue
        teller.take(event)
        taken += 1
        if taken % BATCH == 0:
            progress(end)
            yield teller.batch()
    if not path.exists():
        problems.append("events.jsonl is missing")
    elif end < path.stat().st_size:
        problems.append("events.jsonl ends in the middle of a line")
    yield teller.batch()


def _pack(data: Any) -> str:
    """JSON, gzipped, in base64; the same data give the same text."""
    text = json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, compresslevel=6, mtime=0)).decode()
