"""The base class of scenarios. Fields are settings, and a method plays a case."""

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
from voxpolis.bots.models.settings import ROLES, Need
from voxpolis.bridge import HostPlan
from voxpolis.experiments.people.interventions import Pauses
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError, marks_of
from voxpolis.experiments.run.progress import Progress
from voxpolis.front import describe_error
from voxpolis.records import Clock, Record, RunWriter, events
from voxpolis.server import ServerState
from voxpolis.worlds.server_pauses import Standstill


class LackingError(UsageError, TypeError):
    """A scenario is incomplete, or returns something invalid. The message is one line."""

    # Prints the message as one line if raised during import: ``voxpolis.tell_in_lines``.
    is_one_line = True


# One entry of a result's ``runs``.
Entry = dict[str, Any]
Result = dict[str, Any]
Happened = Mapping[str, int]  # by kind of event
# Agents without a usable answer, and the number of agents that were asked, by role.
Silent = Mapping[str, tuple[Sequence[str], int]]


@dataclass(frozen=True)
class Case:
    """One repetition of one condition, with its number (counted from 0)."""

    condition: str
    seed: int
    number: int = 0


def repetitions(condition: str, first_seed: int, count: int) -> list[Case]:
    """Return the repetitions of a condition, with consecutive seeds."""
    return [Case(condition, first_seed + number, number) for number in range(count)]


@dataclass
class Run:
    """The resources with which a scenario plays a case, and the results of the play.

    Attributes:
        case: condition and seed.
        options: options of the command.
        world: name of the world.
        agents: a dictionary from the name of each agent to its kind.
        choice: the choice of models.
        model: the model whose calls are recorded.
        writer: writer of the record.
        clock: game clock.
        folder: folder of the record.
        server: the Minecraft server; None on the grid and in replays.
        before: record of the run that is replayed or resumed.
        progress: prints the progress.
        seats: for each agent that a person with a Minecraft client plays, the person's seat.
        asks_people: whether people answer some questions through web forms.
        standstill: pauses the game of a server.
        pauses: pauses a simulated game.
        stack: contexts that stay open until all cases are over, such as a session on a server.
        scenario: the scenario, which checks whether a condition was in effect.
        entries: entries of the result so far, of all cases.
        faults: faults that did not end the run.
        failed: number of failed decisions by agent so far (in contract games, in this episode).
        kept: what a scenario keeps from case to case, such as its world.
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
    scenario: Scenario
    entries: list[Entry] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)
    kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._began = self.writer.counts.copy()
        self._answered: dict[tuple[str, str], tuple[int, int]] = {}
        self._silent()

    @property
    def condition(self) -> str:
        return self.case.condition

    @property
    def seed(self) -> int:
        return self.case.seed

    @property
    def number(self) -> int:
        """The number of the repetition, counted from 0."""
        return self.case.number

    def say(self, text: str) -> None:
        """Print a message on standard error."""
        self.progress.say(text)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> Any:
        return self.writer.event(kind, agent, **fields)

    def note_failures(self, agents: Collection[str] | None = None) -> list[str]:
        """Record the decisions that have failed since the last call. Return the agents whose
        decisions failed.
        """
        whose = []
        for failure in self.model.take_failures(list(self.agents if agents is None else agents)):
            told = {"role": failure.role, "message": failure.message}
            self.note(events.MindFailed, failure.agent, **told)
            if failure.agent is not None:
                whose.append(failure.agent)
        self.failed.update(whose)
        return whose

    def finish(self, entry: Entry) -> None:
        """Add an entry to the result. The entry is kept even if the run is interrupted later.

        In Minecraft the entry gets the field ``pace``: how well the machine kept up.

        If something did not happen that the condition requires (:meth:`Scenario.missing`), the
        entry gets the field ``excluded`` with the reasons. The record then has an event
        ``run_excluded``, the run has a fault, and no mean includes the entry.
        """
        whole = {"condition": self.condition, "seed": self.seed, **entry}
        if self.writer.pace is not None:
            fields = {"speed", "load", "lost", "longest_ms"}
            whole["pace"] = self.writer.pace.model_dump(include=fields)
            self.writer.pace = None
        happened, silent = self.writer.counts - self._began, self._silent()
        self._began = self.writer.counts.copy()
        reasons = why_excluded(self.scenario, whole, happened, silent)
        if reasons:
            whole["excluded"] = reasons
            self.note(events.RunExcluded, reasons=reasons)
        self.entries.append(whole)

    def _silent(self) -> dict[str, tuple[list[str], int]]:
        """Return a pair for each role: the agents without any usable answer since the last entry,
        and the number of agents whose questions are over.
        """
        agents: dict[str, list[str]] = {}
        asked = Counter[str]()
        for (role, agent), (usable, failed) in self.model.account.of_agents.items():
            before = self._answered.get((role, agent), (0, 0))
            self._answered[role, agent] = (usable, failed)
            if (usable, failed) == before:
                continue
            asked[role] += 1
            if usable == before[0]:
                agents.setdefault(role, []).append(agent)
        return {role: (agents.get(role, []), count) for role, count in asked.items()}

    @property
    def hosts(self) -> HostPlan:
        """The options that say which hosts run the bots of a run in Minecraft."""
        return HostPlan(self.options.engine, self.options.hosts, self.options.address)

    @property
    def timeout_s(self) -> float | None:
        """Time limit for an answer of a language model; None for scripted minds.

        If people also answer, the limit is at least the time that people have.
        """
        if not self.choice.is_language_model:
            return None
        longest = self.options.answer_within + 10 if self.asks_people else 0.0
        return max(self.options.request_timeout, longest)


@dataclass(frozen=True)
class Sheet:
    """A table of numbers. Each row has one value per column, or None if the value is unknown."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[float | None]]

    def as_json(self) -> dict[str, dict[str, float | None]]:
        """Return the numbers by row and column."""
        return {name: dict(zip(self.columns, row, strict=True)) for name, row in self.rows.items()}


