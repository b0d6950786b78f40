"""What people do to a run while it goes on: lines of a file in its folder, which it looks into.

Whoever asks for something (``python -m experiments tell``, the page of a live run) appends a line
to ``interventions.jsonl`` or puts the file ``paused`` there; the run takes it, and records an event
``intervention``. The run's manifest says what it takes (``takes``), and which settings can be
changed (``changeable``).
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
from voxpolis.records.reader import Record, read_record
from voxpolis.records.text import one_line

FILE = "interventions.jsonl"
# While it is in a run's folder, the game stands still; it holds who asked for that. And who had
# the game go on again.
PAUSE_FILE, WENT_ON_FILE = "paused", "went_on"
# What a run that goes on writes into: what happens, what is asked of models and of persons.
WRITTEN = ("events.jsonl", "llm.jsonl", QUESTIONS)
# Who speaks where nobody says.
VISITOR = "Visitor"
MAX_CHARACTERS, MAX_NAME = 600, 40
# A run whose process is not known, and in which nothing was recorded for so many seconds, is dead:
# agents decide and are somewhere all the time, and the record says so.
SILENT_S = 300.0

# Words that an agent hears from somebody, or something that it notices; a question to it outside
# of the game, of which it keeps no memory, or keeps one; a setting that changes, as KEY=VALUE.
Action = Literal["say", "whisper", "ask", "interview", "set"]
# Those that change what is played: an agent hears, notices or remembers, or a setting is another.
CHANGING = frozenset(("say", "whisper", "interview", "set"))
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True)
class Intervention:
    """One thing that is done to a run.

    Attributes:
        agent: to whom; empty: to nobody in particular (a setting).
        action: what is done.
        by: who speaks or asks, or in whose name something is noticed or changed.
        text: the words; of a setting KEY=VALUE.
    """

    agent: str
    action: Action
    by: str
    text: str


def read_intervention(line: str, agents: Collection[str]) -> Intervention:
    """Return what a line of the file says.

    Raises:
        ValueError: it is not as :func:`intervene` writes it, or it is for nobody who plays here.
    """
    data = json.loads(line)
    fields = Intervention.__annotations__
    if not isinstance(data, dict) or set(data) != set(fields):
        raise ValueError(f"an intervention has {', '.join(fields)}")
    found = Intervention(*(str(data[name]) for name in fields))  # type: ignore[arg-type]
    if found.action not in ACTIONS:
        raise ValueError(f"there is no {found.action!r}; there are: {', '.join(ACTIONS)}")
    if found.action != "set" and found.agent not in agents:
        raise ValueError(f"there is no agent {found.agent!r}; there are: {', '.join(agents)}")
    by = _name(found.by, agents)
    text = one_line(found.text).strip()
    if not 0 < len(text) <= MAX_CHARACTERS:
        raise ValueError(f"a text has 1 to {MAX_CHARACTERS} characters")
    return Intervention("" if found.action == "set" else found.agent, found.action, by, text)


def _name(by: str, agents: Collection[str]) -> str:
    if by in agents:
        raise ValueError(f"{by} is an agent, who speaks for itself; name somebody else")
    name = one_line(by).strip()
    if not 0 < len(name) <= MAX_NAME:
        raise ValueError(f"who speaks has a name of 1 to {MAX_NAME} characters")
    return name


class PauseWish:
    """The run's side of pauses: whether whoever runs it wants its game to stand still."""

    def __init__(self, folder: Path) -> None:
        """Begin without a pause, also where a run before was cut off in one."""
        self._paused, self._went_on = folder / PAUSE_FILE, folder / WENT_ON_FILE
        self.forget()

    def forget(self) -> None:
        self._paused.unlink(missing_ok=True)
        self._went_on.unlink(missing_ok=True)

    def now(self) -> bool:
        return self._paused.exists()

    def by(self) -> str:
        """Return who asked last for a pause, or to go on; empty: nobody who said so."""
        for path in (self._paused, self._went_on):
            try:
                name = read_bytes(path, opener=unlinked).decode(errors="replace")
            except FileNotFoundError:
                continue
            return one_line(name)[:MAX_NAME]
        return ""


