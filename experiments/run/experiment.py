"""The seam between the loops that are not scenarios yet and the runner; see ``scenario.py``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, extra_of
from voxpolis.experiments.run.protocol_check import (
    LackingError,
    check_protocol,
    check_settings,
    guarded,
)
from voxpolis.experiments.run.scenario import (
    Case,
    Entry,
    Result,
    Scenario,
    Sheet,
    repetitions,
)
from voxpolis.experiments.run.scenario import Run as Session

__all__ = [
    "BoundExperiment",
    "Case",
    "Entry",
    "Experiment",
    "Prepared",
    "Repeated",
    "Result",
    "Session",
    "Sheet",
    "repetitions",
]


class LoopPrepared(Protocol):
    """An experiment with all its options checked, ready to be played."""

    @property
    def agent_names(self) -> Sequence[str]:
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

    def play(self, case: Any, session: Any) -> AsyncIterator[Entry]:
        """Play a case; yield its entries of the result as they are done.

        Raises:
            FaultError: the world was lost.
            ModelError: a model does not answer.
        """

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all entries together show, as fields of the result."""

    def show(self, result: Result) -> None:
        """Print a result for people."""


class LoopExperiment(Protocol):
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

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> Any:
        """Check the options and get ready.

        Raises:
            UsageError: something that was asked for is not there.
        """


Prepared = LoopPrepared | Scenario
#: What the runner plays: a scenario, or a loop of the old kind.
Experiment = LoopExperiment | type[Scenario]


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
