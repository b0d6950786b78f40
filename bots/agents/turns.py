"""The seam of agents that take turns: what one perceives, and the one action that it chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

#: A cell of the map: its row and its column.
Cell = tuple[int, int]


@dataclass(frozen=True)
class Perception:
    """What an agent perceives at the beginning of its turn.

    Attributes:
        turn: the number of its turn, from 1.
        hour: hours since the game began.
        clock: the same as the game's date and time, in words.
        cell: where it is.
        heading: where it looks, in words.
        is_playing: whether it is in the game; else it can do nothing.
        reward: what its last turn brought.
        last_action: what it did last; empty: this is its first turn.
        last_outcome: what came of that.
        observations: what it sees, a sentence each.
        changes: what has happened since its last turn as far as it saw it, a sentence each.
        actions: the legal actions, in their own words.
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
    actions: tuple[str, ...]
    landmarks: Mapping[str, str] = field(default_factory=dict)
    view: frozenset[Cell] = frozenset()
    area: int = 1
    about: object = None


#: Returns the legal action that an agent's words mean; raises ``AnswerError`` where they mean none.
ReadAction = Callable[[str, Perception], str]


class TurnPlayer(Protocol):
    """What chooses an agent's actions, one a turn."""

    async def choose(self, perception: Perception) -> str:
        """Return one of the legal actions.

        Raises:
            ModelError: the model does not answer.
        """
