"""What comes again in a village with trades: grass, trees, animals."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any

from voxpolis.bridge import MinecraftWorld
from voxpolis.records.events import Position
from voxpolis.worlds.minecraft.trades.site import GROUND_Y, Animals, Growth, TradeSite
from voxpolis.worlds.minecraft.trades.skills import ANIMAL

#: Nothing grows so near to anybody, in blocks: it could be where somebody stands.
CLEAR_BLOCKS = 2
#: Animals come so near to the middle of their pasture, in blocks.
HERD_BLOCKS = 3.0


class Growing:
    """Lets things stand again where they were dug, and animals come."""

    def __init__(
        self,
        world: MinecraftWorld,
        site: TradeSite,
        people_at: Callable[[], Iterable[Position]],
        pause: Callable[[float], Awaitable[None]],
        seed: int,
    ) -> None:
        """Begin with nothing.

        Args:
            world: the server.
            site: what grows where.
            people_at: returns where everybody is.
            pause: lets game seconds pass.
            seed: of where animals come.
        """
        self._world = world
        self._site = site
        self._people_at = people_at
        self._pause = pause
        self._rng = random.Random(f"{seed} herds")

    async def begin(self) -> None:
        """Let the animals come that are there at first."""
        for herd in self._site.herds:
            for _ in range(herd.count):
                await self._summon(herd)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what goes on until it is cancelled."""
        growths = [self._grow(growth) for growth in self._site.growths]
        herds = [self._raise(herd, herd.every_s) for herd in self._site.herds if herd.every_s]
        return [*growths, *herds]

    async def end(self) -> None:
        """Let no animal be left."""
        await self._world.ask(f"kill @e[type={ANIMAL}]")

    async def _grow(self, growth: Growth) -> None:
        turn = 0
        while True:
            await self._pause(growth.every_s)
            for _ in range(growth.at_once):
                (x, z), command = growth.parts[turn % len(growth.parts)]
                turn += 1
                people = self._people_at()
                if all(max(abs(at[0] - x), abs(at[2] - z)) > CLEAR_BLOCKS for at in people):
                    await self._world.ask(command)

    async def _raise(self, herd: Animals, every_s: float) -> None:
        while True:
            await self._pause(every_s)
            answer = await self._world.ask(f"execute if entity @e[type={ANIMAL}]")
            count = int(answer.rpartition(":")[2]) if ":" in answer else 0
            if count < herd.most:
                await self._summon(herd)

    async def _summon(self, herd: Animals) -> None:
        x, z = (part + self._rng.uniform(-HERD_BLOCKS, HERD_BLOCKS) for part in herd.middle)
        await self._world.edit(f"summon {ANIMAL} {x:.2f} {GROUND_Y} {z:.2f}")
