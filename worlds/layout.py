"""An arena that can be built both on a Minecraft server and on the grid, with the same coordinates.

A scenario lists blocks and positions as in Minecraft. :meth:`Layout.commands` builds the arena on a
server. :func:`grid_form` converts the arena to a grid game with one cell per column of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from voxpolis.records.events import Position

if TYPE_CHECKING:  # the grid loads numpy
    from voxpolis.grid.adasociety.game import Game, Rules

Block = tuple[int, int, int]
# Two opposite corners of a box of blocks: the lowest and the highest.
Box = tuple[Block, Block]
# A cell of a grid game: (row, column).
Cell = tuple[int, int]
# A column of blocks: (x, z).
Column = tuple[int, int]
# Maximum number of blocks per fill command. Source: Minecraft.
MOST_FILLED = 32_768
# Letters for sources on a grid map; blocks, floor and starts have other letters.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@dataclass(frozen=True)
class Source:
    """A kind of block that agents dig for the items that it drops.

    Attributes:
        item: the item that a block drops.
        tools: items of which the agent must hold one to dig; empty if no tool is needed.
        loot: possible numbers of items per block and their probabilities, used on the grid.
            Minecraft uses its own loot tables. If ``loot`` is empty, a block drops one item.
        seconds: time to dig and collect one block on the grid; 0 means one step. Minecraft has its
            own times.
    """

    item: str
    tools: tuple[str, ...] = ()
    loot: Mapping[int, float] = field(default_factory=dict)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        chances = self.loot.values()
        if any(count < 0 for count in self.loot) or any(not 0 <= one <= 1 for one in chances):
            raise ValueError(f"loot of {self.item}: counts and chances cannot be {self.loot}")
        if self.loot and not math.isclose(sum(chances), 1):
            raise ValueError(
                f"loot of {self.item}: chances must add up to 1, not to {sum(chances):g}"
            )

    @property
    def in_hand(self) -> bool:
        """True if agents hold the block itself instead of an item that it drops."""
        return not self.loot


@dataclass(frozen=True)
class Layout:
    """A walled platform high above the ground, with its contents.

    Attributes:
        x: the westernmost and the easternmost block, including walls.
        z: the northernmost and the southernmost block, including walls.
        ground_y: height of the agents' feet; the floor is one block below.
        wall_height: height of the walls, in blocks.
        floor: kind of block of the floor.
        ground: boxes of other blocks, in or on the floor, that agents cannot dig.
        sources: kinds of blocks that agents can dig.
        blocks: a dictionary from each kind of diggable block to its positions.
        chests: a dictionary from the position of each chest to its contents.
        starts: position at which each agent starts, in blocks.
        places: named parts of the arena.
        limit_s: maximum duration of an episode, in game seconds.

    Raises:
        ValueError: a position is outside the platform, in a wall, or already occupied.
    """

    x: tuple[int, int]
    z: tuple[int, int]
    ground_y: int
    wall_height: int
    floor: str
    starts: Mapping[str, Position]
    ground: Sequence[tuple[str, Box]] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    blocks: Mapping[str, Sequence[Block]] = field(default_factory=dict)
    chests: Mapping[Block, Mapping[str, int]] = field(default_factory=dict)
    places: Mapping[str, Position] = field(default_factory=dict)
    limit_s: float = 120.0

    def __post_init__(self) -> None:
        # Also accept lists and generators of positions.
        blocks = {block: [(*place,) for place in places] for block, places in self.blocks.items()}
        object.__setattr__(self, "blocks", blocks)
        (x0, x1), (z0, z1) = self.x, self.z
        standing = [(block, place) for block, places in self.blocks.items() for place in places]
        inside = [*standing, *(("a chest", place) for place in self.chests)]
        for what, place in [*inside, *self.starts.items()]:
            if not (x0 < math.floor(place[0]) < x1 and z0 < math.floor(place[2]) < z1):
                raise ValueError(
                    f"{what} at {place} is outside the arena or in its wall, x {x0} to {x1} and z "
                    f"{z0} to {z1}"
                )
        taken: dict[Block, str] = {}
        for what, place in inside:
            if place in taken:
                raise ValueError(f"{what} and {taken[place]} are both at {place}")
            taken[place] = what

    @property
    def chest(self) -> Block | None:
        """The chest in which agents exchange items, or None."""
        return next(iter(self.chests), None)

    def commands(self) -> list[str]:
        return [
            *self._platform(),
            *(f"fill {_at(low)} {_at(high)} {block}" for block, (low, high) in self.ground),
            *(
                f"setblock {_at(p)} {block}"
                for block, places in self.blocks.items()
                for p in places
            ),
            *(line for place, held in self.chests.items() for line in _chest(place, held)),
        ]

    def _platform(self) -> list[str]:
        """Return commands that clear the area, lay bedrock below it, and put barriers around it."""
        (x0, x1), (z0, z1) = self.x, self.z
        y, below, top = self.ground_y, self.ground_y - 1, self.ground_y + self.wall_height
        walls = ((x0, z0, x1, z0), (x0, z1, x1, z1), (x0, z0, x0, z1), (x1, z0, x1, z1))
        return [
            f"forceload add {x0} {z0} {x1} {z1}",
            *_fill((x0, y, z0), (x1, top, z1), "air"),
            *_fill((x0, below - 1, z0), (x1, below - 1, z1), "bedrock"),
            *_fill((x0, below, z0), (x1, below, z1), self.floor),
            *(f"fill {a} {y} {b} {c} {top} {d} barrier" for a, b, c, d in walls),
        ]

    def scenery(self) -> dict[str, Any]:
        """Return the contents of the arena as the fields of :class:`records.events.WorldBuilt`."""
        (x0, x1), (z0, z1) = self.x, self.z
        ground = [(self.floor, float(x0), float(z0), float(x1), float(z1))]
        walls = ((x0, z0, x1, z0), (x0, z1, x1, z1), (x0, z0, x0, z1), (x1, z0, x1, z1))
        ground += [("barrier", float(a), float(c), float(b), float(d)) for a, c, b, d in walls]
        ground += [
            (block, float(a), float(c), float(b), float(d))
            for block, ((a, _, c), (b, _, d)) in self.ground
        ]
        standing = {block: list(places) for block, places in self.blocks.items()}
        if self.chests:
            standing["chest"] = list(self.chests)
        blocks = {
            block: [(float(x), float(y), float(z)) for x, y, z in places]
            for block, places in standing.items()
        }
        return {"ground": ground, "blocks": blocks, "places": dict(self.places)}

    def boxes(self) -> list[tuple[str, int, int, int, int, int, int]]:
        """Return the blocks of the ground as boxes with heights, as in
        :class:`records.events.WorldBuilt`.

        The platform's floor comes first, then its walls, then the objects on it.
        """
        (x0, x1), (z0, z1), y = self.x, self.z, self.ground_y
        top = y + self.wall_height
        walls = ((x0, z0, x1, z0), (x0, z1, x1, z1), (x0, z0, x0, z1), (x1, z0, x1, z1))
        return [
            (self.floor, x0, y - 1, z0, x1, y - 1, z1),
            *(("barrier", a, y, b, c, top, d) for a, b, c, d in walls),
            *((block, *low, *high) for block, (low, high) in self.ground),
        ]


@dataclass(frozen=True)
class BlockMap:
    """Tells bodies which blocks and items belong to the cells and resources of a grid game.

    Attributes:
        layout: the arena.
        items: the inventory item that belongs to each resource.
        chest: the cell of the chest in which items are put and from which they are taken.
        block: returns the block that belongs to a cell: its pile, its station, or the chest.
        place: returns the block where an agent in a cell stands.
    """

    layout: Layout
    items: Mapping[str, str]
    chest: Cell
    block: Callable[[Cell], Block]
    place: Callable[[Cell], Block]


@dataclass(frozen=True)
class GridForm:
    """A layout, converted to a grid game.

    Attributes:
        rules: the rules of the game. Resources have Minecraft's item names.
        game: the map of the game. Rows follow the x axis, and columns follow the z axis.
        agents: names of the agents, in the order of their numbers in the game.
        origin: x and z of the first cell.
        source_of: the block from which each resource is dug.
    """

    rules: Rules
    game: Game
    agents: tuple[str, ...]
    origin: Column
    source_of: Mapping[str, str]


def grid_form(layout: Layout, steps: int) -> GridForm:
    """Convert a layout to a grid game of ``steps`` steps.

    Raises:
        ValueError: the layout cannot be converted, for example because a start is occupied.
    """
    from voxpolis.grid.adasociety.game import Rules  # noqa: PLC0415  (loads numpy)

    (x0, x1), (z0, z1) = layout.x, layout.z
    cells = [["." for _ in range(z0, z1 + 1)] for _ in range(x0, x1 + 1)]
    for i, row in enumerate(cells):
        for j in range(len(row)):
            if i in (0, x1 - x0) or j in (0, z1 - z0):
                row[j] = "#"
    letters = iter(_LETTERS)
    legend: dict[str, dict[str, Any]] = {}
    for column, symbol in _symbols(layout):
        letter = next((known for known, s in legend.items() if s == symbol), None) or next(letters)
        legend[letter] = symbol
        cells[column[0] - x0][column[1] - z0] = letter
    starts = {agent: _column(start) for agent, start in layout.starts.items()}
    for agent, (x, z) in starts.items():
        if cells[x - x0][z - z0] != ".":
            raise ValueError(f"{agent} starts at {layout.starts[agent]}, which is occupied")
        cells[x - x0][z - z0] = "@"
    # in the order of the start positions on the map
    agents = tuple(sorted(starts, key=starts.__getitem__))
    resources, source_of = _resources(layout)
    # the map wraps around, so this view covers all of it
    sight = max(len(cells), len(cells[0])) // 2
    game = {
        "layout": "\n".join("".join(row) for row in cells),
        "legend": legend,
        "agents": dict.fromkeys(agents, 1),
        "length": steps,
        "events": {},
    }
    rules = Rules.model_validate(
        {
            "resources": resources,
            "events": {},
            "jobs": {agent: {"sight": sight} for agent in agents},
            "games": {"arena": game},
        }
    )
    return GridForm(rules, rules.games["arena"], agents, (x0, z0), source_of)


def _symbols(layout: Layout) -> Iterator[tuple[Column, dict[str, Any]]]:
    from voxpolis.grid.adasociety.game import MAX_UNITS  # noqa: PLC0415  (loads numpy)

    for block, places in layout.blocks.items():
        if block not in layout.sources:
            continue
        for column in dict.fromkeys((x, z) for x, _, z in places):
            units = sum((x, z) == column for x, _, z in places)
            assert units <= MAX_UNITS
            yield column, {"pile": _resource(layout, block), "units": units}
    for (x, _, z), held in layout.chests.items():
        yield (x, z), {"chest": dict(held)}


def _resource(layout: Layout, block: str) -> str:
    """Return the resource that agents get from a block: the item that it drops, or the block itself
    if the number of dropped items varies.
    """
    source = layout.sources[block]
    return source.item if source.in_hand else block


def _resources(layout: Layout) -> tuple[dict[str, Any], dict[str, str]]:
    stored = (item for held in layout.chests.values() for item in held)
    resources: dict[str, Any] = {item: {"reward": 0} for item in stored}
    source_of = {}
    for block, source in layout.sources.items():
        resource = _resource(layout, block)
        resources[resource] = {"reward": 0, "tools": source.tools}
        source_of[resource] = block
    return resources, source_of


def _column(place: Position) -> Column:
    return math.floor(place[0]), math.floor(place[2])


def place_text(place: Position, world: str) -> str:
    """Describe a position for a prompt: by x and z on the grid, and by x, height and z in other
    worlds.
    """
    x, y, z = (math.floor(part) for part in place)
    return f"({x}, {z})" if world == "grid" else f"x={x}, y={y}, z={z}"


def _at(block: Block) -> str:
    return " ".join(map(str, block))


def _fill(low: Block, high: Block, block: str) -> Iterator[str]:
    """Yield commands that fill a box. A box that exceeds the server's limit is filled in parts."""
    across = (high[1] - low[1] + 1) * (high[2] - low[2] + 1)
    wide = max(1, MOST_FILLED // across)
    for x in range(low[0], high[0] + 1, wide):
        end = (min(x + wide - 1, high[0]), *high[1:])
        yield f"fill {_at((x, *low[1:]))} {_at(end)} {block}"


def _chest(place: Block, held: Mapping[str, int]) -> Iterator[str]:
    yield f"setblock {_at(place)} chest[facing=south]"
    for slot, (item, count) in enumerate(held.items()):
        yield f"item replace block {_at(place)} container.{slot} with {item} {count}"
