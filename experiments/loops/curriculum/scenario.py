"""Curriculum scenarios, in which agents set their own tasks: options, what to define, and results.

Agents live in Minecraft and write programs. If their arena also exists as a grid game, agents can
instead act step by step, on the grid or in Minecraft.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pydantic import Field, PrivateAttr

from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever, Retriever, best_retriever
from voxpolis.bots.agents.voyager.skills import SkillError, SkillLibrary
from voxpolis.bots.models.scripted import Script
from voxpolis.bridge.protocol import Movement, Primitives
from voxpolis.experiments.run.agents import assign, kind_of, policy_files
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.scenario import Case, Entry, Result, Run, Scenario
from voxpolis.grid.core.data import GameError
from voxpolis.records import events
from voxpolis.records.measures import known_mean_and_sd
from voxpolis.worlds.layout import BlockMap, Layout
from voxpolis.worlds.protocol import FaultError

if TYPE_CHECKING:  # loaded only by runs in a world
    from voxpolis.experiments.loops.grid.game import GridGame, GridOutcome
    from voxpolis.worlds.minecraft.land import MinecraftLand

# Kinds that act step by step; they need an arena that also exists as a grid game.
STEPWISE = ("planner", "trained", "random", "human")
KINDS: Mapping[str, Sequence[str]] = {
    "minecraft": ("voyager", "scripted", "code_writer", *STEPWISE),
    "grid": ("planner", "scripted", "trained", "random", "human"),
}


class CurriculumOptions(RunOptions):
    """The options of curriculum scenarios."""

    skills: Path | None = Field(
        default=None,
        description="Folder with initial skills for Minecraft, in our format or in Voyager's.",
    )
    primitives: Primitives = Field(
        default="strict",
        description="What happens if a primitive cannot do its work. strict: it throws an error. "
        "voyager: it says so in the chat, and the program continues, as Voyager's published "
        "skills expect.",
    )
    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})


class Referee(Protocol):
    """Enforces rules that the world itself does not have."""

    def hear(self, event: events.Event) -> None:
        """Receive an event that has happened in the world."""

    def recall(self, event: events.Event) -> None:
        """Restore the referee's state from an event of an interrupted run."""

    async def serve(self) -> None:
        """Enforce the rules until the task is cancelled."""

    async def keep_capacities(self, agent: str, inventory: Mapping[str, int]) -> None:
        """Take items away from an agent that holds more of them than its capacity allows."""


