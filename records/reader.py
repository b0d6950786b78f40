"""Reading a run folder, as far as it goes: a line at a time, or the whole record at once."""

from __future__ import annotations

import json
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
    Event,
    RunEnded,
    kinds,
    misfit,
    parse_event,
)
from voxpolis.records.files import read_bytes, unlinked
from voxpolis.records.lines import CUT_OFF, MISSING, JsonLines, Line, Problem, Problems, parse_json
from voxpolis.records.process import is_running
from voxpolis.records.text import one_line
from voxpolis.records.yaml_text import YamlError, load_yaml

# How the kind of an agent that a person plays is called.
PERSON = "human"
# Names of kinds of event, which become names of files and columns.
_KIND = re.compile(r"[A-Za-z]\w{0,63}", re.ASCII)
# No number of an event, of a result or of a run's facts is larger.
MAX_NUMBER = 1e18
# Lines without any of these hold no number that is larger, none that is none, and whole letters.
_ODD = re.compile(rb"\\u[dD]|NaN|Infinity|\d{19}|\d[eE]\+?\d\d")
# Of a run: kinds of event that this version does not know, and names of fields of one kind, each
# of which becomes a file or a column; and agents, which are names to remember.
MOST_KINDS, MOST_FIELDS, MOST_AGENTS = 100, 100, 250_000
# Facts that are texts; the others are numbers, or true or false.
TEXTS = ("scenario", "world", "mind", "model", "contract", "game", "condition", "started",
         "git_revision")  # fmt: skip
_KNOWN = frozenset(kind.model_fields["kind"].default for kind in kinds())
# How much of a fact is listed, in characters.
MAX_FACT = 200
# Conditions of a run that are listed by their names.
MOST_CONDITIONS = 2

Raw = Mapping[str, Any]


def has_persons(manifest: Mapping[str, Any]) -> bool:
    """Whether a person plays an agent of a run, or a part of one, by its manifest."""
    kinds, options = manifest.get("agents"), manifest.get("options")
    parts = options.get("human") if isinstance(options, dict) else None
    return bool(parts) or (isinstance(kinds, dict) and PERSON in kinds.values())


