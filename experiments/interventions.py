"""What people do to a run while it goes on: ``python -m experiments tell``, ``pause``, ``go-on``.

``tell`` appends a line to a file in the run's folder; the run looks there once a second. Only
runs in real time can be told something: a simulated one is a function of its seed and its minds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import click

from bots.agents.piano import Agent
from bots.time import Time
from experiments.usage import UsageError
from records import Record, events, read_record
from records.text import one_line, say_error
from voxpolis import USAGE_ERROR
from worlds.protocol import PAUSE_FILE

FILE, EVENTS = "interventions.jsonl", "events.jsonl"
LOOK_S = 1.0
#: Who speaks where nobody says.
VISITOR = "Visitor"
MAX_CHARACTERS, MAX_NAME = 600, 40
#: A run in which nothing was recorded for so many seconds is dead: agents decide and are somewhere
#: all the time, and the record says so.
SILENT_S = 300.0

#: Words that the agent hears from somebody, or something that it notices.
Action = Literal["say", "whisper"]


@dataclass(frozen=True)
class Intervention:
    """One thing that an agent is told; ``by``: who speaks, or who had it noticed."""

    agent: str
    action: Action
    by: str
    text: str


def read_intervention(line: str, agents: Collection[str]) -> Intervention:
    """Return what a line of the file says.

    Raises:
        ValueError: it is not as :func:`tell` writes it, or it is for nobody who lives here.
    """
    data = json.loads(line)
    fields = Intervention.__annotations__
    if not isinstance(data, dict) or set(data) != set(fields):
        raise ValueError(f"an intervention has {', '.join(fields)}")
    found = Intervention(*(str(data[name]) for name in fields))  # type: ignore[arg-type]
    if found.action not in get_args(Action):
        raise ValueError(f"there is no {found.action!r}; there are: {', '.join(get_args(Action))}")
    if found.agent not in agents:
        raise ValueError(f"there is no agent {found.agent!r}; there are: {', '.join(agents)}")
    if found.by in agents:
        raise ValueError(f"{found.by} is an agent, who speaks for itself; name somebody else")
    by = one_line(found.by).strip()
    if not 0 < len(by) <= MAX_NAME:
        raise ValueError(f"who speaks has a name of 1 to {MAX_NAME} characters")
    text = one_line(found.text).strip()
    if not 0 < len(text) <= MAX_CHARACTERS:
        raise ValueError(f"a text has 1 to {MAX_CHARACTERS} characters")
    return Intervention(found.agent, found.action, by, text)


class Interventions:
    """Lets a society's agents hear and notice what stands in the file."""

    def __init__(
        self, folder: Path, agents: Mapping[str, Agent], note: Callable[..., None]
    ) -> None:
        """Begin after what the file holds already.

        Args:
            folder: the run's.
            agents: by name.
            note: records an event: its class, the agent, and its fields.
        """
        self._path = folder / FILE
        self._agents = agents
        self._note = note
        self._read = len(self._lines())

    async def watch(self, clock: Time) -> None:
        """Look into the file once a second, until cancelled."""
        while True:
            self.take()
            await clock.sleep(LOOK_S, key=-1)

    def take(self) -> None:
        """Let agents hear and notice what is new; a line that is wrong is left out."""
        lines = self._lines()
        for line in lines[self._read :]:
            try:
                found = read_intervention(line, self._agents)
            except ValueError:
                continue
            self._note(
                events.Intervention, found.agent, action=found.action, by=found.by, text=found.text
            )
            if found.action == "say":
                self._agents[found.agent].hear(found.by, found.text)
            else:
                self._agents[found.agent].tell(found.text, urgent=True)
        self._read = len(lines)

    def _lines(self) -> list[str]:
        """Return the whole lines of the file."""
        if not self._path.exists():
            return []
        return self._path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


def _going_on(folder: Path) -> Record:
    """Return the record of a run that is not over.

    Raises:
        UsageError: there is none.
    """
    try:
        record = read_record(folder)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {folder}: {error}") from error
    if record.of(events.RunEnded):
        raise UsageError(f"the run in {folder} is over")
    silent_s = time.time() - (folder / EVENTS).stat().st_mtime
    if silent_s > SILENT_S and not (folder / PAUSE_FILE).exists():
        raise UsageError(
            f"nothing was recorded in {folder} for {silent_s:.0f} s: the run was killed, or hangs"
        )
    return record


def ask_for_pause(folder: Path, *, pauses: bool) -> None:
    """Have a run's game stand still, or go on.

    Raises:
        UsageError: the run cannot pause.
    """
    record = _going_on(folder)
    if record.manifest.get("world") != "minecraft":
        raise UsageError("a run in simulated time has no clock that could stand still")
    if (record.manifest.get("server") or {}).get("kind") != "embedded":
        raise UsageError("only the embedded server has a clock that can stand still")
    if pauses:
        (folder / PAUSE_FILE).touch()
    else:
        (folder / PAUSE_FILE).unlink(missing_ok=True)


def intervene(folder: Path, agent: str, action: Action, by: str, text: str) -> None:
    """Have a run tell an agent something.

    Raises:
        UsageError: the run cannot be told anything, or not that.
    """
    record = _going_on(folder)
    names = next((e.agents for e in reversed(record.of(events.ConditionStarted))), None)
    if names is None:
        raise UsageError(f"{folder} is no run of a society in which somebody lives")
    if record.manifest.get("world") != "minecraft":
        raise UsageError(
            "a run in simulated time follows from its seed: nobody can tell it anything"
        )
    line = json.dumps(asdict(Intervention(agent, action, by, text)))
    try:
        read_intervention(line, names)
    except ValueError as error:
        raise UsageError(str(error)) from error
    with (folder / FILE).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("agent")
@click.argument("text")
@click.option("--by", default=VISITOR, help=f"Who speaks. [default: {VISITOR}]")
@click.option("--whisper", is_flag=True, help="The agent notices it, and hears nobody.")
def tell(run: Path, agent: str, text: str, by: str, whisper: bool) -> None:
    """Tell an agent of a society in Minecraft something while it lives; its record says so."""
    with _told_in_one_line():
        intervene(run, agent, "whisper" if whisper else "say", by, text)
    click.echo(f"{agent} is told within a second of the game's time")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
def pause(run: Path) -> None:
    """Let the game of a run in Minecraft stand still; its record says so."""
    with _told_in_one_line():
        ask_for_pause(run, pauses=True)
    click.echo(f"the game stands still; to go on: python -m experiments go-on {run}")


@click.command(name="go-on")
@click.argument("run", type=click.Path(path_type=Path))
def go_on(run: Path) -> None:
    """Let the game of a run that pauses go on."""
    with _told_in_one_line():
        ask_for_pause(run, pauses=False)
    click.echo("the game goes on")


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    """Turn what cannot be done into one line and exit code 2."""
    try:
        yield
    except UsageError as error:
        say_error(error)
        sys.exit(USAGE_ERROR)
