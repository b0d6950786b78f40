"""The seam between a scenario with its loop and the runner that plays it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from voxpolis.bots.agents.person import Seat
from voxpolis.bots.models import AccountedModel
from voxpolis.bots.models.scripted import Script
from voxpolis.bridge import HostPlan
from voxpolis.experiments.people.interventions import Pauses
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, extra_of
from voxpolis.experiments.run.progress import Progress
from voxpolis.experiments.run.protocol_check import (
    LackingError,
    check_protocol,
    check_settings,
    guarded,
)
from voxpolis.records import Clock, Record, RunWriter
from voxpolis.server import ServerState
from voxpolis.worlds.standstill import Standstill

#: One entry of a result's ``runs``.
Entry = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One repetition of one condition."""

    condition: str
    seed: int
    number: int = 0


def repetitions(condition: str, first_seed: int, count: int) -> list[Case]:
    """Return a condition's repetitions, each with the next seed."""
    return [Case(condition, first_seed + number, number) for number in range(count)]


@dataclass
class Session:
    """What the runner lends a run.

    Attributes:
        options: of the command.
        world: where it is played.
        agents: the kind of each agent, by name.
        choice: who answers.
        model: answers in the current case; its calls are recorded.
        writer: the run's record.
        clock: the game's.
        folder: where the record is.
        server: the Minecraft server; None on the grid and in replays.
        before: the record that is replayed or gone on with.
        progress: tells people how it goes.
        seats: of the persons who play with clients of their own, by their agents' names.
        asks_people: whether persons answer some questions by forms.
        standstill: who wants a server's game to stand still.
        pauses: of a computed game.
        stack: what stays open until the whole run is over, such as a session on a server.
        faults: what was wrong with the run without ending it.
    """

    options: RunOptions
    world: str
    agents: Mapping[str, str]
    choice: ModelChoice
    model: AccountedModel
    writer: RunWriter
    clock: Clock
    folder: Path
    server: ServerState | None
    before: Record | None
    progress: Progress
    seats: Mapping[str, Seat]
    asks_people: bool
    standstill: Standstill
    pauses: Pauses
    stack: AsyncExitStack
    faults: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Tell people something, on standard error."""
        self.progress.say(text)

    @property
    def hosts(self) -> HostPlan:
        """Which hosts the bots of a Minecraft run live in."""
        return HostPlan(self.options.engine, self.options.hosts, self.options.address)

    @property
    def timeout_s(self) -> float | None:
        """How long a language model has for an answer; scripted minds need no watching.

        Where persons answer, too, it is never less than they have.
        """
        if not self.choice.is_language_model:
            return None
        longest = self.options.answer_within + 10 if self.asks_people else 0.0
        return max(self.options.request_timeout, longest)


@dataclass(frozen=True)
class Sheet:
    """A table of numbers: by row, one for each column; None where it is not known."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[float | None]]

    def as_json(self) -> dict[str, dict[str, float | None]]:
        """Return the numbers by row and column."""
        return {name: dict(zip(self.columns, row, strict=True)) for name, row in self.rows.items()}


class Prepared(Protocol):
    """An experiment with all its options checked, ready to be played."""

    @property
    def agents(self) -> Sequence[str]:
        """The agents' names."""

    @property
    def cases(self) -> Sequence[Case]:
        """All repetitions of all conditions, in order."""

    @property
    def records_scripted_calls(self) -> bool:
        """Whether scripted minds' calls are recorded, too; else their seed is enough."""

    @property
    def needs_land(self) -> bool:
        """True if agents live off natural land: a server whose land is flat is refused."""

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of what is played, beside options and settings."""

    def notes(self, choice: ModelChoice) -> Sequence[str]:
        """Return what people should know before it begins, a line each."""

    def prompts(self) -> str:
        """Return what each role would be asked."""

    def script(self, case: Case) -> Script:
        """Return the scripted minds of a case."""

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return how often each role is asked at most, where all answers can be read.

        ``counted``: how often scripted minds were asked in all cases, by role. Language models may
        need more: their programs fail and are written anew, their contracts and laws are in words.
        """

    def lasts_s(self, case: Case) -> float | None:
        """Return how long a case takes, in seconds of the game's time; None: nobody knows."""

    def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play a case; yield its entries of the result as they are done.

        Raises:
            FaultError: the world was lost.
            ModelError: a model does not answer.
        """

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all entries together show, as fields of the result."""

    def show(self, result: Result) -> None:
        """Print a result for people."""


