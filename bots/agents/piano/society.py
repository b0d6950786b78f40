"""A society: every module of every agent by a rhythm of its own, in one time."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable, Coroutine, Mapping
from types import MethodType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.expecting import Belief
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
from voxpolis.bots.time import LEAST_S, Rhythm, Time

# Does what there is to do, and returns what has to be waited for, if anything has.
Module = Callable[[Agent], Coroutine[Any, Any, None] | None]
T = TypeVar("T", bound=Mapping[str, float])

# The ten modules and the controller, each with the seconds from one run to the next. Of agents
# that wake at the same moment the modules run in this order: reflexes come first. Source:
# social goals every 5 to 10 s (Project Sid); the others are ours.
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
# What each module does when it runs.
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
# The baseline of the paper's ablations: skill execution, memory and the controller; here with
# the eyes and the reflexes that a body cannot do without.
ABLATED = {
    name: FULL[name]
    for name in ("reflexes", "perception", "memory", "controller", "skill_execution")
}
# What the modules that think ask for, once each time that they run: roles by name.
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
    """Return how often an agent is asked at most in its life, by role.

    ``modules``: seconds between two runs; ``thinking_s``: how long a thought takes, with all
    answers to its question.
    """
    return {
        ASKED[name]: math.floor(seconds / (period + thinking_s)) + 1
        for name, period in modules.items()
        if name in ASKED
    }


def check_modules(modules: T) -> T:
    """Return modules and their periods as they are.

    Raises:
        ValueError: there is no such module, or it would run again and again at one moment.
    """
    unknown = sorted(set(modules) - set(MODULES))
    if unknown:
        raise ValueError(f"there is no module {unknown[0]}; there are: {', '.join(MODULES)}")
    for name, period in modules.items():
        if not LEAST_S <= period < math.inf:
            raise ValueError(
                f"module {name}: a period is a number of seconds, {LEAST_S:g} at least"
            )
    return modules


async def run_once(name: str, agent: Agent) -> None:
    """Let a module of an agent run once to its end."""
    work = MODULES[name](agent)
    if work is not None:
        await work


# The module that also runs when an agent's life begins: before it, it knows not where it is.
FIRST = "perception"
# The module without which an agent believes what it expects.
AWARENESS = "action_awareness"
# The modules of a society's agents, as a setting: seconds from one run to the next, by name.
Periods = Annotated[dict[str, float], AfterValidator(check_modules)]


class Society:
    """Lets agents live: starts their modules, and ends them."""

    def __init__(self, time: Time, seed: int) -> None:
        self._time = time
        self._seed = seed
        self._lives: list[Any] = []
        # What broke the society, if something did: a bug, a budget, a world that is gone.
        self.broken: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, agent: Agent, modules: Mapping[str, float], quantum: float = 0.0) -> None:
        """Let an agent live with some modules, each beginning at a moment of its own.

        ``modules``: seconds between two runs, by the names of :data:`MODULES`; ``quantum``: begin
        at whole multiples of so many seconds, which lets simulated time pass in larger steps.

        Raises:
            ValueError: see :func:`check_modules`.
        """
        check_modules(modules)
        agent.belief = None if AWARENESS in modules else Belief()
        agent.has_eyes = FIRST in modules
        chance = random.Random(f"{self._seed} {agent.name} phases")
        for number, (name, run) in enumerate(MODULES.items()):
            # drawn for all: to leave a module out moves no other one
            part = chance.random()
            if name not in modules:
                continue
            phase = part * modules[name]
            if quantum:
                phase = phase // quantum * quantum
            key = agent.index * len(MODULES) + number
            firsts = (0.0, phase) if name == FIRST else (phase,)
            # as its method: one object, of which partial() makes two
            rhythm = Rhythm(MethodType(run, agent), firsts, modules[name], key, self._fail)
            self._lives.append(self._time.repeat(rhythm))

    def _fail(self, error: Exception) -> None:
        if not self.broken.done():
            self.broken.set_exception(error)

    async def end(self) -> None:
        under_way = [task for life in self._lives if (task := life.end()) is not None]
        await asyncio.gather(*under_way, return_exceptions=True)
        self._lives.clear()
