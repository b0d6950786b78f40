"""What an agent can do in any world; what a scenario adds comes with its verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Body(Protocol):
    """An agent's body. All that takes long is begun by one call and looked at by others."""

    def place(self) -> str:
        """Return the name of the place where it is; "the open" where that has none."""

    def near(self) -> list[str]:
        """Return the names of those near enough to hear it."""

    def inventory(self) -> Mapping[str, int]:
        """Return what it holds: item → count."""

    def threat(self) -> str | None:
        """Return what hurts it right now, if something does."""

    def flee(self) -> None:
        """Get away from that."""

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
