"""The scripted stand-in for the paper's bots, which were trained: greedy, and quick to attack."""

from __future__ import annotations

import random

from experiments.commons_game import Bot
from grid.commons.tables import FORWARD, STAY, TURN_RIGHT, ZAP
from worlds.commons.actions import step_towards, way
from worlds.commons.sight import distance
from worlds.commons.table import CommonsTable

#: It attacks only where no apple is as near as that.
NEAR = 3
#: How often it fires where it sees no apple.
FIRES = 0.5


def greedy_bot(table: CommonsTable, player: int, seed: int) -> Bot:
    """Return a bot that always goes for the nearest apple that it sees.

    It attacks whoever is within reach where no apple is within three steps. Where it sees no apple,
    it fires every second time, and else turns or goes as it comes.
    """
    draws = random.Random(f"{seed} bot {player}")

    def act() -> int:
        cell = table.cells[player]
        seen = sorted((distance(cell, one), one) for one in table.view(player) & table.apples)
        seen = [one for one in seen if one[0]]
        is_near = bool(seen) and seen[0][0] <= NEAR
        can_zap = table.can_fire(player, ZAP)
        if can_zap and not is_near and table.targets(player, table.headings[player]):
            return ZAP
        if seen:
            path = way(table, player, {seen[0][1]})
            return step_towards(table, player, path[0]) if path else STAY
        if can_zap and draws.random() < FIRES:
            return ZAP
        return draws.randint(FORWARD, TURN_RIGHT)

    return act
