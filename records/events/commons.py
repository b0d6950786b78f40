"""Events of commons games: turns, apples, beams and trees. Positions are (row, 0, column)."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event, Position
from voxpolis.records.text import many


def _cell(position: Position) -> str:
    return f"[{position[0]:g}, {position[2]:g}]"


class TurnTaken(
    Event, origin="world", lane="code", in_words="{action}: {outcome}", is_detailed=True
):
    """An agent carried out the action that it chose for its turn.

    Attributes:
        moves: the number of steps that the action took.
        began: the agent's cell at the start of the action.
        ended: the agent's cell at the end of the action.
        last_apple: the position of the apple nearest to the agent at the start of the turn, if it
            was the only apple left on its tree; otherwise None.
        saw_it: whether the agent saw this apple.
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
    """An agent took an apple. ``was_last`` says whether it was the last apple on its tree."""

    kind: Literal["apple_eaten"] = "apple_eaten"
    position: Position
    tree: int
    was_last: bool

    def summary(self) -> str:
        return (
            f"takes the {'last ' * self.was_last}apple at {_cell(self.position)}, tree {self.tree}"
        )


class AppleGrown(Event, origin="world", lane=None):
    """An apple grew again."""

    kind: Literal["apple_grown"] = "apple_grown"
    position: Position
    tree: int


class ZapFired(Event, origin="world", lane="world"):
    """An agent fired its beam. ``target`` is the agent at which it aimed, if any."""

    kind: Literal["zap_fired"] = "zap_fired"
    target: str | None

    def summary(self) -> str:
        return f"fires at {self.target}" if self.target else "fires"


class ZapHit(Event, origin="world", lane="world", in_words="hits {victim}", is_detailed=True):
    """The beam of an agent hit another agent, which is out of the game for a while.

    ``by_chance``: the agent had aimed at a different agent.
    """

    kind: Literal["zap_hit"] = "zap_hit"
    victim: str
    by_chance: bool = False


class RiverCleaned(Event, origin="world", lane="world"):
    """The beam of an agent cleaned some cells of the river."""

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
    """A tree lost its last apple. It will never bear apples again."""

    kind: Literal["tree_died"] = "tree_died"
    tree: int
    by: str


class RoundEnded(Event, origin="world", lane="run"):
    """All agents have had their turn.

    Attributes:
        rewards: the number of apples that each agent has taken so far.
        trees_alive: the number of trees with an apple; None if the game has no trees.
        dirt: the polluted fraction of the river, from 0 to 1; None if the game has no river.
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
