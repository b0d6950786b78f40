"""The perception of a commons, as sentences with coordinates. The nearest objects come
first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from voxpolis.bots.agents.turns import Cell, Perception
from voxpolis.worlds.commons.actions import Action, Clean, Explore, GoTo, Immobilize, Stay
from voxpolis.worlds.commons.table import HEADINGS, CommonsTable, Happening

# Date at which games begin for agents; a step of the world is an hour.
BEGINNING = datetime(2023, 11, 19, tzinfo=UTC)


@dataclass(frozen=True)
class Seen:
    """A visible object.

    The object is another agent, an apple, grass, a tree, dirt, the river, or the orchard (all sites
    together, if apples do not belong to trees). For a tree or the orchard, ``apples`` and ``grass``
    (empty sites) count the visible sites. For the river, ``dirty`` and ``clean`` count the visible
    cells. ``tree`` is 0 for apples without a tree.
    """

    what: Literal["agent", "apple", "grass", "tree", "orchard", "dirt", "river"]
    cell: Cell
    name: str = ""
    tree: int = 0
    apples: int = 0
    grass: int = 0
    dirty: int = 0
    clean: int = 0


@dataclass(frozen=True)
class Change:
    """A change that an agent has observed, with the hour at which it happened."""

    happening: Happening
    hour: int


@dataclass(frozen=True)
class Sight:
    """The perception of an agent, as data.

    Attributes:
        agent: name of the agent.
        turn: number of the agent's turn.
        cell: the agent's position.
        objects: the objects that the agent notices, nearest first.
        changes: the changes that the agent has observed since its last turn.
        trees: trees of which at least a part is visible.
        river: the visible part of the river, or None.
        orchard: the visible part of the orchard, or None.
        edges: walkable cells at the edge of the agent's view.
    """

    agent: str
    turn: int
    cell: Cell
    objects: tuple[Seen, ...]
    changes: tuple[Change, ...]
    trees: tuple[Seen, ...]
    edges: tuple[Cell, ...]
    river: Seen | None = None
    orchard: Seen | None = None


class Watcher:
    """Collects what one agent observes between its turns."""

    def __init__(self, table: CommonsTable, player: int, attention: int) -> None:
        """Observe for one player. ``attention`` is the maximum number of objects, and also of
        changes, that the player notices in a turn.
        """
        self._table = table
        self._player = player
        self._attention = attention
        self._changes: list[Change] = []
        self._turn = 0

    def watch(self, happenings: Iterable[Happening]) -> None:
        name = self._table.names[self._player]
        view: frozenset[Cell] | None = None
        for one in happenings:
            if one.what == "back" or (one.agent == name and one.what == "eaten"):
                continue
            if name not in (one.agent, one.victim):
                view = self._table.view(self._player) if view is None else view
                if one.cell not in view:
                    continue
            self._changes.append(Change(one, self._table.steps))

    def perceive(self, reward: float, last_action: str, last_outcome: str) -> Perception[Action]:
        self._turn += 1
        perception = self.glance(reward, last_action, last_outcome)
        self._changes = []
        return perception

    def glance(
        self, reward: float = 0.0, last_action: str = "", last_outcome: str = ""
    ) -> Perception[Action]:
        """Return what the agent perceives now, without starting its turn."""
        table, me = self._table, self._player
        view, is_out = table.view(me), table.out[me]
        cell = table.cells[me]
        trees = tuple(_trees(table, view))
        river, orchard = _river(table, cell, view), _orchard(table, cell, view)
        landmarks = {f"tree {tree.tree}": tree for tree in trees}
        landmarks |= {one.what: one for one in (orchard, river) if one is not None}
        objects = tuple(self._nearest(cell, [*_objects(table, me, view), *landmarks.values()]))
        order = sorted(
            range(len(self._changes)),
            key=lambda k: (distance(cell, self._changes[k].happening.cell), -k),
        )
        changes = tuple(self._changes[k] for k in sorted(order[: self._attention]))
        edges = () if is_out else tuple(_edges(table, me))
        sight = Sight(
            table.names[me], self._turn, cell, objects, changes, trees, edges, river, orchard
        )
        return Perception(
            turn=self._turn,
            hour=table.steps,
            clock=clock(table.steps),
            cell=cell,
            heading=HEADINGS[table.headings[me]],
            is_playing=not is_out,
            reward=reward,
            last_action=last_action,
            last_outcome=last_outcome,
            observations=("You are out of the game.",) if is_out else tuple(map(sentence, objects)),
            changes=tuple(_told(one, table.names[me]) for one in changes),
            actions=tuple(_actions(sight)),
            landmarks={name: sentence(one) for name, one in landmarks.items()},
            view=view,
            area=table.size[0] * table.size[1] - len(table.walls),
            about=sight,
        )

    def _nearest(self, cell: Cell, objects: Iterable[Seen]) -> list[Seen]:
        order = sorted(objects, key=lambda one: (distance(cell, one.cell), one.cell, one.what))
        return order[: self._attention]


def distance(one: Cell, other: Cell) -> int:
    """Return the distance between two cells in steps, ignoring obstacles."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def clock(hour: int) -> str:
    """Convert an hour of the game to a date and time."""
    return (BEGINNING + timedelta(hours=hour)).strftime("%Y-%m-%d %H:00")


