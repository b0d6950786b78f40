"""A curriculum's arena step by step: on the grid alone, or with bots in Minecraft besides."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.curriculum.land import Door, is_sound
from voxpolis.experiments.loops.curriculum.protocol import CurriculumScenario
from voxpolis.experiments.loops.curriculum.result import grid_entry, print_result, summary
from voxpolis.experiments.run.agents import files_of
from voxpolis.experiments.run.experiment import Case, Entry, Repeated, Result, Session
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.grid.core.data import GameError
from voxpolis.worlds.protocol import FaultError

if TYPE_CHECKING:  # only what plays on the grid loads its compiler
    from voxpolis.experiments.loops.grid.game import GridGame, GridOutcome
    from voxpolis.worlds.minecraft.land import MinecraftLand


@dataclass
class PreparedOnGrid(Repeated):
    """The same headless; see :class:`experiments.run.experiment.Prepared`."""

    scenario: CurriculumScenario
    options: RunOptions
    condition: str
    agents: Sequence[str]
    records_scripted_calls: bool = True

    @classmethod
    def of(cls, scenario: CurriculumScenario, options: RunOptions, condition: str) -> Self:
        """Return a condition.

        Raises:
            UsageError: it has no form on the grid, cannot be played, or a policy does not fit it.
        """
        try:
            game = scenario.grid_game(options.seed)
            _check_policies(game, options)
        except GameError as error:
            raise UsageError(str(error)) from error
        return cls(scenario, options, condition, game.agents)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the condition."""
        return {"tree": self.condition}

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins."""
        if choice.is_language_model:
            return []
        return ["Scripted minds: rules written beforehand, no language model is asked."]

    def prompts(self) -> str:
        """Return what planners would be asked at the start."""
        from voxpolis.experiments.loops.grid.prompts import grid_prompts  # noqa: PLC0415 - loads the grid's compiler

        return grid_prompts(self.scenario.grid_game(self.options.seed), self.options.seed)

    def script(self, case: Case) -> Script:
        """Return the scripted minds of a case."""
        return self.scenario.script(case.seed)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return as many plans as there is time for."""
        from voxpolis.experiments.loops.grid.game import most_plans  # noqa: PLC0415 - loads the grid's compiler

        plans = sum(most_plans(self.scenario.grid_game(case.seed)) for case in self.cases)
        return dict.fromkeys(counted, plans)

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play one repetition."""
        from voxpolis.experiments.loops.grid.experiment import play_case  # noqa: PLC0415 - loads the grid's compiler

        until = self.scenario.until
        outcome = await play_case(self.scenario.grid_game(case.seed), case, session, until)
        yield self.entry(case, session, outcome)

    def entry(self, case: Case, session: Session, outcome: GridOutcome) -> Entry:
        """Return a repetition's entry of the result."""
        agents = {
            name: grid_entry(self.scenario, account) for name, account in outcome.agents.items()
        }
        return {
            "condition": self.condition,
            "seed": case.seed,
            "agents": agents,
            "seconds": outcome.seconds,
            "tokens": session.model.tokens,
            "acted": list(outcome.acted),
        }

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means over all repetitions in which anybody acted."""
        return summary(self.condition, entries)

    def show(self, result: Result) -> None:
        """Print a table of milestones for each repetition."""
        print_result(self.scenario.milestones, result)


def _check_policies(game: GridGame, options: RunOptions) -> None:
    """Read trained policies that are asked for.

    Raises:
        GameError: one cannot be read, or was trained on another game.
    """
    from voxpolis.bots.agents.trained import TrainedPlayers  # noqa: PLC0415 - loads the grid's compiler
    from voxpolis.experiments.loops.grid.game import new_table  # noqa: PLC0415

    files = dict(enumerate(sorted(files_of(options.agent))))
    if files:
        TrainedPlayers(files, new_table(game), game.best.welfare)


@dataclass
class PreparedInSteps(PreparedOnGrid):
    """The same with bots in Minecraft, who carry out what the grid's kernel decides."""

    door: Door = field(default_factory=Door)

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play one repetition; scores are of what the server says that agents hold."""
        session.writer.begin_episode(case.number)
        world = await self.door.enter(self.scenario, case, session)
        began = world.now()
        outcome = await self._play(world, case, session)
        sound = await is_sound(world, began, session)
        entry = self.entry(case, session, outcome)
        async with world.guarded():
            for name, of_agent in entry["agents"].items():
                of_agent["score"] = self.scenario.score(name, await world.inventory(name))
        yield entry | {"sound": sound}

    async def _play(self, world: MinecraftLand, case: Case, session: Session) -> GridOutcome:
        """Play while the referee keeps the rules, unless something is lost."""
        # a command that plays no game of the grid loads none of this
        from voxpolis.experiments.loops.grid.game import GridGameRun  # noqa: PLC0415
        from voxpolis.worlds.minecraft.grid_stage import ArenaStage  # noqa: PLC0415

        scenario, seed = self.scenario, case.seed
        stage = ArenaStage(world, scenario.block_map(seed), scenario.house_rules())
        game, writer = scenario.grid_game(seed), session.writer
        run = GridGameRun(game, session.agents, session.model, writer, stage)
        playing = asyncio.create_task(run.play(case.number, seed, scenario.until))
        fault = asyncio.create_task(world.fault())
        tasks: list[asyncio.Task[Any]] = [playing, fault]
        referee = scenario.referee(world, seed)
        if referee is not None:
            world.listeners.append(referee.hear)
            tasks.append(asyncio.create_task(referee.serve()))
        try:
            async with world.guarded():
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if fault in done:
                    raise FaultError(fault.result())
                for task in done:
                    task.result()
            return await playing
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
