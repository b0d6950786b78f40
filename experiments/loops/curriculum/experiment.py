"""Curricula as experiments: their options, conditions, worlds, results and tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from voxpolis.bots.agents.voyager import SkillError, SkillLibrary
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever, Retriever, best_retriever
from voxpolis.bots.models.scripted import Script
from voxpolis.bridge.protocol import Primitives
from voxpolis.experiments.loops.curriculum.curriculum import AgentRun, CurriculumRun
from voxpolis.experiments.loops.curriculum.land import Door, is_sound
from voxpolis.experiments.loops.curriculum.prompts import curriculum_prompts
from voxpolis.experiments.loops.curriculum.protocol import CurriculumScenario
from voxpolis.experiments.loops.curriculum.result import agent_entry, print_result, summary
from voxpolis.experiments.loops.curriculum.steps import PreparedInSteps, PreparedOnGrid
from voxpolis.experiments.run.agents import assign, kind_of
from voxpolis.experiments.run.experiment import (
    BoundExperiment,
    Case,
    Entry,
    Prepared,
    Repeated,
    Result,
    Session,
)
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.records import events

#: Kinds that act step by step, in the arena of a scenario that has a form on the grid.
STEPWISE = ("planner", "trained", "random", "human")
KINDS: Mapping[str, Sequence[str]] = {
    "minecraft": ("voyager", "scripted", "code_writer", *STEPWISE),
    "grid": ("planner", "scripted", "trained", "random", "human"),
}


class CurriculumOptions(RunOptions):
    """What the commands of curricula take besides."""

    skills: Path | None = Field(
        default=None,
        description="Folder of skills to start with, ours or Voyager's format, in Minecraft.",
    )
    primitives: Primitives = Field(
        default="strict",
        description="In Minecraft: what a primitive does that cannot do what it is asked: throw, "
        "or say so in chat and go on, as Voyager's do, which its published skills rely on.",
    )
    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})


class CurriculumExperiment(BoundExperiment):
    """A scenario whose agents set themselves tasks; an ``Experiment``."""

    worlds: Mapping[str, Sequence[str]] = KINDS
    measures: Sequence[str] = ("mean.milestones", "mean.items")
    examples: Sequence[str] = (
        "",
        "--until iron --minutes 15",
        "--tree adasociety --world grid --runs 10 --json",
        "--tree adasociety --agents 2 --set 'jobs={Ada: carpenter, Bo: miner}'",
    )

    def __init__(
        self,
        kind: type[CurriculumScenario],
        settings: type[BaseModel],
        options: type[CurriculumOptions],
        conditions: Mapping[str, str],
        story: str,
    ) -> None:
        """Bind a scenario.

        Args:
            kind: its class.
            settings: what can be varied about all its conditions.
            options: of its command.
            conditions: by name, the default first, each in a line.
            story: what is played.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        super().__init__(kind, CurriculumScenario, settings, options, story)
        self.conditions = conditions

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> Prepared:
        """Check the options; see :class:`experiments.run.experiment.Experiment`."""
        assert isinstance(options, CurriculumOptions)
        condition = options.condition or next(iter(self.conditions))
        scenario: CurriculumScenario = self._kind.of(condition, settings)
        if world == "grid":
            if options.primitives == "voyager":
                raise UsageError("--primitives is for --world minecraft: on the grid are none")
            return PreparedOnGrid.of(scenario, options, condition)
        if _is_stepwise(options, scenario.agent_names):
            return PreparedInSteps.of(scenario, options, condition)
        if options.replay is not None:
            raise UsageError("runs of agents that learn in Minecraft cannot be replayed")
        _check_skills(options.skills)
        return PreparedInMinecraft(scenario, options, condition)


def _is_stepwise(options: CurriculumOptions, agents: Sequence[str]) -> bool:
    """Return whether agents in Minecraft act step by step, instead of writing programs.

    Raises:
        UsageError: some do and some do not, or what is for programs is asked for besides.
    """
    where = "this scenario in minecraft"
    kinds = assign(options.kinds_asked, agents, KINDS["minecraft"], where).values()
    steps = [kind_of(kind) in STEPWISE for kind in kinds]
    if not any(steps):
        return False
    if not all(steps):
        raise UsageError(
            f"agents that act step by step ({', '.join(STEPWISE)}) play with each other only: "
            "name one of these kinds for every agent"
        )
    if options.skills is not None or options.primitives != "strict":
        raise UsageError("--skills and --primitives are for agents that write programs")
    return True