def _objects(table: CommonsTable, me: int, view: frozenset[Cell]) -> Iterable[Seen]:
    for cell, player in table.standing().items():
        if player != me and cell in view:
            yield Seen("agent", cell, table.names[player])
    for cell in view & table.apples:
        yield Seen("apple", cell, tree=table.tree_of[cell])
    for cell in view & table.grass:
        yield Seen("grass", cell, tree=table.tree_of[cell])
    for cell in view & table.dirt:
        yield Seen("dirt", cell)


def _river(table: CommonsTable, cell: Cell, view: frozenset[Cell]) -> Seen | None:
    seen = view.intersection(table.river)
    dirty = len(seen & table.dirt)
    at = _nearest_of(cell, seen)
    return Seen("river", at, dirty=dirty, clean=len(seen) - dirty) if at else None


def _orchard(table: CommonsTable, cell: Cell, view: frozenset[Cell]) -> Seen | None:
    seen = view.intersection(() if table.trees else table.sites)
    apples = len(seen & table.apples)
    at = _nearest_of(cell, seen)
    return Seen("orchard", at, apples=apples, grass=len(seen) - apples) if at else None


def _nearest_of(cell: Cell, cells: Iterable[Cell]) -> Cell | None:
    return min(cells, key=lambda one: (distance(cell, one), one), default=None)


def _trees(table: CommonsTable, view: frozenset[Cell]) -> Iterable[Seen]:
    """Yield the visible trees. The position of a tree is its visible site nearest to the tree's
    middle.
    """
    for tree in table.trees:
        sites = [s for s in table.sites if table.tree_of[s] == tree]
        seen = [site for site in sites if site in view]
        if not seen:
            continue
        rows, columns = sum(r for r, _ in sites), sum(c for _, c in sites)
        n = len(sites)
        middle = min(seen, key=lambda s: (abs(n * s[0] - rows) + abs(n * s[1] - columns), s))
        apples = sum(site in table.apples for site in seen)
        grass = sum(site in table.grass for site in seen)
        yield Seen("tree", middle, tree=tree, apples=apples, grass=grass)


def _edges(table: CommonsTable, me: int) -> Iterable[Cell]:
    """Return those corners and midpoints of the view's edge to which an agent could walk."""
    (top, left), (bottom, right) = table.window(me)
    rows, columns = (top, (top + bottom) // 2, bottom), (left, (left + right) // 2, right)
    edge = {(r, c) for r in rows for c in columns} - {(rows[1], columns[1])}
    return sorted(edge - table.walls - table.standing().keys())


def _actions(sight: Sight) -> Iterable[Action]:
    found = [
        _action(one)
        for one in sight.objects
        if one.what in ("agent", "dirt") or one.cell != sight.cell
    ]
    return dict.fromkeys([*found, Stay(), *map(Explore, sight.edges)])


def _action(one: Seen) -> Action:
    match one.what:
        case "agent":
            return Immobilize(one.name, one.cell)
        case "dirt":
            return Clean(one.cell)
        case _:
            return GoTo(one.cell)


# --- Sentences -----------------------------------------------------------------------------------


def sentence(one: Seen) -> str:
    """Describe an object in one sentence."""
    at = _at(one.cell)
    match one.what:
        case "agent":
            text = f"{one.name} is at {at}"
        case "apple":
            text = f"There is an apple at {at}{_of(one.tree)}"
        case "grass":
            text = f"There is grass at {at}{_of(one.tree)}"
        case "tree":
            count = f"{_count(one.apples, 'apple')} and {one.grass} grass"
            text = f"Tree {one.tree} is at {at}, with {count} left on the part you see"
        case "orchard":
            count = f"{_count(one.apples, 'apple')} and {_count(one.grass, 'place')} without one"
            text = f"The orchard is at {at}, with {count} on the part you see"
        case "dirt":
            text = f"The river is dirty at {at}"
        case "river":
            count = f"{one.dirty} dirty and {one.clean} clean cells"
            text = f"The river is at {at}, with {count} on the part you see"
    return f"{text}."


def _told(change: Change, me: str) -> str:
    one, at = change.happening, _at(change.happening.cell)
    who = "You" if one.agent == me else one.agent
    match one.what:
        case "eaten":
            text = f"{who} took an apple from {at}{_of(one.tree)}"
        case "grown":
            text = f"An apple grew at {at}{_of(one.tree)}"
        case "vanished":
            text = f"The grass at {at} vanished"
        case "returned":
            text = f"The grass at {at} came back"
        case "fired":
            text = f"{who}, at {at}, fired a beam"
        case "hit" if one.victim == me:
            text = f"You were hit by {one.agent} and were taken out of the game"
        case "hit":
            text = f"{one.victim} was attacked at {at} by {who.lower() if who == 'You' else who}"
        case "died":
            text = f"Tree {one.tree} lost its last apple"
        case "cleaned":
            text = f"{who}, at {at}, cleaned {_count(len(one.cleaned), 'cell')} of the river"
        case "dirtied":
            text = f"The river got dirty at {at}"
        case "back":
            text = f"{who} came back"
    return f"{text} ({clock(change.hour)})."


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"


def _of(tree: int) -> str:
    return f", of tree {tree}" if tree else ""


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
