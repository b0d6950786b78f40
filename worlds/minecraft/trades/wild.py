"""Natural terrain in Minecraft for people with trades. The rules are the same, but nothing is
built.

People start far apart with empty inventories and use what they find on the land
(:mod:`worlds.minecraft.trades.skills`). Mobs, lava, fire, water and falls are real dangers.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from voxpolis.bots.agents.piano.body import Surroundings
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft.session import HOUSE_RULES, MinecraftSession
from voxpolis.worlds.minecraft.trades.doing import ProgramContext
from voxpolis.worlds.minecraft.trades.site import TradeSite
from voxpolis.worlds.minecraft.trades.skills import Skill, call, skill_in_nature, sources
from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage, TradeVillager
from voxpolis.worlds.minecraft.village import LOOK_S
from voxpolis.worlds.society import THE_OPEN, Place, Resident
from voxpolis.worlds.trades import Report, Rule, TradePlan

# How far apart people start, in blocks, and how much this distance may differ.
APART_BLOCKS, SPREAD_BLOCKS = 400, 24
# Size of the area from which the starts of runs are drawn, in units of that distance.
SOMEWHERE = 12
# Mobs from which people flee, with the distance in blocks at which people flee. The list contains
# the monsters of Minecraft that occur on the servers.
MONSTERS = ("zombie", "skeleton", "spider", "creeper", "husk", "drowned", "enderman", "witch")
NEAR_BLOCKS = 6
# Minecraft: a player with fewer ticks of air than this (of 300) will soon drown.
LITTLE_AIR = 150
# Duration of a flight, in game seconds.
FLIGHT_S = 6.0
_PASSED = "Test passed"


class MinecraftWild(MinecraftTradeVillage):
    """Natural terrain as a world of trades; see :class:`worlds.trades.TradeWorld`.

    Attributes:
        hurts: what threatens each person now, or None.
        health: health of each person, from 0 to 20.
    """

    def __init__(
        self, session: MinecraftSession, plan: TradePlan, *, seed: int, danger: int = 0
    ) -> None:
        """Prepare the land. ``danger`` is the number of zombies per person at the start."""
        super().__init__(session, plan, seed=seed)
        self.hurts: dict[str, str | None] = dict.fromkeys(self.residents)
        self.health: dict[str, float] = dict.fromkeys(self.residents, 20.0)
        self._danger = danger
        self._seed = seed

    def _lay_out(self, plan: TradePlan, seed: int) -> TradeSite:
        nothing = Layout((0, 0), (0, 0), ground_y=0, wall_height=0, floor="air", starts={})
        return TradeSite(nothing, [], [], [])

    def _body(self, resident: Resident, chest: Block) -> WildVillager:
        return WildVillager(self, resident, chest)

    def skill(self, action: str, rule: Rule) -> Skill | None:
        return skill_in_nature(action, rule)

    async def _settle(self) -> None:
        await self.world.reset([*HOUSE_RULES, "kill @e[type=item]"])
        rng = random.Random(f"{self._seed} somewhere")
        east, south = (APART_BLOCKS * rng.randint(-SOMEWHERE, SOMEWHERE) for _ in range(2))
        for k, name in enumerate(self.residents):
            x, z = east + APART_BLOCKS * k, south
            await self.world.edit(f"clear {name}")
            await self.world.edit(f"gamemode survival {name}")
            await self.world.edit(f"spreadplayers {x} {z} 0 {SPREAD_BLOCKS} false {name}")
        await self._session.landed(self.residents)
        await self.look()

    async def _feed(self) -> None:
        """Feed people once. From then on only Minecraft's own hunger applies."""
        await self._hunger.feed(self.residents)

    async def build(self) -> None:
        await super().build()
        if self._danger:
            await self.world.edit("difficulty normal")
            await self.world.edit("gamerule fallDamage true")
            await self.world.edit("time set midnight")  # zombies burn by day
        for x, y, z in self.at.values():
            for _ in range(self._danger):
                await self.world.edit(f"summon zombie {x + 8:.1f} {y + 1:.1f} {z:.1f}")

    async def watch(self) -> None:
        await asyncio.gather(super().watch(), self._look_out())

    async def end(self) -> None:
        await super().end()
        await self.world.ask("kill @e[type=zombie]")

    async def _look_out(self) -> None:
        while True:
            for name in self.residents:
                self.hurts[name] = await self._what_hurts(name)
            await self._pause(LOOK_S)

    async def _what_hurts(self, name: str) -> str | None:
        health, before = await self.world.health(name), self.health[name]
        self.health[name] = health
        if _PASSED in await self.world.ask(f"execute at {name} if block ~ ~ ~ lava"):
            return "lava"
        if await self.world.burns(name):
            return "fire"
        if await self.world.air(name) < LITTLE_AIR:
            return "drowning"
        for mob in MONSTERS if self._danger else ():
            near = f"execute at {name} if entity @e[type={mob},distance=..{NEAR_BLOCKS}]"
            if _PASSED in await self.world.ask(near):
                return f"a {mob}"
        return "something that hurts" if health < before else None

    def body(self, name: str) -> WildVillager:
        found = super().body(name)
        assert isinstance(found, WildVillager)
        return found

    def carry_on(self, name: str, action: str) -> Report | None:
        """Start or continue an action, unless the person is still fleeing."""
        return None if self.body(name).is_fleeing else super().carry_on(name, action)

    def run_own(self, name: str, words: str, code: str, own: ProgramContext) -> Report | None:
        return None if self.body(name).is_fleeing else super().run_own(name, words, code, own)

    # --- Places ----------------------------------------------------------------------------------

    def target(self, name: str, action: str) -> str | None:
        """Return None, because people take resources wherever they find them."""
        return None

    def things(self, place: str) -> dict[str, int]:
        """Return no things, because people only learn about resources by searching."""
        return {}


class WildVillager(TradeVillager):
    """The body of one person in natural terrain; see :class:`bots.agents.piano.body.Body`."""

    def __init__(self, land: MinecraftWild, resident: Resident, chest: Block) -> None:
        super().__init__(land, resident, chest)
        self._land = land
        # Whether the person is fleeing. The flight must end before the person works again.
        self.is_fleeing = False

    def place(self) -> str:
        return THE_OPEN

    def notices(self) -> Surroundings:
        return replace(super().notices(), health=self._land.health[self._resident.name])

    def threat(self) -> str | None:
        """Return what threatened this person at the last query. Return None while the person is
        fleeing.
        """
        return None if self.is_fleeing else self._land.hurts[self._resident.name]

    def flee(self) -> None:
        self._land.hurts[self._resident.name] = None
        self._begin(partial(self._run_away, f"await {call('getAway', MONSTERS, FLIGHT_S)}"))
        self.is_fleeing = True

    def _begin(self, errand: Callable[[], Awaitable[None]] | None) -> None:
        self.is_fleeing = False
        super()._begin(errand)

    async def _run_away(self, program: str) -> None:
        try:
            await self._bot.run(program, 2 * FLIGHT_S, 0, sources())
        finally:
            self.is_fleeing = False

    def is_at(self, target: str) -> bool:
        """Return whether this person is next to another person. Natural terrain has no named
        places.
        """
        return target in self._village.at and super().is_at(target)

    def _height(self, target: str) -> float:
        return self._village.at[target][1]

    def _where(self, target: str) -> Place:
        if target not in self._village.at:
            raise LookupError(f"there is nobody called {target!r}")
        return super()._where(target)
