"""Agents that take turns: their observations and actions."""

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
    """An agent's observation at the beginning of its turn.

    Attributes:
        turn: index of its turn, from 1.
        hour: hours since the game began.
        clock: the game's date and time, in words.
        is_playing: it is in the game; otherwise it cannot act.
        last_action: its last action in words; empty in its first turn.
        observations: what it sees, one sentence each.
        changes: changes that it has seen since its last turn, one sentence each.
        actions: legal actions; the text of each is a sentence.
        landmarks: sentences about visible landmarks, by name.
        view: cells that it sees.
        area: number of cells of the map.
        about: typed value that all of this was rendered from, for scripted minds.
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
    """Chooses an agent's actions, one per turn."""

    async def choose(self, perception: Perception[Act]) -> Act | None:
        """Return one of the legal actions; None if there is no usable choice.

        Raises:
            ModelError: the model does not answer.
        """
