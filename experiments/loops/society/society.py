"""The loop of societies of PIANO agents, and what it records.

A society lives for a number of seconds in a village or a country. On the grid, time is simulated.
An interrupted run is resumed as follows: the run is replayed from its seed with the recorded
answers, and then continues.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.agent import DIGEST_CHARACTERS, Agent, Heard
from voxpolis.bots.agents.piano.mind import Mind
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.goals import GoalRequest
from voxpolis.bots.agents.piano.modules.planning import PlanRequest
from voxpolis.bots.agents.piano.modules.self_reflection import ReflectRequest
from voxpolis.bots.agents.piano.society import Society
from voxpolis.bots.agents.piano.task import Standing
from voxpolis.bots.models import ChatModel
from voxpolis.bots.time import SimulatedTime, Time
from voxpolis.experiments.loops.society.statements import Claim, CoherenceMonitor
from voxpolis.records import Event, RunWriter, events
from voxpolis.worlds.society import SocietyWorld
from voxpolis.worlds.trades import TradeWorld

# How often a society in real time checks whether it is over, in seconds of its clock.
LOOK_S = 0.25
# How often inventories are checked if the world itself records positions, in seconds.
HOLDINGS_S = 10.0
# Number of additional objects that triggers a garbage collection. Most objects are memories, which
# stay alive.
GARBAGE_EVERY = 200_000
# The module that makes decisions.
CONTROLLER = "controller"
# Roles without consequences: an agent that only thinks is not counted as acting.
THOUGHTS = (GoalRequest.role, PlanRequest.role, ReflectRequest.role)

# Called with each utterance: speaker, words, hearers.
Listener = Callable[[str, str, list[str]], None]


@dataclass(frozen=True)
class Member:
    """A person in a society.

    ``traits`` describes the person in its own prompt. ``modules`` contains its modules with their
    periods in seconds. ``places`` contains the names of the places that it knows. ``home`` is its
    town, which is recorded with its goals. ``broadcast`` says whether its module ``talking`` knows
    its decisions. ``digest_characters`` is the maximum length of its state in prompts. ``standing``
    maps subjects to facts that it knows at the start. ``keeps_profiles`` says whether it writes a
    line about each person that it hears or sees.
    """

    name: str
    traits: str
    modules: Mapping[str, float]
    places: Sequence[str]
    home: str = ""
    broadcast: bool = True
    digest_characters: int = DIGEST_CHARACTERS
    standing: Mapping[str, Standing] = field(default_factory=dict)
    keeps_profiles: bool = False


class SocietyRun:
    """One society from start to end, and its record.

    ``listeners`` are called with each utterance. ``words`` measures how well utterances fit actions
    and facts. ``faults`` are faults of institutions that did not end the run.
    """

    def __init__(
        self,
        world: SocietyWorld,
        time: Time,
        writer: RunWriter,
        model: ChatModel,
        actions: ActionSet,
        *,
        seed: int,
        thinking_s: float,
        timeout_s: float | None,
        position_every_s: float | None,
        quantum_s: float = 0.0,
    ) -> None:
        """Prepare a society without agents.

        Args:
            world: the world of the society.
            time: the clock of the society.
            writer: writer of the record.
            model: the model of all agents.
            actions: the actions that are available.
            seed: seed of the times at which modules start.
            thinking_s: duration of a thought in simulated time.
            timeout_s: wall-clock time limit for an answer; None for no limit.
            position_every_s: time between recorded positions; None if the world records positions.
            quantum_s: modules start at multiples of this time, so that simulated time advances in
                larger steps.
        """
        self.world, self.time = world, time
        self.agents: dict[str, Agent] = {}
        self.listeners: list[Listener] = []
        self.faults: list[str] = []
        self._writer, self._model, self._actions = writer, model, actions
        self._homes: dict[str, str] = {}
        self._deciding: set[str] = set()
        self.words = CoherenceMonitor(world, actions, time.now, self._deny)
        self._thinking_s, self._timeout_s = thinking_s, timeout_s
        self._position_every_s, self._quantum_s = position_every_s, quantum_s
        self._society = Society(time, seed)
        if isinstance(world, TradeWorld):
            world.listeners.append(
                lambda one: self.note(events.ActionDone, one.agent, **one.fields())
            )

    def add_agent(self, member: Member) -> Agent:
        """Add a person to the society, and return its agent.

        Raises:
            ValueError: one of its modules does not exist.
        """
        name, index = member.name, len(self.agents)

        def note(kind: type[Event], **fields: Any) -> None:
            self._note(name, kind, fields)

        mind = Mind(
            self._model,
            name,
            index,
            self.time,
            note,
            thinking_s=self._thinking_s,
            timeout_s=self._timeout_s,
        )
        agent = Agent(
            name=name,
            traits=member.traits,
            index=index,
            body=self.world.body(name),
            time=self.time,
            mind=mind,
            actions=self._actions,
            note=note,
            places=tuple(member.places),
            people=self.agents.keys(),
            broadcast=member.broadcast,
            digest_characters=member.digest_characters,
            standing=dict(member.standing),
            profiles={} if member.keeps_profiles else None,
        )
        self.agents[name] = agent
        note(events.Introduced, traits=member.traits, modules=sorted(member.modules))
        self._homes[name] = member.home
        if CONTROLLER in member.modules:
            self._deciding.add(name)
        self._society.add(agent, member.modules, self._quantum_s)
        return agent

    def note(self, kind: type[Event], agent: str | None = None, **fields: Any) -> None:
        """Record an event that the scenario reports."""
        self._writer.event(kind, agent, **fields)

    async def every(self, seconds: float, look: Callable[[], None]) -> None:
        """Call the function ``look`` every ``seconds`` seconds, until the task is cancelled."""
        while True:
            await self.time.sleep(seconds, key=-1)
            look()

    def say(self, name: str, text: str) -> None:
        """Let a person say something without asking its mind. People who are near enough hear
        it.
        """
        self._speak(name, text, self.agents[name].body.say(text))

    def _note(self, name: str, kind: type[Event], fields: dict[str, Any]) -> None:
        """Record an event of an agent. If the agent says something, people who are near enough hear
        it.
        """
        if kind is events.Spoke:
            self._speak(name, **fields)
            return
        if kind is events.Decided:
            self.words.on_decision(name, fields["action"])
        if kind is events.GoalSet:
            fields["home"] = self._homes[name]
        self._writer.event(kind, name, **fields)

    def _speak(self, name: str, text: str, hearers: list[str]) -> None:
        place = self.world.position(name)
        self._writer.event(events.Spoke, name, text=text, hearers=hearers, position=place)
        self.words.on_utterance(name, text, self.agents[name].body.inventory())
        heard = Heard(self.time.now(), name, text)
        for hearer in hearers:
            self.agents[hearer].listen(heard)
        for listener in self.listeners:
            listener(name, text, hearers)

    async def run_for(
        self,
        seconds: float,
        works: Sequence[Coroutine[Any, Any, None]],
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        """Run all agents for a number of seconds, together with ``works`` such as institutions.

        With a server's clock, the society ends when the time is up and ``is_busy`` returns False.
        In simulated time, ``is_busy`` is not needed, because everything that is due at the last
        moment happens before the end.

        Raises:
            Exception: the error of an agent or of an institution.
        """
        broken = self._society.broken
        tasks = [self.time.start(_guarded(work, broken)) for work in (*works, self._sample())]
        try:
            if isinstance(self.time, SimulatedTime):
                second = 0.0
                while second < seconds and not broken.done():
                    second = min(second + 1.0, seconds)
                    await self.time.pass_until(second)
            else:
                while not broken.done() and ((left := seconds - self.time.now()) > 0 or is_busy()):
                    await self.time.sleep(min(LOOK_S, left) if left > 0 else LOOK_S)
            if broken.done():
                broken.result()
        finally:
            for task in tasks:
                task.cancel()
            await self._society.end()
            await asyncio.gather(*tasks, return_exceptions=True)  # they still write to the record

    async def _sample(self) -> None:
        """Record inventories that have changed. Also record positions, unless the world does so."""
        held: dict[str, Mapping[str, int]] = {}
        while self.agents:
            for name, agent in self.agents.items():
                if self._position_every_s is not None:
                    place = self.world.position(name)
                    self._writer.event(events.PositionSampled, name, position=place)
                items = {item: n for item, n in agent.body.inventory().items() if n}
                if items != held.get(name, {}):
                    held[name] = items
                    self._writer.event(events.Inventory, name, items=items)
            await self.time.sleep(self._position_every_s or HOLDINGS_S, key=-1)

    # --- Results ---------------------------------------------------------------------------------

    def _deny(self, name: str, text: str, claim: Claim) -> None:
        self._writer.event(events.ClaimDenied, name, text=text, claim=claim.kind, item=claim.item)

    def outcome(self) -> dict[str, Any]:
        """Return the measures that every society has.

        Returns:
            ``statements`` is explained in :meth:`CoherenceMonitor.outcome`. ``faults`` counts, for
            each agent, answers that could not be used, by cause. ``failed_actions`` counts, for
            each agent, decisions that had no effect, by verb. ``acted`` lists the agents that have
            decided something. For an agent that is never asked for such decisions, any usable
            answer counts that is not a thought.
        """
        found: dict[str, Any] = {"statements": self.words.outcome(), "acted": []}
        found |= {"faults": {}, "failed_actions": {}}
        for name, agent in self.agents.items():
            if agent.mind.faults:
                found["faults"][name] = dict(agent.mind.faults)
            if agent.task.failures:
                found["failed_actions"][name] = dict(agent.task.failures)
            decides, answers = name in self._deciding, agent.mind.answers
            counted = {DecideRequest.role} if decides else {*answers} - {*THOUGHTS}
            if any(answers[role] > 0 for role in counted):
                found["acted"].append(name)
        return found


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect garbage rarely while the context is open, because nearly all new objects stay
    alive.
    """
    often = gc.get_threshold()
    gc.set_threshold(GARBAGE_EVERY, *often[1:])
    gc.freeze()
    gc.callbacks.append(_keep)
    try:
        yield
    finally:
        gc.callbacks.remove(_keep)
        gc.unfreeze()
        gc.set_threshold(*often)


