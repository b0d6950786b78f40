"""The land of a village with trades in Minecraft: where its blocks are, and how things regrow.

The land follows from the rules (:class:`worlds.trades.Trades`). The things at a site become blocks
around the middle of the site, as many as there is space for. Things that grow are restored where
they were dug, at the rate that the rules state. Such things are never put into inventories
directly.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeVar

from voxpolis.worlds.layout import Block, Box, Layout
from voxpolis.worlds.minecraft.trades.skills import ANIMAL, BLOCKS_EACH, TICKS_PER_SECOND
from voxpolis.worlds.society import Place
from voxpolis.worlds.trades import Stock, TradePlan, Trades

# Feet level on the platform, high above any terrain.
GROUND_Y = 151
WALL_HEIGHT = 4
# Margin from the outermost site to the platform's edge, in blocks.
MARGIN_BLOCKS = 3
# Number of people per market chest, and per furnace.
PEOPLE_PER_CHEST, PEOPLE_PER_FURNACE = 4, 4
TABLES = 2
# Extent of a field from its middle, including water, which reaches four blocks.
FIELD_BLOCKS, POND_BLOCKS = 4, 4
# Distance between trees, and number of trees along each side of their square.
TREE_STEP, TREES_ACROSS = 4, 5
# Rows of stone: length from the middle (they are two blocks thick, with a gap between), and height.
ROCK_BLOCKS, ROCK_HEIGHT = 8, 3
# Minimum number of ore blocks of each kind.
LEAST_ORE = 8
# Number of flowers around the market, and seconds until the next flower grows.
FLOWERS, FLOWER_S, FLOWER_BLOCKS = 40, 8.0, 24
# Maximum number of animals, because animals cost computing time.
MOST_ANIMALS = 16
# Mean number of random ticks until a crop is ripe: 7 steps with a probability of 1/3 to 1/6
# (minecraft.wiki: Crops), with 4096 blocks per section.
TICKS_TO_RIPE, SECTION_BLOCKS = 31, 4096

ROCK = "stone"
LEAVES = "oak_leaves[persistent=true]"
# Things at sites that are unavailable here: leaves drop them too rarely.
NOT_SEEN = ("apple", "sapling")

Column = tuple[int, int]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Growth:
    """Something that regrows.

    Attributes:
        every_s: time between two restorations, in game seconds.
        parts: positions of the parts, with the commands that restore them. The parts are restored
            in turn; parts that still exist are left alone.
        at_once: number of parts that are restored each time.
    """

    every_s: float
    parts: Sequence[tuple[Column, str]]
    at_once: int = 1


@dataclass(frozen=True)
class Animals:
    """The animals of a pasture. ``every_s`` is the time until another animal appears, in game
    seconds.
    """

    middle: Place
    count: int
    most: int
    every_s: float | None


@dataclass(frozen=True)
class TradeSite:
    """The land of a village: its blocks, the market's chests, regrowth and animals."""

    layout: Layout
    chests: Sequence[Block]
    growths: Sequence[Growth]
    herds: Sequence[Animals]


def crop_speed(trades: Trades) -> int:
    """Return the game rule ``randomTickSpeed`` at which crops ripen in the time that the rules
    state.
    """
    after_s = max(
        (rule.after_s for name, rule in trades.actions.items() if name == "PLANT"), default=0
    )
    if not after_s:
        return 3
    return max(3, round(TICKS_TO_RIPE * SECTION_BLOCKS / (TICKS_PER_SECOND * after_s)))


def lay_out(plan: TradePlan, seed: int) -> TradeSite:
    """Plan the land of a village.

    Raises:
        ValueError: two sites overlap, or there is more than one village.
    """
    if any(one.places != plan.residents[0].places for one in plan.residents):
        people = len(plan.residents)
        raise ValueError(f"Minecraft supports one village: set most_together to {people} or more")
    return _Builder(plan, seed).build()


