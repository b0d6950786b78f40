"""Plays agents that climb: each lives its own life in one world until the run's end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from scenarios.world import FaultError, Stage

from bots.agents.voyager import Body, Progress, SkillLibrary, VoyagerAgent
from bots.agents.voyager.agent import Ran
from bots.agents.voyager.retrieval import Retriever
from bots.models import ChatModel
from bots.models.scripted import Script
from bridge import BridgeError
from bridge.bridge import MINECRAFT_VERSION
from grid.adasociety.game import Rules
from records import Record, events
from scenarios import words
from scenarios.synthesis import Arena, Referee, resources_in

POLL_PERIOD_S = 1.0
#: On the wall's clock: at high speeds the world is asked less often than once a second of the game.
POLL_WALL_S = 0.2


class ClimbingScenario(Protocol):
    """What this machinery needs of a scenario; see ``scenarios/crafting_tree.py``."""

    iterations: int
    time_limit_s: float
    program_limit_s: float
    until: str

    @property
    def agent_names(self) -> tuple[str, ...]:
        """The agents."""

    @property
    def rules(self) -> Rules:
        """The synthesis tree."""

    @property
    def milestones(self) -> tuple[str, ...]:
        """All milestones, in order."""

    def reached(self, items: Mapping[str, int]) -> list[str]:
        """The milestones that kinds of item stand for."""

    def job(self, agent: str) -> str:
        """An agent's job."""

    def score(self, agent: str, inventory: Mapping[str, int]) -> float | None:
        """What an inventory is worth, where that counts."""

    def goal(self) -> str:
        """What the curriculum aims at."""

    def briefing(self, agent: str, arena: Arena | None) -> str:
        """What is special about the world."""

    def arena(self, seed: int) -> Arena | None:
        """The arena, where there is one."""

    def house_rules(self) -> list[str]:
        """Commands for the whole world."""

    def land(self, seed: int) -> list[str]:
        """Commands that put the agents into natural land."""

    def script(self, seed: int) -> Script:
        """The scripted minds."""


@dataclass
class Climber:
    """One agent's run so far; ``milestones`` holds iteration and seconds of each."""

    agent: VoyagerAgent
    milestones: dict[str, dict[str, float]] = field(default_factory=dict)
    deaths: int = 0
    inventory: dict[str, int] = field(default_factory=dict)


class EmbodiedMind:
    """An agent's body as its mind has it: words in, programs out."""

    def __init__(self, stage: Stage, agent: str, program_limit_s: float, seed: int) -> None:
        self._stage = stage
        self._agent = agent
        self._limit_s = program_limit_s
        self._seed = seed
        self._programs = 0

    async def observe(self) -> str:
        """What the agent perceives, in words."""
        return words.surroundings(await self._stage.world.observe(self._agent))

    async def inventory(self) -> Mapping[str, int]:
        """What the server says it holds."""
        return await self._stage.world.inventory(self._agent)

    async def run(self, code: str, skills: Mapping[str, str]) -> Ran:
        """Run a program; each gets random numbers of its own."""
        self._programs += 1
        result = await self._stage.world.bodies[self._agent].run(
            code, self._limit_s, self._seed * 1000 + self._programs, skills
        )
        printed = "\n".join(result.logs[-20:])
        told = words.program_end(result, with_limits=True)
        return Ran(result.status == "done", f"{told}\nIt printed:\n{printed}" if printed else told)


