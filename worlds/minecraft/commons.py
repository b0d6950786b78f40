"""A commons in Minecraft, with mushrooms on podzol, dead bushes in a river, and bots.

The substrate (the grid game) decides the outcome of a step, including where apples and dirt appear.
Bots carry the step out: they walk, turn, and dig mushrooms (the apples) and bushes (the dirt).
Players that are hit are moved into a pen. Then the server is asked for positions and for the number
of dug blocks. If its answers differ from the substrate's state, the game has failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from voxpolis.bots.agents.turns import Cell
from voxpolis.bridge import HostPlan, WorldError
from voxpolis.records import RunWriter, events
from voxpolis.records.events import Position
from voxpolis.server import RconError, ServerState
from voxpolis.worlds.commons.stage import FRUIT, Note, Step
from voxpolis.worlds.commons.table import STEPS, CommonsTable
from voxpolis.worlds.layout import Block, Layout, Source
from voxpolis.worlds.minecraft.bot_stage import BotStage
from voxpolis.worlds.minecraft.session import MinecraftSession, faults_as_errors, open_session
from voxpolis.worlds.server_pauses import Standstill

# The game rule for the rate of natural growth on the server.
GROWTH_RULE = "randomTickSpeed"

_RULE = re.compile(r"(\d+)\D*$")


class MinecraftStage(BotStage):
    """A commons on a server; see :class:`worlds.commons.stage.Stage`.

    Rows of the map follow the x axis, and columns follow the z axis.
    """

    def __init__(self, session: MinecraftSession) -> None:
        super().__init__(session)
        self._growth: str | None = None

    # --- Building --------------------------------------------------------------------------------

    async def build(self, table: CommonsTable, note: Note) -> None:
        self._table, self._note = table, note
        self._growths = growths_of(table)
        self._dug = {one: dict.fromkeys(table.names, 0) for one in self._growths}
        world = self._session.world
        async with faults_as_errors(self._session):
            if self._growth is None:
                found = _RULE.search(await world.ask(f"gamerule {GROWTH_RULE}"))
                self._growth = found[1] if found else "3"
            await world.edit(f"gamerule {GROWTH_RULE} 0")
            await self._session.reset(layout_of(table))
            for one in self._growths:
                await world.objective(one.objective, f"minecraft.mined:minecraft.{one.block}")
            await asyncio.gather(*(world.bodies[name].prepare() for name in table.names))
        self._begin()

    async def close(self) -> None:
        if self._growth is not None:
            await self._session.world.edit(f"gamerule {GROWTH_RULE} {self._growth}")

    async def placed(self) -> None:
        """Do nothing, because bots report their positions themselves."""

    # --- A step ----------------------------------------------------------------------------------

    async def act(self, step: Step) -> None:
        """Let the bots carry out the players' actions, and check the outcome on the server."""
        dug: dict[Growth, dict[str, Sequence[Cell]]] = {APPLES: {}, DIRT: {}}
        for one in step.happened:
            if one.what == "eaten":
                dug[APPLES][one.agent] = [one.cell]
            elif one.what == "cleaned":
                dug[DIRT][one.agent] = one.cleaned
        fired = {one.agent for one in step.happened if one.what == "fired"} | set(dug[DIRT])
        async with faults_as_errors(self._session):
            for what, row, column in sorted(step.fleeting):  # place it, so that a bot can dig it
                block = next(one.block for one in self._growths if one.what == what)
                await self._set(block, block_at((row, column)))
            await asyncio.gather(
                *(
                    self._do(i, step, dug, fires=name in fired)
                    for i, name in enumerate(self._table.names)
                )
            )
            await self._check_places()
            for growth in self._growths:
                await self._count(growth, dug[growth])

    async def _do(
        self,
        player: int,
        step: Step,
        dug: Mapping[Growth, Mapping[str, Sequence[Cell]]],
        *,
        fires: bool,
    ) -> None:
        table = self._table
        name, cell, is_out = table.names[player], table.cells[player], table.out[player]
        if step.out[player]:
            if not is_out:
                await self._put(name, standing_at(cell))
            return
        has_moved = cell != step.cells[player]
        lines = [dig(one, at) for one, by in dug.items() for at in by.get(name, ())]
        if has_moved:
            lines.append(walk(cell))
        if table.headings[player] != step.headings[player] or fires:
            lines.append(look(cell, table.headings[player]))
        if fires:
            lines.append("bot.swingArm('right')")
        if lines:
            await self._carry_out(name, "\n".join(lines), walk(cell), cell)
        if is_out:
            await self._put(name, in_pen(player))

    async def _put(self, name: str, place: Position) -> None:
        x, y, z = place
        await self._session.world.edit(f"tp {name} {x:.2f} {y:.2f} {z:.2f}")

        async def is_there() -> bool:
            seen = await self._session.world.observe(name)
            return math.dist(seen.position, place) < 1

        if not await self._comes_true(is_there):
            await self._fail(f"{name} was put to {_words((int(x), int(z)))} and is not there")

    async def _check_places(self) -> None:
        for i, name in enumerate(self._table.names):
            pen = in_pen(i)
            there = (
                (math.floor(pen[0]), math.floor(pen[2]))
                if self._table.out[i]
                else self._table.cells[i]
            )

            async def is_there(name: str = name, there: Cell = there) -> bool:
                return await self._is_in(name, there)

            if not await self._comes_true(is_there):
                await self._fail(f"{name} is not at {_words(there)} according to the server")

    async def _count(self, growth: Growth, by: Iterable[str]) -> None:
        """Check how many blocks each player has dug according to the server. The method first waits
        until the server has counted the blocks that the agents in ``by`` dug.
        """
        world, due = self._session.world, growth.due(self._table)
        for name in by:

            async def is_counted(name: str = name) -> bool:
                return await world.score(name, growth.objective) >= due[name]

            await self._comes_true(is_counted)
        for name in self._table.names:
            dug = await world.score(name, growth.objective)
            if new := dug - self._dug[growth][name]:
                fields = {"action": "dug", "item": growth.block, "count": new}
                self._session.note(events.LedgerEntry, name, **fields)
            self._dug[growth][name] = dug
            if dug != due[name]:
                named = f"{dug} {growth.name()}s by the server"
                await self._fail(f"{name} has dug {named}, not {due[name]}")

    # --- Autonomous changes ----------------------------------------------------------------------

    async def show(self, step: Step) -> None:
        """Place a mushroom for each apple of the substrate, and a dead bush for each dirty cell.

        The kind of ground at an empty site shows whether an apple can still grow there.
        """
        changed: dict[Growth, set[Cell]] = {
            APPLES: {one.cell for one in step.happened if one.what in ("eaten", "grown")},
            DIRT: {one.cell for one in step.happened if one.what == "dirtied"}
            | {cell for one in step.happened for cell in one.cleaned},
        }
        bared = [one.cell for one in step.happened if one.what == "vanished"]
        back = [one.cell for one in step.happened if one.what in ("grown", "returned")]
        async with faults_as_errors(self._session):
            for cell in bared:
                await self._set(BARE, block_below(cell))
            for cell in back:
                await self._set(GROUND, block_below(cell))
            for growth, cells in changed.items():
                for cell in sorted(cells & growth.there(self._table)):
                    await self._set(growth.block, block_at(cell))
                await self._check(growth, cells)

    async def _set(self, block: str, place: Block) -> None:
        """Set a block. If the block is already there, the server reports an error, which is
        ignored.
        """
        await self._session.world.ask(f"setblock {_words(place)} {block}")

    async def _check(self, growth: Growth, cells: Iterable[Cell]) -> None:
        there = growth.there(self._table)
        for cell in cells:
            due = cell in there

            async def is_so(cell: Cell = cell, due: bool = due) -> bool:
                line = f"execute if block {_words(block_at(cell))} {growth.block}"
                return ("passed" in await self._session.world.ask(line)) == due

            if not await self._comes_true(is_so):
                is_there = f"{'no' if due else 'a'} {growth.name()}"
                await self._fail(f"there is {is_there} at {_words(cell)} according to the server")

    # --- The account -----------------------------------------------------------------------------

    async def taken(self) -> Mapping[str, int]:
        """Compare all cells and all counts with the substrate, and return how many mushrooms each
        player has dug according to the server.
        """
        async with faults_as_errors(self._session):
            for growth in self._growths:
                await self._count(growth, ())
                await self._check(growth, growth.cells(self._table))
        return dict(self._dug[APPLES])


