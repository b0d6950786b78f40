"""One HTML file of a run: all of it is inside, packed, and nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.analysis.report.page_parts import page
from voxpolis.analysis.report.source import columns_of, packed_call, summary_of
from voxpolis.records import RunReader
from voxpolis.records.calls import CallIndex
from voxpolis.records.files import open_of_run

#: Events to a batch: what is unpacked when one of its texts is looked at.
BATCH = 5000
#: How many are packed together: what is unpacked when one is looked at.
CALLS_A_PACK, MESSAGES_A_PACK = 20, 50
TEXTS = ("texts", "details")


@dataclass
class Built:
    """What a report is of: how many events, and what of the run cannot be read, in words."""

    events: int = 0
    problems: list[str] = field(default_factory=list)


def build(folder: Path, out: Path, progress: Callable[[int], None] = lambda _: None) -> Built:
    """Write a run's report, and return what it is of.

    Args:
        folder: the run folder; what of it cannot be read is listed on the page.
        out: the file.
        progress: called now and then with the bytes of events read so far.

    Raises:
        OSError: the file cannot be written.
    """
    built = Built()
    part = out.with_name(f"{out.name}.part")
    part.unlink(missing_ok=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    first, last = page("packed", "\0").split("\0")
    try:
        with open_of_run(part, "x") as file:
            file.write(first)
            for name, data in _packed(folder, progress, built):
                file.write(f'<script type="text/plain" id="{name}">{_pack(data)}</script>\n')
            file.write(last)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return built


def _packed(
    folder: Path, progress: Callable[[int], None], built: Built
) -> Iterator[tuple[str, Any]]:
    reader, calls, count = RunReader(folder), CallIndex(folder), 0
    for batch in _batches(reader, progress, built):
        yield f"body-{count}", {name: batch.pop(name) for name in TEXTS}
        yield f"head-{count}", batch
        count += 1
    yield "calls", columns_of(calls, is_over=True)
    calls.note_ends()
    reader.problems.extend(calls.problems)
    for number, start in enumerate(range(0, len(calls), CALLS_A_PACK)):
        stop = min(start + CALLS_A_PACK, len(calls))
        yield f"call-{number}", [packed_call(calls, k) for k in range(start, stop)]
    for number, start in enumerate(range(0, calls.message_count, MESSAGES_A_PACK)):
        stop = min(start + MESSAGES_A_PACK, calls.message_count)
        yield f"message-{number}", [calls.message(k) for k in range(start, stop)]
    packs = {"calls": CALLS_A_PACK, "messages": MESSAGES_A_PACK}
    summary = summary_of(reader)
    built.problems = summary["problems"]
    yield "summary", {**summary, "batches": count, "packs": packs}


def _batches(
    reader: RunReader, progress: Callable[[int], None], built: Built
) -> Iterator[dict[str, Any]]:
    encoder = TimelineEncoder()
    for event in reader.events():
        encoder.take(event)
        built.events += 1
        if built.events % BATCH == 0:
            progress(reader.bytes_read)
            yield encoder.batch()
    yield encoder.batch()


def _pack(data: Any) -> str:
    """JSON, gzipped, in base64; the same data give the same text."""
    text = json.dumps(data, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(text, compresslevel=6, mtime=0)).decode()
