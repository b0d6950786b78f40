"""A session on a running Minecraft server: the agents' bodies, and the recording of their
events.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from voxpolis.bots.agents.person import Seat
from voxpolis.bridge import Bridge, BridgeError, HostPlan, MinecraftWorld, WorldError
from voxpolis.bridge.protocol import Movement, Primitives
from voxpolis.records import RunWriter, events
from voxpolis.records.events import Position
from voxpolis.records.interventions import PauseRequests
from voxpolis.records.text import many
from voxpolis.server import RconError, RconPool, ServerState, autospeed
from voxpolis.server.state import read_password
from voxpolis.worlds.layout import Layout
from voxpolis.worlds.minecraft.people import People
from voxpolis.worlds.minecraft.standing_blocks import StandingBlocks
from voxpolis.worlds.protocol import FaultError, Lateness
from voxpolis.worlds.server_pauses import Standstill

# --- Pauses of a game in Minecraft ----------------------------------------------------------------
# A file in the run's folder requests a pause (``python -m experiments pause`` and ``continue``).
# While it exists, the server's clock stands still, and so do all agents, limits and records. Models
# may answer in the meantime.

LOOK_S = 0.25


class Pauses:
    """Pauses the game as long as the pause file exists."""

    def __init__(self, folder: Path, standstill: Standstill, note: Callable[..., None]) -> None:
        """Start without a pause, even if an earlier run was interrupted during a pause."""
        self._wish = PauseRequests(folder)
        self._standstill = standstill
        self._note = note
        self._since: float | None = None

    async def watch(self) -> None:
        while True:
            await self._follow(self._wish.now())
            await asyncio.sleep(LOOK_S)

    async def end(self) -> None:
        await self._follow(False)
        self._wish.forget()

    async def _follow(self, is_asked: bool) -> None:
        if is_asked and self._since is None:
            self._since = time.monotonic()
            await self._standstill.__aenter__()
            self._note(events.Intervention, action="pause", by=self._wish.by())
        elif not is_asked and self._since is not None:
            passed = f"after {time.monotonic() - self._since:.1f} s of wall-clock time"
            self._since = None
            self._note(events.Intervention, action="continue", by=self._wish.by(), text=passed)
            await self._standstill.__aexit__(None, None, None)


# Seconds within which agents must arrive, and additional seconds per agent.
SETTLE_TIMEOUT_S, SETTLE_EACH_S = 20.0, 1.0
SETTLE_WITHIN_BLOCKS = 0.1
SETTLE_ON_LAND_BLOCKS = 1.0
# Number of parallel RCON connections. A process that is busy with many people gets only a few turns
# per second, and each connection executes one command per turn.
AGENTS_PER_CONNECTION, MOST_CONNECTIONS = 50, 8
# Seconds to wait for an answer. A machine that is busy with hundreds of people answers late. If the
# server dies, the connection closes anyway.
PATIENCE_S = 60.0
# Range of the ``random`` command: signed 32-bit integers.
LARGEST_SEED = 2**31

# Commands that are sent before each episode. All rules are those of plain Minecraft, and unneeded
# rules do no harm.
HOUSE_RULES = [
    "gamerule doDaylightCycle false",
    "gamerule doWeatherCycle false",
    "gamerule doMobSpawning false",
    "gamerule doFireTick false",
    "gamerule keepInventory true",
    "gamerule fallDamage false",
    "gamerule announceAdvancements false",
    "difficulty peaceful",
    "time set noon",
]
# How often this process checks whether it gets its turn in time, the shortest delay that counts,
# and the number of delays kept.
DELAY_LOOK_S, LEAST_DELAY_S, MOST_DELAYS = 0.05, 0.01, 100_000
# Seconds to wait for the event that reports a fault, since a failed call often comes first.
CAUSE_TIMEOUT_S = 2.0
# If the game advances by less than this many game seconds in this many seconds of real time, it has
# stalled. All limits of programs and bots are in game time, so that none of them ends a stall.
LEAST_PROGRESS_S, STALL_S, STALL_LOOK_S = 2.0, 120.0, 1.0
# Number of events that a session keeps in memory unless an arena, whose judges read
# whole episodes, needs all. Thirty agents cause as many in three minutes.
MOST_SEEN = 10_000


class MinecraftSession:
    """A Minecraft world together with a recorder that writes every event of the bots to the run's
    record.
    """

    def __init__(
        self,
        world: MinecraftWorld,
        writer: RunWriter,
        bots: Sequence[str] = (),
        people: People | None = None,
    ) -> None:
        """Start a session. ``bots`` are the agents with bots; ``people`` play the others."""
        self.world = world
        self.writer = writer
        self.people = people or People(world)
        self._bots = frozenset(bots)
        # The newest events of the current episode, in order; all of them if ``keeps_all`` is set.
        self.seen: list[events.Event] = []
        self.keeps_all = False
        # Called with each bot event after it has been recorded.
        self.listeners: list[Callable[[events.Event], None]] = []
        self._standing = StandingBlocks()
        # How many bodies were lost and have rejoined, by reason.
        self._lost: Counter[str] = Counter()
        self._fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        # Delays of this process: the game time at which each ended, and its length in game seconds.
        self._delays: deque[tuple[float, float]] = deque(maxlen=MOST_DELAYS)

    async def record(self) -> None:
        async for told in self.world.bridge.events():
            happened = self._standing.news(told)
            if happened is not None:
                happened = self.people.heard(happened, self._bots)
            if happened is None:
                continue
            event = self.writer.adopt(happened)
            self._keep(event)
            for listener in self.listeners:
                listener(event)
            if isinstance(event, events.BodyLost):
                self._lost[event.message] += 1
                self._standing.lost(event.agent)
            if isinstance(event, events.Fault) and not self._fault.done():
                who = f"{event.agent}: " if event.agent else ""
                self._fault.set_result(f"{who}{event.message}")

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        self._keep(self.writer.event(kind, agent, **fields))

    def _keep(self, event: events.Event) -> None:
        self.seen.append(event)
        if not self.keeps_all and len(self.seen) > MOST_SEEN:
            del self.seen[: MOST_SEEN // 2]

    async def check_speed(self, seconds: float) -> Lateness | None:
        """Record and return a fault if the machine did not keep up with the game clock.

        The game clock waits for a busy machine. Time is still lost if the machine stalls for
        seconds, or if clients for which the clock does not wait are late. The check looks at the
        time lost during the last ``seconds`` of game time and compares it with
        :data:`server.autospeed.MAX_LATENESS`. Servers that do not report this time (Paper) are not
        checked. The measurements are recorded.
        """
        answer = await self.world.ask(autospeed.lateness_query(seconds))
        share = autospeed.lateness_fraction(answer)
        since = self.writer.now() - seconds
        # As for the server and the bots, the longest delay in each second counts.
        delays: dict[int, float] = {}
        for at, delay in self._delays:
            if at >= since:
                delays[int(at)] = max(delay, delays.get(int(at), 0.0))
        lost = min(1.0, sum(delays.values()) / max(seconds, 1e-3))
        most = None if share is None else max(share, lost)
        self.note(
            events.PaceMeasured,
            speed=self.writer.clock.speed,
            load=round(os.getloadavg()[0], 2),
            lost=None if most is None else round(most, 3),
            longest_ms={
                **autospeed.longest_delays_ms(answer),
                "python": round(max(delays.values(), default=0.0) * 1000),
            },
        )
        if share is None or share <= autospeed.MAX_LATENESS:
            return None
        self.note(events.TimeLost, share=share)
        late = Lateness(share)
        self.note(events.Fault, where="server", message=late.message)
        return late

    async def watch_delays(self) -> None:
        """Measure repeatedly how much later than requested this process wakes up from a sleep. Such
        delays also delay the agents' decisions.
        """
        while True:
            began = time.monotonic()
            await asyncio.sleep(DELAY_LOOK_S)
            late = time.monotonic() - began - DELAY_LOOK_S
            if late > LEAST_DELAY_S:
                self._delays.append((self.writer.now(), late * self.writer.clock.speed))

    async def watch_stalls(self, standstill: Standstill) -> None:
        """Report a fault if game time hardly passes although nobody has asked for a pause."""
        clock = self.writer.clock
        since, began = time.monotonic(), clock.now()
        while (passed := time.monotonic() - since) < STALL_S:
            await asyncio.sleep(STALL_LOOK_S)
            if standstill.is_wanted or clock.now() - began >= LEAST_PROGRESS_S:
                since, began = time.monotonic(), clock.now()
        told = f"the game advanced by only {clock.now() - began:.1f} s in {passed:.0f} s"
        self.note(events.Fault, where="server", message=told)
        if not self._fault.done():
            self._fault.set_result(told)

    def losses(self) -> list[str]:
        """Return the lines of the result about agents that lost their bodies and rejoined, with one
        line for each cause of such losses.
        """
        return [
            f"{many(count, 'agent')} lost the body and rejoined; their programs ended, and "
            f"the record lacks events in between (see body_lost events): {why}"
            for why, count in self._lost.items()
        ]

    async def fault(self) -> str:
        return await asyncio.shield(self._fault)

    async def fault_within(self, timeout_s: float) -> str | None:
        try:
            return await asyncio.wait_for(self.fault(), timeout_s)
        except TimeoutError:
            return None

    async def reset(self, layout: Layout, mode: str = "survival") -> None:
        """Build an arena. Put the agents at their starts, with empty inventories and in game mode
        ``mode``.

        Raises:
            FaultError: the server did not build the arena, or an agent does not get to its start.
            WorldError: the server refuses a command.
        """
        self.seen.clear()
        await self.people.are_here()
        await self.world.reset([*HOUSE_RULES, *layout.commands(), "kill @e[type=item]"])
        await self._check_arena(layout)
        self.note(events.WorldBuilt, **layout.scenery(), boxes=layout.boxes())
        self._standing = StandingBlocks(layout)
        for agent, (x, y, z) in layout.starts.items():
            await self.world.edit(f"clear {agent}")
            await self.world.edit(f"gamemode {mode} {agent}")
            await self.world.edit(f"tp {agent} {x:.2f} {y:.2f} {z:.2f} 180 0")
        starts = layout.starts.items()
        arriving = asyncio.gather(*(self._settled(agent, place) for agent, place in starts))
        await self._arrived(arriving, len(starts), "at their places in the arena")

    async def _check_arena(self, layout: Layout) -> None:
        """Check that the server has placed all blocks and chests, so that no episode starts without
        them.
        """
        missing = [
            f"{block} at {x} {y} {z}"
            for block, places in layout.blocks.items()
            for x, y, z in places
            if "passed" not in await self.world.ask(f"execute if block {x} {y} {z} {block}")
        ]
        for place, held in layout.chests.items():
            if (found := await self.world.container(place)) != dict(held):
                missing.append(f"{dict(held)} in the chest, which contains {found}")
        if missing:
            message = f"the server did not build the arena; missing: {'; '.join(missing[:3])}"
            self.note(events.Fault, where="server", message=message)
            raise FaultError(message)

    async def draw_loot_from(self, seed: int) -> None:
        """Seed the drops of blocks. The n-th dug block of a kind then always drops the same."""
        await self.world.edit(f"random reset * {seed % LARGEST_SEED}")

    async def landed(self, agents: Iterable[str]) -> None:
        """Wait until each agent stands on loaded ground and has an empty inventory."""
        names = list(agents)
        arriving = asyncio.gather(*(self._on_land(agent) for agent in names))
        await self._arrived(arriving, len(names), "on land")

    async def _arrived(self, arriving: asyncio.Future[list[None]], count: int, where: str) -> None:
        """Wait until all agents have arrived. Raise an error after a time limit, in which pauses do
        not count.
        """
        clock = self.writer.clock
        limit_s = SETTLE_TIMEOUT_S + SETTLE_EACH_S * count
        limit = asyncio.create_task(clock.sleep(limit_s * clock.speed))
        try:
            either: list[asyncio.Future[Any]] = [arriving, limit]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if arriving.done():
                await arriving
                return
        finally:
            limit.cancel()
            arriving.cancel()
            await asyncio.gather(arriving, return_exceptions=True)
        message = f"the agents did not arrive {where}"
        self.note(events.Fault, where="server", message=message)
        raise FaultError(message)

    async def _on_land(self, agent: str) -> None:
        """Wait until the server and the bot agree on the agent's position and the terrain is
        loaded.
        """
        while True:
            seen = await self.world.observe(agent)
            at = await self.world.position(agent)
            away = max(abs(seen.position[axis] - at[axis]) for axis in range(3))
            if away < SETTLE_ON_LAND_BLOCKS and not seen.inventory and seen.nearby_blocks:
                return
            await asyncio.sleep(0.1)

    async def _settled(self, agent: str, place: Position) -> None:
        if agent not in self.world.bodies:
            await self.people.settled(agent, place)
            return
        while True:
            seen = await self.world.observe(agent)
            away = max(abs(seen.position[axis] - place[axis]) for axis in (0, 2))
            if away < SETTLE_WITHIN_BLOCKS and not seen.inventory and seen.nearby_blocks:
                return
            await asyncio.sleep(0.1)


@asynccontextmanager
async def open_session(
    state: ServerState,
    writer: RunWriter,
    agents: tuple[str, ...],
    movement: Movement = "careful",
    refereed: bool = False,
    seats: Mapping[str, Seat] | None = None,
    say: Callable[[str], None] = print,
    standstill: Standstill | None = None,
    primitives: Primitives = "strict",
    hosts: HostPlan | None = None,
    rejoins: bool = False,
) -> AsyncIterator[MinecraftSession]:
    """Connect to a server and let the agents join. When the context ends, all agents leave.

    Args:
        state: the running server.
        writer: writer of the run's record.
        agents: names of the agents.
        movement: see :class:`bridge.protocol.Spawn`.
        refereed: see :class:`bridge.protocol.Spawn`.
        seats: the seats of people; the session waits until all of these people have joined.
        say: prints where people can join.
        standstill: pauses the server's clock, if the server supports this.
        primitives: see :class:`bridge.protocol.Spawn`.
        hosts: which bots run on which hosts (Node processes).
        rejoins: whether an agent rejoins after its host or connection was lost. If False, such a
            loss is a fault.

    Raises:
        RconError: the server's RCON (remote console) does not answer.
        BridgeError: the agents cannot join.
    """
    host = "127.0.0.1" if state.host == "0.0.0.0" else state.host
    connections = min(MOST_CONNECTIONS, 1 + len(agents) // AGENTS_PER_CONNECTION)
    rcon = RconPool(host, state.rcon_port, read_password(), connections, PATIENCE_S)
    async with rcon, Bridge(state.clock(), hosts, rejoins) as bridge:
        world = MinecraftWorld(rcon, bridge, bridge.reachable(state.host), state.port)
        bots = [name for name in agents if name not in (seats or {})]
        people = People(world, seats or {}, f"{host}:{state.port}", say)
        session = MinecraftSession(world, writer, bots, people)
        standstill = standstill or Standstill()
        if state.clock_file is not None:
            await standstill.attach(world.ask)
        pauses = Pauses(writer.folder, standstill, session.note)
        watches = (session.record(), session.watch_delays(), session.watch_stalls(standstill))
        tasks = [asyncio.create_task(one) for one in watches]
        try:
            await world.enter(bots, movement, refereed, primitives)
            await people.are_here()
            tasks.append(asyncio.create_task(pauses.watch()))
            yield session
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(RconError):
                await pauses.end()


@asynccontextmanager
async def faults_as_errors(session: MinecraftSession) -> AsyncIterator[None]:
    """Convert errors of the bridge and the server to the fault that caused them.

    Raises:
        FaultError: the bridge, the server or a bot was lost.
    """
    try:
        yield
    except (BridgeError, RconError, WorldError) as error:
        cause = await session.fault_within(CAUSE_TIMEOUT_S)
        if cause is not None:
            raise FaultError(cause) from error
        where = "server" if isinstance(error, RconError | WorldError) else "bridge"
        session.note(events.Fault, None, where=where, message=str(error))
        raise FaultError(str(error)) from error
