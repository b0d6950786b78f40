"""Arenas that are built on a running Minecraft server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.protocol import PolicyFormat, as_policy
from voxpolis.bridge.protocol import Observation
from voxpolis.records import events
from voxpolis.records.programs import RunResult
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft import observation_text
from voxpolis.worlds.minecraft.people import PersonBody
from voxpolis.worlds.minecraft.server_statistics import ServerStatistics
from voxpolis.worlds.minecraft.session import MinecraftSession, faults_as_errors
from voxpolis.worlds.protocol import (
    Account,
    ActionLog,
    Dynamics,
    Ending,
    EndReason,
    Episode,
    FaultError,
    Lateness,
)

POLL_PERIOD_S = 1.0
# A program may run slightly longer than the episode, so that the end of the episode stops it.
CODE_SLACK_S = 30.0
# Height above the arena at which blocks are copied to count them, in blocks.
COUNTING_HEIGHT = 30

_CLONED = re.compile(r"Successfully cloned (\d+) block")


class MinecraftBody:
    """The body of an agent in Minecraft, which is a bot; see :class:`bots.agents.protocol.Body`."""

    format: PolicyFormat = JAVASCRIPT

    def __init__(
        self,
        session: MinecraftSession,
        name: str,
        perceive: Callable[[Observation], str] = observation_text.observation,
    ) -> None:
        self.name = name
        self.last: RunResult | None = None
        self._session = session
        self._perceive = perceive
        self._running: asyncio.Task[RunResult] | None = None
        self.begin(0.0, 0)

    def begin(self, program_limit_s: float, seed: int) -> None:
        """Start an episode.

        Args:
            program_limit_s: maximum duration of a program, in game seconds.
            seed: seed for the random numbers of the first program. Each later program uses the next
                seed.
        """
        self.last = None
        self._limit_s = program_limit_s
        self._next_seed = seed

    async def prepare(self) -> None:
        """Prepare a JavaScript engine, so that the next program starts without delay."""
        await self._session.world.bodies[self.name].prepare()

    async def observe(self) -> str:
        return self._perceive(await self._session.world.observe(self.name))

    async def inventory(self) -> Mapping[str, int]:
        return await self._session.world.inventory(self.name)

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Run a program to its end. Each program has its own seed for random numbers."""
        seed = self._next_seed
        self._next_seed += 1
        bot, policy = self._session.world.bodies[self.name], as_policy(policy, self.name)
        self._running = asyncio.ensure_future(bot.run(policy, self._limit_s, seed, skills or {}))
        try:
            self.last = await asyncio.shield(self._running)
        finally:
            if not self._running.done():
                self._running.add_done_callback(_retrieve)
        return self.last

    async def stop(self, reason: str) -> None:
        if self._running is None or self._running.done():
            return
        await self._session.world.bodies[self.name].stop(reason)
        self.last = await self._running


def _retrieve(task: asyncio.Task[RunResult]) -> None:
    """Read the exception of an abandoned task, because asyncio warns about exceptions that are
    never read.
    """
    if not task.cancelled():
        task.exception()


