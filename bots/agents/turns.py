"""Agents that take turns: what one perceives, and the one action that it chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

# A cell of the map: its row and its column.
Cell = tuple[int, int]
# An action of a world; its text is a sentence.
Act = TypeVar("Act")


@dataclass(frozen=True)
class Perception(Generic[Act]):
    """Perception of an agent at the beginning of its turn.

    Attributes:
        turn: the number of its turn, from 1.
        hour: hours since the game began.
        clock: the same as the game's date and time, in words.
        is_playing: whether it is in the game; else it can do nothing.
        last_action: what it did last, in words; empty: this is its first turn.
        observations: what it sees, a sentence each.
        changes: what has happened since its last turn as far as it saw it, a sentence each.
        actions: the legal actions; the text of each is a sentence.
        landmarks: sentences about what it sees of what does not move, by name.
        view: the cells that it sees.
        area: how many cells the map has.
        about: the typed value that all of this was rendered from, for scripted minds.
    """

    turn: int
    hour: int
    clock: str
    cell: Cell
    heading: str
    is_playing: bool
    reward: float
    last_action: str
    last_outcome: str
    observations: tuple[str, ...]
    changes: tuple[str, ...]
    actions: tuple[Act, ...]
    landmarks: Mapping[str, str] = field(default_factory=dict)
    view: frozenset[Cell] = frozenset()
    area: int = 1
    about: object = None


class TurnPlayer(Protocol[Act]):
    """Chooses an agent's actions, one a turn."""

    async def choose(self, perception: Perception[Act]) -> Act | None:
        """Return one of the legal actions; None: no choice could be made.

        Raises:
            ModelError: the model does not answer.
        """
