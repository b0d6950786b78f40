"""Interventions in a run while it is in progress, through files in its folder.

The sender (``python -m experiments tell``, or the page of the run) appends a line to
``interventions.jsonl``, or creates the file ``paused``. The run looks at these files regularly,
carries the intervention out, and records an event ``intervention``. The manifest of the run lists
the actions that the run accepts (``takes``) and the settings that can be changed (``changeable``).
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from voxpolis.records import events
from voxpolis.records.files import open_of_run, read_bytes, replace_text, unlinked
from voxpolis.records.process import is_running
from voxpolis.records.questions import QUESTIONS, OpenQuestions
from voxpolis.records.reader import RunReader, read_record
from voxpolis.records.text import one_line, suggestion
from voxpolis.records.vanilla import needs_embedded

FILE = "interventions.jsonl"
# While the first file exists in the folder of a run, the game is paused. The file contains the name
# of the person who asked for the pause. The second file contains the name of the person who let the
# game continue.
PAUSE_FILE, WENT_ON_FILE = "paused", "went_on"
# The files to which a run in progress writes: events, model calls, and questions to people.
WRITTEN = ("events.jsonl", "llm.jsonl", QUESTIONS)
# The name of the speaker if none is given.
VISITOR = "Visitor"
MAX_CHARACTERS, MAX_NAME = 600, 40
# Sometimes it is unknown whether the process of a run is alive. The run then counts as dead after
# this many seconds without anything new in the record, because agents decide and move all the time.
SILENT_S = 300.0

# In this order: words that an agent hears, something that an agent notices, a question outside the
# game, the same question but the agent remembers it, and a change of a setting as KEY=VALUE.
Action = Literal["say", "whisper", "ask", "interview", "set"]
# The actions that influence the game.
CHANGING = frozenset(("say", "whisper", "interview", "set"))
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True)
class Intervention:
    """An intervention in a run.

    Attributes:
        agent: the agent that hears, notices or is asked something; empty for a setting.
        action: the kind of intervention.
        by: the name of the speaker, of the person who asks, or of the person who makes the change.
        text: the words; KEY=VALUE for a setting.
    """

    agent: str
    action: Action
    by: str
    text: str


def read_intervention(line: str, agents: Collection[str]) -> Intervention:
    """Convert a line of the file into an intervention.

    Raises:
        ValueError: the line does not have the format that :func:`intervene` writes, or it names an
            unknown agent.
    """
    data = json.loads(line)
    fields = Intervention.__annotations__
    if not isinstance(data, dict) or set(data) != set(fields):
        raise ValueError(f"an intervention must have the fields {', '.join(fields)}")
    found = Intervention(*(str(data[name]) for name in fields))  # type: ignore[arg-type]
    if found.action not in ACTIONS:
        raise ValueError(f"unknown action {found.action!r}; there are: {', '.join(ACTIONS)}")
    if found.action != "set" and found.agent not in agents:
        raise ValueError(f"there is no agent {found.agent!r}; {suggestion(found.agent, agents)}")
    by = _name(found.by, agents)
    text = one_line(found.text).strip()
    if not 0 < len(text) <= MAX_CHARACTERS:
        raise ValueError(f"a text must have 1 to {MAX_CHARACTERS} characters")
    return Intervention("" if found.action == "set" else found.agent, found.action, by, text)


def _name(by: str, agents: Collection[str]) -> str:
    if by in agents:
        raise ValueError(f"{by} is an agent, which speaks for itself; use another name")
    name = one_line(by).strip()
    if not 0 < len(name) <= MAX_NAME:
        raise ValueError(f"the speaker's name must have 1 to {MAX_NAME} characters")
    return name


class PauseRequests:
    """Tells a run whether someone has asked for a pause."""

    def __init__(self, folder: Path) -> None:
        """Begin without a pause, even if an earlier run was interrupted during a pause."""
        self._paused, self._went_on = folder / PAUSE_FILE, folder / WENT_ON_FILE
        self.forget()

    def forget(self) -> None:
        self._paused.unlink(missing_ok=True)
        self._went_on.unlink(missing_ok=True)

    def now(self) -> bool:
        return self._paused.exists()

    def by(self) -> str:
        """Return the name in the last request to pause or to continue.

        The result is empty if there is no name.
        """
        for path in (self._paused, self._went_on):
            try:
                name = read_bytes(path, opener=unlinked).decode(errors="replace")
            except FileNotFoundError:
                continue
            return one_line(name)[:MAX_NAME]
        return ""


class Incoming:
    """Reads for a run the interventions that arrive after its start."""

    def __init__(
        self,
        folder: Path,
        agents: Collection[str],
        actions: Collection[Action],
        left: list[str],
    ) -> None:
        """Begin after the lines that are already in the file.

        Args:
            folder: the run folder.
            agents: the agents that interventions can address.
            actions: the actions that are accepted.
            left: lines that an interrupted run had not carried out. A line is removed from this
                list when it is carried out.
        """
        self._folder = folder
        self._agents = agents
        self._actions = actions
        self._left = left
        self._read = len(_lines(folder))

    def new(self) -> Iterator[Intervention]:
        """Yield the new interventions.

        Lines that are invalid are skipped, and so are lines with actions that the run does not
        accept.
        """
        lines = _lines(self._folder)
        fresh, self._read = lines[self._read :], len(lines)
        for line in list(self._left):
            if (found := self._taken(line)) is not None:
                self._left.remove(line)
                yield found
        yield from filter(None, map(self._taken, fresh))

    def _taken(self, line: str) -> Intervention | None:
        try:
            found = read_intervention(line, self._agents)
        except ValueError:
            return None
        return found if found.action in self._actions else None


def unapplied_interventions(folder: Path) -> list[str]:
    """Return the lines of the interventions that an interrupted run did not carry out."""
    asked = _lines(folder)
    if not asked:
        return []
    done: Counter[tuple[str, str, str, str]] = Counter(
        (event.agent or "", event.action, event.by, event.text)
        for event in read_record(folder).of(events.Intervention)
    )
    left = []
    for line in asked:
        if (key := _as_recorded(line)) is None:
            continue
        if done[key] > 0:
            done[key] -= 1
        else:
            left.append(line)
    return left


def _as_recorded(line: str) -> tuple[str, str, str, str] | None:
    try:
        found = read_intervention(line, (json.loads(line)["agent"],))
    except (ValueError, KeyError, TypeError):
        return None
    return found.agent, found.action, found.by, found.text


def _lines(folder: Path) -> list[str]:
    try:
        with open_of_run(folder / FILE) as file:
            text: str = file.read().decode(errors="replace")
            return text.split("\n")[:-1]
    except FileNotFoundError:
        return []


# --- The sender's side ----------------------------------------------------------------------------


def live_run(folder: Path) -> tuple[dict[str, Any], Collection[str]]:
    """Return the manifest of a run that is in progress, and the names of its agents.

    Raises:
        ValueError: no run is in progress in this folder.
    """
    if not (folder / "run.yaml").exists():
        raise ValueError(f"{folder} is not the folder of a run")
    reader = RunReader(folder)
    manifest = reader.manifest()
    named = manifest.get("agents")
    agents: Collection[str] = list(named) if isinstance(named, dict) else []
    for event in reader.events(("run_ended", "condition_started")):  # others are not parsed
        if event["kind"] == "run_ended":
            raise ValueError(f"the run in {folder} is over")
        agents = event.get("agents", agents)
    if not manifest:
        raise ValueError(f"cannot read {folder}: {next(iter(reader.problems), 'no manifest')}")
    is_alive = is_running(folder)
    if is_alive is False:
        raise ValueError(f"the run in {folder} is over: its process is gone")
    silent_s = silent_for(folder)
    if not is_alive and silent_s > SILENT_S and not (folder / PAUSE_FILE).exists():
        raise ValueError(
            f"nothing was recorded in {folder} for {silent_s:.0f} s: the run was killed, or hangs"
        )
    return manifest, agents


def silent_for(folder: Path) -> float:
    """Return how many seconds ago a run last wrote something; 0 while it waits for a person."""
    if OpenQuestions(folder).now():
        return 0.0
    paths = [folder / name for name in WRITTEN]
    written = max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)
    return max(0.0, time.time() - written)


def ask_for_pause(folder: Path, *, pauses: bool, by: str = VISITOR) -> bool:
    """Ask a run to pause its game or to continue it.

    Args:
        folder: the run folder.
        pauses: whether the game should pause; otherwise it should continue.
        by: the name of the person who asks.

    Returns:
        True if the game pauses or continues immediately; False if it does so before the next
        question to a mind.

    Raises:
        ValueError: the run cannot pause, the game is already paused or not paused, or ``by`` is the
            name of an agent.
    """
    manifest, agents = live_run(folder)
    name = _name(by, agents)
    kind = (manifest.get("server") or {}).get("kind")
    if manifest.get("world") == "minecraft" and kind != "embedded":
        raise ValueError(needs_embedded("pause"))
    asked = folder / PAUSE_FILE
    if pauses == (asked.exists() and not asked.is_symlink()):
        raise ValueError("the game is already paused" if pauses else "the game is not paused")
    wish = folder / (PAUSE_FILE if pauses else WENT_ON_FILE)
    replace_text(wish, name)
    if not pauses:
        (folder / PAUSE_FILE).unlink(missing_ok=True)
    return manifest.get("world") == "minecraft"


def intervene(folder: Path, agent: str, action: Action, by: str, text: str) -> None:
    """Send an intervention to a run.

    Raises:
        ValueError: the run does not accept this action, or does not accept its arguments.
    """
    manifest, agents = live_run(folder)
    takes = manifest.get("takes") or ()
    if manifest.get("replay") and action not in takes:
        raise ValueError(f"a replay cannot be changed: it accepts no interventions ({folder})")
    if action not in takes:
        raise ValueError(f"{_WHY_NOT.get(action, 'this run does not accept that')} ({folder})")
    line = json.dumps(asdict(Intervention(agent, action, by, text)))
    asked = manifest.get("interviewed") or () if action in ("ask", "interview") else agents
    found = read_intervention(line, asked)
    if found.action == "set":
        _check_setting(found.text, manifest.get("changeable") or ())
    with open_of_run(folder / FILE, "a") as file:
        file.write(f"{line}\n")


# The reasons why a run does not accept an action.
_WHY_NOT: dict[str, str] = {
    "say": "agents hear and notice things only in societies and, on the grid, in a commons",
    "whisper": "agents hear and notice things only in societies and, on the grid, in a commons",
    "ask": "scripted minds cannot be asked: they have no words of their own",
    "interview": "only agents that hear and use language remember a question",
    "set": "no setting of this scenario can be changed during a run",
}


def _check_setting(text: str, changeable: Collection[str]) -> None:
    key, separator, _ = text.partition("=")
    if not separator or key.strip() not in changeable:
        there = ", ".join(changeable)
        raise ValueError(f"{text!r} is not KEY=VALUE of a changeable setting: {there}")
