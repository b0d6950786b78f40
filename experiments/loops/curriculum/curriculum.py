"""The curriculum loop: agents work on tasks that they set themselves, in one world, until the run
ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxpolis.bots.agents.code_writer import Assessment, CodeWriter
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Note, Review
from voxpolis.bots.agents.voyager.agent import VoyagerAgent, goal_of
from voxpolis.bots.agents.voyager.progress import Progress
from voxpolis.bots.agents.voyager.prompts import (
    Described,
    Known,
    Proposal,
    Questions,
    assess_task,
    describe_program,
    find_out,
    propose_task,
    write_program,
)
from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.bots.models import Answer, ChatModel, ChatRequest, ScriptedModel
from voxpolis.bridge.protocol import Primitives
from voxpolis.experiments.loops.curriculum.scenario import CurriculumScenario
from voxpolis.records import events
from voxpolis.records.text import counts
from voxpolis.worlds.minecraft.land import MinecraftLand
from voxpolis.worlds.protocol import FaultError

# --- Agents' loops by kind ------------------------------------------------------------------------


class PolicyLife:
    """The life of a code writer, which sets itself no tasks, but rewrites one program until the
    program succeeds.
    """

    skills: Sequence[str] = ()

    def __init__(self, setup: AgentSetup, iterations: int) -> None:
        self._setup = setup
        self._iterations = iterations
        self._file = Path(setup.folder) / "progress.json"
        self.progress = Progress.load(self._file)
        self._writer = CodeWriter(setup)

    def record_new_items(self, inventory: Mapping[str, int]) -> None:
        distinct, iteration = len(self.progress.items), self.progress.iterations
        for item in self.progress.first_held(inventory):
            distinct += 1
            fields = {"item": item, "iteration": iteration, "distinct": distinct}
            self._setup.note(events.ItemObtained, **fields)

    async def live(self) -> None:
        """Write and run programs until a program succeeds; see :class:`VoyagerAgent`."""
        body, note = self._setup.body, self._setup.note
        while self.progress.iterations < self._iterations:
            self.progress.iterations += 1
            self.progress.save(self._file)
            problem = await self._writer.prepare(await body.observe())
            if problem:
                note(events.Log, text=f"no program was written: {problem}")
            await self._writer.live()
            held = await body.inventory()
            self.record_new_items(held)
            outcome = f"{self._setup.briefing.agent} now holds: {counts(held)}."
            lesson = await self._writer.review(Review(outcome, (), body.last or NOT_RUN))
            assert lesson is not None  # a lesson is always remembered
            if not lesson.unwritten:
                note(events.Critique, success=lesson.success, text=lesson.critique)
            if not lesson.again:
                return


# --------------------------------------------------------------------------------------------------

# Interval at which agents are inspected, in game seconds.
LOOK_S = 1.0


@dataclass
class AgentRun:
    """The progress of one agent. ``milestones`` maps each milestone to the iteration and the second
    in which the agent reached it.
    """

    life: VoyagerAgent | PolicyLife
    milestones: dict[str, dict[str, float]] = field(default_factory=dict)
    deaths: int = 0
    inventory: Mapping[str, int] = field(default_factory=dict)
    has_acted: bool = False


class CurriculumRun:
    """One repetition, with its agents and their progress."""

    def __init__(
        self,
        scenario: CurriculumScenario,
        world: MinecraftLand,
        seed: int,
        say: Callable[[str], None],
        primitives: Primitives = "strict",
    ) -> None:
        """Prepare the repetition. ``say`` prints a line about the progress."""
        self.scenario = scenario
        self.world = world
        self.seed = seed
        self.primitives = primitives
        self.agents: dict[str, AgentRun] = {}
        self.began = world.now()
        self._say = say
        self._referee = scenario.referee(world, seed)
        if self._referee is not None:
            world.listeners.append(self._referee.hear)
        world.listeners.append(self._hear)

    @property
    def seconds(self) -> float:
        """Game seconds since the start of the repetition."""
        return round(self.world.now() - self.began, 3)

    def add_agents(
        self,
        model: ChatModel,
        kinds: Mapping[str, str],
        folder: Path,
        retriever: Retriever,
        starters: Path | None = None,
    ) -> None:
        """Create the agents with the state that was saved for them. ``starters`` is a folder of
        skills that agents have from the start.
        """
        for name in self.scenario.agent_names:
            setup = AgentSetup(
                briefing_of(self.scenario, name, self.seed, self.primitives),
                self.world.body(name),
                model,
                self._noter(name),
                goal=self.scenario.goal(),
                folder=str(folder / name),
                is_over=self._all_there,
            )
            most = self.scenario.iterations
            life = (
                PolicyLife(setup, most)
                if kinds[name] == "code_writer"
                else VoyagerAgent(setup, retriever, most, starters)
            )
            self.agents[name] = AgentRun(life)

    async def prepare(self) -> None:
        """Put the agents at their starts, with empty inventories."""
        scenario = self.scenario
        layout = scenario.layout(self.seed)
        async with self.world.guarded():
            if layout is None:
                await self.world.settle(scenario.house_rules(), scenario.land(self.seed))
            else:
                await self.world.build(layout, scenario.house_rules())

    def recall(self, before: Sequence[events.Event]) -> None:
        """Restore the state of an interrupted run from its events.

        The state consists of the start time, milestones, deaths, and the state of the referee.
        """
        starts = [event.t for event in before if isinstance(event, events.EpisodeStarted)]
        self.began = began = starts[-1] if starts else before[0].t
        for event in before:
            agent = self.agents.get(event.agent or "")
            if agent is None:
                continue
            if isinstance(event, events.Milestone):
                at = {"iteration": event.iteration, "seconds": round(event.t - began, 3)}
                agent.milestones[event.name] = at
            elif isinstance(event, events.Died):
                agent.deaths += 1
            elif isinstance(event, events.CodeStarted):
                agent.has_acted = True
            if self._referee is not None:
                self._referee.recall(event)

    async def play(self) -> None:
        """Let all agents live until the repetition ends.

        Raises:
            FaultError: a bot, the connection to the bots, or the server was lost.
            ModelError: a model does not answer.
        """
        async with self.world.guarded():
            lives = [asyncio.create_task(agent.life.live()) for agent in self.agents.values()]
            helpers: list[asyncio.Future[Any]] = [asyncio.gather(*lives)]
            helpers.append(asyncio.create_task(self._end()))
            if self._referee is not None:
                helpers.append(asyncio.create_task(self._referee.serve()))
            fault = asyncio.create_task(self.world.fault())
            try:
                await asyncio.wait({*helpers, fault}, return_when=asyncio.FIRST_COMPLETED)
                if fault.done():
                    raise FaultError(fault.result())
                for task in helpers:
                    if task.done():
                        task.result()
                for name in self.agents:
                    await self.look_at(name)
            finally:
                await _cancel([*lives, *helpers, fault])

    async def _end(self) -> None:
        """Wait until the time is up or all agents have reached the target milestone. Then stop the
        agents.
        """
        watching = [asyncio.create_task(self._watch(name)) for name in self.agents]
        try:
            while self.seconds < self.scenario.time_limit_s and not self._all_there():
                await self.world.pause(0)
                for task in watching:
                    if task.done():
                        task.result()
        finally:
            await _cancel(watching)
        for name in self.agents:
            await self.world.stop(name)

    async def _watch(self, name: str) -> None:
        """Look at an agent about once per second. Each agent has its own task, so that an agent
        whose bot is reconnecting does not delay the others.
        """
        while True:
            await self.look_at(name)
            await self.world.pause(LOOK_S)

    async def look_at(self, name: str) -> None:
        """Ask the world for an agent's inventory, and note what is new."""
        agent = self.agents[name]
        held = await self.world.inventory(name)
        if held != agent.inventory:
            self.world.note(events.Inventory, name, items=dict(held))
            agent.inventory = held
        agent.life.record_new_items(held)
        if self._referee is not None:
            await self._referee.keep_capacities(name, held)

    def _note_milestones(self, name: str) -> None:
        agent = self.agents[name]
        progress = agent.life.progress
        for milestone in self.scenario.reached(progress.items):
            if milestone not in agent.milestones:
                at = {"iteration": progress.iterations, "seconds": self.seconds}
                agent.milestones[milestone] = at
                fields = {"name": milestone, "iteration": progress.iterations}
                self.world.note(events.Milestone, name, **fields)
                self._say(f"{name} reaches {milestone} (iteration {progress.iterations})")

    def _all_there(self) -> bool:
        until = self.scenario.until
        return bool(until) and all(until in a.milestones for a in self.agents.values())

    def _noter(self, name: str) -> Note:
        def note(kind: type[events.Event], **fields: object) -> None:
            self.world.note(kind, name, **fields)
            if kind is events.TaskStarted:
                self._say(f"{name} tries: {fields['task']}")
            elif kind is events.TaskEnded and not fields["success"]:
                self._say(f"{name} gives up: {fields['task']}")
            elif kind is events.ItemObtained:
                kinds = f"{fields['distinct']} kinds"
                self._say(f"{name} has {fields['item']} for the first time ({kinds})")
                self._note_milestones(name)

        return note

    def _hear(self, event: events.Event) -> None:
        agent = self.agents.get(event.agent or "")
        if agent is None:
            return
        if isinstance(event, events.CodeStarted):
            agent.has_acted = True
        elif isinstance(event, events.Died):
            agent.deaths += 1
            self._say(f"{event.agent} dies")


