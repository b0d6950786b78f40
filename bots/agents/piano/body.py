"""Bodies: abilities of an agent in any world; scenarios add verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Surroundings:
    """A body's perceptions other than its position, neighbours and inventory.

    Attributes:
        feels: one word for its condition, such as ``hungry``; empty if it is well.
        doing: visible actions of agents nearby, by name, in the form ``MINE coal``.
        things: things at the place: thing → count.
        health: from 0 to 20; None if agents cannot be hurt in this world.
    """

    feels: str = ""
    doing: Mapping[str, str] = field(default_factory=dict)
    things: Mapping[str, int] = field(default_factory=dict)
    health: float | None = None


# Default if nothing is visible.
NOTHING_NOTICED = Surroundings()


class Body(Protocol):
    """An agent's body. One call starts a long action; later calls poll its progress."""

    def place(self) -> str:
        """Return the name of the body's place; "the open" for an unnamed place."""

    def near(self) -> list[str]:
        """Return the names of agents within hearing distance; the list must not be modified."""

    def inventory(self) -> Mapping[str, int]:
        """Return its items: item → count."""

    def threat(self) -> str | None:
        """Return the threat that currently hurts it, if any."""

    def flee(self) -> None:
        """Get away from the threat."""

    def notices(self) -> Surroundings:
        """Return its other perceptions."""

    def finds(self, target: str) -> bool:
        """Return whether the body can find a place or person of this name to head for."""

    def is_at(self, target: str) -> bool:
        """Return whether it is at a place, or next to a person."""

    def head_for(self, target: str) -> float:
        """Set out for a place or a person; return the expected travel time in seconds.

        Raises:
            LookupError: there is no such place or person.
        """

    def stop(self) -> None:
        """Stop moving."""

    def say(self, text: str) -> list[str]:
        """Say something; return the names of the hearers."""


@dataclass
class StandIn:
    """A body without a world: it never moves, is surrounded by others and is never in danger.

    For demonstrations and benchmarks of minds; see :class:`Body`.
    """

    where: str
    others: tuple[str, ...]
    items: Mapping[str, int] = field(default_factory=dict)
    around: Surroundings = NOTHING_NOTICED

    def place(self) -> str:
        return self.where

    def near(self) -> list[str]:
        return list(self.others)

    def inventory(self) -> Mapping[str, int]:
        return self.items

    def threat(self) -> str | None:
        return None

    def flee(self) -> None:
        """Do nothing."""

    def notices(self) -> Surroundings:
        return self.around

    def finds(self, target: str) -> bool:
        return True

    def is_at(self, target: str) -> bool:
        return True

    def head_for(self, target: str) -> float:
        return 0.0

    def stop(self) -> None:
        """Do nothing."""

    def say(self, text: str) -> list[str]:
        return self.near()
