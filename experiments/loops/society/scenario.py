"""Society scenarios: what such a scenario has to define, the world that it opens, and its
results.
"""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, create_model
from rich.table import Table

from voxpolis.bots.agents.piano import FULL, ActionSet, Agent, Periods, Task, Verb, most_questions
from voxpolis.bots.agents.piano.citizen import BODILY, LOOK_S
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import RealTime, SimulatedTime, Time
from voxpolis.experiments.loops.cooperation.cooperation import MODULE_ROLES
from voxpolis.experiments.loops.cooperation.measures import print_cooperation
from voxpolis.experiments.loops.society.citizens import (
    ROLES,
    WRITING,
    Citizen,
    agents_folder,
    kinds_in,
    of_all_kinds,
)
from voxpolis.experiments.loops.society.cooperation import (
    ModuleContext,
    SocietyCooperation,
    cooperation_results,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun, rare_collections
from voxpolis.experiments.people.interventions import Interventions
from voxpolis.experiments.run.agents import assign
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import (
    RunOptions,
    Share,
    UsageError,
    configure,
    only_in,
    option,
)
from voxpolis.experiments.run.scenario import (
    Case,
    Entry,
    LackingError,
    Result,
    Run,
    Scenario,
    counting,
    repetitions,
)
from voxpolis.records import SimulatedClock, events
from voxpolis.records.console import table_of
from voxpolis.records.reader import PERSON
from voxpolis.worlds.minecraft.trades.doing import OwnPrograms, do_verb
from voxpolis.worlds.minecraft.trades.site import lay_out
from voxpolis.worlds.society import SocietyWorld, VillagePlan, ways_in_words
from voxpolis.worlds.trades import TradePlan, Trades, TradeWorld, open_village, settle
from voxpolis.worlds.trades import verbs as trade_verbs

# Name of the world that runs in real time.
MINECRAFT = "minecraft"


@dataclass(frozen=True)
class Setup(Case):
    """A case of a society scenario, together with its world (grid or minecraft)."""

    world: str = "grid"


class Rates(BaseModel):
    """The rates, such as probabilities, of a stochastic model of scripted people."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Institutions(Protocol):
    """The parts of a society besides its agents, such as bells and votes.

    Institutions also measure the society.
    """

    def works(self) -> Sequence[Coroutine[Any, Any, None]]:
        """Return coroutines that run alongside the agents until the society ends."""

    def is_busy(self) -> bool:
        """Return whether the society must not end yet, for example while votes are counted.

        Institutions whose measures are valid at any moment return False.
        """
        return False

    def change(self, setting: str, value: Any) -> None:
        """Change a setting of a running society.

        Raises:
            ValueError: the setting cannot be changed.
        """
        raise ValueError(f"{setting} cannot be changed")

    def outcome(self) -> Entry:
        """Return what the institutions add to the society's entry in the result."""


# Annotations of settings that several societies have.
Talkative = Annotated[Share, Field(description="Probability that a person speaks when it can.")]
HearingBlocks = Annotated[
    PositiveFloat,
    Field(
        description="Distance at which people hear each other. Our choice, because the source "
        "does not state it."
    ),
]
Modules = Annotated[
    Periods, Field(description="Modules of each mind, with their periods in seconds.")
]


def thought(default: float, whose: str = "") -> Any:
    """Return the field of a settings class for the time that a thought takes, in simulated time.

    ``whose`` names the source of the default, if there is one.
    """
    text = f"Simulated seconds that a thought takes{f'; {whose}' if whose else ''}."
    return Field(default, ge=0, description=text, json_schema_extra=only_in("grid"))


WORLDS = ("grid", "minecraft")


class SocietyOptions(RunOptions):
    """The options of society scenarios."""

    condition: str | None = Field(
        default=None, description="Condition to play; listed above. [default: all]"
    )
    runs: int = Field(
        default=1,
        ge=1,
        description="Number of repetitions of each condition, each with the next seed.",
        json_schema_extra=option("runs", "repeats"),
    )


# Modules of a person that thinks for itself: the mind is asked for actions and speech.
THINKING = frozenset({"social_awareness", "goals", "planning", "self_reflection"})
# Modules that a body needs if another kind of agent controls it.
BODY = ("perception", "skill_execution")


class SocietyScenario(Scenario):
    """A society of people with a common clock.

    A scenario of this kind has these class attributes, in addition to those of every scenario:
    ``world_defaults`` maps a world to the defaults of those settings whose defaults differ in this
    world. Modules start at multiples of ``quantum_s`` seconds. ``position_every_s`` is the time
    between recorded positions on the grid. ``has_trades`` says whether people live in a village
    with trades, in which Minecraft bots can run programs that their agents wrote.
    """

    options: ClassVar[type[RunOptions]] = SocietyOptions
    hears: ClassVar[Collection[str]] = WORLDS
    records_scripted_calls: ClassVar[bool] = False
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    quantum_s: ClassVar[float]
    position_every_s: ClassVar[float]
    has_trades: ClassVar[bool] = False

    length_s: float
    thinking_s: float

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Set which kinds of agents can play, and the default number of runs per condition."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.worlds = {world: kinds_in(world, has_code=cls.has_trades) for world in WORLDS}
        field = copy(SocietyOptions.model_fields["runs"])
        field.default = cls.runs
        cls.options = create_model("SocietyOptions", __base__=SocietyOptions, runs=(int, field))

    async def play(self, run: Run) -> None:
        setup = run.case
        assert isinstance(setup, Setup)
        with rare_collections():
            number, names = self.cases.index(setup), [one.name for one in self.members(setup)]
            run.writer.begin_episode(number)
            began = run.clock.now()
            run.note(events.EpisodeStarted, run=number, attempt=1, seed=setup.seed)
            run.note(events.ConditionStarted, condition=setup.condition, agents=names)
            async with open_world(self.village(setup), setup, run) as (world, time):
                entry = await self._live(setup, run, world, time)
            seconds = round(run.clock.now() - began, 3)
            run.note(events.EpisodeEnded, reason="time_limit", seconds=seconds)
            run.say(f"run {number + 1} of {len(self.cases)}: {setup.condition}")
            run.finish(entry)

    # --- The rules -------------------------------------------------------------------------------

    def variants(self, condition: str) -> Sequence[str]:
        """Return the names of the variants of a condition that are played, as results name them."""
        return [condition]

    @abstractmethod
    def village(self, setup: Setup) -> VillagePlan:
        """Return the village."""

    @abstractmethod
    def members(self, setup: Setup) -> Sequence[Member]:
        """Return all members of the society."""

    def verbs(self, world: SocietyWorld) -> Sequence[Verb]:
        """Return the verbs that this scenario adds to those of all societies."""
        return trade_verbs(world) if isinstance(world, TradeWorld) else ()

    @abstractmethod
    def institutions(self, setup: Setup, run: SocietyRun) -> Institutions:
        """Return the institutions of a society whose agents have already been created."""

    def cooperation(self, setup: Setup) -> ModuleContext | None:
        """Return what people's cooperation modules need, or None if people carry no modules."""
        return None

    @abstractmethod
    def minds(self, setup: Setup) -> Script:
        """Return a script that answers for the scripted minds."""

    def requests(self, agent: Agent) -> Sequence[Any]:
        """Return the questions that institutions ask an agent."""
        return []

    def rare_calls(self, setup: Setup) -> Mapping[str, int]:
        """Return, for each role, the maximum number of questions that only language models are
        asked.
        """
        return {}

    @abstractmethod
    def summarise(self, entries: Sequence[Entry]) -> Result:
        """Return a summary over all entries."""

    @abstractmethod
    def print_result(self, result: Result) -> None:
        """Print a result for people to read."""

    # --- Options ---------------------------------------------------------------------------------

    @classmethod
    def prepare(cls, options: RunOptions, settings: BaseModel, world: str) -> Any:
        given = {name: getattr(settings, name) for name in settings.model_fields_set}
        made = cls(**{**cls.world_defaults.get(world, {}), **given})
        return super().prepare(options, made, world)

    def prepared(self) -> None:
        asked = self.asked
        if asked.condition is not None:
            self._check_condition()
        if asked.episodes != 1:
            raise UsageError("a society lives once: use --runs instead of --episodes")
        if self.world == MINECRAFT and (asked.resume or asked.replay):
            done = "resumed" if asked.resume else "replayed"
            raise UsageError(
                f"only societies on the grid can be {done}: a Minecraft world cannot be rewound"
            )
        lasting = [self.lasts_s(case) for case in self.cases]
        if not lasting or not self.agent_names or min(lasting) <= 0:
            which = "variants(), members() or lasts_s()"
            raise LackingError(f"the scenario {self.name}: {which} leave nothing to play")
        people = any(text.endswith(PERSON) for text in asked.kinds_asked)
        if people and self.lending() is not None:
            raise UsageError("--modules: a person carries no modules of cooperation")
        named = {text.partition("=")[0]: text for text in asked.kinds_asked if "=" in text}
        for case in self.cases if named else ():
            for member in self.members(case):
                if member.name in named and not member.modules:
                    raise UsageError(
                        f"--agent {named[member.name]}: {member.name} has no mind under "
                        f"{case.condition}; all that it says is given"
                    )

    @property
    def cases(self) -> Sequence[Setup]:
        asked = self.asked
        return [
            Setup(case.condition, case.seed, case.number, self.world)
            for condition in ([asked.condition] if asked.condition else self.conditions)
            for variant in self.variants(condition)
            for case in repetitions(variant, asked.seed, asked.runs)
        ]

    @property
    def agent_names(self) -> Sequence[str]:
        """The names of all people, in all conditions."""
        setups = (case for case in self.cases if case.number == 0)
        names = (member.name for setup in setups for member in self.members(setup))
        return list(dict.fromkeys(names))

    @property
    def needs_land(self) -> bool:
        """True if people live in natural terrain instead of a village that is built."""
        if self.world != MINECRAFT:
            return False
        plan = self.village(self.cases[0])
        return isinstance(plan, TradePlan) and plan.is_natural

    def kinds(self) -> Mapping[str, str]:
        there = kinds_in(self.world, has_code=self.has_trades)
        return assign(self.asked.kinds_asked, self.agent_names, there, self.world)

    def lending(self) -> ModuleContext | None:
        """Return what the cooperation modules of the first society need; None without modules."""
        return self.cooperation(self.cases[0]) if self.cases else None

    def manifest(self) -> dict[str, Any]:
        return {"config": self.model_dump(mode="json")}

    def notes(self, choice: ModelChoice) -> list[str]:
        if choice.is_language_model:
            return []
        return [
            "Scripted persons: a stochastic model with stated rates; no language model is called."
        ]

    def script(self, case: Case) -> Script:
        assert isinstance(case, Setup)
        return of_all_kinds(self.minds(case))

    def lasts_s(self, case: Case) -> float:
        """Return the duration of a society, in simulated seconds."""
        return self.length_s

    # --- Playing ---------------------------------------------------------------------------------

    async def _live(self, setup: Setup, session: Run, world: SocietyWorld, time: Time) -> Entry:
        is_computed = isinstance(time, SimulatedTime)
        verbs, programs = list(self.verbs(world)), None
        if session.server is not None and isinstance(world, TradeWorld):
            # Only Minecraft needs a server and its bots.
            from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415

            assert isinstance(world, MinecraftTradeVillage)
            folder = agents_folder(session)
            programs = OwnPrograms(world, session.model, folder, session.timeout_s)
            verbs.append(programs.verb)
        if session.choice.is_counted and setup.world == MINECRAFT and isinstance(world, TradeWorld):
            verbs.append(do_verb(_do_nothing))  # a verb that Minecraft bots have
        run = SocietyRun(
            world,
            time,
            session.writer,
            session.model,
            ActionSet(verbs, ways_in_words(self.village(setup))),
            seed=setup.seed,
            thinking_s=self.thinking_s,
            timeout_s=session.timeout_s,
            position_every_s=self.position_every_s if is_computed else None,
            quantum_s=self.quantum_s,
        )
        lending, members = self.cooperation(setup), self.members(setup)
        for member in members:
            kind, own = session.agents.get(member.name, ""), member.modules
            if kind == PERSON:
                run.note(events.SeatTaken, member.name)
                own = {name: period for name, period in own.items() if name not in THINKING}
            elif kind in WRITING and own:
                bodily = {name: own[name] for name in BODILY if name in own}
                own = {**{name: FULL[name] for name in BODY}, **bodily}
            run.add_agent(replace(member, modules=own))
        institutions = self.institutions(setup, run)
        works = [*institutions.works(), world.watch()]
        for member in members:
            kind = session.agents.get(member.name, "")
            if kind in WRITING:
                works.append(Citizen(kind, run, member, session, self.thinking_s).live())
        modules = None
        if lending is not None:
            modules = SocietyCooperation(lending, members, run, session.model)
            works.append(modules.live())

        def is_busy() -> bool:
            return institutions.is_busy() or (modules is not None and modules.is_busy)

        change = partial(self._change, institutions)
        told = Interventions(session.folder, run.agents, session.writer, change)
        works.append(told.watch(time))
        session.progress.starts()
        try:
            lasts_s = min(self.lasts_s(setup), session.kept.get("most_s", math.inf))
            await run.run_for(lasts_s, works, is_busy)
        finally:
            session.faults += run.faults
            if programs is not None:
                await programs.end()
        return {
            **institutions.outcome(),
            **({} if modules is None else modules.outcome()),
            **run.outcome(),
        }

    def _change(self, institutions: Institutions, setting: str) -> Callable[[], None] | None:
        """Return a function that applies a setting KEY=VALUE to a running society, or None if the
        setting cannot be changed.
        """
        key, kind = setting.partition("=")[0].strip(), cast(Any, type(self))
        try:
            before = self.model_dump(mode="json")
            changed: Any = configure(kind, {}, [setting], recorded=before)
        except UsageError as error:
            print(f"cannot set {setting}: {error}", file=sys.stderr)
            return None
        return partial(institutions.change, key, getattr(changed, key))

    # --- Results ---------------------------------------------------------------------------------

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role, if the modules of agents never
        stop thinking.

        Institutions are assumed to ask the questions in ``counted``, and in addition the questions
        that only language models are asked (:meth:`rare_calls`).
        """
        rare, thinks, carried = Counter[str](), Counter[str](), Counter[str]()
        kinds = self.kinds()
        for setup in self.cases:
            rare.update(self.rare_calls(setup))
            seconds, thinking_s = self.lasts_s(setup), self.thinking_s
            for one in self.members(setup):
                kind = kinds[one.name]
                # a policy takes at least this long, and each answer one thinking time
                if kind in WRITING:
                    most = int(seconds / (LOOK_S + thinking_s)) + 2
                    thinks.update(dict.fromkeys(ROLES[kind], most))
                else:
                    thinks.update(most_questions(one.modules, seconds, thinking_s))
            lending = self.cooperation(setup)
            if lending is not None:
                roles = (role for one in lending.rules.modules for role in MODULE_ROLES[one])
                most = lending.rounds * len(self.members(setup))  # each question once per round
                carried.update(dict.fromkeys(roles, most))
        known = {*thinks, *carried}
        others = Counter({role: n for role, n in counted.items() if role not in known})
        return others + rare + thinks + carried

    def summary(self, entries: Sequence[Entry]) -> Result:
        if not entries:
            return {}
        return {**self.summarise(entries), **cooperation_results(entries, self.lending())}

    def show(self, result: Result) -> None:
        if counting(result["runs"]):
            self.print_result(result)
        for name, found in result.get("cooperation", {}).items():
            print_cooperation(f"{', '.join(result['modules'])}; {name}", found)


async def _do_nothing(_task: Task) -> None:
    """Do nothing, because only the description of the verb is used."""


def settle_at_market(
    setup: Setup,
    trades_of: Callable[[Setup], Trades],
    names: Sequence[str],
    most_together: int,
    hearing_blocks: float,
) -> TradePlan:
    """Return a village whose people start around the market with empty inventories.

    ``trades_of`` takes the setup, and returns the rules of the village in the setup's world.
    ``most_together`` is the maximum number of people per village.

    Raises:
        UsageError: the world has no room for such a village.
    """
    try:
        trades = trades_of(setup)
        plan = settle(trades, names, most_together, seed=setup.seed, hearing_blocks=hearing_blocks)
        if setup.world == MINECRAFT:
            lay_out(plan, setup.seed)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return plan


def by_condition(entries: Sequence[Entry], measure: Callable[[Sequence[Entry]], Result]) -> Result:
    """Return the field ``conditions`` of a result, which maps each condition to its measures and to
    the number of its runs (``runs``).
    """
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry["condition"], []).append(entry)
    measured = {name: {"runs": len(runs), **measure(runs)} for name, runs in found.items()}
    return {"conditions": measured}


def condition_table(
    result: Result,
    title: str,
    columns: Sequence[str],
    cells: Callable[[str, Result], Sequence[str]],
    published: Mapping[str, str] | None = None,
    source: str = "",
) -> Table:
    """Return a table with one row per condition of a result of :func:`by_condition`.

    A row shows the condition's number of runs, its measures (the result of ``cells``), and its
    value in ``published``.
    """
    rows = []
    for name, found in result["conditions"].items():
        known = [] if published is None else [published.get(name, "n/a")]
        rows.append([name, str(found["runs"]), *cells(name, found), *known])
    last = [] if published is None else [f"published ({source})"]
    title = f"{title}; {result['mind']}"
    return table_of(title, ["condition", "runs", *columns, *last], rows, "left")


# --- The society's world and clock ----------------------------------------------------------------

# Printed if a server fell behind its clock while a society ran.
SERVER_FELL_BEHIND = (
    "the machine did not keep up with the game clock, so people came late; check the time "
    "series before you rely on means, or lower --speed, use fewer people or more cores"
)


@asynccontextmanager
async def open_world(
    plan: VillagePlan, setup: Setup, session: Run
) -> AsyncIterator[tuple[SocietyWorld, Time]]:
    """Open the world and the clock of a society."""
    if session.server is None:
        assert isinstance(session.clock, SimulatedClock)
        # Persons and models answer in any order, which must not affect the result.
        is_outside = session.timeout_s is not None or session.asks_people
        time = SimulatedTime(session.clock, session.pauses.between_moments(), outside=is_outside)
        village = open_village(plan, time.now, seed=setup.seed)
        session.writer.event(events.WorldBuilt, **village.scenery())
        yield village, time
        return
    # Only Minecraft needs a server and its bots.
    from voxpolis.worlds.minecraft.session import faults_as_errors, open_session  # noqa: PLC0415
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415
    from voxpolis.worlds.minecraft.trades.wild import MinecraftWild  # noqa: PLC0415
    from voxpolis.worlds.minecraft.village import MinecraftVillage  # noqa: PLC0415

    names = tuple(resident.name for resident in plan.residents)
    is_natural = isinstance(plan, TradePlan) and plan.is_natural
    opening = open_session(
        session.server,
        session.writer,
        names,
        "free" if is_natural else "careful",
        standstill=session.standstill,
        hosts=session.hosts,
        rejoins=True,  # a society continues without some members for a while
    )
    async with opening as minecraft, faults_as_errors(minecraft):
        built: MinecraftVillage
        if not isinstance(plan, TradePlan):
            built = MinecraftVillage(minecraft, plan)
        elif plan.is_natural:
            built = MinecraftWild(minecraft, plan, seed=setup.seed, danger=plan.danger)
        else:
            built = MinecraftTradeVillage(minecraft, plan, seed=setup.seed)
        await built.build()
        passing = RealTime(session.clock)
        try:
            yield built, passing
        finally:
            await built.end()
            session.faults += minecraft.losses()
        if await minecraft.check_speed(passing.now()) is not None:
            session.faults.append(SERVER_FELL_BEHIND)
            session.say(f"warning: {SERVER_FELL_BEHIND}")
