"""Observations and actions in games in which agents take turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

# A cell of the map, as row and column.
Cell = tuple[int, int]
# An action of a world. Its text is a sentence.
Act = TypeVar("Act")


@dataclass(frozen=True)
class Perception(Generic[Act]):
    """The observation of an agent at the beginning of its turn.

    Attributes:
        turn: the number of the agent's turn, counted from 1.
        hour: the time since the game began, in hours.
        clock: the date and time in the game, in words.
        is_playing: whether the agent is in the game; if not, it cannot act.
        last_action: the agent's last action in words; empty in the first turn.
        observations: what the agent sees, one sentence per entry.
        changes: the changes that the agent has seen since its last turn, one sentence per entry.
        actions: the legal actions. The text of each action is a sentence.
        landmarks: a mapping from the name of each visible landmark to a sentence about it.
        view: the cells that the agent sees.
        area: the number of cells of the map.
        about: the structured data from which the texts were written, for scripted minds.
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
    """Chooses the actions of an agent, one per turn."""

    async def choose(self, perception: Perception[Act]) -> Act | None:
        """Return one of the legal actions; None if the agent makes no usable choice.

        Raises:
            ModelError: the model does not answer.
        """