class CurriculumScenario(Scenario):
    """The base class of scenarios whose agents set their own tasks.

    Settings: ``iterations`` is the maximum number of programs per agent. ``time_limit_s`` and
    ``program_limit_s`` are the maximum game seconds of a run and of a program. If ``until`` is not
    empty, the run ends when all agents have reached the milestone ``until``. ``roles``
    describes the role of each agent in free words.
    """

    options: ClassVar[type[RunOptions]] = CurriculumOptions
    worlds: ClassVar[Mapping[str, Sequence[str]]] = KINDS
    measures: ClassVar[Sequence[str]] = ("mean.milestones", "mean.items")

    iterations: int
    time_limit_s: float
    program_limit_s: float
    until: str
    roles: dict[str, str]

    _retriever: Retriever | None = PrivateAttr(None)

    async def play(self, run: Run) -> None:
        """Let all agents live until the time is up or all have reached the milestone."""
        if self.world == "grid" or run.choice.is_counted:
            from voxpolis.experiments.loops.grid.experiment import play_steps  # noqa: PLC0415  (loads the grid's compiler)

            outcome = await play_steps(self.grid_game(run.seed), run, self.until)
            run.finish(self._grid_entry(run, outcome))
        elif self.is_stepwise:
            await self._play_in_steps(run)
        else:
            await self._live_and_learn(run)

    # --- The rules -------------------------------------------------------------------------------

    @property
    @abstractmethod
    def milestones(self) -> tuple[str, ...]:
        """All milestones, in order."""

    @abstractmethod
    def reached(self, items: Mapping[str, int]) -> list[str]:
        """Return the milestones that are reached by holding these kinds of items."""

    @abstractmethod
    def job(self, agent: str) -> str:
        """Return an agent's job."""

    @abstractmethod
    def score(self, agent: str, inventory: Mapping[str, int]) -> float | None:
        """Return the score of an inventory, or None if the scenario has no scores."""

    @abstractmethod
    def goal(self) -> str:
        """Return the overall goal, which guides the agents' choice of tasks."""

    @abstractmethod
    def briefing(self, agent: str, seed: int) -> str:
        """Describe to an agent what is special about the world."""

    def layout(self, seed: int) -> Layout | None:
        """Return the arena, or None if agents live in natural terrain."""
        return None

    def referee(self, world: MinecraftLand, seed: int) -> Referee | None:
        """Return a referee for rules that the world itself does not have, or None."""
        return None

    @abstractmethod
    def grid_game(self, seed: int) -> GridGame:
        """Return the scenario as a grid game.

        Raises:
            UsageError: the scenario does not exist as a grid game.
            GameError: the game is invalid.
        """

    @abstractmethod
    def block_map(self, seed: int) -> BlockMap:
        """Return which blocks stand for the cells of the grid game. Called only if there is a grid
        game.
        """

    @abstractmethod
    def house_rules(self) -> list[str]:
        """Return server commands that set the game rules of the Minecraft world."""

    @abstractmethod
    def land(self, seed: int) -> list[str]:
        """Return server commands that put the agents into natural terrain."""

    @abstractmethod
    def minds(self, seed: int) -> Script:
        """Return the scripted minds of a repetition."""

    def script(self, case: Case) -> Script:
        return self.minds(case.seed)

    # --- Options ---------------------------------------------------------------------------------

    @property
    def asked(self) -> CurriculumOptions:
        assert isinstance(self._asked, CurriculumOptions)
        return self._asked

    @property
    def is_stepwise(self) -> bool:
        """True if agents act step by step instead of writing programs."""
        kinds = assign(self.asked.kinds_asked, self.agent_names, KINDS[self.world], self.name)
        return self.world == "grid" or all(kind_of(one) in STEPWISE for one in kinds.values())

    @property
    def retriever(self) -> Retriever:
        """Return the retriever, which finds an agent's skills for a task."""
        self._retriever = self._retriever or best_retriever()
        return self._retriever

    def prepared(self) -> None:
        super().prepared()
        asked = self.asked
        if self.world == "grid" and asked.primitives == "voyager":
            raise UsageError("--primitives is for --world minecraft: the grid has no primitives")
        where = f"this scenario in {self.world}"
        kinds = assign(asked.kinds_asked, self.agent_names, KINDS[self.world], where).values()
        stepwise = [kind_of(kind) in STEPWISE for kind in kinds]
        if self.world != "grid" and not any(stepwise):
            if asked.replay is not None:
                raise UsageError("runs of agents that learn in Minecraft cannot be replayed")
            if asked.skills is not None:
                try:
                    SkillLibrary(LexicalRetriever()).load(asked.skills)
                except SkillError as error:
                    raise UsageError(str(error)) from error
            return
        if self.world != "grid" and not all(stepwise):
            raise UsageError(
                f"agents that act step by step ({', '.join(STEPWISE)}) cannot play with other "
                "kinds: choose one of these kinds for every agent"
            )
        if self.world != "grid" and (asked.skills is not None or asked.primitives != "strict"):
            raise UsageError("--skills and --primitives are for agents that write programs")
        try:
            game, files = (
                self.grid_game(asked.seed),
                dict(enumerate(sorted(policy_files(asked.agent)))),
            )
            if files:  # load trained policies now, to reject policies for another game
                from voxpolis.experiments.loops.grid.game import new_table  # noqa: PLC0415
                from voxpolis.grid.trained import TrainedPlayers  # noqa: PLC0415  (loads the grid's compiler)

                TrainedPlayers(files, new_table(game), game.best.welfare)
        except GameError as error:
            raise UsageError(str(error)) from error

    @property
    def needs_land(self) -> bool:
        """True if agents live in natural terrain instead of an arena."""
        return self.layout(self.asked.seed) is None

    def manifest(self) -> dict[str, Any]:
        found_by = {} if self.is_stepwise else {"retriever": self.retriever.name}
        return {"tree": self.condition, **found_by}

    def notes(self, choice: ModelChoice) -> list[str]:
        if self.is_stepwise:
            return super().notes(choice)
        lines = [f"Skill retrieval: {self.retriever.name}."]
        if not choice.is_language_model:
            lines.append("Scripted minds: prewritten programs, no language model is called.")
            if self.roles:
                lines.append("They ignore roles in free words, but know jobs.")
        return lines

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        if not self.is_stepwise:
            return counted
        from voxpolis.experiments.loops.grid.game import most_plans  # noqa: PLC0415  (loads the grid's compiler)

        plans = sum(most_plans(self.grid_game(case.seed)) for case in self.cases)
        return dict.fromkeys(counted, plans)

    def prompts(self) -> str:
        if self.is_stepwise:
            return ""
        from voxpolis.experiments.loops.curriculum.curriculum import curriculum_prompts  # noqa: PLC0415

        return curriculum_prompts(self, self.asked.seed, self.asked.primitives)

    # --- Playing ---------------------------------------------------------------------------------

    async def _enter(self, run: Run) -> MinecraftLand:
        """Return the world for a case. The agents join the server only once, and stay for all
        cases.
        """
        # Only Minecraft needs a server and its bots.
        from voxpolis.worlds.minecraft.land import MinecraftLand  # noqa: PLC0415
        from voxpolis.worlds.minecraft.session import open_session  # noqa: PLC0415

        agents = tuple(self.agent_names)
        if "server" not in run.kept:
            assert run.server is not None
            is_arena = self.layout(run.seed) is not None
            movement: Movement = "careful" if is_arena else "free"
            opening = open_session(
                run.server,
                run.writer,
                agents,
                movement,
                is_arena,
                standstill=run.standstill,
                primitives="strict" if self.is_stepwise else self.asked.primitives,
                hosts=run.hosts,
            )
            run.kept["server"] = await run.stack.enter_async_context(opening)
        return MinecraftLand(run.kept["server"], agents, self.program_limit_s, run.seed)

    async def _live_and_learn(self, run: Run) -> None:
        from voxpolis.experiments.loops.curriculum.curriculum import CurriculumRun  # noqa: PLC0415

        run.writer.episode = run.number
        world = await self._enter(run)

        def say(text: str) -> None:
            minutes, seconds = divmod(int(run.writer.now()), 60)
            run.say(f"{minutes:3d}:{seconds:02d}  {text}")

        lives = CurriculumRun(self, world, run.seed, say, self.asked.primitives)
        recorded = () if run.before is None else run.before.events
        before = [event for event in recorded if event.episode == run.number]
        starters = None if before else self.asked.skills
        folder = run.folder / (f"run_{run.number}" if run.options.runs > 1 else "") / "agents"
        lives.add_agents(run.model, run.agents, folder, self.retriever, starters)
        if any(isinstance(event, events.TaskStarted | events.CodeStarted) for event in before):
            lives.recall(before)
        else:
            await lives.prepare()
            # All times of the repetition count from here; joining and building come before it.
            run.note(events.EpisodeStarted, run=run.number, attempt=1, seed=run.seed)
            lives.began = world.now()
        went_on = world.now()
        await lives.play()
        reason = "time_limit" if lives.seconds >= self.time_limit_s else "policies_ended"
        run.note(events.EpisodeEnded, reason=reason, seconds=lives.seconds)
        run.note_failures(lives.agents)
        agents = {}
        for name, agent in lives.agents.items():
            progress = agent.life.progress
            agents[name] = {
                "job": self.job(name),
                "milestones": agent.milestones,
                "items": len(progress.items),
                "item_iterations": progress.items,
                "iterations": progress.iterations,
                "tasks": {"completed": progress.completed, "failed": progress.failed},
                "skills": list(agent.life.skills),
                "deaths": agent.deaths,
                "score": self.score(name, agent.inventory),
            }
        acted = [name for name, agent in lives.agents.items() if agent.has_acted]
        entry = {"agents": agents, "seconds": lives.seconds, "acted": acted}
        sound = await _is_sound(world, went_on, run)
        run.finish({**entry, "tokens": run.model.tokens, "sound": sound})

    async def _play_in_steps(self, run: Run) -> None:
        """Let bots carry out what the grid's kernel decides, while the referee enforces the rules.

        Inventories come from the server.
        """
        # Commands without grid games load none of this.
        from voxpolis.experiments.loops.grid.game import GridGameRun  # noqa: PLC0415
        from voxpolis.worlds.minecraft.grid_stage import ArenaStage  # noqa: PLC0415

        run.writer.begin_episode(run.number)
        world, seed = await self._enter(run), run.seed
        began = world.now()
        stage = ArenaStage(world, self.block_map(seed), self.house_rules())
        game = GridGameRun(self.grid_game(seed), run.agents, run.model, run.writer, stage)
        playing = asyncio.create_task(game.play(run.number, seed, self.until))
        fault = asyncio.create_task(world.fault())
        tasks: list[asyncio.Task[Any]] = [playing, fault]
        referee = self.referee(world, seed)
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
            outcome = await playing
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        sound = await _is_sound(world, began, run)
        entry = self._grid_entry(run, outcome)
        async with world.guarded():
            for name, of_agent in entry["agents"].items():
                of_agent["score"] = self.score(name, await world.inventory(name))
        run.finish({**entry, "sound": sound})

    # --- Results ---------------------------------------------------------------------------------

    def _grid_entry(self, run: Run, outcome: GridOutcome) -> Entry:
        """Return the entry of a case that was played step by step. Plans count as its tasks."""
        agents = {}
        for agent, account in outcome.agents.items():
            firsts = account.firsts
            agents[agent] = {
                "job": account.job,
                "milestones": {
                    name: {"iteration": first.iteration, "seconds": first.seconds}
                    for name, first in firsts.items()
                    if name in self.milestones
                },
                "items": len(firsts),
                "item_iterations": {name: first.iteration for name, first in firsts.items()},
                "iterations": account.iterations,
                "tasks": {"completed": account.plans_done, "failed": account.plans_failed},
                "skills": [],
                "deaths": 0,
                "score": account.reward,
            }
        seconds, acted = outcome.seconds, list(outcome.acted)
        return {"agents": agents, "seconds": seconds, "tokens": run.model.tokens, "acted": acted}

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return the mean and the standard deviation of each measure over all agents."""
        agents = [agent for entry in entries for agent in entry["agents"].values()]
        measured: dict[str, list[float | None]] = {
            "milestones": [len(agent["milestones"]) for agent in agents],
            "items": [agent["items"] for agent in agents],
            "score": [agent["score"] for agent in agents],
        }
        pairs = {name: known_mean_and_sd(values) for name, values in measured.items()}
        return {
            "tree": self.condition,
            "mean": {name: pair[0] for name, pair in pairs.items()},
            "sd": {name: pair[1] for name, pair in pairs.items()},
        }

    def show(self, result: Result) -> None:
        from voxpolis.records.console import plain_console, print_whole, table_of  # noqa: PLC0415

        console = plain_console()
        for run in result["runs"]:
            agents = run["agents"].values()
            title = f"{result['scenario']}, tree {run['condition']}, seed {run['seed']}"
            rows = []
            for name in self.milestones:
                reached = [own["milestones"].get(name) for own in agents]
                rows.append([name, *("-" if at is None else _when(at) for at in reached)])
            for key in ("items", "iterations", "deaths", "score"):
                if any(own[key] is not None for own in agents):
                    rows.append(
                        [
                            key.replace("items", "kinds of item"),
                            *(f"{own[key]:g}" for own in agents),
                        ]
                    )
            print_whole(console, table_of(title, ["", *run["agents"]], rows))
        tokens = sum(run["tokens"] for run in result["runs"])
        console.print("Milestones: minutes of game time (prompting iteration).")
        console.print(f"tokens: {tokens}")


def _when(reached: Mapping[str, float]) -> str:
    return f"{reached['seconds'] / 60:.1f} ({reached['iteration']:g})"


async def _is_sound(world: MinecraftLand, since: float, run: Run) -> bool:
    """Return whether the world has kept pace with the clock since the time ``since``. If not,
    print and record this.
    """
    late = await world.check_speed(world.now() - since)
    if late is None:
        return True
    said = late.verdict(counts=False)
    run.faults.append(said)
    run.say(f"warning: {said}")
    run.note(events.EpisodeUnsound)
    return False
