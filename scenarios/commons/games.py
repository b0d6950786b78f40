"""What differs between the games of the study; all else is the same in each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from voxpolis.grid.commons.game import Commons
from voxpolis.judge.deeds.lent import Lent
from voxpolis.scenarios.commons.persons import Kind, Person

#: The one that all are told about where the selfish one is announced.
SELFISH_ONE = "Pedro"
#: What characters begin with.
COOP, SELFISH = "You are a cooperative person.", "You are a selfish person."


@dataclass(frozen=True)
class Game:
    """A game on a commons, as the study plays it.

    Attributes:
        substrate: the game of the grid that it is played on.
        maps: what of it is changed, by how many trees its map has; the default first.
        things: returns what agents are told that there is, a line each.
        characters: what agents are told of their character, by what a condition is about.
        aware: what all are told where the selfish one is announced.
        persons: the scripted person of each condition; in these conditions it is played.
        kinds: the kinds of scripted persons that play it.
        published: what was published of a condition, in a line; the paper prints few numbers.
        source: where; None: nothing was.
        pace: how fast apples grow and dirt gathers, as a part of the substrate's, for each agent
            that moves in a step; None: as fast as there, whoever moves.
        lent: how its claims and deeds are told to the modules of cooperation.
    """

    substrate: str
    maps: Mapping[int, Mapping[str, Any]]
    things: Callable[[Commons], tuple[str, ...]]
    characters: Mapping[str, str]
    aware: str
    persons: Mapping[str, Person]
    kinds: tuple[Kind, ...]
    lent: Lent
    published: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    pace: float | None = None

    def character(self, condition: str, name: str) -> str:
        """Return what an agent is told of its character."""
        if condition == "aware":
            own = self.characters["selfish_def"] if name == SELFISH_ONE else ""
            return f"{own} {self.aware}".strip()
        kind = condition.removeprefix("one_tree").removeprefix("_") or "none"
        return self.characters["none" if kind == "bots" else kind]

    def person(self, condition: str, name: str) -> Person:
        """Return the scripted person that stands for an agent."""
        if condition == "aware" and name == SELFISH_ONE:
            return self.persons["selfish_def"]
        return self.persons[condition]


def paced(game: Commons, pace: float) -> dict[str, Any]:
    """Return what changes of a game where its apples and its dirt come so much faster."""
    if game.river is None:
        assert game.regrowth is not None
        return {"regrowth": tuple(min(1.0, pace * chance) for chance in game.regrowth)}
    growth, dirt = (min(1.0, pace * one) for one in (game.river.growth, game.river.dirt))
    return {"river": {**game.river.model_dump(), "growth": growth, "dirt": dirt}}