# Reasons to exclude an entry from means.
TOO_SLOW = "the machine was too slow for the game"
NEVER_ACTED = "an agent never acted"
NOBODY_ACTED = "no agent acted"
# If more than this share of the agents in a role with ``Need.EACH`` never gave a usable answer, the
# condition did not happen. In a large society, a few silent agents are part of the result.
MAX_SILENT_SHARE = 0.1
# The number of silent agents that a reason names.
MOST_NAMED = 3


def why_excluded(
    scenario: Scenario,
    entry: Entry,
    happened: Happened,
    silent: Silent,
) -> list[str]:
    """Return the reasons to exclude an entry from means; see :meth:`Scenario.missing`."""
    reasons = [] if entry.get("sound", True) else [TOO_SLOW]
    if entry.get("acted") == []:
        reasons.append(NOBODY_ACTED)
    elif "welfare" in entry and entry["welfare"] is None:
        reasons.append(NEVER_ACTED)
    whose = f"missing() of the scenario {scenario.name}"
    told = scenario.missing(entry, happened, silent)
    return [*reasons, *checked(told, tuple[str, ...] | list[str], whose)]


def counting(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that are not excluded from means."""
    return [entry for entry in entries if not entry.get("excluded")]


class Scenario(BaseModel):
    """The base class of scenarios. Fields are settings (``--set``, ``--config``); ``play`` plays a
    case.

    Each setting needs a default. Class attributes describe the command:

    Attributes:
        name: name on the command line.
        story: description for users; by default the docstring of the module.
        options: class of the command's options.
        worlds: the worlds, each with the kinds of agents that can play there. The first world and
            the first kind are the defaults.
        conditions: the conditions, each with a description in one line. The first is the default.
        promises: for each condition, the kinds of event that must occur in each of its repetitions.
            The name ``*`` stands for every condition, and a name such as ``full`` also for variants
            such as ``full-anti``. A repetition without one of these events is excluded from means.
        measures: measures by which conditions are compared, as paths such as ``mean.welfare``.
        runs: default number of repetitions per condition.
        joined: worlds that people join with a Minecraft client. In other worlds, people use web
            forms and keys.
        hears: worlds in which agents hear messages from outside the run.
        examples: examples for ``--help``, without the name of the scenario. If it is empty, general
            examples are shown.
        one_run: options of a short demonstration, if the defaults play several runs.
        called: the words after ``voxpolis`` in the command that plays the scenario.
        records_scripted_calls: whether calls of scripted minds are recorded. Otherwise the seed
            reproduces them.
    """

    model_config = ConfigDict(extra="forbid", defer_build=True, validate_default=True)

    name: ClassVar[str]
    story: ClassVar[str] = ""
    options: ClassVar[type[RunOptions]] = RunOptions
    settings: ClassVar[type[BaseModel]]
    worlds: ClassVar[Mapping[str, Sequence[str]]] = {}
    conditions: ClassVar[Mapping[str, str]] = {}
    promises: ClassVar[Mapping[str, Sequence[str]]] = {}
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
        super().__pydantic_init_subclass__(**kwargs)
        cls.settings = cls
        fields = cls.model_fields.items()
        cls.changeable = [name for name, field in fields if "changeable" in marks_of(field)]

    @classmethod
    def check(cls) -> None:
        """Check that the class is complete.

        Raises:
            LackingError: a part is missing. The message is one line.
        """
        name = getattr(cls, "name", cls.__name__)
        if lacking := sorted(cls.__abstractmethods__):
            raise LackingError(f"the scenario {name} lacks {', '.join(lacking)}")
        for attribute in ("name", "story", "worlds"):
            if not getattr(cls, attribute, None):
                raise LackingError(f"the scenario {name} lacks {attribute}")
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):  # record folders use the name
            raise LackingError(f"the scenario {name!r}: a name consists of a-z, 0-9 and _")
        for what, kind in (
            ("worlds", Mapping[str, Sequence[str]]),
            ("conditions", Mapping[str, str]),
            ("promises", Mapping[str, Sequence[str]]),
            ("measures", tuple[str, ...] | list[str]),
        ):
            checked(getattr(cls, what), kind, f"the scenario {name}: {what}")
        check_settings(name, cls, cls.options)
        cls.with_defaults()

    @classmethod
    def with_defaults(cls) -> Self:
        """Return the scenario with default settings.

        Raises:
            LackingError: a setting has no default, or its default is invalid.
        """
        try:
            return cls()
        except ValidationError as error:
            lacking = ", ".join(str(one["loc"][0]) for one in error.errors() if one["loc"])
            why = f"each setting needs a valid default: {lacking}"
            raise LackingError(f"the scenario {cls.name}: {why}") from error

    @classmethod
    def prepare(cls, options: RunOptions, settings: BaseModel, world: str) -> Any:
        """Prepare the scenario with options and settings for a world.

        Raises:
            UsageError: a name that the user gave does not exist.
        """
        made = settings if isinstance(settings, cls) else cls(**settings.model_dump())
        made._asked, made._world = options, world
        try:
            made.prepared()
            made.checked_names()
        except (UsageError, LackingError):
            raise
        except Exception as error:  # its code may raise anything
            why = describe_error(error)
            raise UsageError(f"the scenario {cls.name} cannot be played: {why}") from error
        return made

    def prepared(self) -> None:
        """Check the options before play.

        Raises:
            UsageError: a name that the user gave does not exist.
        """
        self._check_condition()

    def checked_names(self) -> Sequence[str]:
        """Return the names of the agents.

        Raises:
            LackingError: there are no names, or they are not unique.
        """
        whose = f"agent_names of the scenario {self.name}"
        agents: Sequence[str] = checked(self.agent_names, tuple[str, ...] | list[str], whose)
        if not agents or len({*agents}) < len(agents):
            raise LackingError(f"{whose} are not unique names")
        return agents

    def _check_condition(self) -> None:
        if self.conditions and self.condition not in self.conditions:
            there = ", ".join(self.conditions)
            raise UsageError(f"there is no condition {self.condition!r}; choose from {there}")

    # --- Options ---------------------------------------------------------------------------------

    @property
    def asked(self) -> RunOptions:
        return self._asked

    @property
    def world(self) -> str:
        return self._world

    @property
    def condition(self) -> str:
        return self._asked.condition or next(iter(self.conditions), "default")

    @property
    def cases(self) -> Sequence[Case]:
        """The repetitions of the condition, with consecutive seeds."""
        return repetitions(self.condition, self._asked.seed, self._asked.runs)

    @property
    def needs_land(self) -> bool:
        """Return whether agents need natural terrain. Servers with flat terrain are then
        refused.
        """
        return False

    # --- Methods that a scenario overrides -------------------------------------------------------

    @property
    @abstractmethod
    def agent_names(self) -> Sequence[str]:
        """The names of the agents."""

    @abstractmethod
    def script(self, case: Case) -> Script:
        """Return the script that answers for scripted minds in a case."""

    @abstractmethod
    async def play(self, run: Run) -> None:
        """Play a case, and pass its outcome to :meth:`Run.finish`.

        Raises:
            FaultError: the world was lost.
            ModelError: a model does not answer.
        """

    def manifest(self) -> dict[str, Any]:
        """Return fields that ``run.yaml`` contains in addition to options and settings."""
        return {}

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return messages that are printed before the run, one per line."""
        if choice.is_language_model:
            return []
        return ["Scripted minds: prewritten rules, no language model is called."]

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role, if all answers can be read.

        ``counted`` is the number of calls of scripted minds in all cases, by role. Language models
        may need more calls: failed programs are rewritten, and contracts and laws in words need a
        judge.
        """
        return counted

    def lasts_s(self, case: Case) -> float | None:
        """Return the duration of a case in game seconds, or None if it is unknown."""
        return None

    def missing(self, entry: Entry, happened: Happened, silent: Silent) -> Sequence[str]:
        """Return one sentence for each requirement of the condition that was not met.

        The default checks :attr:`promises`, and whether the agents that
        :data:`bots.models.settings.ROLES` demands have answered. The field ``treated`` of an entry
        lists the agents on whom the condition depends, such as priests and influencers. Each
        of them has to give usable answers, however large the society is.

        Args:
            entry: the entry of a repetition or an episode.
            happened: the number of events by kind since the last entry.
            silent: for each role, the agents that never gave a usable answer since the last entry
                (an empty name for a role without an agent), and the number of agents asked.
        """
        condition = entry["condition"]
        names = dict.fromkeys(("*", condition.partition("-")[0], condition))
        kinds = [kind for name in names for kind in self.promises.get(name, ())]
        told = [
            f"the condition {condition} promises the event {kind}, and there was none"
            for kind in kinds
            if not happened.get(kind)
        ]
        treated = entry.get("treated", ())
        for role, (mute, asked) in sorted(silent.items()):
            need = ROLES.get(role, Need.ONE)
            is_dead = len(mute) == asked and need is not Need.NOBODY
            agents = mute if need is Need.EACH or is_dead else []
            if len(agents) <= MAX_SILENT_SHARE * asked:
                agents = [agent for agent in agents if agent in treated]
            if agents:
                who = f" of {', '.join(sorted(agents)[:MOST_NAMED])}" if any(agents) else ""
                told.append(f"no answer{who} in the role {role} was usable")
        return told

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return a summary of the entries that count, as fields of the result."""
        return {}

    def show(self, result: Result) -> None:
        """Print a result."""

    def prompts(self) -> str:
        """Return the prompts of all roles as text. The text is empty if the prompts can only be
        collected in a test run.
        """
        return ""

    @classmethod
    def compared(cls, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return tables that compare the results of several conditions."""
        return ()


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def checked(value: Any, kind: Any, what: str) -> Any:
    """Check a value that comes from a scenario's code, and return it.

    Args:
        value: the value.
        kind: the required type; for a class ``C``, ``InstanceOf[C]``.
        what: says in error messages where the value comes from.

    Raises:
        LackingError: the value has another type.
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
        raise LackingError(
            f"{what} must be {wanted}, not {found}{where and f' at {where}'}"
        ) from error
    return value


def check_settings(name: str, settings: type[BaseModel], options: type[BaseModel]) -> None:
    """Check that no setting of a scenario has the same name as an option of the command.

    Raises:
        LackingError: a setting has the name of an option.
    """
    taken = {"help", *options.model_fields}
    taken |= {called for field in options.model_fields.values() for called in _options(field)}
    typed: set[str] = set()
    for setting, info in settings.model_fields.items():
        of_its_own = _options(info)
        for called in sorted(({setting} | of_its_own) & taken | of_its_own & typed):
            raise LackingError(
                f"the scenario {name}: the option {called} already exists, so its setting "
                f"{setting} needs another name"
            )
        typed |= of_its_own


def _options(field: FieldInfo) -> set[str]:
    """Return the names of a field on the command line. The set is empty if the field has no
    option.
    """
    extra = field.json_schema_extra
    names = extra.get("option") if isinstance(extra, dict) else None
    return set(map(str, names)) if isinstance(names, list | tuple) else set()