def _check_skills(folder: Path | None) -> None:
    """Look through a folder of skills.

    Raises:
        UsageError: it holds none, or a file is no skill.
    """
    if folder is not None:
        try:
            SkillLibrary(LexicalRetriever()).load(folder)
        except SkillError as error:
            raise UsageError(str(error)) from error


@dataclass
class PreparedInMinecraft(Repeated):
    """A condition in Minecraft; see :class:`experiments.run.experiment.Prepared`."""

    scenario: CurriculumScenario
    options: CurriculumOptions
    condition: str
    records_scripted_calls: bool = True
    retriever: Retriever = field(default_factory=best_retriever)
    door: Door = field(default_factory=Door)

    @property
    def agents(self) -> Sequence[str]:
        """The agents' names."""
        return self.scenario.agent_names

    @property
    def needs_land(self) -> bool:
        """True if agents live off natural land, and in no arena."""
        return self.scenario.layout(self.options.seed) is None

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the condition."""
        return {"tree": self.condition, "retriever": self.retriever.name}

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins."""
        lines = [f"Skills are found by: {self.retriever.name}."]
        if not choice.is_language_model:
            lines.append("Scripted minds: programs written beforehand, no language model is asked.")
            if self.scenario.roles:
                lines.append("They cannot read roles in free words; jobs they know.")
        return lines

    def prompts(self) -> str:
        """Return what each role would be asked."""
        return curriculum_prompts(self.scenario, self.options.seed, self.options.primitives)

    def script(self, case: Case) -> Script:
        """Return the scripted minds of a case."""
        return self.scenario.script(case.seed)

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play one repetition, or go on with one that was cut off."""
        session.writer.episode = case.number
        manner = self.options.primitives
        world = await self.door.enter(self.scenario, case, session, manner)
        model = session.model
        run = CurriculumRun(self.scenario, world, case.seed, _teller(session), manner)
        before = _before(case, session)
        starters = None if before else self.options.skills
        folder = session.folder / (f"run_{case.number}" if self.options.runs > 1 else "") / "agents"
        run.add_agents(model, session.agents, folder, self.retriever, starters)
        if any(isinstance(event, events.TaskStarted | events.CodeStarted) for event in before):
            run.recall(before, before[0].t if case.number else 0.0)
        else:
            run.began = world.now() if case.number else 0.0
            await run.prepare()
        went_on = world.now()
        await run.play()
        for failure in model.take_failures(run.agents):
            fields = {"role": failure.role, "message": failure.message}
            session.writer.event(events.MindFailed, failure.agent, **fields)
        sound = await is_sound(world, went_on, session)
        yield {
            "condition": self.condition,
            "seed": case.seed,
            "agents": {
                name: agent_entry(self.scenario, name, agent) for name, agent in run.agents.items()
            },
            "seconds": run.seconds,
            "tokens": model.tokens,
            "acted": _acted(run.agents),
            "sound": sound,
        }

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means over all repetitions in which anybody acted."""
        return summary(self.condition, entries)

    def show(self, result: Result) -> None:
        """Print a table of milestones for each repetition."""
        print_result(self.scenario.milestones, result)


def _before(case: Case, session: Session) -> list[events.Event]:
    """Return the events of a repetition that was cut off; none where it begins."""
    if session.before is None:
        return []
    return [event for event in session.before.events if event.episode == case.number]


def _teller(session: Session) -> Any:
    def say(text: str) -> None:
        minutes, seconds = divmod(int(session.writer.now()), 60)
        session.say(f"{minutes:3d}:{seconds:02d}  {text}")

    return say


def _acted(agents: Mapping[str, AgentRun]) -> list[str]:
    return [name for name, agent in agents.items() if agent.has_acted]
