"""A commons in Minecraft: red mushrooms on podzol, and bots who walk from cell to cell.

The substrate decides what a step comes to. Bots carry it out: they walk, they look, they dig the
mushroom that they take, and who is hit is put into a pen. Then the server is asked where everybody
is and how many mushrooms each has dug, which is what counts. Where that is not what the substrate
has, the game has failed. Mushrooms grow by the substrate's draws alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

from bots.agents.turns import Cell
from bridge import HostPlan, WorldError
from records import RunWriter, events
from records.events import Position
from server import RconError, ServerState
from worlds.commons.stage import Note, Step
from worlds.commons.table import STEPS, CommonsTable
from worlds.layout import Block, Layout, Source
from worlds.minecraft.session import MinecraftSession, faults_as_errors, open_session
from worlds.protocol import FaultError
from worlds.standstill import Standstill

MUSHROOM, GROUND, BARE = "red_mushroom", "podzol", "coarse_dirt"
FLOOR, WALL = "grass_block", "stone_bricks"
#: Feet level, as in other arenas; the map's walls, and the barrier around everything.
GROUND_Y, WALL_HEIGHT, BARRIER_HEIGHT = 151, 2, 3
#: Rows beside the map where the pen is, with the barrier.
PEN_ROWS = 4
#: Of a bot's program for one step, in game seconds.
STEP_TIMEOUT_S = 30.0
#: How often a bot sets out for a cell before the game has failed.
ATTEMPTS = 3
#: How often the server is asked until it says what it should, and how long between, in game
#: seconds.
LOOKS, LOOK_S = 200, 0.1
#: Scoreboard's objective: mushrooms dug by each player.
DUG = "commons.dug"
#: How fast things grow by themselves on the server.
GROWTH_RULE = "randomTickSpeed"

_RULE = re.compile(r"(\d+)\D*$")


class MinecraftStage:
    """A commons on a server; see :class:`worlds.commons.stage.Stage`.

    A row of the map is an x, a column a z.
    """

    def __init__(self, session: MinecraftSession) -> None:
        self._session = session
        self._growth: str | None = None

    # --- Building --------------------------------------------------------------------------------

    async def build(self, table: CommonsTable, note: Note) -> None:
        """Build the map, and put everybody where the substrate has them."""
        self._table, self._note = table, note
        self._dug = dict.fromkeys(table.names, 0)
        world = self._session.world
        async with faults_as_errors(self._session):
            if self._growth is None:
                found = _RULE.search(await world.ask(f"gamerule {GROWTH_RULE}"))
                self._growth = found[1] if found else "3"
            await world.edit(f"gamerule {GROWTH_RULE} 0")
            await self._session.reset(layout_of(table))
            await world.objective(DUG, f"minecraft.mined:minecraft.{MUSHROOM}")
            await asyncio.gather(*(world.bodies[name].prepare() for name in table.names))
        self._began = self._session.writer.clock.now()

    async def close(self) -> None:
        """Let things on the server grow as they did before."""
        if self._growth is not None:
            await self._session.world.edit(f"gamerule {GROWTH_RULE} {self._growth}")

    async def placed(self) -> None:
        """Do nothing: bots tell where they are."""

    # --- A step ----------------------------------------------------------------------------------

    async def act(self, step: Step) -> None:
        """Let bots do what players did, and check by the server what came of it.

        Raises:
            FaultError: it is not as the substrate has it.
        """
        ate = {one.agent for one in step.happened if one.what == "eaten"}
        fired = {one.agent for one in step.happened if one.what == "fired"}
        async with faults_as_errors(self._session):
            await asyncio.gather(
                *(
                    self._do(i, step, ate=name in ate, fired=name in fired)
                    for i, name in enumerate(self._table.names)
                )
            )
            await self._check_places()
            await self._count(ate)

    async def _do(self, player: int, step: Step, *, ate: bool, fired: bool) -> None:
        """Let one bot do what its player did: walk, look, fire; or go into the pen or out."""
        table = self._table
        name, cell, is_out = table.names[player], table.cells[player], table.out[player]
        if step.out[player]:
            if not is_out:
                await self._put(name, standing_at(cell))
            return
        has_moved = cell != step.cells[player]
        lines = [_dig(cell)] if ate else []
        if has_moved:
            lines.append(_walk(cell))
        if table.headings[player] != step.headings[player] or fired:
            lines.append(_look(cell, table.headings[player]))
        if fired:
            lines.append("bot.swingArm('right')")
        if lines:
            await self._run(name, "\n".join(lines), cell)
        if is_out:
            await self._put(name, in_pen(player))

    async def _run(self, name: str, program: str, cell: Cell) -> None:
        """Run a bot's program; where it did not get to its cell it sets out again."""
        body = self._session.world.bodies[name]
        said = ""
        for _ in range(ATTEMPTS):
            result = await body.run(program, STEP_TIMEOUT_S)
            said = result.error.message if result.error else said
            at = await self._session.world.position(name)
            if (math.floor(at[0]), math.floor(at[2])) == cell and result.status == "done":
                return
            program = _walk(cell)
        if said:
            await self._fail(f"{name} did not get to {_words(cell)}: {said}")

    async def _put(self, name: str, place: Position) -> None:
        """Put a player somewhere, and wait until its body is there."""
        x, y, z = place
        await self._session.world.edit(f"tp {name} {x:.2f} {y:.2f} {z:.2f}")

        async def is_there() -> bool:
            seen = await self._session.world.observe(name)
            return math.dist(seen.position, place) < 1

        if not await self._comes_true(is_there):
            await self._fail(f"{name} was put to {_words((int(x), int(z)))} and is not there")

    async def _comes_true(self, question: Callable[[], Awaitable[bool]]) -> bool:
        """Ask again and again, until the answer is yes."""
        for _ in range(LOOKS):
            if await question():
                return True
            await self._session.writer.clock.sleep(LOOK_S)
        return False

    async def _check_places(self) -> None:
        """Check that everybody is in the cell, or the pen, where the substrate has them."""
        for i, name in enumerate(self._table.names):
            pen = in_pen(i)
            there = (
                (math.floor(pen[0]), math.floor(pen[2]))
                if self._table.out[i]
                else self._table.cells[i]
            )

            async def is_there(name: str = name, there: Cell = there) -> bool:
                x, _, z = await self._session.world.position(name)
                return (math.floor(x), math.floor(z)) == there

            if not await self._comes_true(is_there):
                await self._fail(f"{name} is not at {_words(there)} by the server's account")

    async def _count(self, ate: Iterable[str]) -> None:
        """Take the server's count of mushrooms that players have dug, and compare it."""
        world, due = self._session.world, self._table.eaten
        for name in ate:

            async def is_counted(name: str = name) -> bool:
                return await world.score(name, DUG) >= due[name]

            await self._comes_true(is_counted)
        for name in self._table.names:
            dug = await world.score(name, DUG)
            if new := dug - self._dug[name]:
                fields = {"action": "dug", "item": MUSHROOM, "count": new}
                self._session.note(events.LedgerEntry, name, **fields)
            self._dug[name] = dug
            if dug != due[name]:
                await self._fail(f"{name} has dug {dug} mushrooms by the server, not {due[name]}")

    # --- What happens by itself ------------------------------------------------------------------

    async def show(self, step: Step) -> None:
        """Let mushrooms stand where the substrate has apples, on the ground that sites have."""
        changed = {one.cell for one in step.happened if one.what in ("eaten", "grown")}
        bared = [one.cell for one in step.happened if one.what == "vanished"]
        back = [one.cell for one in step.happened if one.what in ("grown", "returned")]
        async with faults_as_errors(self._session):
            for cell in bared:
                await self._set(BARE, _below(cell))
            for cell in back:
                await self._set(GROUND, _below(cell))
            for cell in changed & self._table.apples:
                await self._set(MUSHROOM, _at(cell))
            await self._check_mushrooms(changed)

    async def _set(self, block: str, place: Block) -> None:
        """Let a block stand somewhere; a server that has it there already says so, and is right."""
        await self._session.world.ask(f"setblock {_words(place)} {block}")

    async def _check_mushrooms(self, cells: Iterable[Cell]) -> None:
        for cell in cells:
            due = cell in self._table.apples

            async def is_so(cell: Cell = cell, due: bool = due) -> bool:
                line = f"execute if block {_words(_at(cell))} {MUSHROOM}"
                return ("passed" in await self._session.world.ask(line)) == due

            if not await self._comes_true(is_so):
                is_there = "no mushroom" if due else "a mushroom"
                await self._fail(f"there is {is_there} at {_words(cell)} by the server's account")

    # --- The account -----------------------------------------------------------------------------

    async def taken(self) -> Mapping[str, int]:
        """Return how many mushrooms each has dug, by the server; all sites are looked at again."""
        async with faults_as_errors(self._session):
            await self._count(())
            await self._check_mushrooms(self._table.sites)
        return dict(self._dug)

    def seconds(self) -> float:
        """Return the game seconds since the map was built."""
        return round(self._session.writer.clock.now() - self._began, 2)

    async def _fail(self, message: str) -> None:
        """Record that the world is not what it should be.

        Raises:
            FaultError: always.
        """
        self._session.note(events.Fault, where="server", message=message)
        raise FaultError(message)