def _keep(phase: str, _info: Mapping[str, int]) -> None:
    """After a garbage collection, exclude all surviving objects from later collections, and move
    newly used memory into large pages.
    """
    if phase == "stop":
        gc.freeze()
        move_into_large_pages()


async def _guarded(work: Coroutine[Any, Any, None], broken: asyncio.Future[None]) -> None:
    try:
        await work
    except Exception as error:
        if not broken.done():
            broken.set_exception(error)


# --- Memory in large pages, if the system has them ------------------------------------------------
#
# The memory accesses of a society of thousands are scattered: hardly anything that a waking agent
# needs is in the processor's caches, and address translation with 4 kB pages takes an eighth of the
# time (``docs/reference/benchmarks.md``). Linux moves memory into 2 MB pages on request.

# System file with the size of large pages in bytes, if they are supported.
SIZE_FILE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
MAPS_FILE = Path("/proc/self/maps")
# Constant for madvise(2), since Linux 6.1.
MADV_COLLAPSE = 25


def move_into_large_pages() -> None:
    """Move the memory of this process into large pages, if the system supports this.

    Memory that already is in large pages stays there, so calling this function again when memory
    has grown is cheap.
    """
    try:
        size = int(SIZE_FILE.read_text())
        maps = MAPS_FILE.read_text()
    except (OSError, ValueError):
        return
    madvise = ctypes.CDLL(None).madvise
    for line in maps.splitlines():
        span, mode, _, _, inode, *name = line.split()
        # Only writable memory that is not mapped from a file.
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(part, 16) for part in span.split("-"))
            first, behind = -(-start // size) * size, end // size * size
            if first < behind:  # an unsupported system refuses, which does no harm
                madvise(ctypes.c_void_p(first), ctypes.c_size_t(behind - first), MADV_COLLAPSE)
