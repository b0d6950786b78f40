"""A society: runs each module of each agent with its own period, on a shared clock."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Coroutine, Mapping
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
from voxpolis.bots.time import LEAST_S, Schedule, Time

# Runs a module once; returns an awaitable if the module has to wait.
Module = Callable[[Agent], Coroutine[Any, Any, None] | None]
T = TypeVar("T", bound=Mapping[str, float])

# The ten modules and the controller, each with its period in seconds. At the same moment, modules
# run in this order, so that reflexes come first. Source: social goals every 5 to 10 s (Project
# Sid); the other periods are ours.
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
# Implementation of each module.
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
# Baseline of the paper's ablations: skill execution, memory and the controller; here with
# perception and reflexes, which a body needs.
ABLATED = {
    name: FULL[name]
    for name in ("reflexes", "perception", "memory", "controller", "skill_execution")
}
# Roles that each thinking module asks, once per run.
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
    """Return the maximum number of questions in an agent's lifetime, by role.

    ``modules``: periods in seconds; ``thinking_s``: duration of a thought including retries.
    """
    return {
        ASKED[name]: math.floor(seconds / (period + thinking_s)) + 1
        for name, period in modules.items()
        if name in ASKED
    }


def check_modules(modules: T) -> T:
    """Check modules and their periods, and return them.

    Raises:
        ValueError: there is no such module, or its period is not positive.
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
    """Run an agent's module once, to completion."""
    work = MODULES[name](agent)
    if work is not None:
        await work


# This module also runs when an agent's life begins, because the agent has no position until then.
FIRST = "perception"
# An agent without this module believes that its expectations came true.
AWARENESS = "action_awareness"
# Setting for the modules of a society's agents: periods in seconds by name.
Periods = Annotated[dict[str, float], AfterValidator(check_modules)]


class Society:
    """Runs agents: starts their modules, and ends them."""

    def __init__(self, time: Time, seed: int) -> None:
        self._time = time
        self._seed = seed
        self._lives: list[Any] = []
        # Error that ended the society, if any: a bug, an exhausted budget, a lost world.
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, agent: Agent, modules: Mapping[str, float], quantum: float = 0.0) -> None:
        """Start an agent's modules, each at its own random phase.

        Args:
            agent: the agent.
            modules: periods in seconds, by the names of :data:`MODULES`.
            quantum: round start times to multiples of this many seconds, so that simulated time can
                advance in larger steps.

        Raises:
            ValueError: see :func:`check_modules`.
        """
        check_modules(modules)
        agent.belief = None if AWARENESS in modules else Belief()
        agent.has_eyes = FIRST in modules
        chance = random.Random(f"{self._seed} {agent.name} phases")
        for number, (name, run) in enumerate(MODULES.items()):
            # A phase is drawn for every module, even an omitted one, so that an ablation does not
            # shift the others.
            part = chance.random()
            if name not in modules:
                continue
            phase = part * modules[name]
            if quantum:
                phase = phase // quantum * quantum
            key = agent.index * len(MODULES) + number
            firsts = (0.0, phase) if name == FIRST else (phase,)
            # A bound method is one object; partial() would create two.
            rhythm = Schedule(MethodType(run, agent), firsts, modules[name], key, self._fail)
            self._lives.append(self._time.repeat(rhythm))

    def _fail(self, error: Exception) -> None:
        if not self.broken.done():
            self.broken.set_exception(error)

    async def end(self) -> None:
        under_way = [task for life in self._lives if (task := life.end()) is not None]
        await asyncio.gather(*under_way, return_exceptions=True)
        self._lives.clear()
