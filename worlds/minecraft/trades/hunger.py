"""Hunger in a village with trades: Minecraft's own, made as strong as the village's rules say.

Everybody begins well fed, and is drained until it is hungry for the first time, as long as a bread
lasts for each ``hunger.every_s``. From then on a piece of the poorest food of the village lasts so
long: raw meat feeds a third as long as bread, so that people whose bread lasted two minutes ate
all that they caught, and never had anything to give.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from voxpolis.bridge import MinecraftWorld
from voxpolis.worlds.minecraft.trades.skills import TICKS_PER_SECOND
from voxpolis.worlds.trades import Trades

#: Minecraft's: whoever has so much food (of 20) or less cannot run.
HUNGRY_FOOD = 6
#: Minecraft's: each level of slowness takes so much of one's speed.
SLOWER_A_LEVEL = 0.15
#: Minecraft's: what uses up a piece of food or saturation, and how much the effect of hunger tires
#: in a tick, for each of its levels.
TIRED_A_FOOD, TIRED_A_TICK = 4.0, 0.005
BREAD = "bread"
#: Minecraft's: food and saturation together of a piece (minecraft.wiki: Food).
FEEDS = {"apple": 6.4, BREAD: 11.0, "cod": 2.4, "cooked_cod": 11.0, "salmon": 2.4}
FEEDS |= {"mutton": 3.2, "cooked_mutton": 15.6, "beef": 4.8, "cooked_beef": 20.8}
FEEDS |= {"chicken": 3.2, "cooked_chicken": 13.2, "carrot": 6.6, "potato": 1.6}


def hunger_level(feeds: float, lasts_s: float) -> int:
    """Return the level of the effect of hunger with which so much food lasts so many seconds."""
    tired = TIRED_A_FOOD * feeds / (lasts_s * TICKS_PER_SECOND)
    return min(255, max(0, round(tired / TIRED_A_TICK) - 1))


class Hunger:
    """Lets people be hungry as often as the rules say, and the hungry be slow."""

    def __init__(self, world: MinecraftWorld, trades: Trades) -> None:
        """Begin with nobody fed."""
        self._world = world
        self._slower = round((1 - trades.hunger.slower) / SLOWER_A_LEVEL) - 1
        poorest = min((FEEDS.get(food, FEEDS[BREAD]) for food in trades.hunger.foods), default=0.0)
        self._first = hunger_level(FEEDS[BREAD], trades.hunger.every_s)
        self._later = hunger_level(poorest, trades.hunger.every_s)
        #: Who was never hungry yet.
        self._fresh: set[str] = set()

    async def feed(self, names: Collection[str]) -> None:
        """Let some be healthy and well fed, with no more hunger than is Minecraft's own."""
        for name in names:
            await self._world.edit(f"effect give {name} instant_health 1 4 true")
            await self._world.edit(f"effect give {name} saturation 1 19 true")

    async def drain(self, names: Collection[str]) -> None:
        """Let some get hungry as fast as the rules say."""
        for name in names:
            await self._world.edit(f"effect give {name} hunger infinite {self._first} true")
        self._fresh.update(names)

    async def note(self, name: str, food: int, seconds: float) -> None:
        """Take note of how much food one has: the hungry are slow for so many seconds."""
        if food > HUNGRY_FOOD:
            return
        if name in self._fresh:
            self._fresh.discard(name)
            await self._world.ask(f"effect clear {name} hunger")  # a weaker one would not count
            await self._world.edit(f"effect give {name} hunger infinite {self._later} true")
        if self._slower >= 0:
            lasts = math.ceil(seconds)
            await self._world.edit(f"effect give {name} slowness {lasts} {self._slower} true")
