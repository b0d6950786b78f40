"""Societies as experiments: their options, conditions, worlds and results."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

from pydantic import BaseModel, Field, create_model

from voxpolis.bots.agents.piano import ActionSet, Surroundings, Task, Verb, most_questions
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import RealTime, SimulatedTime, Time
from voxpolis.experiments.loops.cooperation.measures import print_cooperation
from voxpolis.experiments.loops.society.citizens import (
    WRITING,
    agents_folder,
    bodily,
    kinds_in,
    lives_of,
    most_written,
    of_all_kinds,
)
from voxpolis.experiments.loops.society.cooperation import (
    cooperate,
    cooperated,
    most_asked,
    shown,
    told_by_modules,
)
from voxpolis.experiments.loops.society.prompts import (
    ACTION,
    LATER,
    LATER_S,
    SOMEBODY,
    THING,
    prompts,
    prompts_of_kinds,
)
from voxpolis.experiments.loops.society.protocol import (
    Institutions,
    Lending,
    Setup,
    SocietyScenario,
    Stage,
)
from voxpolis.experiments.loops.society.society import SocietyRun, rare_collections
from voxpolis.experiments.people.interventions import Interventions
from voxpolis.experiments.run.agents import assign
from voxpolis.experiments.run.experiment import (
    BoundExperiment,
    Case,
    Entry,
    Result,
    Session,
    repetitions,
)
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError, configure, option
from voxpolis.experiments.run.protocol_check import LackingError, fitting
from voxpolis.records import SimulatedClock, events
from voxpolis.records.reader import PERSON
from voxpolis.worlds.minecraft.trades.doing import Doing, do_verb
from voxpolis.worlds.society import SocietyWorld, VillagePlan, ways_in_words
from voxpolis.worlds.trades import Report, TradePlan, TradeWorld, Worked, open_village
from voxpolis.worlds.trades.verbs import WORK

# --- Opens the world that a society lives in, and the time that passes there ----------------------

#: What is said where a server fell behind its clock while people lived there.
LATE = (
    "the machine did not keep up with the game's clock, so people came late; look at each season "
    "or time before you go by means, and use a lower --speed, fewer people or more cores"
)


def doing(world: SocietyWorld, session: Session) -> Doing | None:
    """Return what lets agents do things by programs of their own; None where no bot runs any."""
    if session.server is None or not isinstance(world, TradeWorld):
        return None
    # only this world needs a server and its bots
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415

    assert isinstance(world, MinecraftTradeVillage)
    return Doing(world, session.model, agents_folder(session), session.timeout_s)


@asynccontextmanager
async def open_world(
    plan: VillagePlan, setup: Setup, session: Session
) -> AsyncIterator[tuple[SocietyWorld, Time]]:
    """Open the world of a society, and the time that passes there."""
    if session.server is None:
        assert isinstance(session.clock, SimulatedClock)
        # answers that come from outside must not show in what order they happen to arrive
        is_outside = session.timeout_s is not None or session.asks_people
        time = SimulatedTime(session.clock, session.pauses.between_moments(), outside=is_outside)
        village = open_village(plan, time.now, seed=setup.seed)
        session.writer.event(events.WorldBuilt, **village.scenery())
        yield village, time
        return
    # only this world needs a server and its bots
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
        rejoins=True,  # a society goes on without some for a while
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
            session.faults.append(LATE)
            session.say(f"warning: {LATE}")


# --------------------------------------------------------------------------------------------------

WORLDS = ("grid", "minecraft")


class SocietyOptions(RunOptions):
    """What the commands of societies take."""

    condition: str | None = Field(
        default=None, description="The condition; all of them where none is named."
    )
    runs: int = Field(
        default=1,
        ge=1,
        description="Independent repetitions of each condition, each with the next seed.",
        json_schema_extra=option("runs", "repeats"),
    )


def _with_runs(runs: int) -> type[RunOptions]:
    """Return the options with another number of runs where nobody says."""
    field = copy(SocietyOptions.model_fields["runs"])
    field.default = runs
    return create_model("SocietyOptions", __base__=SocietyOptions, runs=(int, field))


#: The modules whose thoughts a person has of its own: it is asked what it does and says.
THINKING = frozenset({"social_awareness", "goals", "planning", "self_reflection"})


class SocietyExperiment(BoundExperiment):
    """A society's scenario; see :class:`experiments.run.experiment.Experiment`."""

    hears = ("grid", "minecraft")

    def __init__(
        self,
        kind: type[SocietyScenario],
        settings: type[BaseModel],
        story: str,
        runs: int = 1,
        worlds: Sequence[str] = WORLDS,
    ) -> None:
        """Bind a scenario; ``settings`` is the same class, as the pydantic model that it is.

        ``runs``: how often each condition is played where nobody says; ``worlds``: where it is
        played, the default first.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        super().__init__(kind, SocietyScenario, settings, _with_runs(runs), story)
        self.worlds: Mapping[str, Sequence[str]] = {
            world: kinds_in(world, has_code=kind.has_trades) for world in worlds
        }
        self.conditions = kind.conditions
        self.measures = kind.measures
        self.runs = runs

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> PreparedSociety:
        """Check the options; see :class:`experiments.run.experiment.Experiment`."""
        if options.condition is not None and options.condition not in self.conditions:
            there = ", ".join(self.conditions)
            raise UsageError(f"there is no condition {options.condition!r}; there are: {there}")
        if options.episodes != 1:
            raise UsageError("a society lives once: leave out --episodes, and see --runs")
        if world == "minecraft" and (options.resume or options.replay):
            done = "gone on with" if options.resume else "replayed"
            raise UsageError(
                f"only societies on the grid can be {done}: a Minecraft world has moved on"
            )
        given = {name: getattr(settings, name) for name in settings.model_fields_set}
        scenario: SocietyScenario = self._kind(
            **{**self._kind.world_defaults.get(world, {}), **given}
        )
        prepared = PreparedSociety(scenario, options, world)
        people = any(text.endswith(PERSON) for text in options.kinds_asked)
        if people and prepared.lending() is not None:
            raise UsageError("--modules: a person carries no modules of cooperation")
        prepared.check_minds()
        lasting = [prepared.lasts_s(case) or 0.0 for case in prepared.cases]
        if not lasting or not prepared.agents or min(lasting) <= 0:
            which = "variants(), members() or lasts_s()"
            raise LackingError(f"the scenario {self.name}: {which} leave nothing to play")
        return prepared


@dataclass
class PreparedSociety:
    """The conditions of a society's scenario; see :class:`experiments.run.experiment.Prepared`."""

    scenario: SocietyScenario
    options: RunOptions
    world: str
    records_scripted_calls: bool = False

    @property
    def agent_names(self) -> Sequence[str]:
        """Everybody who lives in the society of any condition."""
        setups = (self._setup(case) for case in self.cases if case.number == 0)
        return list(
            dict.fromkeys(
                member.name for setup in setups for member in self.scenario.members(setup)
            )
        )

    @property
    def cases(self) -> Sequence[Case]:
        """All repetitions of all conditions."""
        options = self.options
        asked = [options.condition] if options.condition else self.scenario.conditions
        return [
            case
            for condition in asked
            for variant in self.scenario.variants(condition)
            for case in repetitions(variant, options.seed, options.runs)
        ]

    @property
    def needs_land(self) -> bool:
        """True if people live off natural land, and in no village that is built."""
        if self.world != "minecraft":
            return False
        plan = self.scenario.village(self._setup(self.cases[0]))
        return isinstance(plan, TradePlan) and plan.is_natural

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Each agent's kind, by name."""
        there = kinds_in(self.world, has_code=self.scenario.has_trades)
        return assign(self.options.kinds_asked, self.agents, there, self.world)

    def check_minds(self) -> None:
        """Look whether all who are asked for by name have a mind.

        Raises:
            UsageError: the lines of one of them are given.
        """
        named = {text.partition("=")[0]: text for text in self.options.kinds_asked if "=" in text}
        for case in self.cases if named else ():
            for member in self.scenario.members(self._setup(case)):
                if member.name in named and not member.modules:
                    raise UsageError(
                        f"--agent {named[member.name]}: {member.name} has no mind under "
                        f"{case.condition}; all that it says is given"
                    )

    def _setup(self, case: Case) -> Setup:
        return Setup(case.condition, case.seed, self.world)

    def lending(self) -> Lending | None:
        """Return what is lent to modules of cooperation in the first society; None: to none."""
        return self.scenario.cooperation(self._setup(self.cases[0])) if self.cases else None

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says: the settings as they are in this world."""
        return {"config": self.scenario.model_dump(mode="json")}

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins."""
        if choice.is_language_model:
            return []
        return [
            "Scripted persons: a stochastic model with stated rates; no language model is asked."
        ]

    def script(self, case: Case) -> Script:
        """Return the scripted persons of a society."""
        return of_all_kinds(self.scenario.script(self._setup(case)))

    def prompts(self) -> str:
        """Return what each role of everybody would be asked, under the first condition."""
        setup, scenario = self._setup(self.cases[0]), self.scenario
        village = open_village(scenario.village(setup), lambda: 0.0, seed=setup.seed)
        plan = scenario.village(setup)
        verbs = [*scenario.verbs(village), *self._shown_verbs(village)]
        actions = ActionSet(verbs, ways_in_words(plan))
        stages = [_later(village), *scenario.stages(setup)]
        stages += told_by_modules(scenario.cooperation(setup))
        members = scenario.members(setup)
        text = asyncio.run(prompts(members, actions, scenario.requests, stages))
        has_code = scenario.has_trades and self.world != "grid"
        others = prompts_of_kinds(self.kinds, members, actions, has_code=has_code)
        return "\n\n".join([text, *others, *shown(scenario.cooperation(setup), members)])

    def _shown_verbs(self, village: SocietyWorld) -> list[Verb]:
        """Return what agents can decide to do in Minecraft beside a scenario's verbs."""
        if self.world == "grid" or not isinstance(village, TradeWorld):
            return []
        return [do_verb(_never)]

    # --- Playing ---------------------------------------------------------------------------------

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Let one society live from its beginning to its end."""
        with rare_collections():
            yield await self._played(case, session)

    async def _played(self, case: Case, session: Session) -> Entry:
        """Return what came of one society."""
        cases, setup = self.cases, self._setup(case)
        writer, number = session.writer, cases.index(case)
        names = [member.name for member in self.scenario.members(setup)]
        writer.begin_episode(number)
        began = session.clock.now()
        writer.event(events.EpisodeStarted, run=number, attempt=1, seed=case.seed)
        writer.event(events.ConditionStarted, condition=case.condition, agents=names)
        async with open_world(self.scenario.village(setup), setup, session) as (world, time):
            outcome = await self._live(setup, session, world, time)
        seconds = round(session.clock.now() - began, 3)
        writer.event(events.EpisodeEnded, reason="time_limit", seconds=seconds)
        session.say(f"run {number + 1} of {len(cases)}: {case.condition}")
        return outcome

    async def _live(self, setup: Setup, session: Session, world: SocietyWorld, time: Time) -> Entry:
        scenario = self.scenario
        is_computed = isinstance(time, SimulatedTime)
        own = doing(world, session)
        verbs = [*scenario.verbs(world), *([] if own is None else [own.verb])]
        run = SocietyRun(
            world,
            time,
            session.writer,
            session.model,
            ActionSet(verbs, ways_in_words(scenario.village(setup))),
            seed=setup.seed,
            thinking_s=scenario.thinking_s,
            timeout_s=session.timeout_s,
            position_every_s=scenario.position_every_s if is_computed else None,
            quantum_s=scenario.quantum_s,
        )
        lending, members = scenario.cooperation(setup), scenario.members(setup)
        for member in members:
            kind = session.agents.get(member.name, "")
            if kind == PERSON:
                run.note(events.SeatTaken, member.name)
                run.add_agent(replace(member, modules=_of_person(member.modules)))
            else:
                run.add_agent(bodily(member) if kind in WRITING and member.modules else member)
        institutions = scenario.institutions(setup, run)
        whose = f"of what institutions() of the scenario {scenario.name} returns"
        theirs: object = institutions.works()
        theirs = [*theirs] if isinstance(theirs, Iterator) else theirs  # yielded is as good
        works = [*fitting(theirs, Institutions, "works", f"works() {whose}"), world.watch()]
        works += lives_of(run, members, session, scenario.thinking_s)
        modules = cooperate(lending, members, run, session.model)
        works += [] if modules is None else [modules.live()]

        def is_busy() -> bool:
            return institutions.is_busy() or (modules is not None and modules.is_busy())

        change = partial(self._change, institutions)
        told = Interventions(session.folder, run.agents, session.writer, change)
        works.append(told.watch(time))
        session.progress.starts()
        try:
            await run.run_for(scenario.lasts_s(setup), works, is_busy)
        finally:
            if own is not None:
                await own.end()
        return {
            "condition": setup.condition,
            "seed": setup.seed,
            **fitting(institutions.outcome(), Institutions, "outcome", f"outcome() {whose}"),
            **({} if modules is None else modules.outcome()),
            "words_and_deeds": run.words_and_deeds(),
            "faults": run.faults(),
            "failed_actions": run.failed_actions(),
            "acted": run.acted(),
        }

    def _change(self, institutions: Institutions, setting: str) -> Callable[[], None] | None:
        """Return what changes a setting, KEY=VALUE, of a society that lives; None: it is none."""
        key, kind = setting.partition("=")[0].strip(), cast(Any, type(self.scenario))
        try:
            before = self.scenario.model_dump(mode="json")
            changed: Any = configure(kind, {}, [setting], recorded=before)
        except UsageError as error:
            print(f"cannot set {setting}: {error}", file=sys.stderr)
            return None
        return partial(institutions.change, key, getattr(changed, key))

    # --- What came of it -------------------------------------------------------------------------

    def lasts_s(self, case: Case) -> float | None:
        """Return how long the society lives."""
        return self.scenario.lasts_s(self._setup(case))

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return what institutions ask, and what everybody's modules ask if they always think.

        Modules of cooperation ask each of their questions once a round. Institutions ask as often
        as was counted, and what only minds that use words are asked.
        """
        scenario, rare, thinks = self.scenario, Counter[str](), Counter[str]()
        carried = Counter[str]()
        for case in self.cases:
            setup = self._setup(case)
            rare.update(scenario.rare_calls(setup))
            for one in scenario.members(setup):
                lives = scenario.lasts_s(setup), scenario.thinking_s
                kind = self.kinds[one.name]
                is_piano = kind not in WRITING
                most = (
                    most_questions(one.modules, *lives) if is_piano else most_written(kind, *lives)
                )
                thinks.update(most)
            lending = scenario.cooperation(setup)
            if lending is not None:
                carried.update(most_asked(lending, len(scenario.members(setup))))
        known = {*thinks, *carried}
        asked = Counter({role: n for role, n in counted.items() if role not in known})
        return asked + rare + thinks + carried

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all societies together show."""
        if not entries:
            return {}
        lending = self.lending()
        return {**self.scenario.summary(entries), **cooperated(entries, lending)}

    def show(self, result: Result) -> None:
        """Print a result for people."""
        self.scenario.show(result)
        for name, found in result.get("cooperation", {}).items():
            print_cooperation(f"{', '.join(result['modules'])}; {name}", found)


def _later(village: SocietyWorld) -> Stage:
    """Return a moment with what there is to notice, and what failed, where there are trades."""
    if not isinstance(village, TradeWorld):
        return Stage(LATER, LATER_S, {})
    report = Report(LATER_S / 2, "", ACTION, reason="(why nothing came of it)")
    failed = {ACTION: LATER_S / 2, "(another action)": LATER_S / 2}
    around = Surroundings("(how it feels)", {SOMEBODY: ACTION}, {THING: 2})
    return Stage(LATER, LATER_S, {WORK: Worked(report, failed)}, around=around)


async def _never(_task: Task) -> None:
    """Do nothing: it is only shown."""


def _of_person(modules: Mapping[str, float]) -> dict[str, float]:
    """Return the modules of an agent that a person plays: without those that think for it."""
    return {name: period for name, period in modules.items() if name not in THINKING}
