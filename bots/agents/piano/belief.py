"""What somebody believes to hold who never looks at what came of its actions.

Source: Project Sid (Altera.AL 2024): without action awareness expectations are believed, so that
success is hallucinated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from voxpolis.bots.agents.piano.expecting import Ended

#: Ours: so often it looks at what it really holds, in seconds.
LOOKS_EVERY_S = 120.0


class Belief:
    """What is believed to be held: what was last seen, and what was expected since."""

    __slots__ = ("_items", "_looked_at")

    def __init__(self) -> None:
        self._items: Mapping[str, int] = {}
        self._looked_at: float | None = None

    def held(
        self, now: float, real: Mapping[str, int], ended: Iterable[Ended]
    ) -> Mapping[str, int]:
        """Return item → count as it is believed, which is never changed, but replaced.

        Args:
            now: the time in seconds.
            real: what is held.
            ended: expectations that came due, which are believed to have come true.
        """
        for one in ended:
            items = dict(self._items)
            for item, count in one.forecast.items.items():
                items[item] = max(0, items.get(item, 0) + count)
            self._items = items
        if self._looked_at is None or now - self._looked_at >= LOOKS_EVERY_S:
            self._items, self._looked_at = dict(real), now
        return self._items
