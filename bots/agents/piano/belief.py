"""What somebody believes to hold who never looks at what came of its actions.

Source: Project Sid (Altera.AL 2024): without action awareness expectations are believed, so that
success is hallucinated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from bots.agents.piano.expecting import Ended

#: Ours: so often it looks at what it really holds, in seconds.
LOOKS_EVERY_S = 120.0


class Belief:
    """What is believed to be held: what was last seen, and what was expected since."""

    def __init__(self) -> None:
        self._items = Counter[str]()
        self._looked_at: float | None = None

    def held(self, now: float, real: Mapping[str, int], ended: Iterable[Ended]) -> dict[str, int]:
        """Return item → count as it is believed.

        Args:
            now: the time in seconds.
            real: what is held.
            ended: expectations that came due, which are believed to have come true.
        """
        for one in ended:
            for item, count in one.forecast.items.items():
                self._items[item] = max(0, self._items[item] + count)
        if self._looked_at is None or now - self._looked_at >= LOOKS_EVERY_S:
            self._items, self._looked_at = Counter(real), now
        return dict(self._items)
