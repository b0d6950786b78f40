"""Reading a run folder, as far as it goes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from records.events import Event, parse_event


@dataclass
class Record:
    """A run as its folder tells it.

    ``problems`` lists, in words, what could not be read; a run that was killed while writing has
    one for its last, broken line.
    """

    folder: Path
    manifest: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] | None = None
    problems: list[str] = field(default_factory=list)

    def of(self, kind: type[Event]) -> list[Any]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]


def read_record(folder: Path) -> Record:
    """Read a run folder; never fails for what is in it.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no run folder {folder}")
    record = Record(folder)
    record.manifest = _read_manifest(record)
    for number, data in _lines(record, "events.jsonl"):
        try:
            record.events.append(parse_event(data))
        except ValidationError as error:
            record.problems.append(f"events.jsonl line {number}: {error.errors()[0]['msg']}")
    record.calls = _read_calls(record)
    if (folder / "result.json").exists():
        try:
            record.result = json.loads((folder / "result.json").read_text())
        except ValueError as error:
            record.problems.append(f"result.json: {error}")
    return record


def _read_calls(record: Record) -> list[dict[str, Any]]:
    """The model calls, each with its messages as they were."""
    asked = _lines(record, "llm.jsonl")
    if not any(isinstance(name, str) for _, call in asked for name in call.get("messages", ())):
        return [call for _, call in asked]  # nothing was asked, or an older record: all in one file
    stored = {
        data["hash"]: {"role": data["role"], "content": data["content"]}
        for _, data in _lines(record, "messages.jsonl")
        if {"hash", "role", "content"} <= set(data)
    }
    calls = []
    for number, call in asked:
        if all(name in stored for name in call["messages"]):
            calls.append({**call, "messages": [stored[name] for name in call["messages"]]})
        else:
            record.problems.append(f"llm.jsonl line {number}: a message is missing")
    return calls


def _read_manifest(record: Record) -> dict[str, Any]:
    try:
        manifest = yaml.safe_load((record.folder / "run.yaml").read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        record.problems.append(f"run.yaml: {error}")
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _lines(record: Record, name: str) -> list[tuple[int, dict[str, Any]]]:
    path = record.folder / name
    if not path.exists():
        record.problems.append(f"{name} is missing")
        return []
    found = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                found.append((number, json.loads(line)))
            except ValueError:
                record.problems.append(f"{name} line {number} is not complete JSON")
    return found
