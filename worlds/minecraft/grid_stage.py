"""A grid game in an arena on a server, where bots walk from cell to cell and use blocks.

The kernel (the compiled grid game) decides the outcome of a step. Bots carry the step out with
ordinary primitives: they walk, use piles and stations, and exchange items through the chest. A
referee on the server enforces the rules of piles and stations. Then the server is asked for
positions and inventories. If they differ from the kernel's state, the game has failed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.records import events
from voxpolis.worlds.grid_stage import Standing, standing
from voxpolis.worlds.layout import Block, BlockMap, Cell
from voxpolis.worlds.minecraft.bot_stage import BotStage
from voxpolis.worlds.minecraft.land import MinecraftLand


class ArenaStage(BotStage):
    """A grid game on a server; see :class:`worlds.grid_stage.Stage`."""

    def __init__(self, land: MinecraftLand, blocks: BlockMap, rules: Sequence[str]) -> None:
        """Prepare the stage.

        Args:
            land: the Minecraft world.
            blocks: tells which blocks belong to which cells.
            rules: server commands that apply to the whole world.
        """
        super().__init__(land.session)
        self._land = land
        self._map = blocks
        self._rules = list(rules)

    async def build(self, table: VectorGame, agents: Sequence[str]) -> None:
        self._table, self._agents = table, agents
        self._told: dict[tuple[str, str], Mapping[str, object]] = {}
        self._rows = self._standing()
        async with self._land.guarded():
            await self._land.build(self._map.layout, self._rules)
            await asyncio.gather(*(self._land.body(name).prepare() for name in agents))
            await self._all_do([_walk(self._map.place(row.cell)) for row in self._rows])
        self._begin()

    async def begin(self) -> None:
        async with self._land.guarded():
            await self._check()

    async def step(self) -> None:
        before, self._rows = self._rows, self._standing()
        programs = [self._program(*pair) for pair in zip(before, self._rows, strict=True)]
        async with self._land.guarded():
            await self._all_do(programs)
            await self._check()

    def _standing(self) -> list[Standing]:
        return standing(self._table, self._table.names.resources)

    # --- Bots' programs --------------------------------------------------------------------------

    def _program(self, before: Standing, after: Standing) -> str:
        """Return the program with which a bot carries out its agent's step. The program is empty if
        the agent does nothing.
        """
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
        walk = _walk(self._map.place(row.cell))
        await self._carry_out(agent, program, walk, self._column(row), only_by_it=True)

    def _column(self, row: Standing) -> tuple[int, int]:
        x, _, z = self._map.place(row.cell)
        return x, z

    # --- The account -----------------------------------------------------------------------------

    async def _check(self) -> None:
        for agent, row in zip(self._agents, self._rows, strict=True):
            due = {self._map.items[name]: units for name, units in row.holds.items()}

            async def is_here(agent: str = agent, row: Standing = row) -> bool:
                return await self._is_in(agent, self._column(row))

            async def holds(agent: str = agent, due: Mapping[str, int] = due) -> bool:
                return await self._land.inventory(agent) == due

            if not await self._comes_true(is_here):
                await self._fail(f"{agent} is not at {_words(row.cell)} according to the server")
            if not await self._comes_true(holds):
                found = await self._land.inventory(agent)
                await self._fail(f"{agent} holds {found} by the server's account, not {due}")
            self._note(events.Inventory, agent, items=due, value=row.score)
            self._note(events.GroupsChanged, agent, groups=dict(row.groups))

    def _note(self, kind: type[events.Event], agent: str, **fields: object) -> None:
        key = (kind.__name__, agent)
        if self._told.get(key) != fields:
            self._told[key] = fields
            self._session.note(kind, agent, **fields)


def _walk(place: Block) -> str:
    return f"await goTo(bot, new Vec3{place}, 0)"


def _words(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"
