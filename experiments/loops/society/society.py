"""Societies of PIANO agents: the loop that lets them live, and its record.

A society lives in a village or a country, for so many seconds, into a run's record. On the grid
time is simulated, so a run that was cut off is resumed by playing it again from its seed, without
asking anybody what is in the record, up to where it ended, and on from there.
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
from voxpolis.experiments.loops.society.words_and_deeds import Claim, WordsAndDeeds
from voxpolis.records import Event, RunWriter, events
from voxpolis.worlds.society import SocietyWorld
from voxpolis.worlds.trades import TradeWorld

# How often it is looked whether a society in real time is over, in its seconds.
LOOK_S = 0.25
# How often it is looked what people hold, where the world records positions itself.
HOLDINGS_S = 10.0
# So many objects more than there were, and garbage is looked for: most are memories, which stay.
GARBAGE_EVERY = 200_000
# The module that decides.
CONTROLLER = "controller"
# What minds are asked of which nothing comes by itself: who only thinks does not act.
THOUGHTS = (GoalRequest.role, PlanRequest.role, ReflectRequest.role)

# Called with each utterance: who spoke, the words, and who heard them.
Listener = Callable[[str, str, list[str]], None]


@dataclass(frozen=True)
class Member:
    """A person of a society.

    ``traits``: what it is told of itself; ``modules``: with their periods, in seconds; ``places``:
    those that it knows by name; ``home``: its town, for the record of its goals; ``broadcast``:
    whether its decisions condition its speech; ``digest_characters``: how much of its state its
    mind is told at most; ``standing``: what holds for it from the beginning, by subject;
    ``keeps_profiles``: whether it writes a line on each other person that it hears or sees.
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
    """One society from its beginning to its end, and its record.

    ``listeners`` are called with each utterance; ``words`` says how far what was said fits what was
    done and is so.
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
        """Begin a society without agents.

        ``seed``: of the moments at which modules begin; ``thinking_s``: how long a thought takes in
        simulated time; ``timeout_s``: how long the model has on the wall's clock, None: as long as
        it takes; ``position_every_s``: how often positions are recorded, None: the world does that
        itself; ``quantum_s``: modules begin at whole multiples of so many seconds, which lets
        simulated time pass in larger steps.
        """
        self.world, self.time = world, time
        self.agents: dict[str, Agent] = {}
        self.listeners: list[Listener] = []
        self._writer, self._model, self._actions = writer, model, actions
        self._homes: dict[str, str] = {}
        self._deciding: set[str] = set()
        self.words = WordsAndDeeds(world, actions, time.now, self._deny)
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
        """Record an event of the scenario's own."""
        self._writer.event(kind, agent, **fields)

    async def every(self, seconds: float, look: Callable[[], None]) -> None:
        """Look at something again and again, until cancelled."""
        while True:
            await self.time.sleep(seconds, key=-1)
            look()

    def say(self, name: str, text: str) -> None:
        """Let a person say something that its mind was not asked for; those near hear it."""
        self._speak(name, text, self.agents[name].body.say(text))

    def _note(self, name: str, kind: type[Event], fields: dict[str, Any]) -> None:
        """Record an event of an agent; those near hear what it says."""
        if kind is events.Spoke:
            self._speak(name, **fields)
            return
        if kind is events.Decided:
            self.words.decided(name, fields["action"])
        if kind is events.GoalSet:
            fields["home"] = self._homes[name]
        self._writer.event(kind, name, **fields)

    def _speak(self, name: str, text: str, hearers: list[str]) -> None:
        place = self.world.position(name)
        self._writer.event(events.Spoke, name, text=text, hearers=hearers, position=place)
        self.words.said(name, text, self.agents[name].body.inventory())
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
        """Let everybody live for so long, with ``works`` such as institutions beside them.

        ``is_busy``: whether something that has begun must still end. In simulated time all that
        belongs to the last moment has happened; a server's clock goes on meanwhile.

        Raises:
            Exception: what broke the society, if something did.
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
            await asyncio.gather(*tasks, return_exceptions=True)  # they have a record to write

    async def _sample(self) -> None:
        """Record where people are, where the world does not, and what they hold as it changes."""
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

    # --- What came of it -------------------------------------------------------------------------

    def _deny(self, name: str, text: str, claim: Claim) -> None:
        self._writer.event(events.ClaimDenied, name, text=text, claim=claim.kind, item=claim.item)

    def outcome(self) -> dict[str, Any]:
        """Return what is measured of every society.

        Returns:
            ``words_and_deeds``: see :meth:`WordsAndDeeds.outcome`; by agent ``faults``, how often
            its mind gave no answer that could be used, by kind, and ``failed_actions``, how many of
            its decisions did nothing, by verb; ``acted``: the agents that decided, and of those
            that never do, those that said or wrote anything but thoughts.
        """
        found: dict[str, Any] = {"words_and_deeds": self.words.outcome(), "acted": []}
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
    """Look for garbage rarely, from before people settle: nearly all that is made stays."""
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
    """Look through what was no garbage once never again; so much has come that it needs pages."""
    if phase == "stop":
        gc.freeze()
        move_into_large_pages()


async def _guarded(work: Coroutine[Any, Any, None], broken: asyncio.Future[None]) -> None:
    try:
        await work
    except Exception as error:
        if not broken.done():
            broken.set_exception(error)


# --- Memory in large pages, where the system has them ---------------------------------------------
#
# A society of thousands is looked at all over: hardly anything of who wakes is in the processor's
# caches, and to find out where each page of 4 kB lies takes it an eighth of its time
# (``docs/benchmarks.md``). Linux moves what a process has into pages of 2 MB where it is asked to.

# Says how large such pages are, in bytes, where there are any.
SIZE_FILE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
MAPS_FILE = Path("/proc/self/maps")
# What madvise(2) calls it, since Linux 6.1.
MADV_COLLAPSE = 25


def move_into_large_pages() -> None:
    """Move this process's memory into large pages; where there are none nothing happens.

    What is there already stays, so that it can be asked for again and again as memory grows.
    """
    try:
        size = int(SIZE_FILE.read_text())
        maps = MAPS_FILE.read_text()
    except (OSError, ValueError):
        return
    madvise = ctypes.CDLL(None).madvise
    for line in maps.splitlines():
        span, mode, _, _, inode, *name = line.split()
        # only what can be written to, and belongs to no file
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(part, 16) for part in span.split("-"))
            first, behind = -(-start // size) * size, end // size * size
            if first < behind:  # a system that does not know how refuses, and all stays as it is
                madvise(ctypes.c_void_p(first), ctypes.c_size_t(behind - first), MADV_COLLAPSE)
