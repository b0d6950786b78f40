"""The body of an agent: what every world lets an agent do. Scenarios add verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Surroundings:
    """The surroundings that a body perceives, apart from place, inventory and the agents nearby.

    Attributes:
        feels: one word for the body's condition, such as ``hungry``; empty if the body is well.
        doing: for each agent nearby, the action that the agent is seen doing, in the form ``MINE
            coal``.
        things: the number of things of each kind at the place.
        health: from 0 to 20; None if agents cannot be hurt in this world.
    """

    feels: str = ""
    doing: Mapping[str, str] = field(default_factory=dict)
    things: Mapping[str, int] = field(default_factory=dict)
    health: float | None = None


# The value when a body perceives nothing of this kind.
NOTHING_NOTICED = Surroundings()


class Body(Protocol):
    """The body of an agent.

    Actions that take long are started by one call; later calls ask how far the action has
    progressed.
    """

    def place(self) -> str:
        """Return the name of the body's place, or "the open" if the body is at no named place."""

    def near(self) -> list[str]:
        """Return the names of the agents within hearing distance. The list must not be modified."""

    def inventory(self) -> Mapping[str, int]:
        """Return the number of pieces of each item that the body carries."""

    def threat(self) -> str | None:
        """Return a name for what is hurting the body; None if nothing is."""

    def flee(self) -> None:
        """Get away from the threat."""

    def notices(self) -> Surroundings:
        """Return the condition and the health of the body, the actions of agents nearby, and the
        things in view.
        """

    def finds(self, target: str) -> bool:
        """Return whether the body can go to a place or a person with this name."""

    def is_at(self, target: str) -> bool:
        """Return whether the body is at a place, or next to a person."""

    def head_for(self, target: str) -> float:
        """Start to walk to a place or a person, and return the expected travel time in seconds.

        Raises:
            LookupError: there is no place or person with this name.
        """

    def stop(self) -> None:
        """Stop moving."""

    def say(self, text: str) -> list[str]:
        """Say something aloud, and return the names of the agents that hear it."""


@dataclass
class StandIn:
    """A body without a world, which never moves and is never in danger.

    Other agents are always near the body.

    This class serves in demonstrations and benchmarks of minds. See :class:`Body`.
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
