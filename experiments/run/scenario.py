"""What a scenario is: its settings are fields, its course of play is one function."""

from __future__ import annotations

import inspect
import re
import reprlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from voxpolis.bots.agents.person import Seat
from voxpolis.bots.models import AccountedModel
from voxpolis.bots.models.scripted import Script
from voxpolis.bridge import HostPlan
from voxpolis.experiments.people.interventions import Pauses
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError, extra_of
from voxpolis.experiments.run.progress import Progress
from voxpolis.front import describe_error
from voxpolis.records import Clock, Record, RunWriter, events
from voxpolis.server import ServerState
from voxpolis.worlds.standstill import Standstill


class LackingError(UsageError, TypeError):
    """A scenario lacks a part of its protocol; the message is one line."""

    # Where it ends a command as the scenario is imported: ``voxpolis.tell_in_lines``.
    is_one_line = True


# One entry of a result's ``runs``.
Entry = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One repetition of one condition; ``number`` counts from 0."""

    condition: str
    seed: int
    number: int = 0


def repetitions(condition: str, first_seed: int, count: int) -> list[Case]:
    """Return a condition's repetitions, each with the next seed."""
    return [Case(condition, first_seed + number, number) for number in range(count)]


@dataclass
class Run:
    """A case while it is played: what a scenario plays with, and what it tells of it.

    Attributes:
        case: the condition and the seed.
        options: of the command.
        world: where it is played.
        agents: the kind of each agent, by name.
        choice: who answers.
        model: answers; its calls are recorded.
        writer: the record.
        clock: the game's.
        folder: where the record is.
        server: the Minecraft server; None on the grid and in replays.
        before: the record that is replayed or resumed.
        progress: tells people how it goes.
        seats: of the persons who play with clients of their own, by their agents' names.
        asks_people: whether persons answer some questions by forms.
        standstill: who wants a server's game to stand still.
        pauses: of a computed game.
        stack: what stays open until all cases are over, such as a session on a server.
        entries: the entries of the result so far, of all cases.
        faults: what was wrong without ending it.
        failed: how many decisions of each agent failed so far (contract games: in the episode).
        kept: what a scenario keeps from one case to the next, such as its world.
    """

    case: Case
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
    entries: list[Entry] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def condition(self) -> str:
        """The condition's name."""
        return self.case.condition

    @property
    def seed(self) -> int:
        """The case's seed."""
        return self.case.seed

    @property
    def number(self) -> int:
        """The repetition, counting from 0."""
        return self.case.number

    def say(self, text: str) -> None:
        """Tell people something, on standard error."""
        self.progress.say(text)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> Any:
        """Record an event."""
        return self.writer.event(kind, agent, **fields)

    def note_failures(self, agents: Collection[str] | None = None) -> list[str]:
        """Record the decisions that failed since the last time; return whose they were."""
        whose = []
        for failure in self.model.take_failures(list(self.agents if agents is None else agents)):
            told = {"role": failure.role, "message": failure.message}
            self.note(events.MindFailed, failure.agent, **told)
            if failure.agent is not None:
                whose.append(failure.agent)
        self.failed.update(whose)
        return whose

    def finish(self, entry: Entry) -> None:
        """Add an entry to the result; a run that is cut off later keeps it."""
        self.entries.append({"condition": self.condition, "seed": self.seed, **entry})

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