@asynccontextmanager
async def open_stage(
    state: ServerState,
    writer: RunWriter,
    players: tuple[str, ...],
    standstill: Standstill,
    hosts: HostPlan | None = None,
) -> AsyncIterator[MinecraftStage]:
    """Let the players join a server. At the end, restore the server's settings; the players leave.

    Raises:
        RconError: the server's RCON (remote console) does not answer.
        BridgeError: the players cannot join.
    """
    opening = open_session(state, writer, players, standstill=standstill, hosts=hosts)
    async with opening as session:
        stage = MinecraftStage(session)
        try:
            yield stage
        finally:
            with contextlib.suppress(RconError, WorldError):
                await stage.close()


def _words(place: Sequence[int]) -> str:
    return " ".join(map(str, place))


# --- The arena: mushrooms on podzol, dead bushes in a river, and a pen ----------------------------

GROUND, BARE = "podzol", "coarse_dirt"
BUSH, BED = "dead_bush", "light_blue_terracotta"
FLOOR, WALL = "grass_block", "stone_bricks"
# Height of the players' feet (as in other arenas), of the map's walls, and of the barrier around
# everything.
GROUND_Y, WALL_HEIGHT, BARRIER_HEIGHT = 151, 2, 3
# Rows of the pen next to the map, including the barrier.
PEN_ROWS = 4


