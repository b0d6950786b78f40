"""The layout of the synthesis arena, chosen at random in cells, and the same in both worlds.

The grid game uses the cells directly. In Minecraft a cell is a block, and neighbouring cells are
two blocks apart so that bodies can walk between the piles.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voxpolis.grid.adasociety.game import Game, Rules, with_changes
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, BlockMap, Cell, Layout

# Height of the agents' feet, and first cell (x, z) of the platform, which is high above the ground
# of any server.
GROUND_Y = 151
CORNER = (60, 60)
# Number of blocks from one cell to the next.
CELL_BLOCKS = 2
# Letters of the grid map: one per kind of pile and station, and one for the chest.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABDEFGHIJKLMNOPQRSTUVWXYZ"
_CHEST = "C"


@dataclass(frozen=True)
class Pile:
    """A pile of a resource, with its number of units."""

    resource: str
    units: int


@dataclass(frozen=True)
class Placement:
    """Positions on a map of ``size`` rows and columns.

    ``stations`` maps a cell to the event that can be carried out there. ``starts`` maps agents to
    the cells where they start. Its order is that in which the grid numbers the agents.
    """

    size: Cell
    piles: Mapping[Cell, Pile]
    stations: Mapping[Cell, str]
    chest: Cell
    starts: Mapping[str, Cell]

    def layout(self) -> Layout:
        x0, z0 = (corner - 2 for corner in CORNER)
        x1, z1 = (c + CELL_BLOCKS * n + 1 for c, n in zip(CORNER, self.size, strict=True))
        blocks: dict[str, list[Block]] = {}
        for cell, pile in self.piles.items():
            blocks.setdefault(PILE_BLOCKS[pile.resource], []).append(block(cell))
        for cell, event in self.stations.items():
            blocks.setdefault(STATION_BLOCKS[event], []).append(block(cell))
        return Layout(
            x=(x0, x1),
            z=(z0, z1),
            ground_y=GROUND_Y,
            wall_height=4,
            floor="smooth_stone",
            starts={agent: _feet(cell) for agent, cell in self.starts.items()},
            blocks=blocks,
            chests={block(self.chest): {}},
        )

    def block_map(self) -> BlockMap:
        return BlockMap(self.layout(), ITEMS, self.chest, block, beside)

    def game(self, rules: Rules, game: Game, jobs: Mapping[str, str], length: int) -> Game:
        """Convert the layout to a grid game of ``length`` steps.

        Raises:
            GameError: the game is invalid.
        """
        letters = iter(_LETTERS)
        legend: dict[str, dict[str, object]] = {_CHEST: {"chest": {}}}
        symbols: dict[Cell, dict[str, object]] = {
            cell: {"pile": pile.resource, "units": pile.units} for cell, pile in self.piles.items()
        }
        symbols |= {cell: {"event": event} for cell, event in self.stations.items()}
        rows = [["." for _ in range(self.size[1])] for _ in range(self.size[0])]
        for (row, column), symbol in symbols.items():
            known = (letter for letter, other in legend.items() if other == symbol)
            letter = next(known, None) or next(letters)
            legend[letter] = symbol
            rows[row][column] = letter
        rows[self.chest[0]][self.chest[1]] = _CHEST
        for row, column in self.starts.values():
            rows[row][column] = "@"
        own = [jobs[agent] for agent in self.starts]
        return with_changes(
            rules,
            game,
            {
                "layout": "\n".join("".join(row) for row in rows),
                "legend": legend,
                "agents": {job: own.count(job) for job in dict.fromkeys(own)},
                "length": length,
            },
        )


def place(game: Game, agents: Sequence[str], jobs: Mapping[str, str], seed: int) -> Placement:
    """Draw different cells for piles, stations and agents around the chest, which is in the middle.

    The start cells are sorted by row of the map, and are given to the agents in the order in which
    the grid numbers the agents. The grid numbers agents by job, so agents with the same job start
    next to each other.
    """
    rng = random.Random(f"synthesis {seed}")
    height, width = game.map
    middle = (height // 2, width // 2)
    cells = [(x, z) for x in range(height) for z in range(width) if (x, z) != middle]
    rng.shuffle(cells)
    free = iter(cells)
    piles = {
        next(free): Pile(resource, units)
        for resource, (number, units) in game.piles.items()
        for _ in range(number)
    }
    stations = {next(free): event for event, number in game.events.items() for _ in range(number)}
    order = list(dict.fromkeys(jobs[agent] for agent in agents))
    numbered = sorted(agents, key=lambda agent: order.index(jobs[agent]))
    starts = sorted(next(free) for _ in agents)
    by_agent = dict(zip(numbered, starts, strict=True))
    return Placement((height, width), piles, stations, middle, by_agent)


def block(cell: Cell) -> Block:
    """Return the Minecraft block that stands for a cell."""
    return (CORNER[0] + CELL_BLOCKS * cell[0], GROUND_Y, CORNER[1] + CELL_BLOCKS * cell[1])


def beside(cell: Cell) -> Block:
    """Return the block on which a body in a cell stands. That block is a crossing of paths, next to
    the block that stands for the cell.
    """
    x, y, z = block(cell)
    return (x + 1, y, z + 1)


def _feet(cell: Cell) -> Position:
    x, y, z = block(cell)
    return (x + 0.5, float(y), z + 0.5)


# --- The synthesis tree's resources, piles and stations in Minecraft ------------------------------

# Minecraft item for each resource. No item can be crafted by hand from the others.
ITEMS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "hammer": "stone_axe",
    "coal": "coal",
    "torch": "lantern",
    "iron": "raw_iron",
    "steel": "iron_ingot",
    "shovel": "iron_shovel",
    "pickaxe": "iron_pickaxe",
    "gem_mine": "diamond_ore",
    "clay": "clay_ball",
    "pottery": "flower_pot",
    "cutter": "stonecutter",
    "gem": "diamond",
    "totem": "totem_of_undying",
}
PILE_BLOCKS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "coal": "coal_ore",
    "iron": "iron_ore",
    "gem_mine": "diamond_ore",
    "clay": "clay",
}
STATION_BLOCKS = {
    "HammerCraft": "chiseled_stone_bricks",
    "TorchCraft": "jack_o_lantern",
    "SteelMaking": "iron_block",
    "Potting": "bricks",
    "ShovelCraft": "lapis_block",
    "PickaxeCraft": "redstone_block",
    "CutterCraft": "quartz_block",
    "GemCutting": "emerald_block",
    "TotemMaking": "gold_block",
}


def resources_in(inventory: Mapping[str, int]) -> dict[str, int]:
    """Count the resources in an inventory."""
    return {name: inventory[item] for name, item in ITEMS.items() if inventory.get(item)}