@asynccontextmanager
async def open_stage(
    state: ServerState,
    writer: RunWriter,
    players: tuple[str, ...],
    standstill: Standstill,
    hosts: HostPlan | None = None,
) -> AsyncIterator[MinecraftStage]:
    """Let players join a server; all leave at the end, and the server is as it was.

    Raises:
        RconError: the server's RCON does not answer.
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


def layout_of(table: CommonsTable) -> Layout:
    """Return a commons as an arena, with a pen beside it, as the table has it now."""
    rows, columns = table.size
    y = GROUND_Y
    walls = [
        (WALL, ((r, y, c), (r, y + WALL_HEIGHT - 1, c))) for r, c in sorted(table.walls)
    ]  # fmt: skip
    sites = sorted(table.sites)
    return Layout(
        x=(-PEN_ROWS - 1, rows - 1),
        z=(0, max(columns - 1, 2 * len(table.names) + 2)),
        ground_y=y,
        wall_height=BARRIER_HEIGHT,
        floor=FLOOR,
        ground=walls,
        sources={MUSHROOM: Source(MUSHROOM)},
        blocks={  # the ground first: a mushroom does not stand on grass in the light
            GROUND: [_below(cell) for cell in sites],
            MUSHROOM: [_at(cell) for cell in sites if cell in table.apples],
        },
        starts={
            name: standing_at(cell) for name, cell in zip(table.names, table.cells, strict=True)
        },
    )


def standing_at(cell: Cell) -> Position:
    """Return where somebody stands in a cell."""
    return cell[0] + 0.5, float(GROUND_Y), cell[1] + 0.5


def in_pen(player: int) -> Position:
    """Return where a player stands that is out."""
    return standing_at((-PEN_ROWS // 2 - 1, 2 * player + 1))


def _at(cell: Cell) -> Block:
    return cell[0], GROUND_Y, cell[1]


def _below(cell: Cell) -> Block:
    return cell[0], GROUND_Y - 1, cell[1]


def _words(place: Sequence[int]) -> str:
    return " ".join(map(str, place))


def _walk(cell: Cell) -> str:
    return f"await goTo(bot, new Vec3{_at(cell)}, 0)"


def _dig(cell: Cell) -> str:
    """Return the program that takes a mushroom, once the bot has been told that it stands there."""
    return f"""
const place = new Vec3{_at(cell)}
for (let n = 0; n < 100 && bot.blockAt(place)?.name !== '{MUSHROOM}'; n++) await bot.waitForTicks(1)
await bot.dig(bot.blockAt(place), true)
"""


def _look(cell: Cell, heading: int) -> str:
    row, column = STEPS[heading]
    x, y, z = standing_at((cell[0] + row, cell[1] + column))
    return f"await bot.lookAt(new Vec3({x}, {y + 1.62}, {z}), true)"
