"""A game of the grid in an arena on a server: bots walk from cell to cell, and use what is there.

The kernel decides what a step comes to. Bots carry it out by what any agent's program could do:
they walk, use piles and stations, whose rules a referee keeps by the server's account, and put into
the chest and take from it. Then the server is asked where everybody is and what everybody holds;
where that is not what the kernel has, the game has failed.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence

from grid.adasociety.vector import VectorGame
from records import events
from worlds.grid_stage import Standing, standing
from worlds.layout import Block, BlockMap, Cell
from worlds.minecraft.land import MinecraftLand
from worlds.protocol import FaultError

#: Of a bot's program for one step, in game seconds; the way across the map is the longest.
STEP_TIMEOUT_S = 60.0
#: How often a bot sets out for a cell before the game has failed.
ATTEMPTS = 3
#: How often the server is asked until it says what it should, and how long between, in game
#: seconds.
LOOKS, LOOK_S = 200, 0.1


class ArenaStage:
    """A game on a server; see :class:`worlds.grid_stage.Stage`."""

    def __init__(self, land: MinecraftLand, blocks: BlockMap, rules: Sequence[str]) -> None:
        """Take over a world; ``blocks``: of each cell; ``rules``: commands for all of it."""
        self._land = land
        self._session = land.session
        self._map = blocks
        self._rules = list(rules)

    async def build(self, table: VectorGame, agents: Sequence[str]) -> None:
        """Build the arena, and let everybody go to where it begins."""
        self._table, self._agents = table, agents
        self._told: dict[tuple[str, str], Mapping[str, object]] = {}
        self._rows = self._standing()
        async with self._land.guarded():
            await self._land.build(self._map.layout, self._rules)
            await asyncio.gather(*(self._land.body(name).prepare() for name in agents))
            await self._all_do([_walk(self._map.place(row.cell)) for row in self._rows])
        self._began = self._session.writer.clock.now()

    async def begin(self) -> None:
        """Record how everybody stands, by the server."""
        async with self._land.guarded():
            await self._check()

    async def step(self) -> None:
        """Let bots do what the kernel's last step has them do, and check what came of it.

        Raises:
            FaultError: it is not as the kernel has it.
        """
        before, self._rows = self._rows, self._standing()
        programs = [self._program(*pair) for pair in zip(before, self._rows, strict=True)]
        async with self._land.guarded():
            await self._all_do(programs)
            await self._check()

    def seconds(self) -> float:
        """Return the game seconds since everybody was at its place."""
        return round(self._session.writer.clock.now() - self._began, 2)

    def _standing(self) -> list[Standing]:
        return standing(self._table, self._table.names.resources)

    # --- What bots do ----------------------------------------------------------------------------

    def _program(self, before: Standing, after: Standing) -> str:
        """Return the program of one agent's step; empty: it does nothing."""
        if before.cell != after.cell:
            return _walk(self._map.place(after.cell))
        held, now = Counter(before.holds), Counter(after.holds)
        gained, lost = now - held, held - now
        if not gained and not lost:
            return ""
        if before.cell == self._map.chest:
            return self._exchange(gained, lost)
        return f"await useBlock(bot, new Vec3{self._map.block(before.cell)})"

    def _exchange(self, gained: Mapping[str, int], lost: Mapping[str, int]) -> str:
        """Return the program that puts into the chest what was lost, and takes what was gained."""
        primitive = "getItemFromChest" if gained else "depositItemIntoChest"
        named = (f"{self._map.items[r]}: {n}" for r, n in (gained or lost).items())
        return (
            f"await {primitive}(bot, new Vec3{self._map.block(self._map.chest)}, "
            f"{{{', '.join(named)}}})"
        )

    async def _all_do(self, programs: Sequence[str]) -> None:
        triples = zip(self._agents, self._rows, programs, strict=True)
        await asyncio.gather(*(self._do(*one) for one in triples if one[2]))

    async def _do(self, agent: str, row: Standing, program: str) -> None:
        """Let a bot do its part; one that did not get to its cell sets out again."""
        bot, place = self._session.world.bodies[agent], self._map.place(row.cell)
        said, walk = "", _walk(place)
        for _ in range(ATTEMPTS):
            result = await bot.run(program, STEP_TIMEOUT_S)
            said = result.error.message if result.error else result.status
            if program != walk and result.status != "done":
                await self._fail(f"{agent} could not do what it did on the grid: {said}")
            if result.status == "done" and await self._is_in(agent, place):
                return
            program = walk
        await self._fail(f"{agent} did not get to {_words(row.cell)}: {said}")

    async def _is_in(self, agent: str, place: Block) -> bool:
        x, _, z = await self._session.world.position(agent)
        return (math.floor(x), math.floor(z)) == (place[0], place[2])

    # --- The account -----------------------------------------------------------------------------

    async def _check(self) -> None:
        """Compare with the kernel what the server says, and record it."""
        for agent, row in zip(self._agents, self._rows, strict=True):
            due = {self._map.items[name]: units for name, units in row.holds.items()}

            async def is_here(agent: str = agent, row: Standing = row) -> bool:
                return await self._is_in(agent, self._map.place(row.cell))

            async def holds(agent: str = agent, due: Mapping[str, int] = due) -> bool:
                return await self._land.inventory(agent) == due

            if not await self._comes_true(is_here):
                await self._fail(f"{agent} is not at {_words(row.cell)} by the server's account")
            if not await self._comes_true(holds):
                found = await self._land.inventory(agent)
                await self._fail(f"{agent} holds {found} by the server's account, not {due}")
            self._note(events.Inventory, agent, items=due, value=row.score)
            self._note(events.GroupsChanged, agent, groups=dict(row.groups))

    async def _comes_true(self, question: Callable[[], Awaitable[bool]]) -> bool:
        """Ask again and again, until the answer is yes."""
        for _ in range(LOOKS):
            if await question():
                return True
            await self._session.writer.clock.sleep(LOOK_S)
        return False

    def _note(self, kind: type[events.Event], agent: str, **fields: object) -> None:
        """Record how an agent stands, where that has changed."""
        key = (kind.__name__, agent)
        if self._told.get(key) != fields:
            self._told[key] = fields
            self._session.note(kind, agent, **fields)

    async def _fail(self, message: str) -> None:
        """Record that the world is not what it should be.

        Raises:
            FaultError: always.
        """
        self._session.note(events.Fault, where="server", message=message)
        raise FaultError(message)


def _walk(place: Block) -> str:
    return f"await goTo(bot, new Vec3{place}, 0)"


def _words(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"
