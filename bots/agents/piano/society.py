"""A society: every module of every agent as a task of its own, in one time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping

from bots.agents.piano.agent import Agent
from bots.agents.piano.modules import (
    action_awareness,
    controller,
    goals,
    memory,
    perception,
    planning,
    reflexes,
    self_reflection,
    skill_execution,
    social_awareness,
    talking,
)
from bots.time import Time

Module = Callable[[Agent], Awaitable[None]]

#: The ten modules and the controller. Of agents that wake at the same moment reflexes come first.
MODULES: dict[str, Module] = {
    "reflexes": reflexes.run,
    "perception": perception.run,
    "memory": memory.run,
    "action_awareness": action_awareness.run,
    "social_awareness": social_awareness.run,
    "goals": goals.run,
    "planning": planning.run,
    "self_reflection": self_reflection.run,
    "controller": controller.run,
    "talking": talking.run,
    "skill_execution": skill_execution.run,
}
#: Seconds from one run of a module to the next. Source: social goals every 5 to 10 s (Project Sid);
#: the others are ours.
FULL: dict[str, float] = {
    "reflexes": 0.25,
    "perception": 1.0,
    "memory": 10.0,
    "action_awareness": 2.0,
    "social_awareness": 5.0,
    "goals": 10.0,
    "planning": 10.0,
    "self_reflection": 60.0,
    "controller": 1.0,
    "talking": 8.0,
    "skill_execution": 1.0,
}
#: The baseline of the paper's ablations: skill execution, memory and the controller; here with
#: the eyes and the reflexes that a body cannot do without.
ABLATED = {
    name: FULL[name]
    for name in ("reflexes", "perception", "memory", "controller", "skill_execution")
}


class Society:
    """Lets agents live: starts their modules, and ends them."""

    def __init__(self, time: Time, seed: int) -> None:
        self._time = time
        self._seed = seed
        self._tasks: list[asyncio.Task[None]] = []
        #: What broke the society, if something did: a bug, a budget, a world that is gone.
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, agent: Agent, modules: Mapping[str, float], quantum: float = 0.0) -> None:
        """Let an agent live with some modules, each beginning at a moment of its own.

        Args:
            agent: the agent.
            modules: seconds between two runs, by the names of :data:`MODULES`.
            quantum: begin at whole multiples of so many seconds, which lets simulated time pass in
                larger steps.

        Raises:
            ValueError: there is no such module.
        """
        unknown = sorted(set(modules) - set(MODULES))
        if unknown:
            raise ValueError(f"there is no module {unknown[0]}; there are: {', '.join(MODULES)}")
        chance = random.Random(f"{self._seed} {agent.name} phases")
        for number, (name, run) in enumerate(MODULES.items()):
            if name not in modules:
                continue
            phase = chance.random() * modules[name]
            if quantum:
                phase = phase // quantum * quantum
            key = agent.index * len(MODULES) + number
            work = self._live(agent, run, phase, modules[name], key)
            self._tasks.append(self._time.start(work))

    async def _live(self, agent: Agent, run: Module, phase: float, period: float, key: int) -> None:
        sleep = self._time.sleep
        await sleep(phase, key)
        try:
            while True:
                await run(agent)
                await sleep(period, key)
        except Exception as error:
            if not self.broken.done():
                self.broken.set_exception(error)
            raise

    async def end(self) -> None:
        """End all modules."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
