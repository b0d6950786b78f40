"""Reading of a run folder, line by line or as a whole.

Damaged records are read as far as possible.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from voxpolis.records.calls import CallIndex
from voxpolis.records.events import (
    MAX_EPISODES,
    MAX_SECONDS,
    SCHEMA_VERSION,
    Event,
    RunEnded,
    kinds,
    misfit,
    parse_event,
)
from voxpolis.records.files import read_bytes, unlinked
from voxpolis.records.lines import CUT_OFF, MISSING, JsonLines, Problem, Problems, parse_json
from voxpolis.records.process import is_running
from voxpolis.records.renames import rename_entry, rename_event
from voxpolis.records.text import many, one_line
from voxpolis.records.yaml_text import YamlError, load_yaml

# The kind of an agent that a person plays.
PERSON = "human"
# Valid names of kinds of events. The names become names of files and columns.
_KIND = re.compile(r"[A-Za-z]\w{0,63}", re.ASCII)
# Maximum absolute value of a number in an event, in a result or in the facts about a run.
MAX_NUMBER = 1e18
# A line that does not match contains no number above the maximum, no NaN or infinity, and no broken
# surrogate.
_ODD = re.compile(rb"\\u[dD]|NaN|Infinity|\d{19}|\d[eE]\+?\d\d")
# Limits for a run: the number of unknown kinds of events and the number of fields per kind, because
# each becomes a file or a column; and the number of agents, because their names are kept in memory.
MOST_KINDS, MOST_FIELDS, MOST_AGENTS = 100, 100, 250_000
# The facts that are texts. All other facts are numbers or booleans.
TEXTS = ("scenario", "world", "mind", "model", "contract", "game", "variant", "condition",
         "started", "git_revision")  # fmt: skip
_KNOWN = frozenset(kind.model_fields["kind"].default for kind in kinds())
# The problem of a result that is not a JSON object.
DAMAGED = "the file is damaged, so the numbers of the result are missing"
# Maximum length of a fact in characters.
MAX_FACT = 200
# At most this many conditions are listed by name.
MOST_CONDITIONS = 2

Raw = Mapping[str, Any]


def has_persons(manifest: Mapping[str, Any]) -> bool:
    """Return whether a person plays an agent or a part of an agent, according to the manifest."""
    kinds, options = manifest.get("agents"), manifest.get("options")
    parts = options.get("human") if isinstance(options, dict) else None
    return bool(parts) or (isinstance(kinds, dict) and PERSON in kinds.values())


def changed_settings(manifest: Mapping[str, Any]) -> str:
    """Return the settings that differ from the scenario's, such as ``length_s=300``, as the user
    gave them with ``--set``.
    """
    options = manifest.get("options")
    given = options.get("settings") if isinstance(options, dict) else None
    return ", ".join(map(str, given)) if isinstance(given, list) else ""


class RunReader:
    """Reads a run folder piece by piece. What cannot be read is noted as a problem and left out.

    Attributes:
        folder: the run folder.
        is_live: whether the run is in progress. If so, a missing end is not a problem. By default
            this is found out from the run's process.
        problems: what could not be read so far.
    """

    def __init__(
        self, folder: Path, *, is_live: bool | None = None, limit: float = math.inf
    ) -> None:
        """Open a run folder. Events that end after byte ``limit`` of their file are not read."""
        self.folder = folder
        self.is_live = bool(is_running(folder)) if is_live is None else is_live
        self.problems = Problems()
        self._events = JsonLines(folder / "events.jsonl")
        # Number of events that are missing so far, by their numbers.
        self._missing = 0
        self._events.limit = limit
        self._fields: dict[str, set[str]] = {}
        self._agents: set[str] = set()

    @property
    def bytes_read(self) -> int:
        return self._events.end

    def manifest_text(self) -> str:
        return self._manifest_text() or ""

    def _manifest_text(self) -> str | None:
        try:
            return read_bytes(self.folder / "run.yaml", opener=unlinked).decode(errors="replace")
        except OSError as error:
            self._note("run.yaml", one_line(error.strerror or str(error)))
            return None

    def manifest(self) -> dict[str, Any]:
        """Return the content of ``run.yaml``; empty if it cannot be read."""
        text = self._manifest_text()
        try:
            found = load_yaml(text or "")
        except YamlError as error:
            self._note("run.yaml", str(error))
            return {}
        if not isinstance(found, dict):
            if text is not None:
                self._note("run.yaml", "no settings by name")
            return {}
        return {str(name): value for name, value in found.items()}

    def result(self) -> dict[str, Any] | None:
        """Return the content of ``result.json``.

        Return None if the run has not ended or the file is unreadable.

        The content is a mapping. In it, ``runs`` is a list of mappings and ``mean`` is a mapping;
        both may be missing. Numbers that are NaN or beyond :data:`MAX_NUMBER` become None. Values
        of other types are left out and noted as problems.
        """
        try:
            data = read_bytes(self.folder / "result.json", opener=unlinked)
            found = parse_json(data, keeps_nan=True)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("result.json", one_line(error.strerror or str(error)))
            return None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self._note("result.json", DAMAGED)
            return None
        if _ODD.search(data):
            places = _drop_invalid_numbers(found)
            for place in places[:1]:
                more = f", and {len(places) - 1} more" if len(places) > 1 else ""
                self._note("result.json", f"{place} is not a number, or is beyond 10^18{more}")
        for name, kind, words in (("runs", list, "no list"), ("mean", dict, "no object")):
            if name in found and not isinstance(found[name], kind):
                self._note("result.json", f"{name}: {words}")
                del found[name]
        entries = found.get("runs", [])
        bad = [number for number, one in enumerate(entries, 1) if not isinstance(one, dict)]
        if bad:
            self._note("result.json", f"runs {bad[0]}: no object")
            found["runs"] = [one for one in entries if isinstance(one, dict)]
        for entry in found.get("runs", []):
            rename_entry(entry)
        return found

    def facts(self) -> dict[str, Any]:
        """Return a summary of the run. Facts that the run lacks are None.

        The facts are: ``scenario``; ``world``; ``mind`` (with ``human`` if a person took part);
        ``model`` (the name of the language model that was asked); ``contract`` (the name);
        ``game``; ``variant`` (the game that a setting names); ``condition`` (unless a contract or a
        game implies it; several conditions are listed or counted); ``seed`` (of the first
        episode); ``speed``; ``started``;
        ``git_revision``; ``language_model`` (whether a language model was asked); ``replay``
        (whether the run repeats a recorded run); ``finished`` (whether the run was played to its
        end); ``interventions`` (the number of interventions); and ``welfare`` and ``gini`` (the
        means in the result).
        """
        manifest, result = self.manifest(), self.result() or {}
        config = manifest.get("config")
        names = ("scenario", "world", "mind", "contract", "game", "seed", "speed", "started")
        plain = {name: manifest.get(name, result.get(name)) for name in names}
        if has_persons(manifest):
            plain["mind"] = f"{plain['mind']}, {PERSON}"
        if isinstance(plain["contract"], dict):
            plain["contract"] = plain["contract"].get("name")
        mean = result.get("mean")
        means = mean if isinstance(mean, dict) else {}
        facts = {
            **plain,
            "variant": config.get("game") if isinstance(config, dict) else None,
            "model": manifest.get("model") if manifest.get("language_model") else None,
            "git_revision": manifest.get("git_revision"),
            "condition": _condition(manifest, result, plain),
            "language_model": bool(manifest.get("language_model", False)),
            "replay": bool(manifest.get("replay")),
            "finished": bool(result) and "unfinished" not in result and self._has_events(),
            "interventions": result.get("interventions"),
            "welfare": means.get("welfare"),
            "gini": means.get("gini"),
        }
        known = {name: _fact(value) for name, value in facts.items()}
        texts = {name: str(known[name]) for name in TEXTS if known[name] is not None}
        truths = {name: facts[name] for name in ("language_model", "replay", "finished")}
        return {**{name: _number(value) for name, value in known.items()}, **texts, **truths}

    def _has_events(self) -> bool:
        """Return whether the file of events has any; note an empty file as a problem."""
        path = self.folder / "events.jsonl"
        if is_empty := path.exists() and not path.stat().st_size:
            self._note("events.jsonl", "empty: the events of this run are lost")
        return path.exists() and not is_empty

    def events(self, kinds: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the events that have not been read yet, in order.

        If ``kinds`` is given, only events of these kinds are yielded, and other lines are not
        parsed. Each event has an ``id``, a ``t`` and a ``kind``.
        """
        for _, event in self._numbered(kinds):
            yield event

    def parsed_events(self) -> Iterator[Event]:
        """Yield the events that have not been read yet, as objects.

        Events of unknown kinds or from other versions become problems.
        """
        for number, event in self._numbered(None):
            try:
                yield parse_event(event)
            except ValidationError as error:
                self._note("events.jsonl", error.errors()[0]["msg"], number)
            except ValueError as error:
                self._note("events.jsonl", str(error), number)

    def _numbered(self, kinds: Iterable[str] | None) -> Iterator[tuple[int, dict[str, Any]]]:
        wanted = None if kinds is None else set(kinds)
        marks = [] if wanted is None else [f'"kind":"{kind}"'.encode() for kind in wanted]
        for line in self._events.new(marks):
            event = line.data
            if event is None or not _is_event(event):
                self._events.count_unusable()
                self._note("events.jsonl", "not a whole event", line.number)
            elif wanted is None or event["kind"] in wanted:
                is_renamed = rename_event(event)
                text = json.dumps(event).encode() if is_renamed else line.text
                if (wrong := self._wrong(event, text)) is not None:
                    self._note("events.jsonl", one_line(wrong), line.number)
                    continue
                version = event.get("schema_version", 0) if event["kind"] == "run_started" else 0
                if version > SCHEMA_VERSION:
                    newer = f"format {version} is newer than {SCHEMA_VERSION}: update voxpolis"
                    self._note("events.jsonl", newer, line.number)
                missing = event.setdefault("id", line.number) - line.number
                if missing > self._missing:
                    self._note("events.jsonl", f"{many(missing - self._missing, 'event')} missing")
                self._missing = missing
                yield line.number, event
        found = None if self.is_live else self._events.problem()
        if found is not None:
            self.problems.add(found)

    def _wrong(self, event: dict[str, Any], text: bytes) -> str | None:
        kind = event["kind"]
        if _ODD.search(text):
            if (place := next(iter(_drop_invalid_numbers(event)), None)) is not None:
                return f"{place} is a number beyond 10^18"
            text = json.dumps(event).encode()
        if (wrong := misfit(kind, text)) is not None:
            return f"no usable {kind}: {wrong}"
        fields = self._fields.get(kind)
        if fields is None:
            if kind not in _KNOWN and len(self._fields.keys() - _KNOWN) >= MOST_KINDS:
                return f"more than {MOST_KINDS} unknown kinds: {kind} is left out"
            fields = set()
        if not event.keys() <= fields:
            if len(event.keys() | fields) > MOST_FIELDS:
                return f"the events of kind {kind} have more than {MOST_FIELDS} fields"
            self._fields[kind] = fields | event.keys()
        agent = event.get("agent")
        if agent is not None and agent not in self._agents:
            if len(self._agents) >= MOST_AGENTS:
                return f"more than {MOST_AGENTS:,} agents"
            self._agents.add(agent)
        return None

    def calls(self) -> Iterator[dict[str, Any]]:
        index = CallIndex(self.folder)
        yield from index.new()
        yield from index.unfinished()
        index.note_ends()
        self.problems.extend(index.problems)

    def whole_calls(self) -> Iterator[dict[str, Any]]:
        """Yield the model calls with their messages. A missing message becomes a problem."""
        index = CallIndex(self.folder)
        for number in range(index.read_all()):
            call = index.whole(number)
            if None in call["messages"]:
                self._note("llm.jsonl", "a message is missing", index.line_of(number))
            else:
                yield call
        index.note_ends()
        self.problems.extend(index.problems)

    def _note(self, file: str, text: str, line: int = 0) -> None:
        self.problems.add(Problem(file, line, text))


