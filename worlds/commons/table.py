"""The state of a commons game, and its advance by steps: positions, apples, and events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Literal

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.turns import Cell
from voxpolis.grid.commons.game import Commons
from voxpolis.grid.commons.step import APPLE, DIRT, WALL
from voxpolis.grid.commons.tables import BEAM_LENGTH, STAY, ZAP
from voxpolis.grid.commons.vector import VectorCommons
from voxpolis.worlds.commons.history import near, trees_of

# Decimal places of shares in records.
DIGITS = 6
# For each heading: its name, and by how much a step changes row and column.
HEADINGS = ("north", "east", "south", "west")
STEPS: Sequence[Cell] = ((-1, 0), (0, 1), (1, 0), (0, -1))

What = Literal[
    "eaten", "grown", "vanished", "returned", "fired", "hit", "back", "died", "cleaned", "dirtied"
]


@dataclass(frozen=True)
class Happening:
    """An event in a step.

    Attributes:
        what: the kind of event: an apple was eaten or has grown; grass vanished or returned; a beam
            was fired; an agent was hit, or came back; a tree died; dirt was removed or appeared.
        cell: position of the event; for beams and cleaning, the position of the agent.
        agent: the agent that acted, or an empty string.
        victim: the agent that was hit.
        tree: number of the tree; 0 for apples by a river.
        was_last: whether the eaten apple was the last of its tree.
        cleaned: cells of the river that were cleaned.
    """

    what: What
    cell: Cell
    agent: str = ""
    victim: str = ""
    tree: int = 0
    was_last: bool = False
    cleaned: tuple[Cell, ...] = ()


class CommonsTable:
    """A commons game whose players have names.

    The game's file defines the map. There are two kinds of games: apples grow on trees, depending
    on the number of apples nearby; or apples grow by a river, depending on the river's dirt.

    Attributes:
        names: names of the players, in the order of their numbers.
        size: rows and columns.
        trees: numbers of the trees; empty if apples grow by a river.
        tree_of: number of the tree to which each site belongs; 0 if apples grow by a river.
        river: cells where dirt appears; empty without a river.
        walls: cells that cannot be entered.
        open: cells that can be entered, which are all cells except walls.
        steps: number of steps taken. One step is one hour.
    """

    def __init__(self, game: Commons, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.game = game
        self._vector = VectorCommons(game, 1, action_masks=True, copy=False, execution="auto")
        self._state = self._vector.state
        rows = game.rows
        self.size = (len(rows), len(rows[0]))
        stride = self._vector.tables.stride
        self._stride, self._pad = stride, (stride - self.size[1]) // 2
        self._sites = self._vector.tables.sites
        self.sites: list[Cell] = [self._cell(int(c)) for c in self._sites]
        has_trees = game.regrowth is not None
        self.tree_of = (
            trees_of(self.sites, game.radius) if has_trees else dict.fromkeys(self.sites, 0)
        )
        self.trees = sorted(set(self.tree_of.values()) - {0})
        self._river = self._vector.tables.river
        self.river: list[Cell] = [self._cell(int(c)) for c in self._river]
        self._in_river = frozenset(self.river)
        is_near = [[one != two and near(one, two, game.radius) for two in self.sites]
                   for one in self.sites]  # fmt: skip
        self._near = np.array(is_near, np.int64) * has_trees
        self._tree_rows = np.array(
            [[self.tree_of[s] == t for s in self.sites] for t in self.trees], bool
        ).reshape(len(self.trees), len(self.sites))
        cells = [(r, c) for r in range(self.size[0]) for c in range(self.size[1])]
        ground = self._vector.tables.ground
        self.walls = frozenset(one for one in cells if self._state_word(ground, one) & WALL)
        self.open = frozenset(cells) - self.walls
        self._views: dict[int, tuple[tuple[Cell, int], frozenset[Cell]]] = {}
        self._live = self._grass = self._dirty = np.zeros(0, bool)
        self.apples: frozenset[Cell] = frozenset()
        self.grass = self.dirt = self.apples
        self.left: dict[int, int] = {}

    def _state_word(
        self, plane: np.ndarray[tuple[int, ...], np.dtype[np.uint64]], cell: Cell
    ) -> np.uint64:
        return np.uint64(plane[(cell[0] + self._pad) * self._stride + cell[1] + self._pad])

    def _cell(self, number: int) -> Cell:
        return number // self._stride - self._pad, number % self._stride - self._pad

    def reset(self, seed: int) -> None:
        self._observed, self._info = self._vector.reset(seed=seed)
        self.steps = 0
        self._take_stock()

    def _take_stock(self) -> None:
        """Read the objects from the state. Python objects are only rebuilt for what has changed."""
        state, plane = self._state, self._state.plane[0]
        live, dirty = (plane[self._sites] & APPLE) != 0, (plane[self._river] & DIRT) != 0
        if not np.array_equal(live, self._live):
            self._take_apples(live)
        if not np.array_equal(dirty, self._dirty):
            self._dirty = dirty
            self.dirt = frozenset(c for c, is_so in zip(self.river, dirty, strict=True) if is_so)
        self.cells: list[Cell] = [self._cell(number) for number in state.cell[0].tolist()]
        self.headings: list[int] = state.heading[0].tolist()
        self.out: list[bool] = (state.out[0] != 0).tolist()

    def _take_apples(self, live: npt.NDArray[np.bool_]) -> None:
        self._live = live
        self._grass = ~live & ((self._near @ live) > 0)
        self.apples = frozenset(s for s, is_so in zip(self.sites, live, strict=True) if is_so)
        self.grass = frozenset(s for s, is_so in zip(self.sites, self._grass, strict=True) if is_so)
        counts = (self._tree_rows @ live.astype(np.int64)).tolist()
        self.left = dict(zip(self.trees, counts, strict=True))

    # --- Current state ---------------------------------------------------------------------------

    @property
    def eaten(self) -> dict[str, int]:
        return dict(zip(self.names, (int(n) for n in self._state.eaten[0]), strict=True))

    @property
    def cleaned(self) -> dict[str, int]:
        return dict(zip(self.names, (int(n) for n in self._state.cleaned[0]), strict=True))

    @property
    def trees_alive(self) -> int | None:
        """The number of trees that have an apple; None without trees."""
        return sum(1 for count in self.left.values() if count) if self.trees else None

    @property
    def dirty_part(self) -> float | None:
        """The dirty share of the river, from 0 to 1; None without a river."""
        return round(len(self.dirt) / len(self.river), DIGITS) if self.river else None

    @property
    def is_spent(self) -> bool:
        """True if no apple is left and none can grow again."""
        return not self.apples and not self.river

    def is_last(self, cell: Cell) -> bool:
        return cell in self.apples and self.left.get(self.tree_of[cell]) == 1

    def can_fire(self, player: int, action: int) -> bool:
        """Return whether a player's beam (for attack or cleaning, depending on ``action``) is
        ready.
        """
        wait = self._state.zap_wait if action == ZAP else self._state.clean_wait
        return not self.out[player] and int(wait[0, player]) == 0

    def standing(self) -> dict[Cell, int]:
        return {c: i for i, c in enumerate(self.cells) if not self.out[i]}

    def view(self, player: int) -> frozenset[Cell]:
        """Return the cells inside the walls that a player sees. The set is empty while the player
        is out.
        """
        if self.out[player]:
            return frozenset()
        stands = (self.cells[player], self.headings[player])
        before, view = self._views.get(player, (None, frozenset()))
        if stands != before:  # most players asked about have not moved since the last call
            (top, left), (bottom, right) = self.window(player)
            inside = product(range(top, bottom + 1), range(left, right + 1))
            view = frozenset(inside) - self.walls
            self._views[player] = stands, view
        return view

    def window(self, player: int) -> tuple[Cell, Cell]:
        """Return the first and the last cell of the rectangle that a player sees, clipped to the
        map.
        """
        see, heading = self.game.view, self.headings[player]
        (row, column), ahead = self.cells[player], STEPS[heading]
        across = STEPS[(heading + 1) % 4]
        rows, columns = zip(*(
            (row + a * ahead[0] + s * across[0], column + a * ahead[1] + s * across[1])
            for a in (see.ahead, -see.behind) for s in (see.sideways, -see.sideways)
        ), strict=True)  # fmt: skip
        return (
            (max(1, min(rows)), max(1, min(columns))),
            (min(self.size[0] - 2, max(rows)), min(self.size[1] - 2, max(columns))),
        )

    def observation(self, player: int) -> npt.NDArray[np.uint8]:
        """Return a player's observation array, of shape (rows, columns, 8); see
        :class:`VectorCommons`.
        """
        seen: npt.NDArray[np.uint8] = self._observed["window"][0, player]
        return seen

    def legal(self, player: int) -> npt.NDArray[np.bool_]:
        """Return the mask of a player's legal actions, of shape (A,)."""
        mask: npt.NDArray[np.bool_] = self._info["action_mask"][0, player] != 0
        return mask

    def beam(self, cell: Cell, heading: int) -> list[list[Cell]]:
        """Return the cells of a beam's three rays, from a position up to the next wall."""
        ahead, right = STEPS[heading], STEPS[(heading + 1) % 4]
        rays = []
        for side in (-1, 0, 1):
            first = 1 if side == 0 else 0
            ray = []
            for k in range(first, first + BEAM_LENGTH):
                at = (cell[0] + k * ahead[0] + side * right[0],
                      cell[1] + k * ahead[1] + side * right[1])  # fmt: skip
                if at in self.walls:
                    break
                ray.append(at)
            rays.append(ray)
        return rays

    def targets(self, player: int, heading: int) -> list[int]:
        """Return the players that a beam would hit. Each ray hits the first player in its way."""
        standing = self.standing()
        firsts = (next((standing[c] for c in ray if c in standing), None)
                  for ray in self.beam(self.cells[player], heading))  # fmt: skip
        return [one for one in firsts if one is not None]

    def soiled(self, player: int, heading: int) -> list[Cell]:
        return self._first(player, heading, self.dirt)

    def _first(self, player: int, heading: int, dirt: Collection[Cell]) -> list[Cell]:
        firsts = (next((cell for cell in ray if cell in dirt), None)
                  for ray in self.beam(self.cells[player], heading))  # fmt: skip
        return [one for one in firsts if one is not None]

    # --- A step ----------------------------------------------------------------------------------

    def step(self, chosen: Mapping[int, int]) -> list[Happening]:
        """Advance the world by one step and return the events. Players not in ``chosen`` stay."""
        actions = np.full((1, len(self.names)), STAY)
        for player, action in chosen.items():
            actions[0, player] = action
        fires = [i for i, a in chosen.items() if a == ZAP and self.can_fire(i, ZAP)]
        live, grass, out, left = self._live, self._grass, list(self.out), dict(self.left)
        dirt = self.dirt
        eaten, zapped = self._state.eaten[0].copy(), self._state.zapped[0].copy()
        self._observed, _, _, _, self._info = self._vector.step(actions)
        self.steps += 1
        self._take_stock()
        ate = np.flatnonzero(self._state.eaten[0] - eaten).tolist()
        found = list(self._meals(ate, left))
        found += self._shots(fires, zapped, out)
        found += self._cleaning(dirt)
        meals = {self.cells[i] for i in ate}
        for k in np.flatnonzero(self._live).tolist():
            # an apple may have grown where one was just eaten
            if not live[k] or self.sites[k] in meals:
                found.append(Happening("grown", self.sites[k], tree=self.tree_of[self.sites[k]]))
        for k in np.flatnonzero(grass != self._grass).tolist():
            if not self._live[k] and not live[k]:
                what: What = "returned" if self._grass[k] else "vanished"
                found.append(Happening(what, self.sites[k], tree=self.tree_of[self.sites[k]]))
        return found

    def _meals(self, ate: Sequence[int], left: Mapping[int, int]) -> list[Happening]:
        """Return the events of eaten apples, and of trees that died.

        If several agents take the last apples of a tree in one step, the last of these apples kills
        the tree. An apple cannot grow under an agent in the step in which the agent takes the
        tree's last apple, because apples only grow near other apples.
        """
        found: list[Happening] = []
        by_tree = {self.tree_of[self.cells[i]]: i for i in ate}
        for i in ate:
            tree = self.tree_of[self.cells[i]]
            was_last = left.get(tree, 0) > 0 and not self.left[tree] and by_tree[tree] == i
            found.append(Happening("eaten", self.cells[i], self.names[i], "", tree, was_last))
            if was_last:
                found.append(Happening("died", self.cells[i], self.names[i], tree=tree))
        return found

    def _shots(
        self,
        fires: Sequence[int],
        zapped: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
        out: Sequence[bool],
    ) -> list[Happening]:
        found = [Happening("fired", self.cells[i], self.names[i]) for i in fires]
        hurt = [i for i, is_out in enumerate(self.out) if is_out and not out[i]]
        hits = {i: int(self._state.zapped[0, i] - zapped[i]) for i in fires}
        for victim in hurt:
            at = self.cells[victim]
            reached = [
                i
                for i in fires
                if hits[i] and any(at in ray for ray in self.beam(self.cells[i], self.headings[i]))
            ]
            found += [
                Happening("hit", self.cells[victim], self.names[i], self.names[victim])
                for i in reached
            ]
        back = [i for i, was_out in enumerate(out) if was_out and not self.out[i]]
        return found + [Happening("back", self.cells[i], self.names[i]) for i in back]

    def _cleaning(self, before: frozenset[Cell]) -> list[Happening]:
        cleaned = self._cleaned(before)
        found = [
            Happening("cleaned", self.cells[i], self.names[i], cleaned=cells)
            for i, cells in cleaned.items()
        ]
        return found + [Happening("dirtied", at) for at in sorted(self.dirt - before)]

    def _cleaned(self, before: frozenset[Cell]) -> dict[int, tuple[Cell, ...]]:
        """Return the dirt that each player removed.

        The substrate only reports how many cells each player cleaned. It applies the beams one
        after another in a random order. This function searches for an order that explains each
        player's number and the dirt that is left. Dirt appears before beams are fired, so it may
        appear and disappear within the same step.
        """
        counts = {i: n for i, n in enumerate(self._state.cleaned_now[0].tolist()) if n}
        stood = before | self.dirt
        clean = {cell for i in counts for ray in self.beam(self.cells[i], self.headings[i])
                 for cell in ray if cell in self._in_river and cell not in stood}  # fmt: skip
        for dirt in (stood, *(stood | {one} for one in sorted(clean))):
            for order in permutations(counts):
                left = set(dirt)
                taken: dict[int, tuple[Cell, ...]] = {}
                for i in order:
                    taken[i] = tuple(self._first(i, self.headings[i], left))
                    left -= set(taken[i])
                if left == self.dirt and all(len(taken[i]) == n for i, n in counts.items()):
                    return {i: taken[i] for i in counts}
        raise AssertionError("dirt is gone that no beam has reached")

    def scenery(self) -> dict[str, list[tuple[float, float, float]]]:
        parts = {"wall": self.walls, "apple": self.apples}
        parts |= {"dirt": self.dirt} if self.river else {}
        return {name: [position(c) for c in sorted(cells)] for name, cells in parts.items()}

    def ground(self) -> list[tuple[str, float, float, float, float]]:
        height, width = self.size
        river = [("water", float(r), float(c), float(r), float(c)) for r, c in self.river]
        return [("floor", 0.0, 0.0, height - 1.0, width - 1.0), *river]

    @property
    def piles(self) -> frozenset[tuple[str, int, int]]:
        parts = {"apple": self.apples, "dirt": self.dirt}
        return frozenset((name, r, c) for name, cells in parts.items() for r, c in cells)


def position(cell: Cell) -> tuple[float, float, float]:
    """Convert a cell to a position as used in records."""
    return float(cell[0]), 0.0, float(cell[1])
