"""Bodies: abilities of an agent in any world; scenarios add verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Surroundings:
    """Perceptions of a body besides its place, its neighbours and its inventory.

    Attributes:
        feels: one word for what its body tells it, such as ``hungry``; empty: it is well.
        doing: what those near are seen to do, by name, as an action is written: ``MINE coal``.
        things: what there is at the place: thing → count.
        health: from 0 to 20; None: this world hurts no agent.
    """

    feels: str = ""
    doing: Mapping[str, str] = field(default_factory=dict)
    things: Mapping[str, int] = field(default_factory=dict)
    health: float | None = None


# Where there is nothing of that to see.
NOTHING_NOTICED = Surroundings()


class Body(Protocol):
    """An agent's body. All that takes long is begun by one call and looked at by others."""

    def place(self) -> str:
        """Return the name of the place where it is; "the open" where that has none."""

    def near(self) -> list[str]:
        """Return the names of those near enough to hear it, in a list that is not changed."""

    def inventory(self) -> Mapping[str, int]:
        """Return what it holds: item → count."""

    def threat(self) -> str | None:
        """Return what hurts it right now, if something does."""

    def flee(self) -> None:
        """Get away from that."""

    def notices(self) -> Surroundings:
        """Return what else it notices."""

    def finds(self, target: str) -> bool:
        """Return whether there is such a place or person to head for."""

    def is_at(self, target: str) -> bool:
        """Return whether it is at a place, or next to somebody."""

    def head_for(self, target: str) -> float:
        """Set out for a place or for somebody; return the seconds that the way should take.

        Raises:
            LookupError: there is no such place or person.
        """

    def stop(self) -> None:
        """Stay where it is."""

    def say(self, text: str) -> list[str]:
        """Say something; return the names of those who hear it."""


@dataclass
class StandIn:
    """A body where there is no world: it stays where it is, among others, and meets no danger.

    For showing and measuring what minds do; see :class:`Body`.
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
