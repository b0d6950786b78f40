"""Where people of a village with trades have to go for what they do."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping

from voxpolis.worlds.society import Place, Resident
from voxpolis.worlds.trades.rules import ANYWHERE, AWAY, ROUND, Trades

#: How far from a village's middle those go who explore, in blocks; ours.
AWAY_BLOCKS = (60.0, 140.0)


class Targets:
    """What each has to reach next: the sites in turn on a round, somewhere far off to explore."""

    def __init__(
        self,
        trades: Trades,
        residents: Mapping[str, Resident],
        chances: Mapping[str, random.Random],
        scale: float = 1.0,
    ) -> None:
        """Begin with nobody on the way.

        Args:
            trades: what can be done.
            residents: who lives there, by name.
            chances: what each draws from, by name.
            scale: how far off is multiplied by it.
        """
        self._trades = trades
        self._residents = residents
        self._chances = chances
        self._away = tuple(blocks * scale for blocks in AWAY_BLOCKS)
        self._rounds: Counter[str] = Counter()
        self._aims: dict[str, Place] = {}

    def of(self, name: str, action: str) -> str | None:
        """Return where somebody has to go for an action; None: nowhere."""
        at = self._trades.rules[action].at
        if at == ANYWHERE:
            return None
        if at == ROUND:
            return list(self._trades.sites)[self._rounds[name] % len(self._trades.sites)]
        if at == AWAY and name not in self._aims:
            self._aims[name] = self._somewhere(name)
        return at

    def aim(self, name: str) -> Place:
        return self._aims[name]

    def reached(self, name: str, action: str) -> None:
        if self._trades.rules[action].at == ROUND:
            self._rounds[name] += 1
        self._aims.pop(name, None)

    def _somewhere(self, name: str) -> Place:
        x, z = self._residents[name].places[self._trades.market]
        chance = self._chances[name]
        angle, far = chance.random() * math.tau, chance.uniform(*self._away)
        return (x + far * math.cos(angle), z + far * math.sin(angle))