class RunReader:
    """Reads a run folder piece by piece; what cannot be read is noted, and the rest is used.

    Attributes:
        folder: the run folder.
        is_live: whether the run goes on: what is missing at its end is then no problem. Unless
            said, it does while its process lives.
        problems: what could not be read so far.
    """

    def __init__(self, folder: Path, *, is_live: bool | None = None) -> None:
        self.folder = folder
        self.is_live = bool(is_running(folder)) if is_live is None else is_live
        self.problems = Problems()
        self._events = JsonLines(folder / "events.jsonl")
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
        """What the run ran with: ``run.yaml``; empty where it cannot be read."""
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
        """What came of the run: ``result.json``; None where it did not end, or cannot be read.

        It is an object; ``runs``, where it has them, is a list of objects, and ``mean`` an object.
        Numbers that are none, or beyond :data:`MAX_NUMBER`, are None. What is otherwise is left
        out, and a problem.
        """
        try:
            data = read_bytes(self.folder / "result.json", opener=unlinked)
            found = parse_json(data, keeps_nan=True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._note("result.json", one_line(getattr(error, "strerror", None) or str(error)))
            return None
        if not isinstance(found, dict):
            self._note("result.json", "no object")
            return None
        if _ODD.search(data):
            places = _lose_far(found)
            for place in places[:1]:
                more = f", and {len(places) - 1} more" if len(places) > 1 else ""
                self._note("result.json", f"{place} is no number, or one beyond 10^18{more}")
        for name, kind, words in (("runs", list, "no list"), ("mean", dict, "no object")):
            if name in found and not isinstance(found[name], kind):
                self._note("result.json", f"{name}: {words}")
                del found[name]
        entries = found.get("runs", [])
        bad = [number for number, one in enumerate(entries, 1) if not isinstance(one, dict)]
        if bad:
            self._note("result.json", f"runs {bad[0]}: no object")
            found["runs"] = [one for one in entries if isinstance(one, dict)]
        return found

    def facts(self) -> dict[str, Any]:
        """The run as a whole, in short.

        ``scenario``, ``world``, ``mind`` (and ``human``, where a person took part), ``model`` (the
        language model that was asked, by its name), ``contract`` (its name), ``game``,
        ``condition`` (where a contract or a game does not say it; of several their names, or how
        many), ``seed`` (of
        the first episode), ``speed``, ``started``, ``git_revision``, ``language_model`` (whether
        one was asked), ``finished`` (whether there is a whole result without an error),
        ``interventions`` (how often something was done to it), and ``welfare``, ``gini`` (means of
        the result); None for what the run does not have.
        """
        manifest, result = self.manifest(), self.result() or {}
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
            "model": manifest.get("model") if manifest.get("language_model") else None,
            "git_revision": manifest.get("git_revision"),
            "condition": _condition(manifest, result, plain),
            "language_model": bool(manifest.get("language_model", False)),
            "finished": bool(result) and not {"error", "unfinished"} & result.keys(),
            "interventions": result.get("interventions"),
            "welfare": means.get("welfare"),
            "gini": means.get("gini"),
        }
        known = {name: _fact(value) for name, value in facts.items()}
        texts = {name: str(known[name]) for name in TEXTS if known[name] is not None}
        truths = {name: facts[name] for name in ("language_model", "finished")}
        return {**{name: _number(value) for name, value in known.items()}, **texts, **truths}

    def events(self, kinds: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """The events that were not read yet, in order, of some kinds or all, as they are stored.

        Each has an ``id``, a ``t`` and a ``kind``. Of other kinds no line is parsed.
        """
        for _, event in self._numbered(kinds):
            yield event

    def parsed_events(self) -> Iterator[Event]:
        """The events that were not read yet; one of an unknown kind or version is a problem."""
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
                self._events.spoil()
                self._note("events.jsonl", "not a whole event", line.number)
            elif wanted is None or event["kind"] in wanted:
                if (wrong := self._wrong(event, line)) is not None:
                    self._note("events.jsonl", one_line(wrong), line.number)
                    continue
                event.setdefault("id", line.number)
                yield line.number, event
        found = None if self.is_live else self._events.problem()
        if found is not None:
            self.problems.add(found)

    def _wrong(self, event: dict[str, Any], line: Line) -> str | None:
        kind, text = event["kind"], line.text
        if _ODD.search(text):
            if (place := next(iter(_lose_far(event)), None)) is not None:
                return f"{place} is a number beyond 10^18"
            text = json.dumps(event).encode()
        if (wrong := misfit(kind, text)) is not None:
            return f"no usable {kind}: {wrong}"
        fields = self._fields.get(kind)
        if fields is None:
            if kind not in _KNOWN and len(self._fields.keys() - _KNOWN) >= MOST_KINDS:
                return f"more than {MOST_KINDS} kinds that are not known: {kind} is left out"
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
        """The model calls, each as it is stored: its messages are named."""
        index = CallIndex(self.folder)
        yield from index.new()
        yield from index.unfinished()
        index.note_ends()
        self.problems.extend(index.problems)

    def whole_calls(self) -> Iterator[dict[str, Any]]:
        """The model calls with their messages; a call that lacks one is a problem."""
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
    """A fact as it can be listed: a number or a text of one line; None for anything else."""
    if isinstance(value, str):
        return one_line(value[:MAX_FACT])
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, bool) or _is_number(value) else None


def _condition(manifest: Raw, result: Raw, facts: Raw) -> Any:
    """A run's condition, of several their names or how many there are; None: it has another name.

    Older records do not list them; then their results, or their options, say.
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


def _lose_far(data: Any, place: str = "") -> list[str]:
    """Put None for numbers that are none or beyond :data:`MAX_NUMBER`; return where they were."""
    lost = []
    for key, value in list(data.items() if isinstance(data, dict) else enumerate(data)):
        here = f"{place} {key}".strip()
        if isinstance(value, list | dict):
            lost += _lose_far(value, here)
        elif type(value) in (int, float) and not _is_number(value):
            data[key] = None
            lost.append(here)
    return lost


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -MAX_NUMBER <= value <= MAX_NUMBER  # type: ignore[operator]


@dataclass
class Record:
    """A run as its folder tells it.

    ``problems`` lists, in words, what could not be read; a run that was killed while writing has
    one for its last, broken line. ``damage`` is the first of them that nobody who was killed
    leaves: the run cannot be gone on with, since what is missing there would be lost for good.
    ``lost_calls`` is the first that lacks calls which were made: without them no replay is whole.
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
    """Read a run folder; never fails for what is in it.

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
    """Whether a problem lacks calls that were made: an end cut off does where the run did end."""
    is_of_calls = problem.file in ("llm.jsonl", "messages.jsonl")
    return is_of_calls and (has_ended or problem.text != CUT_OFF)


def _is_damage(problem: Problem) -> bool:
    """Whether a problem is in what a run goes on with, and is more than an end cut off."""
    if problem.text == MISSING:
        return problem.file == "events.jsonl"  # without calls, all are asked again
    goes_on_with = ("events.jsonl", "llm.jsonl", "messages.jsonl")
    return problem.file in goes_on_with and problem.text != CUT_OFF