class Climb:
    """A run: the agents, what they reached, and how it ends."""

    def __init__(
        self,
        scenario: ClimbingScenario,
        stage: Stage,
        seed: int,
        folder: Path,
        say: Callable[[str], None],
    ) -> None:
        """``say`` tells people what happens, one line at a time."""
        self.scenario = scenario
        self.stage = stage
        self.seed = seed
        self.arena = scenario.arena(seed)
        self.climbers: dict[str, Climber] = {}
        self._folder = folder
        self._say = say
        self._referee: Referee | None = None
        if self.arena is not None:
            jobs = {name: scenario.job(name) for name in scenario.agent_names}
            self._referee = Referee(scenario.rules, self.arena, jobs, stage)
            stage.listeners.append(self._referee.hear)
        stage.listeners.append(self._count_deaths)

    def add_agents(
        self, model: ChatModel, retriever: Retriever, starters: Path | None = None
    ) -> None:
        """Make the agents, with what they learned so far, if anything, and ``starters`` besides.

        Raises:
            SkillError: a skill cannot be read.
            ValueError: an agent's progress cannot be read.
        """
        for name in self.scenario.agent_names:
            home = self._folder / "agents" / name
            library = SkillLibrary(retriever, home / "skills")
            if starters is not None:
                library.load(starters)
            body: Body = EmbodiedMind(self.stage, name, self.scenario.program_limit_s, self.seed)
            agent = VoyagerAgent(
                model,
                body,
                library,
                home / "progress.json",
                self._noter(name),
                agent=name,
                goal=self.scenario.goal(),
                world=self.scenario.briefing(name, self.arena),
                minecraft_version=MINECRAFT_VERSION,
            )
            self.climbers[name] = Climber(agent)

    async def prepare(self) -> None:
        """Put the agents, empty-handed, where they start.

        Raises:
            FaultError: they do not get there.
            WorldError: the server refuses a command.
        """
        if self.arena is not None:
            layout = [*self.scenario.house_rules(), *self.arena.commands()]
            await self.stage.reset(layout, self.arena.starts, mode="adventure")
            return
        await self.stage.world.reset(self.scenario.house_rules())
        for name in self.climbers:
            await self.stage.world.edit(f"clear {name}")
            await self.stage.world.edit(f"gamemode survival {name}")
        for command in self.scenario.land(self.seed):
            await self.stage.world.edit(command)
        await self.stage.landed(self.climbers)

    def recall(self, record: Record) -> None:
        """Take up what a run that was cut off had come to: milestones, deaths, piles."""
        for event in record.events:
            climber = self.climbers.get(event.agent or "")
            if climber is None:
                continue
            if isinstance(event, events.Milestone):
                climber.milestones[event.name] = {"iteration": event.iteration, "seconds": event.t}
            elif isinstance(event, events.Died):
                climber.deaths += 1
            elif isinstance(event, events.Produced) and self.arena is not None:
                x, y, z = (int(part) for part in event.position)
                pile = self.arena.piles.get((x, y, z))
                if pile is not None:
                    pile.left -= 1

    async def play(self) -> None:
        """Let all agents live until the run ends.

        Raises:
            FaultError: a bot, the bridge or the server was lost.
            ModelError: a model does not answer.
        """
        lives = [
            asyncio.create_task(climber.agent.live(self.scenario.iterations))
            for climber in self.climbers.values()
        ]
        living = asyncio.create_task(_all(lives))
        helpers = [living, asyncio.create_task(self._end())]
        if self._referee is not None:
            helpers.append(asyncio.create_task(self._referee.serve()))
        fault = asyncio.create_task(self.stage.fault())
        try:
            await asyncio.wait({*helpers, fault}, return_when=asyncio.FIRST_COMPLETED)
            if fault.done():
                raise FaultError(fault.result())
            for task in helpers:
                if task.done():
                    task.result()
            for name in self.climbers:
                await self._look_at(name)
        finally:
            for ending in (*lives, *helpers, fault):
                ending.cancel()
            await asyncio.gather(*lives, *helpers, fault, return_exceptions=True)

    async def _end(self) -> None:
        """Watch everyone until time is up or all are where they want to be; then stop them."""
        watching = [asyncio.create_task(self._watch(name)) for name in self.climbers]
        try:
            while self.stage.writer.now() < self.scenario.time_limit_s and not self._all_there():
                done, _ = await asyncio.wait(watching, timeout=POLL_WALL_S)
                for task in done:
                    task.result()
        finally:
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        for name in self.climbers:
            with contextlib.suppress(BridgeError):
                await self.stage.world.bodies[name].stop("the run is over")

    async def _watch(self, name: str) -> None:
        """Ask the server what an agent holds, about once a second; each agent has a watch of its
        own, so that one whose body is on its way back holds up nobody's.
        """
        while True:
            await self._look_at(name)
            pause = self.stage.writer.clock.wall_seconds(POLL_PERIOD_S)
            await asyncio.sleep(max(pause, POLL_WALL_S))

    async def _look_at(self, name: str) -> None:
        climber = self.climbers[name]
        held = await self.stage.world.inventory(name)
        if held != climber.inventory:
            self.stage.note(events.Inventory, name, items=held)
            climber.inventory = held
        climber.agent.see(held)
        if self._referee is not None:
            await self._referee.keep_capacities(name, resources_in(held))

    def _note_milestones(self, name: str) -> None:
        climber = self.climbers[name]
        iteration, seconds = climber.agent.progress.iterations, self.stage.writer.now()
        for milestone in self.scenario.reached(climber.agent.progress.items):
            if milestone not in climber.milestones:
                climber.milestones[milestone] = {"iteration": iteration, "seconds": seconds}
                self.stage.note(events.Milestone, name, name=milestone, iteration=iteration)
                self._say(f"{name} reaches {milestone} (iteration {iteration})")

    def _all_there(self) -> bool:
        until = self.scenario.until
        return bool(until) and all(until in c.milestones for c in self.climbers.values())

    def _noter(self, name: str) -> Callable[..., None]:
        def note(kind: type[events.Event], **fields: Any) -> None:
            self.stage.note(kind, name, **fields)
            told = words.of_climb(kind, fields)
            if told:
                self._say(f"{name} {told}")
            if kind is events.ItemObtained:
                self._note_milestones(name)

        return note

    def _count_deaths(self, event: events.Event) -> None:
        if isinstance(event, events.Died) and event.agent in self.climbers:
            self.climbers[event.agent].deaths += 1
            self._say(f"{event.agent} dies")


async def _all(tasks: Iterable[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)


def outcome(scenario: ClimbingScenario, name: str, climber: Climber) -> dict[str, Any]:
    """One agent's entry of the result object."""
    progress: Progress = climber.agent.progress
    return {
        "job": scenario.job(name),
        "milestones": climber.milestones,
        "items": len(progress.items),
        "item_iterations": progress.items,
        "iterations": progress.iterations,
        "tasks": {"completed": progress.completed, "failed": progress.failed},
        "skills": sorted(climber.agent.library.skills),
        "deaths": climber.deaths,
        "score": scenario.score(name, climber.inventory),
    }