class _Builder:
    def __init__(self, plan: TradePlan, seed: int) -> None:
        self._plan, self._trades = plan, plan.trades
        self._rng = random.Random(f"{seed} land")
        self._ground: list[tuple[str, Box]] = []
        self._blocks: dict[str, list[Block]] = {}
        self._growths: list[Growth] = []
        self._herds: list[Animals] = []
        self._taken: dict[Column, str] = {}
        self._middles = {name: _column(at) for name, at in plan.trades.places().items()}

    def build(self) -> TradeSite:
        chests = self._market()
        for name, site in self._trades.sites.items():
            for kind, stock in site.holds.items():
                self._thing(name, kind, stock)
        for rule in self._trades.of_verb("FISH"):
            self._pond(self._trades.actions[rule].at)
        (west, east), (north, south) = bounds = self._bounds()
        self._flowers(west, east, north, south)
        layout = Layout(
            *bounds,
            ground_y=GROUND_Y,
            wall_height=WALL_HEIGHT,
            floor="grass_block",
            starts={one.name: self._start(one.start) for one in self._plan.residents},
            ground=self._ground,
            blocks=self._blocks,
            chests={place: {} for place in chests},
            places={name: (x, float(GROUND_Y), z) for name, (x, z) in self._plan.places.items()},
        )
        return TradeSite(layout, chests, self._growths, self._herds)

    def _take(self, site: str, columns: list[Column]) -> None:
        for column in columns:
            other = self._taken.setdefault(column, site)
            if other != site:
                raise ValueError(
                    f"in Minecraft {site} and {other} would overlap: move them "
                    "farther apart, or use a larger scale"
                )

    def _put(self, block: str, places: list[Block]) -> None:
        self._blocks.setdefault(block, []).extend(places)

    def _grow(self, kind: str, stock: Stock, parts: list[tuple[Column, str]]) -> None:
        if stock.every_s is not None:
            self._growths.append(Growth(stock.every_s, parts, BLOCKS_EACH.get(kind, 1)))

    # --- Sites -----------------------------------------------------------------------------------

    def _market(self) -> list[Block]:
        people = len(self._plan.residents)
        chests, furnaces = (math.ceil(people / n) for n in (PEOPLE_PER_CHEST, PEOPLE_PER_FURNACE))
        x, z = self._middles[self._trades.market]
        rows = ((x + dx, GROUND_Y, z + dz) for dz in (-6, 6, -3, 3) for dx in range(-8, 9, 2))
        places = list(islice(rows, chests + furnaces + TABLES))
        self._take(self._trades.market, [(x, z) for x, _, z in places])
        self._put("crafting_table", places[:TABLES])
        self._put("furnace", places[TABLES : TABLES + furnaces])
        return places[TABLES + furnaces :]

    def _thing(self, site: str, kind: str, stock: Stock) -> None:
        if kind == ANIMAL:
            middle = self._trades.places()[site]
            count, most = min(stock.count, MOST_ANIMALS), min(stock.most, MOST_ANIMALS)
            self._herds.append(Animals(middle, count, most, stock.every_s))
        elif kind == "farmland":
            self._field(site)
        elif kind == "tall_grass":
            self._meadow(site, stock)
        elif kind == "tree":
            self._wood(site, stock)
        elif kind == "cobweb":
            self._webs(site, stock)
        elif kind == ROCK:
            self._rock(site)
        elif kind not in (*NOT_SEEN, *self._ores(site)):
            raise ValueError(f"in Minecraft there is no block for {kind}, which {site} holds")

    def _field(self, site: str) -> None:
        x, z = self._middles[site]
        reach = FIELD_BLOCKS
        self._take(site, _square(x, z, reach))
        low, high = (x - reach, GROUND_Y - 1, z - reach), (x + reach, GROUND_Y - 1, z + reach)
        water = (x, GROUND_Y - 1, z)
        self._ground += [("dirt", (low, high)), ("water", (water, water))]

    def _pond(self, site: str) -> None:
        x, z = self._middles[site]
        reach = POND_BLOCKS
        self._take(site, _square(x, z, reach))
        low, high = (x - reach, GROUND_Y - 1, z - reach), (x + reach, GROUND_Y - 1, z + reach)
        self._ground.append(("water", (low, high)))

    def _meadow(self, site: str, stock: Stock) -> None:
        x, z = self._middles[site]
        columns = list(product(range(x - 13, x - 5), range(z - 4, z + 5)))
        self._take(site, columns)
        self._put("short_grass", [(x, GROUND_Y, z) for x, z in columns])
        parts = [(c, _keep((c[0], GROUND_Y, c[1]), "short_grass")) for c in self._mixed(columns)]
        self._grow("tall_grass", stock, parts)

    def _wood(self, site: str, stock: Stock) -> None:
        x, z = self._middles[site]
        far = TREE_STEP * (TREES_ACROSS // 2)
        side = range(-far, far + 1, TREE_STEP)
        trunks = [(x + dx, z + dz) for dx in side for dz in side]
        self._take(site, trunks)
        y, parts = GROUND_Y, []
        for x, z in self._mixed(trunks):
            trunk = ((x, y, z), (x, y + 1, z))
            self._ground += [
                ("oak_log", trunk),
                (LEAVES, ((x - 1, y + 2, z - 1), (x + 1, y + 2, z + 1))),
            ]
            parts.append(((x, z), _keep(*trunk, "oak_log")))
        if stock.every_s is not None:
            self._growths.append(Growth(stock.every_s, parts))

    def _webs(self, site: str, stock: Stock) -> None:
        x, z = self._middles[site]
        columns = [(x + dx, z + dz) for dx in (11, 13) for dz in range(-10, 11, 2)]
        self._take(site, columns)
        self._put("cobweb", [(x, GROUND_Y, z) for x, z in columns])
        parts = [(c, _keep((c[0], GROUND_Y, c[1]), "cobweb")) for c in self._mixed(columns)]
        self._grow("cobweb", stock, parts)

    def _ores(self, site: str) -> dict[str, Stock]:
        holds = self._trades.sites[site].holds
        return {kind: stock for kind, stock in holds.items() if kind.endswith("_ore")}

    def _rock(self, site: str) -> None:
        """Place rows of rock that contain ore. Gaps between the rows let bots reach all blocks."""
        x, z = self._middles[site]
        rows = [dz for dz in range(-ROCK_BLOCKS, ROCK_BLOCKS + 1) if (dz + ROCK_BLOCKS) % 3 < 2]
        along = range(x - ROCK_BLOCKS, x + ROCK_BLOCKS + 1)
        self._take(site, [(x, z + dz) for x in along for dz in rows])
        top = GROUND_Y + ROCK_HEIGHT - 1
        for dz in rows:
            low, high = (along[0], GROUND_Y, z + dz), (along[-1], top, z + dz)
            self._ground.append((ROCK, (low, high)))
        every = [(x, y, z + dz) for x in along for y in range(GROUND_Y, top + 1) for dz in rows]
        total = sum(s.count for k, s in self._trades.sites[site].holds.items() if k == ROCK)
        places = iter(self._mixed(every))
        for ore, stock in self._ores(site).items():
            share = stock.count / (total + sum(s.count for s in self._ores(site).values()))
            count = min(stock.count, max(LEAST_ORE, round(share * len(every))))
            self._put(ore, list(islice(places, count)))

    def _flowers(self, west: int, east: int, north: int, south: int) -> None:
        """Place flowers around the market, for actions that can gather flowers anywhere."""
        x, z = self._middles[self._trades.market]
        free = [
            column
            for column in _square(x, z, FLOWER_BLOCKS)
            if column not in self._taken and west < column[0] < east and north < column[1] < south
        ]
        anywhere = [n for n in self._trades.of_verb("GATHER") if not self._trades.actions[n].uses]
        for name in anywhere:
            item = name.partition(" ")[2]
            columns = self._mixed(free)[:FLOWERS]
            free = [column for column in free if column not in columns]
            self._put(item, [(x, GROUND_Y, z) for x, z in columns])
            parts = [(c, _keep((c[0], GROUND_Y, c[1]), item)) for c in columns]
            self._growths.append(Growth(FLOWER_S, parts))

    # --- Positions -------------------------------------------------------------------------------

    def _mixed(self, things: list[_T]) -> list[_T]:
        return self._rng.sample(things, len(things))

    def _bounds(self) -> tuple[tuple[int, int], tuple[int, int]]:
        reach = {name: math.ceil(site.radius) for name, site in self._trades.sites.items()}
        columns = [*self._taken, *(_column(one.start) for one in self._plan.residents)]
        columns += [
            (x + r, z + r) for n, (x, z) in self._middles.items() for r in (-reach[n], reach[n])
        ]
        xs, zs = zip(*columns, strict=True)
        margin = MARGIN_BLOCKS
        return (min(xs) - margin, max(xs) + margin), (min(zs) - margin, max(zs) + margin)

    def _start(self, at: Place) -> tuple[float, float, float]:
        x, z = _column(at)
        while (x, z) in self._taken:
            x += 1
        return (x + 0.5, float(GROUND_Y), z + 0.5)


def _column(at: Place) -> Column:
    return math.floor(at[0]), math.floor(at[1])


def _square(x: int, z: int, reach: int) -> list[Column]:
    return list(product(range(x - reach, x + reach + 1), range(z - reach, z + reach + 1)))


def _keep(low: Block, *rest: Block | str) -> str:
    """Return a command that places a block or a box of blocks, but only where there is air."""
    *high, block = rest
    corners = [low, *high] if high else [low, low]
    return " ".join(
        ["fill", *(" ".join(map(str, corner)) for corner in corners), str(block), "keep"]
    )
