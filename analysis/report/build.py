"""Writes a report of a run: an HTML file that contains all data of the run in compressed form."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from voxpolis.analysis.conditions import condition_of
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.analysis.report.picture import Picture
from voxpolis.analysis.report.run_list import page, run_state
from voxpolis.records import RunReader, events
from voxpolis.records.calls import CallIndex
from voxpolis.records.files import open_of_run
from voxpolis.records.outcome import ABOUT, episodes, minds_in_words, outcome, tiles, title_of
from voxpolis.records.reader import changed_settings, has_persons
from voxpolis.records.text import json_for_page

# Events per batch; a batch is unpacked when one of its texts is viewed.
BATCH = 5000
# Calls or messages per batch; a batch is unpacked when one of them is viewed.
CALLS_A_PACK, MESSAGES_A_PACK = 20, 50
TEXTS = ("texts", "details")


@dataclass
class Built:
    """The content of a report: the number of events, and descriptions of parts that cannot be
    read.
    """

    events: int = 0
    problems: list[str] = field(default_factory=list)


def build(
    folder: Path,
    out: Path,
    progress: Callable[[int], None] = lambda _: None,
    *,
    home: str = "",
    picture: Picture | None = None,
) -> Built:
    """Write the report of a run, and return what it contains.

    Args:
        folder: folder of the run. Parts that cannot be read are listed on the page.
        out: the file to write.
        progress: called repeatedly with the number of bytes of events that have been read.
        home: address of the index, if the report is part of a site.
        picture: also gets all events, to draw a small picture of the run; None for no picture.

    Raises:
        OSError: the file cannot be written.
    """
    built = Built()
    part = out.with_name(f"{out.name}.part")
    part.unlink(missing_ok=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    first, last = page("packed", "\0", home=home).split("\0")
    try:
        with open_of_run(part, "x") as file:
            file.write(first)
            for name, data in _packed(folder, progress, built, picture):
                file.write(f'<script type="text/plain" id="{name}">{_pack(data)}</script>\n')
            file.write(last)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return built


def _packed(
    folder: Path, progress: Callable[[int], None], built: Built, picture: Picture | None
) -> Iterator[tuple[str, Any]]:
    reader, calls, count = RunReader(folder), CallIndex(folder), 0
    for batch in _batches(reader, progress, built):
        if picture is not None:
            picture.take(batch)
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
    encoder = TimelineEncoder(seats_of(reader.manifest())["kinds"])
    for event in reader.events():
        encoder.take(event)
        built.events += 1
        if built.events % BATCH == 0:
            progress(reader.bytes_read)
            yield encoder.batch()
    yield encoder.batch()


def _pack(data: Any) -> str:
    """Convert data to JSON, compress it with gzip, and encode it in base64. Equal data always give
    the same text.
    """
    packed = gzip.compress(json_for_page(data), compresslevel=6, mtime=0)
    return base64.b64encode(packed).decode()


# --- Summary and model calls of a run folder, complete or not -------------------------------------

# Facts shown at the top of the page.
FACTS = ("world", "mind", "seed", "speed", "started")
# Columns of the list of calls.
CALL_COLUMNS = (
    *("t", "episode", "role", "agent", "model"),
    *("prompt_tokens", "completion_tokens", "seconds", "cost", "failed"),
)


def summary_of(reader: RunReader) -> dict[str, Any]:
    """Return the summary of the run that the page shows, including the parts that cannot be
    read.
    """
    found = RunReader(reader.folder)
    facts = found.facts()
    shown = [(name, _shown_fact(name, facts[name])) for name in FACTS if facts[name] is not None]
    facts_shown = [(name, fact) for name, fact in shown if not isinstance(fact, dict | list)]
    if settings := changed_settings(found.manifest()):
        facts_shown.append(("settings", settings))
    result, text, state = found.result(), found.manifest_text(), run_state(reader.folder)
    problems = dict.fromkeys(str(problem) for problem in (*reader.problems, *found.problems))
    return {
        "title": title_of(facts, condition_of(facts) or ""),
        "facts": [("run", reader.folder.name), *facts_shown],
        "about": ABOUT.get(str(facts["scenario"]), ""),
        "outcome": outcome(facts, result, state),
        "episodes": episodes(result),
        "tiles": [asdict(tile) for tile in tiles(result)],
        "is_over": state in ("over", "gone"),
        "language_model": facts["language_model"],
        "minds": minds_in_words(facts, has_person=has_persons(found.manifest())),
        "manifest": text,
        **_taken(found.manifest()),
        **seats_of(found.manifest()),
        # Pages are published, so they do not contain the places of files on this machine.
        "result": result and {key: one for key, one in result.items() if key != "run_dir"},
        "problems": list(problems),
        "lanes": list(events.LANES),
        "files": f"Made of {reader.folder.name}",
    }


def _taken(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return which interventions the run accepts; see :mod:`records.interventions`."""
    server, world = manifest.get("server"), manifest.get("world")
    is_embedded = isinstance(server, dict) and server.get("kind") == "embedded"
    told = {name: manifest.get(name) or [] for name in ("takes", "changeable", "interviewed")}
    return {**told, "pauses": is_embedded or world not in (None, "minecraft")}


def seats_of(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the kind of each agent, and what items are worth to it, by its name."""
    kinds, config = manifest.get("agents"), manifest.get("config")
    values = config.get("values") if isinstance(config, dict) else None
    worth = {
        name: {item: value for item, value in own.items() if isinstance(value, int | float)}
        for name, own in (values.items() if isinstance(values, dict) else ())
        if isinstance(own, dict)
    }
    played = {name: str(kind) for name, kind in kinds.items()} if isinstance(kinds, dict) else {}
    return {"kinds": played, "worth": worth}


def columns_of(calls: CallIndex, *, is_over: bool = False) -> dict[str, list[Any]]:
    """Return the model calls that have ended since this function last ran, as a list per column. If
    ``is_over`` is True, unfinished calls are included.
    """
    columns: dict[str, list[Any]] = {name: [] for name in CALL_COLUMNS}
    for call in chain(calls.new(), calls.unfinished() if is_over else ()):
        for name, values in columns.items():
            values.append("error" in call if name == "failed" else call.get(name))
    return columns


def packed_call(calls: CallIndex, number: int) -> dict[str, Any]:
    """Return a call with its answer and error, and with the indices of its messages (in older
    records, with the messages themselves).
    """
    call = calls.call(number)
    return _shown_call(call, calls.messages_of(call))


def whole_call(calls: CallIndex, number: int) -> dict[str, Any]:
    """Return a call with its messages, answer and error.

    Raises:
        IndexError: there is no such call.
    """
    call = calls.whole(number)
    return _shown_call(call, call["messages"])


def _shown_call(call: dict[str, Any], messages: list[Any]) -> dict[str, Any]:
    lost = {"role": "lost", "content": "This message is not in the record."}
    return {
        "messages": [lost if message is None else message for message in messages],
        "answer": call.get("answer"),
        "error": call.get("error"),
    }


def _shown_fact(name: str, fact: Any) -> Any:
    is_time = name == "started" and isinstance(fact, str) and len(fact) > len("2026-01-01T00:00")
    return f"{fact[:10]} {fact[11:16]} UTC" if is_time else fact
