"""What an agent can do in a world, whichever it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Body(Protocol):
    """An agent's body. All that takes long is begun by one call and looked at by others."""

    def place(self) -> str:
        """The name of the place where it is; "the open" where that has none."""

    def near(self) -> list[str]:
        """Who is near enough to hear it."""

    def inventory(self) -> Mapping[str, int]:
        """What it holds."""

    def threat(self) -> str | None:
        """What hurts it right now, if something does."""

    def flee(self) -> None:
        """Get away from that."""

    def is_at(self, target: str) -> bool:
        """Whether it is at a place, or next to somebody."""

    def head_for(self, target: str) -> float:
        """Set out for a place or for somebody; gives the seconds that the way should take.

        Raises:
            LookupError: there is no such place or person.
        """

    def stop(self) -> None:
        """Stay where it is."""

    async def work(self) -> bool:
        """Do one piece of work of its job, where that is done; false: nothing came of it."""

    async def pay(self, share: float) -> Mapping[str, int]:
        """Put a share of what it holds into the community chest, and say what was put in."""

    def say(self, text: str) -> list[str]:
        """Say something; gives those who hear it."""
