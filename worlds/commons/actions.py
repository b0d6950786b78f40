"""High-level actions: which are legal, how words are read, and how one is carried out."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Generator

from bots.agents.turns import Cell, Perception
from bots.structured import AnswerError, is_aside, plain
from grid.commons.tables import CLEAN, FORWARD, STAY, TURN_LEFT, TURN_RIGHT, ZAP
from records.text import caseless
from worlds.commons.table import STEPS, CommonsTable

#: Moves after which an agent gives up what it is at.
MOST_MOVES = 40
STAY_PUT = "stay put"
DONE, NO_WAY, GAVE_UP, WAS_HIT = "done", "there is no way", "gave up", "you were hit"
HIT, MISSED, GONE = "hit", "missed", "not there any more"
NO_DIRT = "it is clean already"
IS_LAST = "left, because it is the last apple of its tree now"

#: Low-level actions one after another; returns what came of it.
Doing = Generator[int, None, str]

_PLACE = r"[(\[]?\s*(-?\d+)\s*,\s*(-?\d+)(?![\d.,])\s*[)\]]?"
_IMMOBILIZE = caseless(rf"(?:immobili[sz]e|attack)\s+(?:player\s+)?(\w+)(?:\s+at)?\s*(?:{_PLACE})?")
_GO = caseless(rf"(?:go to|grab)(?:\s+(?:the\s+)?(?:position|apple))?(?:\s+at)?\s*{_PLACE}")
_EXPLORE = caseless(rf"explore(?:\s+(?:to|position|at))?\s*{_PLACE}")
_CLEAN = caseless(rf"clean(?:\s+(?:the\s+)?(?:river|dirt))?(?:\s+at)?\s*{_PLACE}")
_STAY = caseless(r"stay(?:\s+(?:put|here|where i am)\b|(?=\W*$))")
#: What a line has that says a second thing, and how one begins that says what somebody will do.
_PLACE_ONLY, _DEEDS = (
    r"[(\[]\s*-?\d+|\d\s*,\s*-?\d",
    r"go to|grab|explore|stay|immobili[sz]e|attack|clean",
)
_SUBJECT = caseless(r"^(?:i(?:'ll| will| choose to| would)?\s+)")


def go_to(cell: Cell) -> str:
    """Return the words of going somewhere."""
    return f"go to position ({cell[0]}, {cell[1]})"


def explore(cell: Cell) -> str:
    """Return the words of going to the edge of what is seen."""
    return f"explore ({cell[0]}, {cell[1]})"


def immobilize(name: str, cell: Cell) -> str:
    """Return the words of an attack."""
    return f"immobilize player {name} at ({cell[0]}, {cell[1]})"


def clean(cell: Cell) -> str:
    """Return the words of cleaning the river somewhere."""
    return f"clean the river at ({cell[0]}, {cell[1]})"


def is_cleaning(action: str) -> bool:
    """Return whether an action is to clean the river."""
    return _CLEAN.match(action) is not None


def victim_of(action: str) -> str:
    """Return whom an action attacks; empty: nobody."""
    found = _IMMOBILIZE.match(action)
    return found[1] if found else ""


def read_action(text: str, perception: Perception) -> str:
    """Return the legal action that words mean.

    ``grab apple (r, c)`` is another word for going there. Brackets may be round, square or none.

    Raises:
        AnswerError: they mean none, or one that is not legal now.
    """
    said = plain(text).strip("\"' ")
    action = _said(_SUBJECT.sub("", said))
    legal = {one.lower(): one for one in perception.actions}
    if action is not None and action.lower() in legal:
        return legal[action.lower()]
    listed = "; ".join(perception.actions)
    raise AnswerError(f"{said[:80]!r} is nothing that you can do now; you can: {listed}")


def _said(text: str) -> str | None:
    """Return an action in our own words; None where it is none."""
    forms = (_IMMOBILIZE, _GO, _CLEAN, _EXPLORE, _STAY)
    found = next((one for form in forms if (one := form.match(text))), None)
    if found is None or not is_aside(text[found.end() :], _PLACE_ONLY, _DEEDS):
        return None
    if found := _IMMOBILIZE.match(text):
        return immobilize(found[1], (int(found[2]), int(found[3]))) if found[2] else None
    if found := _GO.match(text):
        return go_to((int(found[1]), int(found[2])))
    if found := _CLEAN.match(text):
        return clean((int(found[1]), int(found[2])))
    if found := _EXPLORE.match(text):
        return explore((int(found[1]), int(found[2])))
    return STAY_PUT if _STAY.match(text) else None


def carry_out(table: CommonsTable, player: int, action: str) -> Doing:
    """Return the steps of a high-level action, and then what came of it.

    Before each the world has taken the one before; an agent that is hit leaves off.
    """
    if found := _IMMOBILIZE.match(action):
        return _attack(table, player, table.names.index(found[1]))
    if found := re.search(_PLACE, action):
        to = (int(found[1]), int(found[2]))
        if is_cleaning(action):
            return _clean(table, player, to)
        chosen = _EXPLORE.match(action) is None and table.is_last(to)
        return _walk(table, player, to, takes_last=chosen)
    return _stay()


def _stay() -> Doing:
    yield STAY
    return DONE


def _walk(table: CommonsTable, player: int, to: Cell, *, takes_last: bool) -> Doing:
    """Go somewhere; the agent looks where it goes.

    ``takes_last``: the agent chose the last apple of a tree, which stands there. Else it stops
    before an apple that has become the last of its tree.
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
    """Get an agent into the beam, and fire once."""
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
    """Get dirt into the beam that cleans, and fire once: it takes the first dirt of each row."""
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
    """Return the next step of an attack: fire, wait, turn, or walk nearer; None: no way."""
    at = table.cells[victim]
    return _aimed(table, player, ZAP, at, lambda to: victim in table.targets(player, to))


def _aimed(
    table: CommonsTable, player: int, beam: int, at: Cell, reaches: Callable[[int], bool]
) -> int | None:
    """Return the next step towards firing a beam at a cell; None: no way.

    ``reaches``: whether the beam, fired in a direction from where the agent stands, gets there.
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
    """Return the turn towards a heading; None: one looks there."""
    quarters = (to - heading) % 4
    return None if quarters == 0 else TURN_LEFT if quarters == 3 else TURN_RIGHT


def step_towards(table: CommonsTable, player: int, to: Cell) -> int:
    """Return the next step to a cell beside an agent: to turn there first, then to go."""
    cell = table.cells[player]
    heading = STEPS.index((to[0] - cell[0], to[1] - cell[1]))
    turn = turned(table.headings[player], heading)
    return FORWARD if turn is None else turn


def way(table: CommonsTable, player: int, goals: Collection[Cell]) -> list[Cell]:
    """Return the cells of a shortest way to one of some cells, the last of them a goal.

    Walls and other agents are in the way, and so is the last apple of any tree that is no goal: to
    take one is always a choice. Empty: there is none, or the agent is there.
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
