"""A Minecraft world in which agents live until the run ends: an arena, or natural terrain."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from voxpolis.bridge import BridgeError
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft.arena import MinecraftBody
from voxpolis.worlds.minecraft.observation_text import surroundings
from voxpolis.worlds.minecraft.session import MinecraftSession, faults_as_errors
from voxpolis.worlds.protocol import Lateness

# Minimum polling interval in wall-clock time. At high speeds, a game second would be too short.
MIN_PAUSE_WALL_S = 0.2
# Difference between the program seeds of two bodies. It is larger than the number of programs of
# any body, so no two programs have the same seed.
SEEDS_PER_RUN = 1000

_REMOVED = re.compile(r"Removed (\d+) item")


class MinecraftLand:
    """A Minecraft world for runs whose agents stay in the world until the run ends."""

    def __init__(
        self, session: MinecraftSession, agents: Sequence[str], program_limit_s: float, seed: int
    ) -> None:
        self.session = session
        self.listeners: list[Callable[[events.Event], None]] = []
        self._agents = tuple(agents)
        self._bodies = {name: MinecraftBody(session, name, surroundings) for name in agents}
        for body in self._bodies.values():
            body.begin(program_limit_s, seed * SEEDS_PER_RUN + 1)
        session.listeners = [self._hear]

    def _hear(self, event: events.Event) -> None:
        for listener in self.listeners:
            listener(event)

    def body(self, agent: str) -> MinecraftBody:
        return self._bodies[agent]

    def now(self) -> float:
        return self.session.writer.now()

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> None:
        self.session.note(kind, agent, **fields)

    async def build(self, layout: Layout, commands: list[str]) -> None:
        await self.session.reset(layout, mode="adventure")
        for command in commands:
            await self.session.world.edit(command)

    async def settle(self, rules: list[str], land: list[str]) -> None:
        world = self.session.world
        await world.reset(rules)
        for name in self._agents:
            await world.edit(f"clear {name}")
            await world.edit(f"gamemode survival {name}")
        for command in land:
            await world.edit(command)
        await self.session.landed(self._agents)

    async def pause(self, seconds: float) -> None:
        """Wait for ``seconds`` of game time, and at least for a short time on the wall clock."""
        clock = self.session.writer.clock
        await asyncio.gather(clock.sleep(seconds), asyncio.sleep(MIN_PAUSE_WALL_S))

    async def stop(self, agent: str) -> None:
        """Stop the program that an agent's body runs. An unreachable body is ignored."""
        with contextlib.suppress(BridgeError):
            await self.session.world.bodies[agent].stop("the run is over")

    async def fault(self) -> str:
        return await self.session.fault()

    def guarded(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager that converts errors of the server and the bridge to faults."""
        return faults_as_errors(self.session)

    async def check_speed(self, seconds: float) -> Lateness | None:
        async with self.guarded():
            return await self.session.check_speed(seconds)

    # --- Referee commands ------------------------------------------------------------------------

    async def inventory(self, agent: str) -> dict[str, int]:
        return await self.session.world.inventory(agent)

    async def position(self, agent: str) -> Position:
        return await self.session.world.position(agent)

    async def take(self, agent: str, item: str, count: int) -> int:
        """Take items away from an agent, and return how many were taken."""
        answer = await self.session.world.ask(f"clear {agent} {item} {count}")
        removed = _REMOVED.search(answer)
        return int(removed[1]) if removed else 0

    async def give(self, agent: str, item: str, count: int) -> None:
        await self.session.world.edit(f"give {agent} {item} {count}")

    async def drop(self, item: str, count: int, place: Block) -> None:
        x, y, z = place
        stack = f'{{Item:{{id:"minecraft:{item}",Count:{count}b}}}}'
        await self.session.world.edit(f"summon item {x} {y + 1} {z} {stack}")

    async def clear_block(self, place: Block) -> None:
        await self.session.world.edit(f"setblock {' '.join(map(str, place))} air")

    async def answer_use(self, agent: str, request: int, ok: bool, text: str) -> None:
        await self.session.world.bodies[agent].answer_use(request, ok, text)
