"""Events of commons games: turns, apples, beams, trees. A position is (row, 0, column)."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event, Position
from voxpolis.records.text import many


def _cell(position: Position) -> str:
    return f"[{position[0]:g}, {position[2]:g}]"


class TurnTaken(
    Event, origin="world", lane="code", in_words="{action}: {outcome}", is_detailed=True
):
    """An agent carried out its high-level action.

    ``moves`` is the number of steps that the action took, ``began`` and ``ended`` are the agent's
    cells. ``last_apple`` is the position of the apple nearest to the agent at the start of the turn
    if it was the only one left on its tree (else None); ``saw_it``: the agent saw it.
    """

    kind: Literal["turn_taken"] = "turn_taken"
    round: int
    action: str
    outcome: str
    moves: int
    began: Position
    ended: Position
    last_apple: Position | None = None
    saw_it: bool = False


class AppleEaten(Event, origin="world", lane="world"):
    """An agent took an apple; ``was_last``: it was the last one on its tree."""

    kind: Literal["apple_eaten"] = "apple_eaten"
    position: Position
    tree: int
    was_last: bool

    def summary(self) -> str:
        return (
            f"takes the {'last ' * self.was_last}apple at {_cell(self.position)}, tree {self.tree}"
        )


class AppleGrown(Event, origin="world", lane=None):
    """An apple regrew."""

    kind: Literal["apple_grown"] = "apple_grown"
    position: Position
    tree: int


class ZapFired(Event, origin="world", lane="world"):
    """An agent fired its beam; ``target`` is the agent that it named, if any."""

    kind: Literal["zap_fired"] = "zap_fired"
    target: str | None

    def summary(self) -> str:
        return f"fires at {self.target}" if self.target else "fires"


class ZapHit(Event, origin="world", lane="world", in_words="hits {victim}", is_detailed=True):
    """An agent's beam removed another agent from the game for a while.

    ``by_chance``: the shooter aimed at a different agent, and this one was also in the beam.
    """

    kind: Literal["zap_hit"] = "zap_hit"
    victim: str
    by_chance: bool = False


class RiverCleaned(Event, origin="world", lane="world"):
    """An agent's beam cleaned a number of cells of the river."""

    kind: Literal["river_cleaned"] = "river_cleaned"
    cells: int

    def summary(self) -> str:
        return f"cleans {self.cells} cell{'s' * (self.cells != 1)} of the river"


class TreeDied(
    Event,
    origin="world",
    lane="rules",
    in_words="tree {tree} died: {by} took its last apple",
    is_detailed=True,
):
    """A tree lost its last apple, so it never bears apples again."""

    kind: Literal["tree_died"] = "tree_died"
    tree: int
    by: str


class RoundEnded(Event, origin="world", lane="run"):
    """Every agent has had its turn; ``rewards`` are the apples taken so far, by agent.

    ``trees_alive`` is the number of trees with an apple. ``dirt`` is the polluted fraction of the
    river, from 0 to 1. Each is None if the game has no trees or no river, respectively.
    """

    kind: Literal["round_ended"] = "round_ended"
    round: int
    apples_left: int
    trees_alive: int | None
    rewards: dict[str, int]
    dirt: float | None = None

    def summary(self) -> str:
        trees = "" if self.trees_alive is None else f", {many(self.trees_alive, 'tree')}"
        dirt = "" if self.dirt is None else f", {self.dirt:.0%} of the river dirty"
        return f"round {self.round}: {many(self.apples_left, 'apple')}{trees} left{dirt}"