class MinecraftArena:
    """A world of arenas in Minecraft; see :class:`worlds.protocol.World`."""

    kind = "minecraft"
    format: PolicyFormat = JAVASCRIPT

    def __init__(self, session: MinecraftSession, agents: Sequence[str]) -> None:
        self.session = session
        self._agents = tuple(agents)
        self._account = Account({}, {}, ActionLog())
        seats = session.people.seats
        self._bodies: dict[str, MinecraftBody | PersonBody] = {
            name: PersonBody(session.world, name, seats[name])
            if name in seats
            else MinecraftBody(session, name)
            for name in agents
        }
        self._counting = asyncio.Lock()
        session.listeners.append(self._hear)
        session.keeps_all = True

    @property
    def seen(self) -> list[events.Event]:
        return self.session.seen

    def begin(self, episode: int) -> None:
        self.session.writer.begin_episode(episode)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        self.session.note(kind, agent, **fields)

    def body(self, agent: str) -> MinecraftBody | PersonBody:
        return self._bodies[agent]

    async def build(self, layout: Layout, seed: int) -> None:
        async with faults_as_errors(self.session):
            await self.session.reset(layout)
            await self.session.draw_loot_from(seed)
        self._layout = layout
        self._account = Account({}, {}, ActionLog())
        for body in self._bodies.values():
            body.begin(layout.limit_s + CODE_SLACK_S, seed)

    def _hear(self, event: events.Event) -> None:
        if isinstance(event, events.Signal) and event.agent is not None:
            self._account.log.signals[event.agent] += 1

    # --- Playing ---------------------------------------------------------------------------------

    async def run(self, episode: Episode) -> Ending:
        async with faults_as_errors(self.session):
            try:
                return await self._run(episode)
            finally:
                for life in episode.lives.values():
                    life.close()  # avoids Python's warning about coroutines that never started

    async def _run(self, episode: Episode) -> Ending:
        session, clock = self.session, self.session.writer.clock
        # Programs wait for their engines; the episode starts when all are ready.
        await asyncio.gather(*(self._bodies[agent].prepare() for agent in episode.lives))
        statistics = ServerStatistics(
            session.world, self._agents, tuple(self._layout.sources), self._layout.chest
        )
        await statistics.open(await session.world.inventories(self._agents))
        began = clock.now()
        living = {agent: asyncio.ensure_future(life) for agent, life in episode.lives.items()}
        fault = asyncio.create_task(session.fault())
        ticking = asyncio.create_task(self.let_happen(episode.dynamics))
        watching = asyncio.create_task(self._watch(statistics, living.values(), episode, began))
        try:
            await asyncio.wait({watching, fault}, return_when=asyncio.FIRST_COMPLETED)
            if fault.done():
                raise FaultError(fault.result())
            reason = await watching
            if ticking.done():
                ticking.result()
            stopping = (self._bodies[agent].stop("the episode is over") for agent in living)
            await asyncio.gather(*stopping)
            await self._look(statistics, began)
            episode.watch(self._account)
            for agent, place in self._account.positions.items():
                self.note(events.PositionSampled, agent, position=place)
        finally:
            leftovers = [watching, fault, ticking, *living.values()]
            for task in leftovers:
                task.cancel()
            await asyncio.gather(*leftovers, return_exceptions=True)
        return Ending(reason, round(clock.now() - began, 2))

    async def _watch(
        self,
        statistics: ServerStatistics,
        living: Collection[asyncio.Future[None]],
        episode: Episode,
        began: float,
    ) -> EndReason:
        clock = self.session.writer.clock
        lives = list(living)
        while True:
            await self._look(statistics, began)
            if episode.watch(self._account):
                return "all_gained"
            left = episode.limit_s - (clock.now() - began)
            if left <= 0:
                return "time_limit"
            pause = clock.wall_seconds(min(POLL_PERIOD_S, left))
            done, running = await asyncio.wait(lives, timeout=pause)
            for task in done:
                task.result()
            if not running:
                return "policies_ended"

    async def _look(self, statistics: ServerStatistics, began: float) -> None:
        world, log = self.session.world, self._account.log
        inventories = await world.inventories(self._agents)
        places = await asyncio.gather(*(world.position(agent) for agent in self._agents))
        for entry in await statistics.read(inventories):
            log.add(entry.agent, entry.action, entry.item, entry.count)
            fields = {"action": entry.action, "item": entry.item, "count": entry.count}
            self.note(events.LedgerEntry, entry.agent, **fields)
        positions = {
            agent: (round(x, 2), round(y, 2), round(z, 2))
            for agent, (x, y, z) in zip(self._agents, places, strict=True)
        }
        for person in self.session.people.seats:  # bots report their own positions
            self.note(events.PositionSampled, person, position=positions[person])
        passed = self.session.writer.clock.now() - began
        self._account = Account(inventories, positions, log, round(passed, 2))

    async def let_happen(self, dynamics: Dynamics | None) -> None:
        """Run the dynamics once per game second. If a call is late, the next calls follow at
        once.
        """
        if dynamics is None:
            return
        clock = self.session.writer.clock
        began, second = clock.now(), 0
        while True:
            second += 1
            await clock.sleep(began + second - clock.now())
            await dynamics.tick(self)

    def account(self) -> Account:
        """Return the newest account: from the last query or, after an episode, from the end of the
        episode.
        """
        return self._account

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        """Count how many of the given positions contain a certain kind of block.

        The server counts the blocks while it copies them. The box around the positions is copied
        level by level to a place high above, and the server reports how many blocks it has copied.
        Apart from air, the box must not contain other kinds of blocks.
        """
        return sum([await self._copied(level) for level in _levels(places)])

    async def _copied(self, places: Sequence[Block]) -> int:
        xs, zs = [x for x, _, _ in places], [z for _, _, z in places]
        a, b, c, d, y = min(xs), max(xs), min(zs), max(zs), places[0][1]
        above = y + COUNTING_HEIGHT
        line = f"clone {a} {y} {c} {b} {y} {d} {a} {above} {c} masked"
        async with self._counting:  # concurrent copies would overwrite each other
            await self.session.world.edit(f"fill {a} {above} {c} {b} {above} {d} air")
            copied = _CLONED.search(await self.session.world.edit(line))
        return int(copied[1]) if copied else 0

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        for x, y, z in places:
            await self.session.world.edit(f"fill {x} {y} {z} {x} {y} {z} {block} keep")

    async def announce(self, text: str) -> None:
        await self.session.world.edit(f"say {text}")

    async def check_speed(self, seconds: float) -> Lateness | None:
        async with faults_as_errors(self.session):
            return await self.session.check_speed(seconds)


def _levels(places: Sequence[Block]) -> list[list[Block]]:
    return [[p for p in places if p[1] == y] for y in sorted({p[1] for p in places})]
