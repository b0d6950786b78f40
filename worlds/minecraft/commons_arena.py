"""The arena of a commons in Minecraft: mushrooms on podzol, dead bushes in a river, and a pen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from voxpolis.bots.agents.turns import Cell
from voxpolis.records.events import Position
from voxpolis.worlds.commons.stage import FRUIT
from voxpolis.worlds.commons.table import STEPS, CommonsTable
from voxpolis.worlds.layout import Block, Layout, Source

GROUND, BARE = "podzol", "coarse_dirt"
BUSH, BED = "dead_bush", "light_blue_terracotta"
FLOOR, WALL = "grass_block", "stone_bricks"
#: Feet level, as in other arenas; the map's walls, and the barrier around everything.
GROUND_Y, WALL_HEIGHT, BARRIER_HEIGHT = 151, 2, 3
#: Rows beside the map where the pen is, with the barrier.
PEN_ROWS = 4


@dataclass(frozen=True)
class Growth:
    """Something of the substrate's scenery that grows on the server and is dug there.

    Attributes:
        what: what the substrate's scenery calls it.
        block: as which block it stands.
        ground: what it stands on.
        objective: the scoreboard's, of how many each player has dug.
        cells: returns where it can stand.
        there: returns where it stands.
        due: returns how many each player has dug by the substrate.
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
    """Return what there is to dig in a commons."""
    return (APPLES, DIRT) if table.river else (APPLES,)


def layout_of(table: CommonsTable) -> Layout:
    """Return a commons as an arena, with a pen beside it, as the table has it now."""
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
        blocks={  # the ground first: a mushroom does not stand on grass in the light
            GROUND: [block_below(cell) for cell in sorted(table.sites)],
            **{one.block: [block_at(cell) for cell in sorted(one.there(table))] for one in growths},
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


def block_at(cell: Cell) -> Block:
    """Return what a cell is above the floor."""
    return cell[0], GROUND_Y, cell[1]


def block_below(cell: Cell) -> Block:
    """Return what a cell is in the floor."""
    return cell[0], GROUND_Y - 1, cell[1]


def walk(cell: Cell) -> str:
    """Return the program that goes to a cell."""
    return f"await goTo(bot, new Vec3{block_at(cell)}, 0)"


def dig(growth: Growth, cell: Cell) -> str:
    """Return the program that digs something, once the bot has been told that it stands there."""
    block = f"bot.blockAt(new Vec3{block_at(cell)})"
    return f"""
for (let n = 0; n < 100 && {block}?.name !== '{growth.block}'; n++) await bot.waitForTicks(1)
await bot.dig({block}, true)
"""


def look(cell: Cell, heading: int) -> str:
    """Return the program that looks in a direction from a cell."""
    row, column = STEPS[heading]
    x, y, z = standing_at((cell[0] + row, cell[1] + column))
    return f"await bot.lookAt(new Vec3({x}, {y + 1.62}, {z}), true)"