async def _cancel(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# --- Prompts of each role of a curriculum, for ``--show-prompts`` ---------------------------------

# Placeholders for values that are only known during play.
OBSERVATION_PLACEHOLDER = "(what the agent perceives when it is asked)"
RESULT_PLACEHOLDER = "(how the program went)"
FEEDBACK = "(the last program, how it went, and what the critic says)"
CODE = "async function theProgram(bot) {}\n"
ANSWERS: Mapping[str, Answer | str] = {
    "curriculum": Proposal(task="(the task that the curriculum proposed)", obtain=[]),
    "questions": Questions(questions=["(a question about the task)"]),
    "answer": Known(answer="(its answer)"),
    "action": f"```javascript\n{CODE}```",
    "critic": Assessment(success=True, critique=""),
    "describe": Described(description="(what the program does)"),
}


# Told to agents if primitives are lenient, as Voyager's are.
VOYAGERS_MANNER = (
    "Here `mineBlock`, `craftItem`, `smeltItem`, `placeItem`, `killMob` and those of chests do not "
    "fail where they cannot do what they are asked: they do as much as they can, say in chat what "
    "they could not do, and your program goes on. So look at what you hold before you rely on it. "
    "One that fails more than ten times ends the program. Crafting tables and furnaces that "
    "a program placed are taken back into the inventory after it, where they are near."
)


def briefing_of(
    scenario: CurriculumScenario, agent: str, seed: int, primitives: Primitives
) -> Briefing:
    """Return an agent's briefing."""
    text = scenario.briefing(agent, seed)
    return Briefing(agent, f"{text}\n\n{VOYAGERS_MANNER}" if primitives == "voyager" else text, "")


def curriculum_prompts(scenario: CurriculumScenario, seed: int, primitives: Primitives) -> str:
    """Return the prompts of each agent's curriculum, for every role."""
    goal = scenario.goal()
    told = [briefing_of(scenario, agent, seed, primitives) for agent in scenario.agent_names]
    return "\n\n".join(text for briefing in told for text in task_prompts(briefing, goal))


def task_prompts(briefing: Briefing, goal: str) -> Iterator[str]:
    """Yield the questions that an agent asks during one task.

    ``goal`` is the agent's overall goal. If it is empty, the goal in the agent's briefing is used.
    """
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> Answer | str:
        asked.append(request)
        return ANSWERS[request.role]

    async def ask_all() -> None:
        """Ask all questions that occur during a task whose first program fails."""
        model, striving = ScriptedModel(answer), goal or goal_of(briefing)
        task = await propose_task(model, briefing, striving, OBSERVATION_PLACEHOLDER, Progress())
        assert task is not None
        task = await find_out(model, briefing.agent, task, OBSERVATION_PLACEHOLDER, {})
        for feedback in ("", FEEDBACK):
            await write_program(model, briefing, task, OBSERVATION_PLACEHOLDER, (), feedback)
        await assess_task(
            model, briefing, task, OBSERVATION_PLACEHOLDER, RESULT_PLACEHOLDER, ended_well=True
        )
        await describe_program(model, briefing.agent, CODE)

    asyncio.run(ask_all())
    for request in asked:
        text = "\n\n".join(message["content"] for message in request.messages)
        yield f"{f' {request.role}, {briefing.agent} ':=^80}\n{text}"