def _fact(value: Any) -> str | int | float | None:
    """Return a number unchanged, and a text as one line. Anything else becomes None."""
    if isinstance(value, str):
        return one_line(value[:MAX_FACT])
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, bool) or _is_number(value) else None


def _condition(manifest: Raw, result: Raw, facts: Raw) -> Any:
    """Return the condition of a run; None if the contract or the game implies the condition.

    If there are several conditions, the text lists them or says how many there are.

    Older records contain no list of conditions. In this case the result or the options are used.
    """
    if manifest.get("condition") or facts["contract"] or facts["game"]:
        return manifest.get("condition")
    listed, options = manifest.get("conditions"), manifest.get("options")
    if not isinstance(listed, list):
        listed = [one.get("condition") for one in result.get("runs", [])]
    asked = options.get("condition") if isinstance(options, dict) else None
    names = list(dict.fromkeys(one for one in listed or [asked] if isinstance(one, str)))
    if len(names) > MOST_CONDITIONS:
        return f"{len(names)} conditions"
    return ", ".join(names) or None


def _is_event(data: dict[str, Any]) -> bool:
    t, episode, agent = data.get("t"), data.get("episode"), data.get("agent")
    return (
        _is_number(t)
        and -MAX_SECONDS <= t <= MAX_SECONDS  # type: ignore[operator]
        and isinstance(data.get("kind"), str)
        and _KIND.fullmatch(data["kind"]) is not None
        and (episode is None or _is_count(episode))
        and (agent is None or isinstance(agent, str))
        and _is_count(data.get("id", 0))
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_EPISODES


def _number(value: Any) -> int | float | None:
    return value if _is_number(value) else None


def _drop_invalid_numbers(data: Any, place: str = "") -> list[str]:
    """Replace numbers that are NaN or beyond :data:`MAX_NUMBER` with None.

    Return the paths of these numbers in the data.
    """
    lost = []
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        here = f"{place} {key}".strip()
        if isinstance(value, list | dict):
            lost += _drop_invalid_numbers(value, here)
        elif type(value) in (int, float) and not _is_number(value):
            data[key] = None
            lost.append(here)
    return lost


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -MAX_NUMBER <= value <= MAX_NUMBER  # type: ignore[operator]


@dataclass
class Record:
    """A run, as read from its folder.

    Attributes:
        problems: descriptions of what could not be read. If a run was killed while it wrote, its
            last line is incomplete, which is also a problem.
        damage: the first problem that cannot be explained by a killed process. A run with such a
            problem must not be resumed, because the missing part would be lost for good.
        lost_calls: the first problem through which recorded calls were lost. A run with such a
            problem cannot be replayed completely.
    """

    folder: Path
    manifest: dict[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    result: dict[str, Any] | None = None
    problems: list[str] = field(default_factory=list)
    damage: str | None = None
    lost_calls: str | None = None

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def read_record(folder: Path) -> Record:
    """Read a run folder, whatever its files contain.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no run folder {folder}")
    reader = RunReader(folder)
    found = list(reader.parsed_events())
    has_ended = bool(found) and isinstance(found[-1], RunEnded)
    return Record(
        folder,
        manifest=reader.manifest(),
        events=found,
        calls=list(reader.whole_calls()),
        result=reader.result(),
        problems=[str(problem) for problem in reader.problems],
        damage=next((str(problem) for problem in reader.problems if _is_damage(problem)), None),
        lost_calls=next((str(p) for p in reader.problems if _loses_calls(p, has_ended)), None),
    )


def _loses_calls(problem: Problem, has_ended: bool) -> bool:
    """Return whether recorded calls are missing because of a problem.

    If the run has ended, this includes a file that is cut off at its end.
    """
    is_of_calls = problem.file in ("llm.jsonl", "messages.jsonl")
    return is_of_calls and (has_ended or problem.text != CUT_OFF)


def _is_damage(problem: Problem) -> bool:
    """Return whether a problem prevents the run from being resumed.

    Such a problem is in a file that resuming needs, and is more than a missing end.
    """
    if problem.text == MISSING:
        return problem.file == "events.jsonl"  # missing calls are made again
    goes_on_with = ("events.jsonl", "llm.jsonl", "messages.jsonl")
    return problem.file in goes_on_with and problem.text != CUT_OFF