class Incoming:
    """The run's side: the interventions that come after it began to look."""

    def __init__(
        self,
        folder: Path,
        agents: Collection[str],
        actions: Collection[Action],
        left: list[str],
    ) -> None:
        """Begin after what the file holds already.

        Args:
            folder: the run's.
            agents: whom something can be done to.
            actions: those that are taken here.
            left: of a run that was cut off, the lines before that were not taken; those that are
                taken here are removed.
        """
        self._folder = folder
        self._agents = agents
        self._actions = actions
        self._left = left
        self._read = len(_lines(folder))

    def new(self) -> Iterator[Intervention]:
        """Yield what is new; a line that is wrong, or for somebody else to take, is left out."""
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


def not_taken(folder: Path) -> list[str]:
    """Return the lines that a run was asked for and that its record lacks, as it was cut off."""
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


# --- Whoever asks for something ------------------------------------------------------------------


def going_on(folder: Path) -> Record:
    """Return the record of a run that is not over.

    Raises:
        ValueError: there is none.
    """
    try:
        record = read_record(folder)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {folder}: {error}") from error
    if record.of(events.RunEnded):
        raise ValueError(f"the run in {folder} is over")
    is_alive = is_running(folder)
    if is_alive is False:
        raise ValueError(f"the run in {folder} is over: its process is gone")
    silent_s = silent_for(folder)
    if not is_alive and silent_s > SILENT_S and not (folder / PAUSE_FILE).exists():
        raise ValueError(
            f"nothing was recorded in {folder} for {silent_s:.0f} s: the run was killed, or hangs"
        )
    return record


def silent_for(folder: Path) -> float:
    """Return for how many seconds a run has written nothing; 0 while it waits for a person."""
    if OpenQuestions(folder).now():
        return 0.0
    paths = [folder / name for name in WRITTEN]
    written = max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)
    return max(0.0, time.time() - written)


def ask_for_pause(folder: Path, *, pauses: bool, by: str = VISITOR) -> bool:
    """Have a run's game stand still, or go on; ``by`` is who wants that.

    Returns:
        whether that happens at once; else before the next question to a mind.

    Raises:
        ValueError: the run cannot pause, or is to go on and does not stand still, or an agent is
            to want that.
    """
    record = going_on(folder)
    manifest, name = record.manifest, _name(by, _agents(record))
    kind = (manifest.get("server") or {}).get("kind")
    if manifest.get("world") == "minecraft" and kind != "embedded":
        raise ValueError("only the embedded server has a clock that can stand still")
    if not pauses and not (folder / PAUSE_FILE).exists():
        raise ValueError("the game does not stand still")
    wish = folder / (PAUSE_FILE if pauses else WENT_ON_FILE)
    replace_text(wish, name)
    if not pauses:
        (folder / PAUSE_FILE).unlink(missing_ok=True)
    return manifest.get("world") == "minecraft"


def intervene(folder: Path, agent: str, action: Action, by: str, text: str) -> None:
    """Have something done to a run.

    Raises:
        ValueError: the run takes nothing of the kind, or not that.
    """
    record = going_on(folder)
    takes = record.manifest.get("takes") or ()
    if record.manifest.get("mind") == "replay" and action not in takes:
        raise ValueError(f"a replay is played as it was recorded: it takes nothing ({folder})")
    if action not in takes:
        raise ValueError(f"{_WHY_NOT.get(action, 'nobody can do that to this run')} ({folder})")
    line = json.dumps(asdict(Intervention(agent, action, by, text)))
    asked = record.manifest.get("interviewed") or () if action in ("ask", "interview") else None
    found = read_intervention(line, _agents(record) if asked is None else asked)
    if found.action == "set":
        _check_setting(found.text, record.manifest.get("changeable") or ())
    with open_of_run(folder / FILE, "a") as file:
        file.write(f"{line}\n")


# Why a run does not take something.
_WHY_NOT: dict[str, str] = {
    "say": "agents hear and notice things in societies and, on the grid, in a commons only",
    "whisper": "agents hear and notice things in societies and, on the grid, in a commons only",
    "ask": "scripted minds have no words of their own to be asked for",
    "interview": "only agents that hear things and have words remember that they were asked",
    "set": "no setting of this scenario can be changed while it goes on",
}


def _agents(record: Record) -> Collection[str]:
    """Return who there is: of a society who lives now."""
    living = next((e.agents for e in reversed(record.of(events.ConditionStarted))), None)
    named: Any = record.manifest.get("agents")
    return living if living is not None else list(named) if isinstance(named, dict) else []


def _check_setting(text: str, changeable: Collection[str]) -> None:
    key, separator, _ = text.partition("=")
    if not separator or key.strip() not in changeable:
        there = ", ".join(changeable)
        raise ValueError(f"{text!r} is no KEY=VALUE of what can be changed: {there}")