@dataclass(frozen=True)
class Growth:
    """A kind of thing that grows in the commons and that players dig: mushrooms (the substrate's
    apples) or dead bushes (its dirt).

    Attributes:
        what: name of this kind in the substrate, ``apple`` or ``dirt``.
        block: the Minecraft block that stands for a thing of this kind.
        ground: the Minecraft block below that block.
        objective: the scoreboard objective that counts how many blocks each player has dug.
        cells: returns the cells where this kind can appear.
        there: returns the cells where the substrate has this kind now.
        due: returns how many each player has dug according to the substrate.
    """

    what: str
    block: str
    ground: str
    objective: str
    cells: Callable[[CommonsTable], Sequence[Cell]]
    there: Callable[[CommonsTable], frozenset[Cell]]
    due: Callable[[CommonsTable], Mapping[str, int]]

    def name(self) -> str:
        return self.block.removeprefix("red_").replace("_", " ")


APPLES = Growth(
    *("apple", FRUIT, GROUND, "commons.dug"),
    cells=lambda table: table.sites,
    there=lambda table: table.apples,
    due=lambda table: table.eaten,
)
DIRT = Growth(
    *("dirt", BUSH, BED, "commons.cleared"),
    cells=lambda table: table.river,
    there=lambda table: table.dirt,
    due=lambda table: table.cleaned,
)


def growths_of(table: CommonsTable) -> tuple[Growth, ...]:
    """Return the kinds of things that grow in a commons."""
    return (APPLES, DIRT) if table.river else (APPLES,)


def layout_of(table: CommonsTable) -> Layout:
    """Return the arena for a commons and its pen, in the table's current state."""
    rows, columns = table.size
    y = GROUND_Y
    ground = [(WALL, ((r, y, c), (r, y + WALL_HEIGHT - 1, c))) for r, c in sorted(table.walls)]
    ground += [(BED, (block_below(cell), block_below(cell))) for cell in sorted(table.river)]
    growths = growths_of(table)
    return Layout(
        x=(-PEN_ROWS - 1, rows - 1),
        z=(0, max(columns - 1, 2 * len(table.names) + 2)),
        ground_y=y,
        wall_height=BARRIER_HEIGHT,
        floor=FLOOR,
        ground=ground,
        sources={one.block: Source(one.block) for one in growths},
        blocks={  # place the ground first: mushrooms need podzol in light
            GROUND: [block_below(cell) for cell in sorted(table.sites)],
            **{one.block: [block_at(cell) for cell in sorted(one.there(table))] for one in growths},
        },
        starts={
            name: standing_at(cell) for name, cell in zip(table.names, table.cells, strict=True)
        },
    )


def standing_at(cell: Cell) -> Position:
    """Return the position of a player who stands in a cell."""
    return cell[0] + 0.5, float(GROUND_Y), cell[1] + 0.5


def in_pen(player: int) -> Position:
    """Return the position at which a player who is out of the game stands in the pen."""
    return standing_at((-PEN_ROWS // 2 - 1, 2 * player + 1))


def block_at(cell: Cell) -> Block:
    """Return the block of a cell that is just above the floor."""
    return cell[0], GROUND_Y, cell[1]


def block_below(cell: Cell) -> Block:
    """Return the floor block of a cell."""
    return cell[0], GROUND_Y - 1, cell[1]


def walk(cell: Cell) -> str:
    """Return a program that walks to a cell."""
    return f"await goTo(bot, new Vec3{block_at(cell)}, 0)"


def dig(growth: Growth, cell: Cell) -> str:
    """Return a program that waits until the bot sees the expected block and then digs it."""
    block = f"bot.blockAt(new Vec3{block_at(cell)})"
    return f"""
for (let n = 0; n < 100 && {block}?.name !== '{growth.block}'; n++) await bot.waitForTicks(1)
await bot.dig({block}, true)
"""


def look(cell: Cell, heading: int) -> str:
    """Return a program with which a bot in ``cell`` looks in a direction."""
    row, column = STEPS[heading]
    x, y, z = standing_at((cell[0] + row, cell[1] + column))
    return f"await bot.lookAt(new Vec3({x}, {y + 1.62}, {z}), true)"