class Experiment(Protocol):
    """A scenario bound to the loop that plays it; each scenario's package has one.

    Attributes:
        name: as on the command line.
        story: what is played, for people.
        options: the options of its command.
        settings: what can be varied about it.
        worlds: the worlds it is played in, the default first, each with the kinds of agents that
            can play there, the default first.
        joined: those of them that persons join with clients of their own; in all others they
            play by forms and keys.
        hears: the worlds in which its agents hear and notice what whoever runs it tells them.
        changeable: the settings that can be changed while it goes on.
        conditions: the conditions by name, each with what it is in a line.
        measures: what of a result is compared over conditions, as paths such as ``mean.welfare``.
        runs: how often each condition is played where nobody says.
        examples: what can be typed behind its name, for --help; empty: what fits any.
        one_run: options of the shortest run that shows it, where its defaults play several; of the
            scenario's class, if that has any.
    """

    @property
    def name(self) -> str: ...

    @property
    def story(self) -> str: ...

    @property
    def options(self) -> type[RunOptions]: ...

    @property
    def settings(self) -> type[BaseModel]: ...

    @property
    def worlds(self) -> Mapping[str, Sequence[str]]: ...

    @property
    def joined(self) -> Collection[str]: ...

    @property
    def hears(self) -> Collection[str]: ...

    @property
    def changeable(self) -> Sequence[str]: ...

    @property
    def conditions(self) -> Mapping[str, str]: ...

    @property
    def measures(self) -> Sequence[str]: ...

    @property
    def runs(self) -> int: ...

    @property
    def examples(self) -> Sequence[str]: ...

    @property
    def one_run(self) -> Mapping[str, Any]: ...

    def compared(self, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return what the results of several conditions show beside each other."""

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> Prepared:
        """Check the options and get ready.

        Raises:
            UsageError: something that was asked for is not there.
        """


class BoundExperiment:
    """What every :class:`Experiment` has of the scenario that it binds."""

    runs: int = 1
    examples: Sequence[str] = ()
    joined: Collection[str] = ()
    hears: Collection[str] = ()

    def __init__(
        self,
        kind: type[Any],
        protocol: type,
        settings: type[BaseModel],
        options: type[RunOptions],
        story: str,
    ) -> None:
        """Bind a scenario.

        Args:
            kind: its class.
            protocol: what the class must have.
            settings: what can be varied about it; mostly the same class, as the pydantic model that
                it is.
            options: what its command takes.
            story: what is played: the docstring of its package.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        check_protocol(kind, protocol)
        check_settings(kind.name, settings, options)
        if not story:
            raise LackingError(
                f"the scenario {kind.name}: the docstring of its package says what is played"
            )
        self._kind: Any = guarded(kind, protocol)
        self.name: str = kind.name
        self.one_run: Mapping[str, Any] = getattr(kind, "one_run", {})
        self.story = story
        self.settings = settings
        self.options = options
        fields = settings.model_fields.items()
        self.changeable: Sequence[str] = [n for n, f in fields if "changeable" in extra_of(f)]

    def compared(self, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return nothing beside the table of measures."""
        return ()


class Repeated:
    """What is :class:`Prepared` of one condition, whose repetitions have one seed after another."""

    options: RunOptions
    condition: str

    @property
    def needs_land(self) -> bool:
        """Return False: what is played is built."""
        return False

    @property
    def cases(self) -> Sequence[Case]:
        """The repetitions, each with the next seed."""
        return repetitions(self.condition, self.options.seed, self.options.runs)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return as many as were counted: nothing here is asked for more often."""
        return counted

    def lasts_s(self, case: Case) -> float | None:
        """Return None: a game ends when it is over."""
        return None
