"""A society, which runs each module of each agent at its own interval, on a shared clock."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.expectations import Belief
from voxpolis.bots.agents.piano.modules import (
    action_awareness,
    bodily,
    controller,
    goals,
    planning,
    self_reflection,
    social_awareness,
    talking,
)
from voxpolis.bots.time import LEAST_S, Schedule, Time, Wait

# Runs a module once. Returns an awaitable if the module has to wait.
Module = Callable[[Agent], Wait | None]
T = TypeVar("T", bound=Mapping[str, float])

# The ten modules and the controller, each with its period in seconds. If several modules are due at
# the same moment, they run in this order, so that reflexes come first. Source: Project Sid sets
# social goals every 5 to 10 s; the other periods are ours.
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
# The function that runs each module.
MODULES: Mapping[str, Module] = {
    "reflexes": bodily.reflexes,
    "perception": bodily.perception,
    "memory": bodily.memory,
    "action_awareness": action_awareness.run,
    "social_awareness": social_awareness.run,
    "goals": goals.run,
    "planning": planning.run,
    "self_reflection": self_reflection.run,
    "controller": controller.run,
    "talking": talking.run,
    "skill_execution": bodily.skill_execution,
}
# The baseline of the paper's ablations, which has skill execution, memory and the controller. We
# add perception and reflexes, because a body needs them.
ABLATED = {
    name: FULL[name]
    for name in ("reflexes", "perception", "memory", "controller", "skill_execution")
}
# The role of the question that each thinking module asks once per run.
ASKED: Mapping[str, str] = {
    "controller": controller.DecideRequest.role,
    "goals": goals.GoalRequest.role,
    "planning": planning.PlanRequest.role,
    "self_reflection": self_reflection.ReflectRequest.role,
    "social_awareness": social_awareness.SocialRequest.role,
    "talking": talking.TalkRequest.role,
}


def most_questions(
    modules: Mapping[str, float], seconds: float, thinking_s: float
) -> dict[str, int]:
    """Return, for each role, the maximum number of questions that an agent can ask in its lifetime.

    Args:
        modules: the period of each module, in seconds.
        seconds: the lifetime.
        thinking_s: the duration of a thought in seconds, including retries.
    """
    return {
        ASKED[name]: math.floor(seconds / (period + thinking_s)) + 1
        for name, period in modules.items()
        if name in ASKED
    }


def check_modules(modules: T) -> T:
    """Check the names and periods of modules, and return the same mapping.

    Raises:
        ValueError: a module does not exist, or its period is not positive and finite.
    """
    unknown = sorted(set(modules) - set(MODULES))
    if unknown:
        raise ValueError(f"there is no module {unknown[0]}; there are: {', '.join(MODULES)}")
    for name, period in modules.items():
        if not LEAST_S <= period < math.inf:
            raise ValueError(
                f"module {name}: the period must be a number of seconds, at least {LEAST_S:g}"
            )
    return modules


async def run_once(name: str, agent: Agent) -> None:
    """Run a module of an agent once, and wait until it has finished."""
    work = MODULES[name](agent)
    if work is not None:
        await agent.time.finish(work)


# This module also runs when an agent starts to live, because the agent knows no position before.
FIRST = "perception"
# An agent without this module believes that its expectations came true.
AWARENESS = "action_awareness"
# The setting that chooses the modules of a society's agents and their periods in seconds.
Periods = Annotated[dict[str, float], AfterValidator(check_modules)]


class Society:
    """The agents of a society. This class starts and stops their modules."""

    def __init__(self, time: Time, seed: int) -> None:
        self._time = time
        self._seed = seed
        self._lives: list[Any] = []
        # Receives the error that ends the society: a bug, an exhausted budget or a lost world.
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, agent: Agent, modules: Mapping[str, float], quantum: float = 0.0) -> None:
        """Start an agent's modules. Each module first runs after a random part of its period.

        Args:
            agent: the agent.
            modules: a mapping from names of modules (see :data:`MODULES`) to periods in seconds.
            quantum: start times are rounded down to multiples of this many seconds, so that more
                modules run at the same time and simulated time can advance in larger steps.

        Raises:
            ValueError: a module does not exist or has an invalid period (:func:`check_modules`).
        """
        check_modules(modules)
        agent.belief = None if AWARENESS in modules else Belief()
        agent.has_eyes = FIRST in modules
        chance = random.Random(f"{self._seed} {agent.name} phases")
        for number, (name, run) in enumerate(MODULES.items()):
            # A start time is also drawn for modules that the agent lacks. Leaving out a module
            # therefore does not change the start times of the others.
            part = chance.random()
            if name not in modules:
                continue
            phase = part * modules[name]
            if quantum:
                phase = phase // quantum * quantum
            key = agent.index * len(MODULES) + number
            firsts = (0.0, phase) if name == FIRST else (phase,)
            # A bound method is a single object, while partial() would create two objects.
            rhythm = Schedule(MethodType(run, agent), firsts, modules[name], key, self._fail)
            self._lives.append(self._time.repeat(rhythm))

    def _fail(self, error: Exception) -> None:
        if not self.broken.done():
            self.broken.set_exception(error)

    async def end(self) -> None:
        under_way = [task for life in self._lives if (task := life.end()) is not None]
        await asyncio.gather(*under_way, return_exceptions=True)
        self._lives.clear()
