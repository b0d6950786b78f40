"""The high-level actions that agents choose, and their execution step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass

from voxpolis.bots.agents.turns import Cell
from voxpolis.grid.commons.tables import CLEAN, FORWARD, STAY, TURN_LEFT, TURN_RIGHT, ZAP
from voxpolis.worlds.commons.table import STEPS, CommonsTable

# Maximum number of moves in an action.
MOST_MOVES = 40
DONE, NO_WAY, GAVE_UP, WAS_HIT = "done", "there is no way", "gave up", "you were hit"
HIT, MISSED, GONE = "hit", "missed", "not there any more"
NO_DIRT = "it is clean already"
IS_LAST = "left, because it is the last apple of its tree now"

# An iterator that yields low-level actions and returns the outcome.
Doing = Generator[int, None, str]


@dataclass(frozen=True)
class GoTo:
    """Go to a cell. If an apple is there, take it."""

    cell: Cell

    def __str__(self) -> str:
        return f"go to position ({self.cell[0]}, {self.cell[1]})"


@dataclass(frozen=True)
class Explore:
    """Go to a cell at the edge of the agent's view."""

    cell: Cell

    def __str__(self) -> str:
        return f"explore ({self.cell[0]}, {self.cell[1]})"


@dataclass(frozen=True)
class Clean:
    """Clean the river at a cell."""

    cell: Cell

    def __str__(self) -> str:
        return f"clean the river at ({self.cell[0]}, {self.cell[1]})"


@dataclass(frozen=True)
class Immobilize:
    """Attack a player that the agent has seen at a cell."""

    name: str
    cell: Cell

    def __str__(self) -> str:
        return f"immobilize player {self.name} at ({self.cell[0]}, {self.cell[1]})"


@dataclass(frozen=True)
class Stay:
    """Do nothing."""

    def __str__(self) -> str:
        return "stay put"


# The choices in a turn; prompts, events and pages use their text.
Action = GoTo | Explore | Clean | Immobilize | Stay


def victim_of(action: Action) -> str:
    """Return the player that an action attacks, or an empty string if the action is no attack."""
    return action.name if isinstance(action, Immobilize) else ""


def carry_out(table: CommonsTable, player: int, action: Action) -> Doing:
    """Yield the steps of an action, one by one, and finally return the action's outcome.

    The caller must apply each step before it asks for the next step. If the agent is hit, the
    action ends.
    """
    match action:
        case Immobilize(name=name):
            return _attack(table, player, table.names.index(name))
        case Clean(cell=cell):
            return _clean(table, player, cell)
        case GoTo(cell=cell):
            return _walk(table, player, cell, takes_last=table.is_last(cell))
        case Explore(cell=cell):
            return _walk(table, player, cell, takes_last=False)
        case Stay():
            return _stay()


def _stay() -> Doing:
    yield STAY
    return DONE


def _walk(table: CommonsTable, player: int, to: Cell, *, takes_last: bool) -> Doing:
    """Walk to a cell, always facing the direction of movement.

    ``takes_last`` says that the agent has chosen to take the last apple of a tree in that cell. If
    it is False and the apple there has become the last of its tree, the agent stops in front of the
    apple.
    """
    moves = 0
    path: list[Cell] = []
    while table.cells[player] != to:
        if table.out[player]:
            return WAS_HIT
        if moves == MOST_MOVES:
            return GAVE_UP
        if table.is_last(to) and not takes_last:
            return IS_LAST
        if not path or path[0] in table.standing() or (path[0] != to and table.is_last(path[0])):
            path = way(table, player, {to})
        if not path:
            return NO_WAY
        yield step_towards(table, player, path[0])
        moves += 1
        if path and table.cells[player] == path[0]:
            path.pop(0)
    return DONE


def _attack(table: CommonsTable, player: int, victim: int) -> Doing:
    for _ in range(MOST_MOVES):
        if table.out[player]:
            return WAS_HIT
        if table.out[victim]:
            return GONE
        step = aim(table, player, victim)
        if step is None:
            return NO_WAY
        yield step
        if step == ZAP:
            return HIT if table.out[victim] else MISSED
    return GAVE_UP


def _clean(table: CommonsTable, player: int, dirt: Cell) -> Doing:
    """Aim the cleaning beam at dirt and fire once. The beam has several rays; each ray removes the
    first dirt in its way.
    """
    for _ in range(MOST_MOVES):
        if table.out[player]:
            return WAS_HIT
        if dirt not in table.dirt:
            return NO_DIRT
        step = _aimed(table, player, CLEAN, dirt, lambda to: dirt in table.soiled(player, to))
        if step is None:
            return NO_WAY
        yield step
        if step == CLEAN:
            return DONE
    return GAVE_UP


def aim(table: CommonsTable, player: int, victim: int) -> int | None:
    """Return the next step of an attack: fire, wait, turn or walk closer. Return None if there is
    no path to a place from which the beam reaches the victim.
    """
    at = table.cells[victim]
    return _aimed(table, player, ZAP, at, lambda to: victim in table.targets(player, to))


def _aimed(
    table: CommonsTable, player: int, beam: int, at: Cell, reaches: Callable[[int], bool]
) -> int | None:
    """Return the next step towards firing a beam at a cell, or None if there is no path.

    ``reaches(heading)`` says whether a beam in that direction, fired from the player's current
    position, reaches the cell.
    """
    heading = table.headings[player]
    if reaches(heading):
        return beam if table.can_fire(player, beam) else STAY
    for other in range(4):
        if reaches(other):
            return turned(heading, other)
    beside = {(at[0] + r, at[1] + c) for r, c in STEPS}
    path = way(table, player, beside)
    return step_towards(table, player, path[0]) if path else None


def turned(heading: int, to: int) -> int | None:
    """Return the turn action that brings a player closer to a heading, or None if the player
    already faces that way.
    """
    quarters = (to - heading) % 4
    return None if quarters == 0 else TURN_LEFT if quarters == 3 else TURN_RIGHT


def step_towards(table: CommonsTable, player: int, to: Cell) -> int:
    """Return the next step towards an adjacent cell: turn first, then move."""
    cell = table.cells[player]
    heading = STEPS.index((to[0] - cell[0], to[1] - cell[1]))
    turn = turned(table.headings[player], heading)
    return FORWARD if turn is None else turn


def way(table: CommonsTable, player: int, goals: Collection[Cell]) -> list[Cell]:
    """Return the cells of a shortest path to the nearest goal, including the goal itself.

    The list is empty if there is no path or if the player is already at a goal. Walls and other
    agents block the path. The last apple of a tree also blocks the path unless its cell is a goal,
    so that an agent never takes a last apple by accident.
    """
    spared = frozenset(a for a in table.apples if table.is_last(a)) - set(goals)
    others = table.standing().keys() - {table.cells[player]}
    return _shortest(table.cells[player], goals, table.walls | others | spared)


def _shortest(start: Cell, goals: Collection[Cell], blocked: Collection[Cell]) -> list[Cell]:
    came: dict[Cell, Cell] = {start: start}
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        if cell in goals:
            path = []
            while cell != start:
                path.append(cell)
                cell = came[cell]
            return path[::-1]
        for row, column in STEPS:
            at = (cell[0] + row, cell[1] + column)
            if at not in came and at not in blocked:
                came[at] = cell
                queue.append(at)
    return []
