"""A run folder as the page needs it, however far it got: its summary, its events, its calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from analysis.report.telling import lanes

CALL_COLUMNS = (
    *("t", "episode", "role", "agent", "model"),
    *("prompt_tokens", "completion_tokens", "seconds", "cost", "failed"),
)


def lines_of(path: Path, start: int = 0) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The JSON objects of a file's whole lines from a byte on.

    Gives each with the byte after it; None for a line that is no object. A last line without an end
    is not given: it may still be written to.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return
            start += len(line)
            try:
                found = json.loads(line, parse_constant=_no_number)
            except ValueError:
                found = None
            yield start, found if isinstance(found, dict) else None


def _no_number(_: str) -> None:
    """NaN and infinities, which Python writes and a browser cannot read."""


def is_event(found: Mapping[str, Any] | None) -> bool:
    """Whether an object has what every event has."""
    return found is not None and "kind" in found and isinstance(found.get("t"), int | float)


def summary_of(folder: Path, problems: list[str]) -> dict[str, Any]:
    """What the page says of the run as a whole; ``problems``: what of it cannot be read."""
    text = _text(folder / "run.yaml")
    try:
        manifest = yaml.safe_load(text) if text else {}
    except yaml.YAMLError as error:
        manifest, problems = {}, [*problems, f"run.yaml: {str(error).splitlines()[0]}"]
    manifest = manifest if isinstance(manifest, dict) else {}
    try:
        result = json.loads(_text(folder / "result.json") or "null", parse_constant=_no_number)
    except ValueError as error:
        result, problems = None, [*problems, f"result.json: {error}"]
    result = result if isinstance(result, dict) else None
    return {
        "title": f"{manifest.get('scenario', 'run')} {folder.name}",
        "facts": list(_facts(manifest, result or {})),
        "language_model": bool(manifest.get("language_model", False)),
        "manifest": text,
        "result": result,
        "problems": problems,
        "lanes": lanes(),
        "files": f"Made of {folder.resolve()}",
    }


def _facts(manifest: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    told = {**result, **manifest}
    contract = told.get("contract")
    told["contract"] = contract.get("name") if isinstance(contract, dict) else contract
    mean = result.get("mean")
    told["welfare"] = mean.get("welfare") if isinstance(mean, dict) else None
    for name in ("world", "mind", "contract", "game", "seed", "speed", "started", "welfare"):
        value = told.get(name)
        if value is not None and not isinstance(value, dict | list):
            yield name, value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Calls:
    """The calls to models: columns for the list, and each call whole when it is asked for.

    Messages are stored once each in ``messages.jsonl`` and named by hash; in older records they are
    in the calls.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._at = {"llm.jsonl": 0, "messages.jsonl": 0}
        self._numbers: dict[str, int] = {}
        #: Where each call and message is in its file.
        self._places: list[tuple[int, int]] = []
        self._messages: list[tuple[int, int]] = []

    def new(self) -> dict[str, list[Any]]:
        """The columns of calls that were added since the last time."""
        for start, end, found in self._new_lines("messages.jsonl"):
            if found and "hash" in found:
                self._numbers[str(found["hash"])] = len(self._messages)
                self._messages.append((start, end))
        columns: dict[str, list[Any]] = {name: [] for name in CALL_COLUMNS}
        for start, end, found in self._new_lines("llm.jsonl"):
            if found is None:
                continue
            self._places.append((start, end))
            for name, values in columns.items():
                values.append("error" in found if name == "failed" else found.get(name))
        return columns

    def _new_lines(self, name: str) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
        for end, found in lines_of(self._folder / name, self._at[name]):
            yield self._at[name], end, found
            self._at[name] = end

    def __len__(self) -> int:
        return len(self._places)

    @property
    def message_count(self) -> int:
        """How many messages are stored apart."""
        return len(self._messages)

    def call(self, number: int) -> dict[str, Any]:
        """A call's messages (numbers, or whole in older records), answer and error.

        Raises:
            IndexError: there is no such call.
        """
        found = self._read("llm.jsonl", self._places[number])
        messages = [self._number(message) for message in found.get("messages", [])]
        return {
            "messages": messages,
            "answer": found.get("answer"),
            "error": found.get("error"),
        }

    def _number(self, message: Any) -> Any:
        """The number of a message that is named; one that is not stored says so."""
        if not isinstance(message, str):
            return message
        lost = {"role": "lost", "content": f"Message {message} is not in the record."}
        return self._numbers.get(message, lost)

    def message(self, number: int) -> dict[str, Any]:
        """A stored message: ``role`` and ``content``."""
        found = self._read("messages.jsonl", self._messages[number])
        return {"role": found.get("role"), "content": found.get("content")}

    def whole(self, number: int) -> dict[str, Any]:
        """A call with its messages' texts."""
        call = self.call(number)
        texts = [self.message(m) if isinstance(m, int) else m for m in call["messages"]]
        return {**call, "messages": texts}

    def _read(self, name: str, place: tuple[int, int]) -> dict[str, Any]:
        start, end = place
        with (self._folder / name).open("rb") as file:
            file.seek(start)
            found: dict[str, Any] = json.loads(file.read(end - start))
        return found