class Scenario(BaseModel):
    """What is played. Its fields are settings (``--set``, ``--config``); ``play`` plays a case.

    Each setting needs a default. The class attributes say what its command offers:

    Attributes:
        name: as on the command line.
        story: what is played, for people; by default the docstring of its module.
        options: the options of its command.
        worlds: the worlds it is played in, the default first, each with the kinds of agents that
            can play there, the default first.
        conditions: the conditions by name, the default first, each in a line.
        measures: what of a result is compared over conditions, as paths such as ``mean.welfare``.
        runs: how often each condition is played where nothing else is asked for.
        joined: the worlds that persons join with clients of their own; in all others they play by
            forms and keys.
        hears: the worlds in which its agents hear what the person who runs it tells them.
        examples: what can be typed behind its name, for --help; empty: what fits any.
        one_run: options of the shortest run that shows it, where its defaults play several.
        called: what is typed behind ``voxpolis`` to play it.
        records_scripted_calls: whether scripted minds' calls are recorded; else the seed is enough.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True, validate_default=True)

    name: ClassVar[str]
    story: ClassVar[str] = ""
    options: ClassVar[type[RunOptions]] = RunOptions
    settings: ClassVar[type[BaseModel]]
    worlds: ClassVar[Mapping[str, Sequence[str]]] = {}
    conditions: ClassVar[Mapping[str, str]] = {}
    measures: ClassVar[Sequence[str]] = ()
    runs: ClassVar[int] = 1
    joined: ClassVar[Collection[str]] = ()
    hears: ClassVar[Collection[str]] = ()
    examples: ClassVar[Sequence[str]] = ()
    one_run: ClassVar[Mapping[str, Any]] = {}
    records_scripted_calls: ClassVar[bool] = True
    changeable: ClassVar[Sequence[str]] = ()
    called: ClassVar[tuple[str, ...]] = ()

    _asked: RunOptions = PrivateAttr()
    _world: str = PrivateAttr()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Fill in what follows from the fields."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.settings = cls
        fields = cls.model_fields.items()
        cls.changeable = [name for name, field in fields if "changeable" in extra_of(field)]

    @classmethod
    def check(cls) -> None:
        """Check that the class is whole.

        Raises:
            LackingError: something is missing; the message is one line.
        """
        name = getattr(cls, "name", cls.__name__)
        if lacking := sorted(cls.__abstractmethods__):
            raise LackingError(f"the scenario {name} lacks {', '.join(lacking)}")
        for attribute in ("name", "story", "worlds"):
            if not getattr(cls, attribute, None):
                raise LackingError(f"the scenario {name} lacks {attribute}")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):  # a folder of records is called so
            raise LackingError(f"the scenario {name!r}: a name is of a-z, 0-9 and _")
        for what, kind in (
            ("worlds", Mapping[str, Sequence[str]]),
            ("conditions", Mapping[str, str]),
            ("measures", tuple[str, ...] | list[str]),
        ):
            checked(getattr(cls, what), kind, f"the scenario {name}: {what}")
        check_settings(name, cls, cls.options)
        cls.with_defaults()

    @classmethod
    def with_defaults(cls) -> Self:
        """Return the scenario with its default settings.

        Raises:
            LackingError: a setting has no default, or one that does not fit it.
        """
        try:
            return cls()
        except ValidationError as error:
            lacking = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
            why = f"each setting needs a default that fits it: {lacking}"
            raise LackingError(f"the scenario {cls.name}: {why}") from error

    @classmethod
    def prepare(cls, options: RunOptions, settings: BaseModel, world: str) -> Any:
        """Return the scenario, ready to be played with these options and settings in a world.

        Raises:
            UsageError: something that was asked for does not exist.
        """
        made = settings if isinstance(settings, cls) else cls(**settings.model_dump())
        made._asked, made._world = options, world
        try:
            made.prepared()
            made.checked_names()
        except (UsageError, LackingError):
            raise
        except Exception as error:  # of its code, whatever it is
            why = describe_error(error)
            raise UsageError(f"the scenario {cls.name} cannot be played: {why}") from error
        return made

    def prepared(self) -> None:
        """Check what was asked for, before anything is played.

        Raises:
            UsageError: something that was asked for does not exist.
        """
        self._check_condition()

    def checked_names(self) -> Sequence[str]:
        """Return the agents' names.

        Raises:
            LackingError: there are none, or one is there twice.
        """
        whose = f"agent_names of the scenario {self.name}"
        agents: Sequence[str] = checked(self.agent_names, tuple[str, ...] | list[str], whose)
        if not agents or len({*agents}) < len(agents):
            raise LackingError(f"{whose} are not names, each once")
        return agents

    def _check_condition(self) -> None:
        if self.conditions and self.condition not in self.conditions:
            there = ", ".join(self.conditions)
            raise UsageError(f"there is no condition {self.condition!r}; there are: {there}")

    # --- What was asked for ----------------------------------------------------------------------

    @property
    def asked(self) -> RunOptions:
        """The options of the command."""
        return self._asked

    @property
    def world(self) -> str:
        """Where it is played."""
        return self._world

    @property
    def condition(self) -> str:
        """The condition that is played."""
        return self._asked.condition or next(iter(self.conditions), "default")

    @property
    def cases(self) -> Sequence[Case]:
        """The repetitions, each with the next seed."""
        return repetitions(self.condition, self._asked.seed, self._asked.runs)

    @property
    def needs_land(self) -> bool:
        """Whether agents live off natural land: a server whose land is flat is refused."""
        return False

    # --- What a scenario says --------------------------------------------------------------------

    @property
    @abstractmethod
    def agent_names(self) -> Sequence[str]:
        """The agents' names."""

    @abstractmethod
    def script(self, case: Case) -> Script:
        """Return the scripted minds of a case: what they answer to what they are asked."""

    @abstractmethod
    async def play(self, run: Run) -> None:
        """Play a case; :meth:`Run.finish` takes what came of it.

        Raises:
            FaultError: the world was lost.
            ModelError: a model does not answer.
        """

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of what is played, beside options and settings."""
        return {}

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins, a line each."""
        if choice.is_language_model:
            return []
        return ["Scripted minds: rules written beforehand, no language model is asked."]

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return how often each role is asked at most, where all answers can be read.

        ``counted``: how often scripted minds were asked in all cases, by role. Language models may
        need more: their programs fail and are written anew, their contracts and laws are in words.
        """
        return counted

    def lasts_s(self, case: Case) -> float | None:
        """Return how long a case takes, in seconds of the game's time; None: it is not known."""
        return None

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all entries together show, as fields of the result."""
        return {}

    def show(self, result: Result) -> None:
        """Print a result for people."""

    def prompts(self) -> str:
        """Return what each role would be asked; empty: it is played to find out."""
        return ""

    @classmethod
    def compared(cls, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return what the results of several conditions show beside each other."""
        return ()


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def checked(value: Any, kind: Any, what: str) -> Any:
    """Return what a scenario's code returned, where it is of a type.

    Args:
        value: what was returned.
        kind: the type; of a class ``InstanceOf[it]``.
        what: whose it is, for the error.

    Raises:
        LackingError: it is of another type.
    """
    try:
        _adapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        if inspect.iscoroutine(value):
            value.close()
        first = error.errors()[0]
        where = "".join(f"[{part!r}]" for part in first["loc"])
        found = reprlib.repr(first["input"])
        wanted = first["msg"].removeprefix("Input should be ")
        raise LackingError(f"{what} returns {found}{where and f' at {where}'}: {wanted}") from error
    return value


def check_settings(name: str, settings: type[BaseModel], options: type[BaseModel]) -> None:
    """Check that no setting of a scenario has the name of an option that its command has.

    Raises:
        LackingError: one has, and would take what is meant for the option.
    """
    taken = {"help", *options.model_fields}
    taken |= {called for field in options.model_fields.values() for called in _options(field)}
    typed: set[str] = set()
    for setting, info in settings.model_fields.items():
        of_its_own = _options(info)
        for called in sorted(({setting} | of_its_own) & taken | of_its_own & typed):
            raise LackingError(
                f"the scenario {name}: there is an option {called} already, so its setting "
                f"{setting} needs another name"
            )
        typed |= of_its_own


def _options(field: FieldInfo) -> set[str]:
    """Return what the option of a field is called on the command line; empty: it has none."""
    extra = field.json_schema_extra
    names = extra.get("option") if isinstance(extra, dict) else None
    return set(map(str, names)) if isinstance(names, list | tuple) else set()
