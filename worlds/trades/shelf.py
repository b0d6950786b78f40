"""What stands and grows at a site, computed when it is looked at."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping

from voxpolis.worlds.trades.rules import Stock


class Shelf:
    """The things at a site that belong to nobody. Times only go on from call to call."""

    def __init__(self, stocks: Mapping[str, Stock]) -> None:
        """Begin with what is there at first."""
        self._stocks = stocks
        self._counts = {kind: stock.count for kind, stock in stocks.items()}
        #: Of what grows: since when it has been growing towards the next one.
        self._grows = dict.fromkeys((k for k, s in stocks.items() if s.every_s is not None), 0.0)
        self._coming: list[tuple[float, str, int]] = []

    def counts(self, now: float) -> dict[str, int]:
        """Return how much there is of each thing, ``now`` in seconds; a copy."""
        self._go_on(now)
        return dict(self._counts)

    def take(self, kinds: Mapping[str, int], now: float) -> None:
        """Take things away.

        Raises:
            ValueError: there are not so many.
        """
        self._go_on(now)
        for kind, count in kinds.items():
            if self._counts.get(kind, 0) < count:
                raise ValueError(f"there are fewer than {count} {kind}")
        for kind, count in kinds.items():
            self._counts[kind] -= count

    def leave(self, kinds: Mapping[str, int], at: float) -> None:
        """Let things be there from a moment on."""
        for kind, count in kinds.items():
            heapq.heappush(self._coming, (at, kind, count))

    def _go_on(self, now: float) -> None:
        while self._coming and self._coming[0][0] <= now:
            _, kind, count = heapq.heappop(self._coming)
            self._counts[kind] = self._counts.get(kind, 0) + count
        for kind, since in self._grows.items():
            stock = self._stocks[kind]
            every = stock.every_s or math.inf
            grown = math.floor((now - since) / every)
            if self._counts[kind] >= stock.most:
                self._grows[kind] = now
            elif grown:
                self._counts[kind] = min(stock.most, self._counts[kind] + grown)
                self._grows[kind] = since + grown * every
