"""Societies as experiments: their options, conditions, worlds and results."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, create_model

from bots.agents.piano import ActionSet
from bots.models.scripted import Script
from bots.time import RealTime, SimulatedTime, Time
from experiments.experiment import BoundExperiment, Case, Entry, Result, Session, repetitions
from experiments.interventions import Interventions
from experiments.model_choice import ModelChoice
from experiments.options import RunOptions, option
from experiments.society import SocietyRun
from experiments.society_prompts import prompts
from experiments.society_protocol import Setup, SocietyScenario
from experiments.usage import UsageError
from records import SimulatedClock, events
from worlds.society import SocietyWorld, VillagePlan
from worlds.trades import TradePlan, open_village

KINDS: Mapping[str, Sequence[str]] = {
    "grid": ("piano", "scripted"),
    "minecraft": ("piano", "scripted"),
}


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


#: What is said where a server fell behind its clock while people lived there.
LATE = (
    "the machine did not keep up with the game's clock, so people came late; look at each season "
    "or time before you go by means, and use a lower --speed, fewer people or more cores"
)


class SocietyExperiment(BoundExperiment):
    """A society's scenario; see :class:`experiments.experiment.Experiment`."""

    def __init__(
        self,
        kind: type[SocietyScenario],
        settings: type[BaseModel],
        story: str,
        runs: int = 1,
        worlds: Sequence[str] = tuple(KINDS),
    ) -> None:
        """Bind a scenario; ``settings`` is the same class, as the pydantic model that it is.

        ``runs``: how often each condition is played where nobody says; ``worlds``: where it is
        played, the default first.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        super().__init__(kind, SocietyScenario, settings, story)
        self.worlds: Mapping[str, Sequence[str]] = {world: KINDS[world] for world in worlds}
        self.conditions = kind.conditions
        self.measures = kind.measures
        self.runs = runs
        self.options = _with_runs(runs)
        self._kind = kind

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> PreparedSociety:
        """Check the options; see :class:`experiments.experiment.Experiment`."""
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
        scenario = self._kind(**{**self._kind.world_defaults.get(world, {}), **given})
        return PreparedSociety(scenario, options, world)


@dataclass
class PreparedSociety:
    """The conditions of a society's scenario; see :class:`experiments.experiment.Prepared`."""

    scenario: SocietyScenario
    options: RunOptions
    world: str
    records_scripted_calls: bool = False

    @property
    def agents(self) -> Sequence[str]:
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

    def _setup(self, case: Case) -> Setup:
        return Setup(case.condition, case.seed, self.world)

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
        return self.scenario.script(self._setup(case))

    def prompts(self) -> str:
        """Return what each role of everybody would be asked, under the first condition."""
        setup, scenario = self._setup(self.cases[0]), self.scenario
        village = open_village(scenario.village(setup), lambda: 0.0, seed=setup.seed)
        actions = ActionSet(scenario.verbs(village))
        return asyncio.run(prompts(scenario.members(setup), actions, scenario.requests))

    # --- Playing ---------------------------------------------------------------------------------

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Let one society live from its beginning to its end."""
        cases, setup = self.cases, self._setup(case)
        writer, number = session.writer, cases.index(case)
        names = [member.name for member in self.scenario.members(setup)]
        writer.episode, began = number, session.clock.now()
        writer.event(events.EpisodeStarted, run=number, attempt=1, seed=case.seed)
        writer.event(events.ConditionStarted, condition=case.condition, agents=names)
        async with _open(self.scenario.village(setup), setup, session) as (world, time):
            outcome = await self._live(setup, session, world, time)
        seconds = round(session.clock.now() - began, 3)
        writer.event(events.EpisodeEnded, reason="time_limit", seconds=seconds)
        session.say(f"run {number + 1} of {len(cases)}: {case.condition}")
        yield outcome

    async def _live(self, setup: Setup, session: Session, world: SocietyWorld, time: Time) -> Entry:
        scenario = self.scenario
        is_computed = isinstance(time, SimulatedTime)
        run = SocietyRun(
            world,
            time,
            session.writer,
            session.model,
            ActionSet(scenario.verbs(world)),
            seed=setup.seed,
            thinking_s=scenario.thinking_s,
            timeout_s=session.timeout_s,
            position_every_s=scenario.position_every_s if is_computed else None,
            quantum_s=scenario.quantum_s,
        )
        for member in scenario.members(setup):
            run.add_agent(member)
        institutions = scenario.institutions(setup, run)
        works = [*institutions.works(), world.watch()]
        if not is_computed:
            works.append(Interventions(session.folder, run.agents, run.note).watch(time))
        await run.run_for(scenario.length_s, works, institutions.is_busy)
        return {
            "condition": setup.condition,
            "seed": setup.seed,
            **institutions.outcome(),
            "faults": run.faults(),
            "acted": run.acted(),
        }

    # --- What came of it -------------------------------------------------------------------------

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return what was counted, with what only minds that use words are asked."""
        most = Counter(counted)
        for case in self.cases:
            most.update(self.scenario.rare_calls(self._setup(case)))
        return most

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all societies together show."""
        return self.scenario.summary(entries) if entries else {}

    def show(self, result: Result) -> None:
        """Print a result for people."""
        self.scenario.show(result)


@asynccontextmanager
async def _open(
    plan: VillagePlan, setup: Setup, session: Session
) -> AsyncIterator[tuple[SocietyWorld, Time]]:
    """Open the world of a society, and the time that passes there."""
    if session.server is None:
        assert isinstance(session.clock, SimulatedClock)
        # answers that come from outside must not show in what order they happen to arrive
        time = SimulatedTime(session.clock, outside=session.timeout_s is not None)
        village = open_village(plan, time.now, seed=setup.seed)
        session.writer.event(events.WorldBuilt, **village.scenery())
        yield village, time
        return
    # only this world needs a server and its bots
    from worlds.minecraft.session import faults_as_errors, open_session  # noqa: PLC0415
    from worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415
    from worlds.minecraft.village import MinecraftVillage  # noqa: PLC0415

    names = tuple(resident.name for resident in plan.residents)
    opening = open_session(
        session.server,
        session.writer,
        names,
        standstill=session.standstill,
        hosts=session.hosts,
        rejoins=True,  # a society goes on without some for a while
    )
    async with opening as minecraft, faults_as_errors(minecraft):
        built = (
            MinecraftTradeVillage(minecraft, plan, seed=setup.seed)
            if isinstance(plan, TradePlan)
            else MinecraftVillage(minecraft, plan)
        )
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
